//! The summary of `raytwin bench`.

use schemars::JsonSchema;
use serde::Serialize;

/// The measurements of `raytwin bench`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BenchSummary {
    pub results: Vec<BenchResult>,
}

/// The figures of one kind of query of some rays in one scene. Times are medians.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BenchResult {
    pub version: &'static str,
    pub device: String,
    pub device_type: &'static str,
    pub backend: Option<String>,
    pub driver: Option<String>,
    /// The host's processor.
    pub processor: String,
    /// The host's threads.
    pub threads: usize,
    pub repeat: usize,
    pub scene: String,
    pub shapes: usize,
    /// The layout of the tree.
    pub layout: &'static str,
    /// The quality of the tree.
    pub quality: &'static str,
    pub nodes: usize,
    pub node_bytes: usize,
    pub depth: usize,
    pub load_s: f64,
    /// The seconds for the tree alone.
    pub tree_s: f64,
    /// The seconds for the tree with its checks, and for packing.
    pub build_s: f64,
    /// The seconds for uploading the scene.
    pub prepare_s: f64,
    /// The seconds until the first ray or point was answered, in which a GPU's driver compiles the
    /// shaders.
    pub compile_s: f64,
    pub rays: String,
    pub kind: &'static str,
    pub ray_count: usize,
    pub hits: usize,
    pub invalid: usize,
    /// The seconds from rays in host memory to answers in host memory.
    pub total_s: f64,
    pub mrays_per_s: f64,
    pub mrays_per_s_min: f64,
    pub mrays_per_s_max: f64,
    /// The seconds of the kernels by the device's clock.
    pub gpu_s: Option<f64>,
    pub gpu_mrays_per_s: Option<f64>,
    pub bytes_per_ray: usize,
    pub copy_gb_per_s: Option<f64>,
    pub ray_bytes_share_of_copy: Option<f64>,
}
