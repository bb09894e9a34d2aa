//! The summary of `raytwin convert`.

use super::PathText;
use raytwin_formats::Warning;
use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin convert`.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ConvertSummary {
    pub scene: String,
    pub geometries: usize,
    /// The items that the new format cannot store.
    pub left_out: Vec<LeftOutSummary>,
    /// The seconds for reading the scene.
    pub load_s: f64,
    /// The seconds for reading and writing.
    pub total_s: f64,
    pub files: Vec<PathText>,
}

/// Items that were not read, were read inexactly, or that the new format cannot store.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct LeftOutSummary {
    pub what: String,
    pub count: usize,
    /// The names of the first of them.
    pub names: Vec<String>,
}

impl From<Warning> for LeftOutSummary {
    fn from(Warning { what, count, names, .. }: Warning) -> Self {
        Self { what, count, names }
    }
}
