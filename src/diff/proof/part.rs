//! A scene of the proof, and what is asked there.

use super::answers::PartAnswers;
use crate::camera::View;
use crate::canonical::CanonicalTracer;
use crate::cpu::CpuTracer;
use crate::diff::faults::{Fault, Question};
use crate::diff::{Judge, Outcome, Trial};
use crate::packed::PackedScene;
use crate::query::Query;
use crate::ray::Hit;
use crate::tracer::{TraceError, Tracer};

/// A scene of the proof.
#[derive(Debug)]
pub struct ProofScene {
    name: String,
    packed: PackedScene,
    judge: Judge,
    parts: Vec<ProofPart>,
}

/// One question of the proof.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ProofPart {
    /// A query of rays.
    Rays(Trial),
    /// The nearest surface to points, and the solids that contain them.
    Points(Vec<[f32; 3]>),
    /// The rays of a camera and their closest hits.
    Image(View),
}

impl ProofScene {
    pub(super) fn new(name: String, packed: PackedScene, parts: Vec<ProofPart>) -> Self {
        Self { judge: Judge::new(&packed), name, packed, parts }
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the scene with its tree.
    pub fn packed(&self) -> &PackedScene {
        &self.packed
    }

    /// Returns the judge of its answers.
    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    /// Returns what is asked.
    pub fn parts(&self) -> &[ProofPart] {
        &self.parts
    }

    /// Returns true if the answers of a device with this fault show it.
    pub fn shows(&self, fault: &Fault) -> bool {
        fault.all_needs().all(|need| need.is_met_by(&self.packed))
            && self.parts.iter().any(|part| fault.shows_in(part.question()))
    }

    /// Judges the answers to a part, and adds them to an outcome.
    ///
    /// # Errors
    /// [`TraceError::Batch`], if the answers are not of this part.
    pub fn add_to(
        &self,
        outcome: &mut Outcome,
        part: &ProofPart,
        answers: PartAnswers,
    ) -> Result<(), TraceError> {
        outcome.enter_scene(&self.name);
        match (part, answers) {
            (ProofPart::Rays(trial), PartAnswers::Rays(answers)) => {
                outcome.add_rays(&self.judge, trial.name, trial.batch()?, &answers)
            }
            (ProofPart::Points(points), PartAnswers::Points(hits)) => {
                outcome.add_points(&self.judge, "points", points, &hits)
            }
            (ProofPart::Image(view), PartAnswers::Image(rays, hits)) => {
                outcome.add_pixels(&self.judge, view, &rays, hits)
            }
            (part, answers) => Err(answers.are_not_of(part)),
        }
    }
}

impl ProofPart {
    /// Returns how many rays or points are asked about.
    pub fn len(&self) -> usize {
        match self {
            Self::Rays(trial) => trial.rays.len(),
            Self::Points(points) => points.len(),
            Self::Image(view) => view.pixels(),
        }
    }

    /// Returns true if nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if its canonical answers belong to the proof: the closest hits of all rays, where nothing is filtered and
    /// solids are surfaces.
    pub fn is_canonical(&self) -> bool {
        match self {
            Self::Rays(trial) => {
                let has_filters = trial.rays.masks.is_some() || trial.rays.ignored.is_some();
                matches!(trial.query, Query::Closest { .. }) && !trial.is_solid && !has_filters
            }
            Self::Points(_) | Self::Image(_) => false,
        }
    }

    /// Returns the kind of question that it is, by which faults say where they show.
    pub fn question(&self) -> Question {
        match self {
            Self::Image(_) => Question::Image,
            Self::Points(_) => Question::Points,
            Self::Rays(trial) if trial.is_solid => Question::Solid,
            Self::Rays(trial) => match trial.query {
                Query::Any => Question::Any,
                Query::Count => Question::Count,
                Query::All => Question::All,
                Query::Closest { .. } if trial.rays.masks.is_some() => Question::Masks,
                Query::Closest { .. } if trial.rays.worlds.is_some() => Question::Worlds,
                Query::Closest { .. } => Question::Closest,
            },
        }
    }

    /// Asks a device.
    pub(super) async fn ask(&self, tracer: &CanonicalTracer) -> Result<PartAnswers, TraceError> {
        let device = tracer.proposer();
        Ok(match self {
            Self::Rays(trial) => {
                PartAnswers::Rays(device.ask_async(trial.query, trial.batch()?).await?)
            }
            Self::Points(points) => PartAnswers::Points(device.points_async(points).await?),
            Self::Image(view) => {
                let rays = device.camera_rays_async(view, 0..view.pixels()).await?;
                PartAnswers::Image(rays, device.render_async(view, 0..view.pixels()).await?)
            }
        })
    }

    /// Asks for the canonical answers of a part that has some.
    pub(super) async fn ask_canonically(
        &self,
        tracer: &CanonicalTracer,
    ) -> Result<Option<Vec<Hit>>, TraceError> {
        match self {
            Self::Rays(trial) if self.is_canonical() => {
                Ok(Some(tracer.closest_async(trial.batch()?).await?))
            }
            _ => Ok(None),
        }
    }

    /// Returns the canonical answers of a part that has some, from the float64 tracer.
    pub(super) fn canonical(&self, reference: &CpuTracer) -> Result<Option<Vec<Hit>>, TraceError> {
        match self {
            Self::Rays(trial) if self.is_canonical() => {
                Ok(Some(reference.closest(trial.batch()?)?))
            }
            _ => Ok(None),
        }
    }
}
