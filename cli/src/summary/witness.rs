//! The summaries of `raytwin witness`.

use schemars::JsonSchema;
use serde::Serialize;

/// The cases of the witness suite.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WitnessList {
    pub cases: Vec<WitnessCaseSummary>,
}

/// A case of the witness suite.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WitnessCaseSummary {
    pub name: String,
    pub theme: String,
    pub kind: &'static str,
    /// The sentence that describes what goes wrong elsewhere.
    pub elsewhere: String,
    /// The address of the complaint, or measured.
    pub source: String,
    /// The sentence that explains why the answer is right.
    pub answer: String,
}

/// The answers of a device to the witness suite.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WitnessSummary {
    pub device: String,
    /// True if the device rounds correctly, so that answers on a lattice must be exact.
    pub is_correctly_rounded: bool,
    pub passed: usize,
    pub failed: usize,
    pub cases: Vec<WitnessResult>,
}

/// The answers to a case.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WitnessResult {
    pub name: String,
    pub theme: String,
    pub kind: &'static str,
    pub passed: bool,
    /// The number of its rays.
    pub answers: usize,
    pub wrong: Vec<WrongAnswer>,
}

/// A wrong answer.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WrongAnswer {
    /// The index of the ray in the case.
    pub ray: usize,
    /// The given answer, and the right one.
    pub reason: String,
}
