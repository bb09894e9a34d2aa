//! The ranges of geometries that come from one use each.

use std::ops::Range;

/// The outermost uses, in the order of their ids.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Uses {
    pub ranges: Vec<Range<u32>>,
    /// How many uses are open: those within an open one are no uses of their own.
    #[serde(skip)]
    pub open: u32,
}
