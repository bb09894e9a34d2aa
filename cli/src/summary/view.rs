//! The summary of `raytwin view`.

use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin view`, which is printed when the scene is served.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ViewSummary {
    pub scene: String,
    /// The address of the page, which only this machine reaches.
    pub address: String,
}
