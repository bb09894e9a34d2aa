//! A scene of the proof, and the judgement of what is answered there.

use super::answers::PartAnswers;
use super::part::ProofPart;
use crate::diff::faults::Fault;
use crate::diff::{Judge, Outcome};
use crate::packed::PackedScene;
use crate::tracer::TraceError;

/// A scene of the proof.
#[derive(Debug)]
pub struct ProofScene {
    name: String,
    packed: PackedScene,
    judge: Judge,
    parts: Vec<ProofPart>,
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
