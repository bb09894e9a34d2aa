//! The ranges of geometries that each come from one use of a definition or file.

use std::ops::Range;

/// The outermost uses, in the order of their ids.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Uses {
    pub ranges: Vec<Range<u32>>,
    /// The number of open uses. A use within an open one does not count.
    #[serde(skip)]
    pub open: u32,
}
