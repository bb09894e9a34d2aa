//! The summary of `raytwin overlaps`.

use super::PathText;
use raytwin_files::overlaps::OverlapPair;
use schemars::JsonSchema;
use serde::Serialize;

/// The summary of `raytwin overlaps`.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct OverlapsSummary {
    pub scene: String,
    pub solids: usize,
    /// The shapes without an inside, such as discs and open meshes. They are not examined.
    pub without_inside: u64,
    /// The pairs whose boxes meet, or are nearer than the clearance.
    pub looked_at: u64,
    /// The pairs that were left out because they belong together.
    pub adjacent: u64,
    /// The pairs that a plane between them proves to be apart.
    pub apart_proved: u64,
    /// The pairs in which lines found no overlap.
    pub apart_by_lines: u64,
    /// The number of lines for each pair that is not both convex.
    pub lines: u32,
    /// The largest distance between neighbouring lines; null if no pair is apart by lines.
    pub spacing: Option<f64>,
    pub pierces: usize,
    pub inside: usize,
    pub touching: usize,
    pub near: usize,
    /// The pairs that are known.
    pub known: usize,
    /// The pairs that are neither near, nor allowed, nor known. If there are any, the exit code is
    /// 1.
    pub refused: usize,
    /// The pairs in the order of their ids. With --max, those that make the exit code 1, and then
    /// the deepest.
    pub pairs: Vec<OverlapPair>,
    pub load_s: f64,
    pub total_s: f64,
    pub files: Vec<PathText>,
}
