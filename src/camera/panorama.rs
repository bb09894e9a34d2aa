//! The panoramic image of a lidar, whose columns are azimuths and whose rows are elevations.

use super::error::{CameraError, MAX_PIXELS};
use crate::math::radians;

/// The default width of an image with a table of rows. Many lidars have this width.
pub(super) const TABLE_WIDTH: u32 = 1024;

/// The largest number of rows of a table.
const MAX_ROWS: usize = 1 << 16;

/// The largest span of azimuths, in degrees, with room for the rounding of a difference of two
/// decimal fractions.
const WHOLE_TURN: f64 = 360.0 + 1e-9;

/// The directions of the columns and rows of a panoramic image.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Panorama {
    /// The azimuth of the left and of the right edge of the image: the angle about `up`, 0 forward,
    /// positive to the left.
    pub azimuth_degrees: [f64; 2],
    /// The elevation of each row: the angle above the plane that contains `forward` and is
    /// perpendicular to `up`.
    pub elevation_degrees: Elevation,
    /// The default width of its images.
    pub columns: Option<u32>,
    /// The seconds in which a scan sweeps over the columns from the left edge to the right; 0 if it
    /// casts all at once. Column c of N is cast when (c + 0.5) / N of the sweep has passed. A
    /// rendered image shows one instant.
    pub sweep_s: f64,
    /// The angle added to the azimuth of each row of a table, for lasers that point beside their
    /// column; empty for none. The angle by which the lidar turns in the row's time of
    /// [`Self::row_times_s`] is added as well.
    pub row_azimuth_offsets_degrees: Vec<f64>,
    /// The seconds after its column's time (negative: before it) at which each row of a table is
    /// cast in a sweep. Times are limited to the sweep. Empty if all rows are cast at once.
    pub row_times_s: Vec<f64>,
}

/// The elevations of the rows of a panoramic image.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Elevation {
    /// Rows spread evenly between the elevations of the image's top and bottom edges. The image has
    /// any height.
    Range([f64; 2]),
    /// One row for each entry, the first at the top. The image's height is the table's length.
    Table(Vec<f64>),
}

impl Panorama {
    /// Returns a panorama whose columns are all cast at once.
    pub fn new(azimuth_degrees: [f64; 2], elevation_degrees: Elevation) -> Self {
        Self {
            azimuth_degrees,
            elevation_degrees,
            columns: None,
            sweep_s: 0.0,
            row_azimuth_offsets_degrees: Vec::new(),
            row_times_s: Vec::new(),
        }
    }

    pub(super) fn check(&self) -> Result<(), CameraError> {
        let Self { azimuth_degrees: azimuths, columns, sweep_s, .. } = self;
        let span = (azimuths[1] - azimuths[0]).abs();
        let is_part = span > 0.0 && span <= WHOLE_TURN;
        let rule = "its two angles must differ, by at most 360";
        CameraError::unless(is_part, "azimuth_degrees", format!("{azimuths:?}"), rule)?;
        if let Some(columns) = *columns {
            let is_width = (1..=MAX_PIXELS).contains(&columns.into());
            CameraError::unless(is_width, "columns", columns, "it must be from 1 to 2^28")?;
        }
        let is_time = *sweep_s >= 0.0 && sweep_s.is_finite();
        CameraError::unless(
            is_time,
            "sweep_s",
            sweep_s,
            "it must be a number of seconds of at least 0",
        )?;
        let offsets = &self.row_azimuth_offsets_degrees;
        let angles = ("row_azimuth_offsets_degrees", 180.0, "it must be between -180 and 180");
        self.check_rows(angles, offsets)?;
        let times = ("row_times_s", 1.0, "it must be between -1 and 1");
        self.check_rows(times, &self.row_times_s)?;
        let is_elevation = |degrees: &f64| degrees.abs() <= 90.0;
        match &self.elevation_degrees {
            Elevation::Range(edges) => {
                let rule = "its two angles must be between -90 and 90";
                let are_kept = edges.iter().all(is_elevation);
                CameraError::unless(are_kept, "elevation_degrees", format!("{edges:?}"), rule)
            }
            Elevation::Table(rows) => {
                let field = "elevation_table_degrees";
                let value = format!("a table of {} rows", rows.len());
                let rule = "it must have at least 1 row and at most 65536";
                CameraError::unless((1..=MAX_ROWS).contains(&rows.len()), field, value, rule)?;
                let rule = "it must be between -90 and 90";
                CameraError::unless_all(rows, is_elevation, field, rule)
            }
        }
    }

    /// Checks the lists with one number for each row, which need an elevation table.
    fn check_rows(
        &self,
        (field, most, rule): (&str, f64, &'static str),
        numbers: &[f64],
    ) -> Result<(), CameraError> {
        if numbers.is_empty() {
            return Ok(());
        }
        let is_count = self.rows().map(|rows| rows as usize) == Some(numbers.len());
        let value = format!("a list of {} numbers", numbers.len());
        let one_each = "give one for each row of elevation_table_degrees";
        CameraError::unless(is_count, field, value, one_each)?;
        CameraError::unless_all(numbers, |number| number.abs() <= most, field, rule)
    }

    /// Returns the azimuth of the middle of a pixel, in radians.
    pub(crate) fn azimuth_in_row(&self, x: f64, width: u32, row: usize) -> f64 {
        radians(between(self.azimuth_degrees, x, width) + self.row_offset_degrees(row))
    }

    /// Returns the difference between the azimuths of a row and of its columns, in degrees: the
    /// row's offset plus the angle by which the lidar turns until the row is cast.
    pub(crate) fn row_offset_degrees(&self, row: usize) -> f64 {
        let of_row = |list: &[f64]| list.get(row).copied().unwrap_or(0.0);
        let [left, right] = self.azimuth_degrees;
        let turn = match self.sweep_s > 0.0 {
            true => (right - left) / self.sweep_s * of_row(&self.row_times_s),
            false => 0.0,
        };
        of_row(&self.row_azimuth_offsets_degrees) + turn
    }

    /// Returns true if the rows have their own azimuth offsets or times.
    pub fn has_own_rows(&self) -> bool {
        !(self.row_azimuth_offsets_degrees.is_empty() && self.row_times_s.is_empty())
    }

    /// Returns the number of rows of the table; `None` if there is no table.
    pub(super) fn rows(&self) -> Option<u32> {
        match &self.elevation_degrees {
            Elevation::Range(_) => None,
            Elevation::Table(rows) => Some(rows.len() as u32),
        }
    }

    /// Returns the azimuth, in radians, at a distance of `x` pixels from the left edge of an image
    /// of that width.
    pub fn azimuth(&self, x: f64, width: u32) -> f64 {
        radians(between(self.azimuth_degrees, x, width))
    }

    /// Returns the elevation, in radians, at a distance of `y` pixels from the top edge of an image
    /// of that height. Between the middles of two rows of a table it is interpolated.
    pub fn elevation(&self, y: f64, height: u32) -> f64 {
        let degrees = match &self.elevation_degrees {
            Elevation::Range(edges) => between(*edges, y, height),
            Elevation::Table(rows) => {
                let position = (y - 0.5).clamp(0.0, (rows.len() - 1) as f64);
                let row = position as usize;
                match position - row as f64 {
                    0.0 => rows[row],
                    rest => rows[row] + rest * (rows[row + 1] - rows[row]),
                }
            }
        };
        radians(degrees)
    }
}

/// Interpolates linearly at a position among `count` pixels, between the values at the outer edges
/// of the first and the last.
fn between([first, last]: [f64; 2], position: f64, count: u32) -> f64 {
    first + (last - first) * (position / f64::from(count))
}
