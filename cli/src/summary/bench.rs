//! The summary of `raytwin bench`.

use schemars::JsonSchema;
use serde::Serialize;

/// The measurements of `raytwin bench`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BenchSummary {
    pub results: Vec<BenchResult>,
}

/// The figures for one kind of query, some rays and one scene. Times are medians.
#[derive(Clone, Default, Serialize, JsonSchema)]
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
    /// The quality of the tree.
    pub quality: &'static str,
    pub nodes: usize,
    pub node_bytes: usize,
    pub depth: usize,
    pub load_s: f64,
    /// The seconds for building only the tree.
    pub tree_s: f64,
    /// The seconds for the tree with its checks, and for packing.
    pub build_s: f64,
    /// The seconds for uploading the scene.
    pub prepare_s: f64,
    /// The seconds until the first answer. In this time, a GPU's driver compiles the shaders.
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
    /// The seconds of a GPU's kernel for rays in the memory of the device, at full load. A GPU that
    /// waits for its host lowers its clock, and would take longer. Null for all crossings, which
    /// two kernels find with the host in between, and for answers that the host computes.
    pub gpu_s: Option<f64>,
    pub gpu_mrays_per_s: Option<f64>,
    /// How `gpu_s` was measured.
    pub gpu_method: Option<&'static str>,
    pub bytes_per_ray: usize,
    pub copy_gb_per_s: Option<f64>,
    pub ray_bytes_share_of_copy: Option<f64>,
    /// The time of each phase, for these rays and for eight times as many; empty without --phases.
    pub phases: Vec<PhaseSummary>,
}

/// Where the time of a batch goes. Times are medians.
#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct PhaseSummary {
    pub ray_count: usize,
    /// The seconds from rays in host memory to answers in host memory.
    pub total_s: f64,
    /// The seconds in which the host writes rays for the device, and submits them.
    pub writing_s: Option<f64>,
    /// The seconds in which the host waits for the device.
    pub waiting_s: Option<f64>,
    /// The seconds in which the host reads results from the device, and makes answers of them.
    pub reading_s: Option<f64>,
    /// The seconds of the kernels by the device's clock. They overlap with the times above.
    pub kernel_s: Option<f64>,
    /// The seconds in which the host computes the normals of closest hits, after all of the above.
    pub normals_s: Option<f64>,
    /// The nanoseconds of the host for each ray: everything except waiting, including normals.
    pub host_ns_per_ray: Option<f64>,
}
