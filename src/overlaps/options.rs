//! What a search for overlaps looks at.

use std::ops::Range;

/// What a search for overlaps looks at, and how closely.
#[derive(Clone, Debug)]
pub struct OverlapOptions {
    /// Pairs nearer to each other than this are listed too; 0 for none. In scene units.
    pub clearance: f64,
    /// Overlaps of which no witness lies deeper than this in both solids count as touching. In scene
    /// units.
    pub tolerance: f64,
    /// Sets of geometries, each given by ranges of ids in their order: pairs of one of the first and
    /// one of the second of two sets alone. Without sets all pairs are looked at.
    pub between: Vec<[Vec<Range<u32>>; 2]>,
    /// True to look at pairs that belong together, too.
    pub includes_adjacent: bool,
    /// True to look at the half-spaces behind planes, too.
    pub includes_half_spaces: bool,
    /// By how many lines pairs are examined that are not both convex.
    pub lines: u32,
    /// The seed of these lines.
    pub seed: u64,
}

impl Default for OverlapOptions {
    fn default() -> Self {
        Self {
            clearance: 0.0,
            tolerance: 0.0,
            between: Vec::new(),
            includes_adjacent: false,
            includes_half_spaces: false,
            lines: 256,
            seed: 0,
        }
    }
}

impl OverlapOptions {
    /// Returns true if a pair is one of those that are asked for.
    pub(super) fn asks_for(&self, a: u32, b: u32) -> bool {
        let holds = |ranges: &[Range<u32>], id: u32| {
            let after = ranges.partition_point(|range| range.start <= id);
            after.checked_sub(1).is_some_and(|index| ranges[index].contains(&id))
        };
        self.between.is_empty()
            || self.between.iter().any(|[first, second]| {
                holds(first, a) && holds(second, b) || holds(first, b) && holds(second, a)
            })
    }
}
