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
    /// The things that the new format cannot hold.
    pub left_out: Vec<LeftOutSummary>,
    /// The seconds for reading the scene.
    pub load_s: f64,
    /// The seconds for reading and writing.
    pub total_s: f64,
    pub files: Vec<PathText>,
}

/// Something that was not read, or not exactly, or that the new format cannot hold.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct LeftOutSummary {
    pub what: String,
    pub count: usize,
    /// The first of their names.
    pub names: Vec<String>,
}

impl From<Warning> for LeftOutSummary {
    fn from(Warning { what, count, names, .. }: Warning) -> Self {
        Self { what, count, names }
    }
}
