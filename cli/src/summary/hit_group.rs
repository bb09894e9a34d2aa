//! The hits of a group of geometries, in several summaries.

use schemars::JsonSchema;
use serde::Serialize;

/// A group of geometries that rays hit.
#[derive(Debug, Serialize, JsonSchema)]
pub(in super::super) struct HitGroupSummary {
    /// The label's name, or its number where it has none, or none; or the first names of the paths.
    pub group: String,
    /// The label, 0 for none; null for groups by something else.
    pub label_id: Option<u16>,
    pub hits: u64,
}
