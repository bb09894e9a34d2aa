//! The objects that `--json` prints. These types define the JSON Schema of `raytwin schema
//! --summaries`.

mod bench;
mod convert;
mod devices;
mod diff;
mod info;
mod overlaps;
mod path_text;
mod sample;
mod scan;
mod self_test;
mod times;
mod view;
mod witness;

pub(super) use bench::{BenchResult, BenchSummary, PhaseSummary};
pub(super) use convert::{ConvertSummary, LeftOutSummary};
pub(super) use devices::{AdapterSummary, CpuSummary, DevicesSummary};
pub(super) use diff::{
    DeviceDifference, DiffSummary, DiffsSummary, FaultList, FaultSummary, ProofSummary,
};
pub(super) use info::{
    AngleSummary, CameraSummary, DistanceSummary, GeometrySummary, InfoSummary, LabelSummary,
    NamedGeometry, SourceSummary, TorsionSummary,
};
pub(super) use overlaps::OverlapsSummary;
pub(super) use path_text::PathText;
pub(super) use sample::{GeometrySample, HistogramSummary, SampleSummary};
pub(super) use scan::{LidarList, LidarSummary, ScanSummary};
pub(super) use self_test::{FindingSummary, PlantedFault, SelfTestSummary, UnshownFault};
pub(super) use times::Times;
pub(super) use view::ViewSummary;
pub(super) use witness::{
    WitnessCaseSummary, WitnessList, WitnessResult, WitnessSummary, WrongAnswer,
};

use raytwin_files::{HitGroup, Pick};
use schemars::JsonSchema;
use serde::Serialize;

/// The object that a command prints with --json: its summary, or an error.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "raytwin --json")]
pub(super) enum JsonOutput {
    Done(Box<Summary>),
    Failed(ErrorSummary),
}

/// The summary of a command.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "command", rename_all = "lowercase")]
pub(super) enum Summary {
    Render(RenderSummary),
    Scan(ScanSummary),
    #[serde(rename = "scan")]
    Lidars(LidarList),
    Sample(SampleSummary),
    Query(QuerySummary),
    Points(PointsSummary),
    Pick(Pick),
    Overlaps(Box<OverlapsSummary>),
    Diff(Box<DiffSummary>),
    #[serde(rename = "diff")]
    Diffs(DiffsSummary),
    #[serde(rename = "diff")]
    Faults(FaultList),
    Witness(WitnessSummary),
    #[serde(rename = "witness")]
    WitnessCases(WitnessList),
    #[serde(rename = "diff")]
    SelfTest(SelfTestSummary),
    Info(InfoSummary),
    Convert(ConvertSummary),
    View(ViewSummary),
    Devices(DevicesSummary),
    Bench(BenchSummary),
}

/// The reason why a command ended early.
#[derive(Serialize, JsonSchema)]
pub(super) struct ErrorSummary {
    /// The command; null if the flags name none.
    pub command: Option<String>,
    pub error: ErrorObject,
}

/// An error.
#[derive(Serialize, JsonSchema)]
pub(super) struct ErrorObject {
    /// The message states what is wrong, where, and what to do.
    pub message: String,
    /// The exit code of the program.
    pub code: u8,
}

/// The summary of `raytwin render`.
#[derive(Serialize, JsonSchema)]
pub(super) struct RenderSummary {
    pub scene: String,
    pub camera: String,
    pub device: String,
    pub width: u32,
    pub height: u32,
    pub rays: usize,
    pub hits: usize,
    /// The hits of each group, the largest first; null without --hits-per.
    pub hits_per: Option<Vec<HitGroup>>,
    pub invalid: usize,
    #[serde(flatten)]
    pub times: Times,
    /// The seconds for shaded.png; null if it was not written.
    pub shading_s: Option<f64>,
    pub mrays_per_s: f64,
    /// The pixels of z_16bit.png that were clamped; null without --depth-png.
    pub saturated: Option<usize>,
    /// The least and the largest distance that distance.png shows in different colours; null if
    /// nothing was hit.
    pub distance_range: Option<[f64; 2]>,
    /// The shares of the hits that are nearer and farther than this range.
    pub beyond_range: Option<[f64; 2]>,
    /// The points of the cloud; null without --cloud.
    pub cloud_points: Option<u64>,
    pub files: Vec<PathText>,
}

/// The summary of `raytwin query`.
#[derive(Serialize, JsonSchema)]
pub(super) struct QuerySummary {
    pub kind: String,
    pub scene: String,
    pub device: String,
    pub rays: usize,
    pub hits: usize,
    /// The hits of each group, the largest first; null without --hits-per.
    pub hits_per: Option<Vec<HitGroup>>,
    /// The crossings; null for kinds that do not list or count them.
    pub crossings: Option<u64>,
    /// The points of the cloud; null without --cloud.
    pub cloud_points: Option<u64>,
    pub invalid: usize,
    /// The rays that an interrupted run answered.
    pub kept: usize,
    #[serde(flatten)]
    pub times: Times,
    pub mrays_per_s: f64,
    /// The seconds for reading, casting and writing.
    pub total_s: f64,
    pub files: Vec<PathText>,
    /// The ray files that an earlier run answered.
    pub skipped: Vec<PathText>,
    /// The ray files that could not be answered.
    pub failed: Vec<PathText>,
}

/// The summary of `raytwin points`.
#[derive(Serialize, JsonSchema)]
pub(super) struct PointsSummary {
    pub scene: String,
    pub device: String,
    pub points: usize,
    /// The points in a solid.
    pub contained: usize,
    pub invalid: usize,
    #[serde(flatten)]
    pub times: Times,
    pub mpoints_per_s: f64,
    /// The seconds for reading, asking and writing.
    pub total_s: f64,
    pub files: Vec<PathText>,
}
