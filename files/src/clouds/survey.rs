//! The facts about a whole scan that a LAS file states.

use super::intensity_scale::IntensityScale;
use std::collections::BTreeMap;

/// The facts about a whole scan that a LAS file states in addition to its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The time of the scan's start, relative to which the file counts the times of points.
    pub start_time: f64,
    /// The scale on which the file stores raw intensities; without a scale, it stores normalized
    /// ones.
    pub raw_intensity: Option<IntensityScale>,
    /// The names of labels.
    pub label_names: BTreeMap<u16, String>,
    /// The coordinate system as well-known text.
    pub crs_wkt: Option<String>,
}
