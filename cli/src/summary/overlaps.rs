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
    /// The shapes that have no inside, such as discs and open meshes, which are not looked at.
    pub without_inside: u64,
    /// The pairs whose boxes meet, or are nearer than the clearance.
    pub looked_at: u64,
    /// Those that were left out because they belong together.
    pub adjacent: u64,
    /// Those between which a plane proves that they are apart.
    pub apart_proved: u64,
    /// Those in which lines found no overlap.
    pub apart_by_lines: u64,
    /// The lines by which a pair was examined that is not convex.
    pub lines: u32,
    /// The largest distance between neighbouring lines; null if no pair is apart by lines.
    pub spacing: Option<f64>,
    pub pierces: usize,
    pub inside: usize,
    pub touching: usize,
    pub near: usize,
    /// The pairs that are known.
    pub known: usize,
    /// The pairs that are neither near, nor allowed, nor known, for which the exit code is 1.
    pub refused: usize,
    /// The pairs in the order of their ids; with --max those for which the exit code is 1 and the
    /// deepest first.
    pub pairs: Vec<OverlapPair>,
    pub load_s: f64,
    pub total_s: f64,
    pub files: Vec<PathText>,
}
