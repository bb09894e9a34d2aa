//! The facts of a whole scan that a LAS file tells.

use std::collections::BTreeMap;

/// The facts of a whole scan that a LAS file tells besides its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The time of the scan's start, from which the file counts the times of points.
    pub start_time: f64,
    /// The largest distance that the sensor reports; infinite for any.
    pub range_max: Option<f64>,
    /// The names of labels.
    pub label_names: BTreeMap<u16, String>,
    /// The coordinate system as well-known text.
    pub crs_wkt: Option<String>,
}

impl Survey {
    /// The raw intensity that the file stores as 65535: that of a perpendicular surface of
    /// reflectance 1 at a tenth of the largest distance, or at 10 units where there is none.
    pub(super) fn full_intensity(&self) -> f64 {
        let at = self.range_max.filter(|range| range.is_finite()).map_or(10.0, |range| 0.1 * range);
        1.0 / (at * at)
    }
}
