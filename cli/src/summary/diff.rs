//! The summary of `raytwin diff`.

use super::Times;
use raytwin_verify::reports::ArithmeticSummary;
use raytwin_verify::reports::OutcomeSummary;
use schemars::JsonSchema;
use serde::Serialize;

/// The faults that `--mutate` accepts.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FaultList {
    pub faults: Vec<FaultSummary>,
}

/// A fault.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FaultSummary {
    pub name: &'static str,
    /// A sentence that describes the fault.
    pub about: &'static str,
    /// What the scene must have for the fault to show.
    pub needs: String,
    /// The questions whose answers show it.
    pub shown_by: Vec<String>,
}

/// The verdicts on the answers of a device, or of a file.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct DiffSummary {
    pub scene: String,
    /// The device, or the file of answers.
    pub device: String,
    /// The arithmetic of the device; null for the CPU and for a file.
    pub arithmetic: Option<ArithmeticSummary>,
    /// The fault that was planted in the engine.
    pub mutate: Option<&'static str>,
    #[serde(flatten)]
    pub times: Times,
    /// The arrays of a file of answers that are not judged, and the parts of a full comparison that
    /// were not asked, each with the reason.
    pub not_judged: Vec<String>,
    /// The report that Prove my GPU wrote, if its answers were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Box<ProofSummary>>,
    #[serde(flatten)]
    pub outcome: OutcomeSummary,
}

/// The fields of a report of Prove my GPU, except its answers.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct ProofSummary {
    /// The number of the definition of the proof.
    pub definition: u32,
    /// The browser, as it names itself.
    pub browser: Option<String>,
    /// The date, in ISO 8601.
    pub date: Option<String>,
    /// The seconds that the run took in the browser.
    pub run_s: f64,
    /// The share of the proof's rays that were cast.
    pub share: f64,
    /// The hash of the device's canonical answers.
    pub canonical_hash: String,
    /// The hash of the right canonical answers, which is the same on every device.
    pub exact_hash: String,
}

/// The verdicts on several devices.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DiffsSummary {
    /// True if the answers of every device are within the limits.
    pub sound: bool,
    pub devices: Vec<DiffSummary>,
    pub differences: Vec<DeviceDifference>,
}

/// The differences between the answers of two devices.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DeviceDifference {
    pub devices: [String; 2],
    pub answers: usize,
    /// The number of answers that differ in any bit.
    pub unequal: usize,
    /// The number of answers that differ in more than t.
    pub otherwise_unequal: usize,
}
