//! The ranges of geometries that come from one use each.

use std::ops::Range;

/// The outermost uses, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub ranges: Vec<Range<u32>>,
    /// How many uses are open: those within an open one are no uses of their own.
    pub open: u32,
}

impl Uses {
    /// Returns the uses that these geometries come from.
    pub fn of(ranges: impl Iterator<Item = Range<u32>>) -> Self {
        Self { ranges: ranges.collect(), open: 0 }
    }
}
