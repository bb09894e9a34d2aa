//! One question of the proof.

use crate::camera::View;
use crate::canonical::CanonicalTracer;
use crate::cpu::CpuTracer;
use crate::diff::Trial;
use crate::diff::faults::{Question, QuestionKind};
use crate::query::Query;
use crate::ray::Hit;
use crate::tracer::{TraceError, Tracer};

/// One question of the proof.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ProofPart {
    /// A query of rays.
    Rays(Trial),
    /// The nearest surface to points, and the solids that contain them.
    Points(Vec<[f32; 3]>),
    /// The rays of a camera and their closest hits.
    Image(Box<View>),
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

    /// Returns the question that it is, by which faults say where they show.
    pub fn question(&self) -> Question {
        match self {
            Self::Image(_) => Question::new(QuestionKind::Image),
            Self::Points(_) => Question::new(QuestionKind::Points),
            Self::Rays(trial) => Question::of(trial),
        }
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
