//! A scene with its questions, and the judgement of their answers.

use crate::aim::{self, Family, Spot};
use crate::faults::{Fault, Need};
use crate::world_images::images_of_worlds;
use crate::{CAMERA, Class, Judge, camera_error};
use raytwin::camera::{Camera, View};
use raytwin::fields::ShapeError;
use raytwin::gpu::GpuTracer;
use raytwin::packed::{PackError, PackedScene};
use raytwin::query::Rays;
use raytwin::question::{
    Circumstance, Question, QuestionAnswers, QuestionKind, QuestionTraits, RayQuestion,
};
use raytwin::ray::Ray;
use raytwin::scan::Views;
use raytwin::scene::{Scene, WorldError};
use raytwin::tracer::{TraceError, Tracer};
use std::sync::Arc;
use thiserror::Error;

/// The reason why there is no test scene.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TestSceneError {
    /// There is nothing to aim rays at.
    #[error("the scene has no visible shapes to aim rays at: choose a scene with visible shapes")]
    Empty,
    /// A shape is invalid.
    #[error("a shape of a built-in scene is invalid: {0}")]
    Shape(#[from] ShapeError),
    /// A scene cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A world cannot be added.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// The findings of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The traits of the question.
    pub traits: QuestionTraits,
    /// The number of its rays or points.
    pub asked: usize,
    /// The number of wrong answers.
    pub wrong: usize,
    /// The engine's own error, if it returned no answers.
    pub error: Option<String>,
}

impl Finding {
    /// Returns true if all answers exist and are right.
    pub fn is_clean(&self) -> bool {
        self.wrong == 0 && self.error.is_none()
    }
}

/// The numbers of rays that start outside and inside shapes, and of points.
const AIMED: usize = 2000;
const INSIDE: usize = 500;
const POINTS: usize = 500;
const SEED: u64 = 61;

const IMAGE: [u32; 2] = [64, 48];

/// A scene in which faults are planted, with rays and points that are aimed at it.
#[derive(Debug)]
pub struct TestScene {
    packed: PackedScene,
    judge: Judge,
    rays: Vec<Ray>,
    masks: Vec<u32>,
    worlds: Vec<u32>,
    points: Vec<[f32; 3]>,
    view: Option<View>,
    /// The scene that an update moves the tracer to, and its judge.
    moved: Option<(Scene, Judge)>,
    has_faces_in_planes: bool,
}

impl TestScene {
    /// Aims rays and points at a scene by a seed.
    ///
    /// # Errors
    /// [`TestSceneError::Empty`].
    pub fn new(packed: &PackedScene) -> Result<Self, TestSceneError> {
        if packed.is_empty() {
            return Err(TestSceneError::Empty);
        }
        let scene = packed.scene();
        let size = aim::typical_size(scene);
        let mut rays = aim::rays(SEED, Family::Aimed(12.0), AIMED, scene, size);
        rays.extend(aim::rays(SEED, Family::Inside, INSIDE, scene, size));
        let spots = [Spot::Away(2.0), Spot::Within];
        let points =
            spots.into_iter().flat_map(|spot| aim::points(SEED, spot, POINTS, scene, size));
        let [width, height] = IMAGE;
        // A scene that is too large for a camera is not asked for an image.
        let view = Camera::fit_bounds(&scene.bounds(), scene.up, width, height)
            .and_then(|camera| View::new(camera, width, height));
        Ok(Self {
            masks: [u32::MAX, 0, 1].into_iter().cycle().take(rays.len()).collect(),
            worlds: (0..scene.world_count()).cycle().take(rays.len()).collect(),
            points: points.collect(),
            judge: Judge::new(packed),
            packed: packed.clone(),
            rays,
            view: view.ok(),
            moved: None,
            has_faces_in_planes: false,
        })
    }

    /// Adds rays in faces that are exactly in the planes of the tree's boxes.
    pub(super) fn with_rays_in_faces(self, rays: Vec<Ray>) -> Self {
        Self { rays, has_faces_in_planes: true, ..self }
    }

    /// Asks also after an update to another scene.
    pub(super) fn with_motion(self, moved: Scene) -> Result<Self, TestSceneError> {
        let judge = Judge::new(&PackedScene::new(moved.clone())?);
        Ok(Self { moved: Some((moved, judge)), ..self })
    }

    /// Returns the scene with its tree.
    pub fn packed(&self) -> &PackedScene {
        &self.packed
    }

    fn meets(&self, need: Need) -> bool {
        need.is_met_by(&self.packed).unwrap_or(self.has_faces_in_planes)
    }

    /// Returns the traits of the questions that may show a fault here; none if the scene lacks what
    /// the fault needs.
    pub(super) fn traits(&self, fault: &Fault) -> Vec<QuestionTraits> {
        if !fault.needs.iter().all(|need| self.meets(*need)) {
            return Vec::new();
        }
        fault.traits().filter(|traits| self.question(*traits).is_some()).collect()
    }

    /// It is `None` if the question makes no sense here.
    pub(super) fn question(&self, traits: QuestionTraits) -> Option<Question> {
        let has_worlds = self.packed.scene().world_count() > 1;
        let lacks = |circumstance, is_there: bool| traits.is_under(circumstance) && !is_there;
        if lacks(Circumstance::Worlds, has_worlds)
            || lacks(Circumstance::Update, self.moved.is_some())
        {
            return None;
        }
        match traits.kind() {
            QuestionKind::Image => {
                let views = self.images(traits.is_under(Circumstance::Worlds))?;
                Some(Question::Image(Box::new(views)))
            }
            QuestionKind::Points => Some(Question::Points(self.points.clone())),
            QuestionKind::Rays(query) => {
                let under = |circumstance, numbers: &[u32]| {
                    traits.is_under(circumstance).then(|| numbers.to_vec())
                };
                let rays = Rays {
                    rays: self.rays.clone(),
                    masks: under(Circumstance::Masks, &self.masks),
                    ignored: None,
                    worlds: under(Circumstance::Worlds, &self.worlds),
                };
                let is_solid = traits.is_under(Circumstance::Solids);
                let rays = Arc::new(rays);
                Some(Question::Rays(RayQuestion { name: "aimed rays", query, is_solid, rays }))
            }
        }
    }

    fn images(&self, is_in_worlds: bool) -> Option<Views> {
        let view = self.view.as_ref()?;
        match is_in_worlds {
            true => images_of_worlds(view, self.packed.scene(), u32::MAX).ok(),
            false => Some(view.into()),
        }
    }

    /// Asks a tracer of the scene a question of these traits, and judges its answers. An error of
    /// the tracer is also a finding, without answers.
    pub(super) fn ask(
        &self,
        traits: QuestionTraits,
        tracer: &mut GpuTracer,
    ) -> (Finding, Option<QuestionAnswers>) {
        let mut finding = Finding { traits, asked: 0, wrong: 0, error: None };
        let Some(question) = self.question(traits) else { return (finding, None) };
        finding.asked = question.len();
        match self.judged(&question, traits, tracer) {
            Ok((wrong, answers)) => (Finding { wrong, ..finding }, Some(answers)),
            Err(error) => (Finding { error: Some(error.to_string()), ..finding }, None),
        }
    }

    /// The number counts the wrong answers.
    fn judged(
        &self,
        question: &Question,
        traits: QuestionTraits,
        tracer: &mut GpuTracer,
    ) -> Result<(usize, QuestionAnswers), TraceError> {
        let judge = match &self.moved {
            Some((moved, judge)) if traits.is_under(Circumstance::Update) => {
                tracer.update(moved)?;
                judge
            }
            _ => &self.judge,
        };
        let answers = tracer.answer(question, 0..question.len())?;
        let verdicts = judge.judge_answers(question, 0..question.len(), &answers)?;
        let is_off = |index: usize| match question {
            Question::Image(views) => {
                let error = camera_error(views, index, &answers.generated_rays()[index..=index]);
                // A NaN is also an error.
                error > CAMERA || error.is_nan()
            }
            _ => false,
        };
        let all = verdicts.iter().enumerate();
        let wrong =
            all.filter(|(index, verdict)| verdict.class == Class::Mismatch || is_off(*index));
        Ok((wrong.count(), answers))
    }
}
