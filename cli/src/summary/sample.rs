//! The object that `raytwin sample --json` prints.

use super::PathText;
use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin sample`.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct SampleSummary {
    /// The scene; null with --add.
    pub scene: Option<String>,
    /// The device; null with --add.
    pub device: Option<String>,
    pub rays: u64,
    /// The numbers of the rays, as ranges whose ends are excluded.
    pub ranges: Vec<[u64; 2]>,
    pub misses: u64,
    /// The rays that could not be cast because they start beyond 1e9.
    pub invalid: u64,
    /// The hits beyond the largest distance of the sums. They count as that far.
    pub beyond: u64,
    /// The geometries that rays hit or passed through.
    pub geometries: Vec<GeometrySample>,
    /// The distances of hits; null without --histogram.
    pub histogram: Option<HistogramSummary>,
    /// The seconds for reading the scene and building its tree; null with --add.
    pub load_s: Option<f64>,
    /// The seconds until the first ray was answered; null with --add.
    pub compile_s: Option<f64>,
    /// The seconds for casting, without those for compiling; null with --add.
    pub trace_s: Option<f64>,
    /// The rays cast per second, in millions; null with --add.
    pub mrays_per_s: Option<f64>,
    /// The file of the sums; null without -o.
    pub file: Option<PathText>,
}

/// The sums over the rays that meet a geometry.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct GeometrySample {
    pub geometry_id: u32,
    /// The path of names; null with --add.
    pub path: Option<String>,
    #[serde(rename = "type")]
    pub type_name: Option<&'static str>,
    /// The number of rays that hit it first.
    pub hits: u64,
    /// The mean distance of those hits; null if there are none.
    pub mean_t: Option<f64>,
    /// The mean length of the paths of all rays through it; null without --paths, and for a
    /// geometry without an inside.
    pub mean_path: Option<f64>,
    /// The standard error of that mean.
    pub mean_path_error: Option<f64>,
    /// The volume that the mean path of uniform lines gives; null for other rays.
    pub volume: Option<f64>,
    /// The standard error of the volume.
    pub volume_error: Option<f64>,
}

/// A histogram of the distances of closest hits.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct HistogramSummary {
    /// The edges of the bins.
    pub edges: Vec<f64>,
    /// The hits that are nearer than the first edge, in each bin, and from the last edge on.
    pub counts: Vec<u64>,
}
