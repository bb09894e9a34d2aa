//! A scene with what is asked of it, and the judgement of the answers.

use super::fault::Fault;
use super::need::Need;
use super::question::{Circumstance, Question, QuestionKind};
use crate::camera::{Camera, View};
use crate::diff::aim::{self, Family, Spot};
use crate::diff::{CAMERA, Class, Judge, camera_error};
use crate::fields::ShapeError;
use crate::gpu::GpuTracer;
use crate::packed::{PackError, PackedScene};
use crate::query::{Batch, BatchError, PointHit, Query, TracedAnswers};
use crate::ray::Ray;
use crate::scene::{Scene, WorldError};
use crate::tracer::{TraceError, Tracer};
use thiserror::Error;

/// The reason why there is no test scene.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TestSceneError {
    /// No ray can be aimed at anything.
    #[error("the scene has no visible shapes to aim rays at: choose one that has some")]
    Empty,
    /// A shape is invalid.
    #[error("a shape of a built-in scene: {0}")]
    Shape(#[from] ShapeError),
    /// A scene cannot be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// A world cannot be added.
    #[error(transparent)]
    World(#[from] WorldError),
}

/// What the answers to a question showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The question.
    pub question: Question,
    /// The number of rays or points that it was asked of.
    pub asked: usize,
    /// The number of wrong answers.
    pub wrong: usize,
    /// The error by which the engine itself reported that there are no answers.
    pub error: Option<String>,
}

impl Finding {
    /// Returns true if all answers are there and right.
    pub fn is_clean(&self) -> bool {
        self.wrong == 0 && self.error.is_none()
    }
}

/// The answers of a tracer to a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    Rays(TracedAnswers),
    Points(Vec<PointHit>),
    /// The rays of a camera, and their closest hits.
    Pixels(Vec<Ray>, TracedAnswers),
}

/// The numbers of rays that are aimed from outside and begin inside of shapes, and of points.
const AIMED: usize = 2000;
const INSIDE: usize = 500;
const POINTS: usize = 500;
const SEED: u64 = 61;

/// The size of an image.
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
    /// The scene to which an update takes the tracer, and the judge there.
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
        // A scene too large for a camera is not asked for an image.
        let view = Camera::that_sees(&scene.bounds(), scene.up, width, height)
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

    /// Casts these rays, which run in faces that lie in the very planes of the tree's boxes.
    pub(super) fn with_rays_in_faces(self, rays: Vec<Ray>) -> Self {
        Self { rays, has_faces_in_planes: true, ..self }
    }

    /// Asks also after an update that takes the tracer to another scene.
    pub(super) fn with_motion(self, moved: Scene) -> Result<Self, TestSceneError> {
        let judge = Judge::new(&PackedScene::new(moved.clone())?);
        Ok(Self { moved: Some((moved, judge)), ..self })
    }

    /// Returns the scene.
    pub fn packed(&self) -> &PackedScene {
        &self.packed
    }

    fn meets(&self, need: Need) -> bool {
        match need {
            Need::FacesInPlanes => self.has_faces_in_planes,
            need => need.is_met_by(&self.packed),
        }
    }

    /// Returns true if a question makes sense here.
    fn asks(&self, question: Question) -> bool {
        let has_worlds = self.packed.scene().world_count() > 1;
        (question.kind() != QuestionKind::Image || self.view.is_some())
            && (has_worlds || !question.is_under(Circumstance::Worlds))
            && (self.moved.is_some() || !question.is_under(Circumstance::Update))
    }

    /// Returns the questions that may show a fault here; none if the scene lacks what it needs.
    pub(super) fn questions(&self, fault: &Fault) -> Vec<Question> {
        if !fault.all_needs().all(|need| self.meets(need)) {
            return Vec::new();
        }
        fault.questions().filter(|question| self.asks(*question)).collect()
    }

    /// Asks a tracer of the scene, and judges its answers. An error of the tracer is a finding too, without answers.
    pub(super) fn ask(
        &self,
        question: Question,
        tracer: &mut GpuTracer,
    ) -> (Finding, Option<Given>) {
        let asked = match question.kind() {
            QuestionKind::Points => self.points.len(),
            QuestionKind::Image => self.view.as_ref().map_or(0, View::pixels),
            _ => self.rays.len(),
        };
        let judged = self.given(question, tracer).and_then(|given| {
            let wrong = self.wrong_answers(question, &given)?;
            Ok((wrong, given))
        });
        match judged {
            Ok((wrong, given)) => (Finding { question, asked, wrong, error: None }, Some(given)),
            Err(error) => {
                let error = Some(error.to_string());
                (Finding { question, asked, wrong: 0, error }, None)
            }
        }
    }

    /// Returns the answers of a tracer.
    fn given(&self, question: Question, tracer: &mut GpuTracer) -> Result<Given, TraceError> {
        match (question.kind(), &self.view, &self.moved) {
            (QuestionKind::Points, _, _) => Ok(Given::Points(tracer.points(&self.points)?)),
            (QuestionKind::Image, Some(view), _) => {
                let rays = tracer.camera_rays(view, 0..view.pixels())?;
                let hits = tracer.render(view, 0..view.pixels())?;
                Ok(Given::Pixels(rays, TracedAnswers::Closest(hits)))
            }
            (_, _, moved) => {
                if let (true, Some((moved, _))) = (question.is_under(Circumstance::Update), moved) {
                    tracer.update(moved)?;
                }
                let query = match question.kind() {
                    QuestionKind::Any => Query::Any,
                    QuestionKind::Count => Query::Count,
                    QuestionKind::All => Query::All,
                    _ => Query::CLOSEST,
                };
                Ok(Given::Rays(tracer.ask(query, self.batch(question)?)?))
            }
        }
    }

    /// Returns the rays of a question.
    fn batch(&self, question: Question) -> Result<Batch<'_>, BatchError> {
        let mut batch = Batch::new(&self.rays);
        if question.is_under(Circumstance::Solids) {
            batch = batch.solid();
        }
        if question.is_under(Circumstance::Masks) {
            batch = batch.with_masks(&self.masks)?;
        }
        if question.is_under(Circumstance::Worlds) {
            batch = batch.in_worlds(&self.worlds)?;
        }
        Ok(batch)
    }

    /// Counts the wrong answers to a question.
    fn wrong_answers(&self, question: Question, given: &Given) -> Result<usize, TraceError> {
        let judge = match (question.is_under(Circumstance::Update), &self.moved) {
            (true, Some((_, judge))) => judge,
            _ => &self.judge,
        };
        let verdicts = match given {
            Given::Points(hits) => judge.judge_points(&self.points, hits)?,
            Given::Pixels(rays, hits) => judge.judge(Batch::new(rays), hits)?,
            Given::Rays(answers) => judge.judge(self.batch(question)?, answers)?,
        };
        let is_off = |index: usize| match (given, &self.view) {
            (Given::Pixels(rays, _), Some(view)) => {
                let error = camera_error(view, index, &rays[index..=index]);
                // A NaN is an error too.
                error > CAMERA || error.is_nan()
            }
            _ => false,
        };
        let all = verdicts.iter().enumerate();
        let wrong =
            all.filter(|(index, verdict)| verdict.class == Class::Mismatch || is_off(*index));
        Ok(wrong.count())
    }
}
