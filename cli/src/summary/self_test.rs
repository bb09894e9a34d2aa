//! The summary of `raytwin diff --self-test`.

use schemars::JsonSchema;
use serde::Serialize;

/// The findings about every fault that was planted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SelfTestSummary {
    /// The scene; null for the built-in ones.
    pub scene: Option<String>,
    pub device: String,
    /// True if the device answers right without a fault, and every planted fault was caught.
    pub sound: bool,
    /// The seconds for compiling, casting and judging.
    pub total_s: f64,
    /// The findings about the engine without a fault.
    pub without_fault: Vec<FindingSummary>,
    /// The findings about each fault.
    pub faults: Vec<PlantedFault>,
    /// The faults that the scene cannot show.
    pub not_shown: Vec<UnshownFault>,
}

/// The findings about a fault.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PlantedFault {
    pub name: &'static str,
    pub caught: bool,
    pub findings: Vec<FindingSummary>,
}

/// The answers to one question.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FindingSummary {
    /// The question, such as `closest` or `closest, masks`.
    pub kind: String,
    pub answers: usize,
    pub wrong: usize,
    /// The error that the engine reported instead of answers; null if there are answers.
    pub error: Option<String>,
}

/// A fault that a scene cannot show.
#[derive(Serialize, JsonSchema)]
pub(crate) struct UnshownFault {
    pub name: &'static str,
    /// What the scene must have for the fault to show.
    pub needs: String,
}
