//! A scene with what is asked of it, and the judgement of the answers.

use super::fault::Fault;
use super::need::Need;
use super::question::Question;
use crate::camera::{Camera, View};
use crate::diff::aim::{self, Family, Spot};
use crate::diff::{CAMERA, Class, Judge, Verdict, camera_error};
use crate::fields::ShapeError;
use crate::gpu::GpuTracer;
use crate::packed::{PackError, PackedScene};
use crate::query::{Batch, Query, TracedAnswers};
use crate::ray::Ray;
use crate::scene::{Scene, WorldError};
use crate::tracer::{TraceError, Tracer};
use thiserror::Error;

/// The reason why there is no trial.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrialError {
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

/// The numbers of rays that are aimed from outside and begin inside of shapes, and of points.
const AIMED: usize = 2000;
const INSIDE: usize = 500;
const POINTS: usize = 500;
const SEED: u64 = 61;

/// The size of an image.
const IMAGE: [u32; 2] = [64, 48];

/// A scene in which faults are planted, with rays and points that are aimed at it.
#[derive(Debug)]
pub struct Trial {
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

impl Trial {
    /// Aims rays and points at a scene by a seed.
    ///
    /// # Errors
    /// [`TrialError::Empty`].
    pub fn new(packed: &PackedScene) -> Result<Self, TrialError> {
        if packed.primitive_kinds().is_empty() {
            return Err(TrialError::Empty);
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
        let view = Camera::that_sees(&scene.bounds(), width, height)
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
    pub(super) fn with_motion(self, moved: Scene) -> Result<Self, TrialError> {
        let judge = Judge::new(&PackedScene::new(moved.clone())?);
        Ok(Self { moved: Some((moved, judge)), ..self })
    }

    /// Returns the scene.
    pub fn packed(&self) -> &PackedScene {
        &self.packed
    }

    fn meets(&self, need: Need) -> bool {
        match need {
            Need::Motion => self.moved.is_some(),
            Need::FacesInPlanes => self.has_faces_in_planes,
            need => need.is_met_by(&self.packed),
        }
    }

    /// Returns true if a question makes sense here.
    fn asks(&self, question: Question) -> bool {
        match question {
            Question::Image => self.view.is_some(),
            Question::Worlds => self.packed.scene().world_count() > 1,
            Question::Update => self.moved.is_some(),
            _ => true,
        }
    }

    /// Returns the questions that show a fault here; none if the scene cannot show it.
    pub(super) fn questions(&self, fault: &Fault) -> Vec<Question> {
        let is_changed = || fault.of_records().is_none_or(|fault| self.packed.is_changed_by(fault));
        if !fault.all_needs().all(|need| self.meets(need)) || !is_changed() {
            return Vec::new();
        }
        fault.shown_by.iter().copied().filter(|question| self.asks(*question)).collect()
    }

    /// Asks a tracer of the scene, and judges its answers. An error of the tracer is a finding too.
    pub(super) fn ask(&self, question: Question, tracer: &mut GpuTracer) -> Finding {
        let found = self.wrong_answers(question, tracer);
        let asked = match question {
            Question::Points => self.points.len(),
            Question::Image => self.view.as_ref().map_or(0, View::pixels),
            _ => self.rays.len(),
        };
        match found {
            Ok(wrong) => Finding { question, asked, wrong, error: None },
            Err(error) => Finding { question, asked, wrong: 0, error: Some(error.to_string()) },
        }
    }

    /// Counts the wrong answers to a question.
    fn wrong_answers(
        &self,
        question: Question,
        tracer: &mut GpuTracer,
    ) -> Result<usize, TraceError> {
        let batch = Batch::new(&self.rays);
        let cast = |query, batch| wrong_answers_to(batch, query, tracer, &self.judge);
        match question {
            Question::Closest => cast(Query::CLOSEST, batch),
            Question::Any => cast(Query::Any, batch),
            Question::Count => cast(Query::Count, batch),
            Question::All => cast(Query::All, batch),
            Question::Solid => cast(Query::CLOSEST, batch.solid()),
            Question::Masks => cast(Query::CLOSEST, batch.with_masks(&self.masks)?),
            Question::Worlds => cast(Query::CLOSEST, batch.in_worlds(&self.worlds)?),
            Question::Points => {
                let hits = tracer.points(&self.points)?;
                Ok(mismatches(&self.judge.judge_points(&self.points, &hits)?).count())
            }
            Question::Image => {
                self.view.as_ref().map_or(Ok(0), |view| self.wrong_pixels(view, tracer))
            }
            Question::Update => {
                let Some((moved, judge)) = &self.moved else { return Ok(0) };
                tracer.update(moved)?;
                wrong_answers_to(batch, Query::CLOSEST, tracer, judge)
            }
        }
    }

    /// Counts the pixels whose rays or hits are wrong.
    fn wrong_pixels(&self, view: &View, tracer: &GpuTracer) -> Result<usize, TraceError> {
        let rays = tracer.camera_rays(view, 0..view.pixels())?;
        let hits = TracedAnswers::Closest(tracer.render(view, 0..view.pixels())?);
        let verdicts = self.judge.judge(Batch::new(&rays), &hits)?;
        let is_off = |pixel: &usize| {
            let error = camera_error(view, *pixel, &rays[*pixel..=*pixel]);
            // A NaN is an error too.
            error > CAMERA || error.is_nan()
        };
        let mut wrong: Vec<usize> =
            mismatches(&verdicts).chain((0..rays.len()).filter(is_off)).collect();
        wrong.sort_unstable();
        wrong.dedup();
        Ok(wrong.len())
    }
}

fn wrong_answers_to(
    batch: Batch<'_>,
    query: Query,
    tracer: &GpuTracer,
    judge: &Judge,
) -> Result<usize, TraceError> {
    let answers = tracer.ask(query, batch)?;
    Ok(mismatches(&judge.judge(batch, &answers)?).count())
}

/// Iterates over the indices of the wrong answers.
fn mismatches(verdicts: &[Verdict]) -> impl Iterator<Item = usize> {
    let all = verdicts.iter().enumerate();
    all.filter(|(_, verdict)| verdict.class == Class::Mismatch).map(|(index, _)| index)
}
