//! The summary of `raytwin devices`.

use raytwin_verify::reports::ArithmeticSummary;
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
    /// The measured arithmetic; only with --check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<ArithmeticSummary>,
    /// The reason why the arithmetic cannot be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
