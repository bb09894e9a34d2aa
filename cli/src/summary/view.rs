//! The summary of `raytwin view`.

use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin view`, printed when it starts to serve the scene.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ViewSummary {
    pub scene: String,
    /// The address of the page. Only this machine reaches it.
    pub address: String,
}
