//! The times of commands.

use schemars::JsonSchema;
use serde::Serialize;

/// The times of a command that casts.
#[derive(Clone, Serialize, JsonSchema)]
pub(in super::super) struct Times {
    /// The seconds for reading the scene and building its tree.
    pub load_s: f64,
    /// The seconds until the first answer to each question. In this time, a GPU's driver compiles
    /// the shaders.
    pub compile_s: f64,
    /// The seconds for casting, without those for compiling.
    pub trace_s: f64,
}
