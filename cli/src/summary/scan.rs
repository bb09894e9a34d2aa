//! The object that `raytwin scan --json` prints.

use super::{PathText, Times};
use raytwin_files::HitGroup;
use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin scan`.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ScanSummary {
    pub scene: String,
    pub camera: String,
    pub device: String,
    /// The poses from which the camera was cast.
    pub poses: usize,
    /// The rows at the end of the trajectory at which no sweep was cast, because the trajectory
    /// ends before the sweep does.
    pub left_out: usize,
    pub width: u32,
    pub height: u32,
    /// The seconds of the sweep at one pose; 0 if all columns are cast at once.
    pub sweep_s: f64,
    pub rays: u64,
    /// The rays that an earlier run with --resume cast; `rays` includes them.
    pub kept: u64,
    pub hits: u64,
    /// The hits of each group, the largest first; null without --hits-per.
    pub hits_per: Option<Vec<HitGroup>>,
    pub invalid: u64,
    /// The points of all clouds; null if none was written.
    pub cloud_points: Option<u64>,
    /// The pixels of all depth pictures that were clamped; null without --depth-png.
    pub saturated: Option<u64>,
    #[serde(flatten)]
    pub times: Times,
    pub mrays_per_s: f64,
    /// The seconds for casting and writing.
    pub total_s: f64,
    pub files: Vec<PathText>,
}

/// The object that `raytwin scan --list-lidars --json` prints.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct LidarList {
    pub lidars: Vec<LidarSummary>,
}

/// A published lidar.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct LidarSummary {
    pub name: &'static str,
    /// The elevation of each channel, from the highest; empty for a pattern.
    pub elevation_table_degrees: Vec<f64>,
    pub rows: u32,
    /// The columns of a sweep, or the beams of a pattern.
    pub columns: u32,
    /// The seconds of a sweep, in which it turns once or casts this part of its pattern.
    pub sweep_s: f64,
    /// The range of distances that it reports, in metres.
    pub range: [f64; 2],
    /// The document from which the directions come.
    pub source: &'static str,
    /// True if the maker publishes too little for exact directions.
    pub is_approximate: bool,
    /// The full angle of the beam at 1/e², in milliradians.
    pub divergence_mrad: f64,
    /// The diameter of the beam at the exit, in metres.
    pub exit_diameter: f64,
    /// The rays that are cast for a beam.
    pub subrays: u32,
    /// The most returns of a beam.
    pub max_returns: u8,
    /// The returns to report: all, first, last or strongest.
    pub return_mode: &'static str,
    /// The least gap between hits that separates two returns, in metres.
    pub range_resolution: f64,
    /// The standard deviation of distances that --noise adds, in metres.
    pub range_stddev: f64,
    /// The document from which the beam, the returns and the noise come.
    pub instrument_source: &'static str,
    /// True if the maker publishes too little about these.
    pub is_approximate_instrument: bool,
}
