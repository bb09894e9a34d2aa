//! The options of a search for overlaps.

use std::ops::Range;

/// The options of a search for overlaps.
#[derive(Clone, Debug)]
pub struct OverlapOptions {
    /// Pairs nearer to each other than this distance are reported too, in scene units. 0 reports
    /// none.
    pub clearance: f64,
    /// Overlaps without a witness that is deeper than this in both solids count as touching. In
    /// scene units.
    pub tolerance: f64,
    /// Pairs of sets of geometries; each set is a list of ranges of ids in ascending order. Only
    /// pairs of a geometry from the first set and one from the second are examined. Without sets,
    /// all pairs are.
    pub between: Vec<[Vec<Range<u32>>; 2]>,
    /// True to examine also pairs that belong together.
    pub includes_adjacent: bool,
    /// True to examine also the half-spaces behind planes.
    pub includes_half_spaces: bool,
    /// The number of lines for each pair that is not convex on both sides.
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
    /// Returns true if the options include a pair.
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
