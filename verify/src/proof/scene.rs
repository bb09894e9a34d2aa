//! A scene of the proof, and the judgement of its answers.

use crate::faults::Fault;
use crate::{Judge, Outcome};
use raytwin::packed::PackedScene;
use raytwin::question::{Question, QuestionAnswers};
use raytwin::tracer::TraceError;

/// A scene of the proof.
#[derive(Debug)]
pub struct ProofScene {
    name: String,
    packed: PackedScene,
    judge: Judge,
    questions: Vec<Question>,
}

impl ProofScene {
    pub(super) fn new(name: String, packed: PackedScene, questions: Vec<Question>) -> Self {
        Self { judge: Judge::new(&packed), name, packed, questions }
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

    /// Returns the questions.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns true if the answers of a device with this fault show it.
    pub fn shows(&self, fault: &Fault) -> bool {
        fault.needs.iter().all(|need| need.is_met_by(&self.packed) == Some(true))
            && self.questions.iter().any(|question| fault.shows_in(question.traits()))
    }

    /// Judges the answers to a question, and adds them to an outcome.
    ///
    /// # Errors
    /// [`TraceError::Batch`], if the answers are not to this question.
    pub fn add_to(
        &self,
        outcome: &mut Outcome,
        question: &Question,
        answers: &QuestionAnswers,
    ) -> Result<(), TraceError> {
        outcome.enter_scene(&self.name);
        outcome.add(&self.judge, question, 0..question.len(), answers).map(drop)
    }
}
