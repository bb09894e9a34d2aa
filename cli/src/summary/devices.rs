//! The summary of `raytwin devices`.

use schemars::JsonSchema;
use serde::Serialize;

/// The devices that can cast rays.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DevicesSummary {
    /// The adapters, best first.
    pub adapters: Vec<AdapterSummary>,
    pub cpu: CpuSummary,
}

/// The float64 tracer.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CpuSummary {
    pub threads: usize,
}

/// An adapter.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AdapterSummary {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub backend: String,
    pub driver: String,
    pub max_binding_bytes: u64,
    /// The measured arithmetic, with --check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<ArithmeticSummary>,
    /// The reason why the arithmetic cannot be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The arithmetic of a device.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct ArithmeticSummary {
    pub quotients: RoundingSummary,
    pub roots: RoundingSummary,
    pub sums: RoundingSummary,
    pub products: RoundingSummary,
    /// never, always or sometimes.
    pub fuses_products_with_sums: &'static str,
    /// never, always or sometimes.
    pub fuses_fma: &'static str,
    pub keeps_subnormals: bool,
    pub keeps_barriers: bool,
    /// Tells whether the promised precision holds.
    pub keeps_promises: bool,
}

/// The rounding of an operation.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct RoundingSummary {
    /// The largest error, in units of 2^-24 of the result.
    pub worst_u: f64,
    pub is_correct: bool,
}
