//! The errors of cameras and views.

use glam::DVec3;
use thiserror::Error;

/// The largest number of pixels of an image.
pub const MAX_PIXELS: u64 = 1 << 28;

/// The reason why a camera or a view is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CameraError {
    /// A field is out of its range.
    #[error("{field} is {value}: {rule}")]
    Field {
        /// Its name in a scene file.
        field: String,
        /// Its value.
        value: String,
        /// The rule that the value breaks.
        rule: &'static str,
    },
    /// The fields belong to no pattern.
    #[error("pattern {0}")]
    Pattern(&'static str),
    /// The fields belong to no projection.
    #[error(
        "the projection must have fov_y_degrees (perspective), or fx, fy, cx, cy, width and height (calibrated), or only height (orthographic), or azimuth_degrees with elevation_degrees or elevation_table_degrees (panoramic), or pattern"
    )]
    NoProjection,
    /// The eye and the target coincide, so the view has no direction.
    #[error("eye and target are the same point, {0}: move one of them")]
    NoDirection(DVec3),
    /// The up vector is zero or parallel to the view.
    #[error("up {0} has no length or points along the view: choose another up")]
    NoUp(DVec3),
    /// The image has no pixels.
    #[error("an image of {0}x{1} has no pixels: give it at least 1x1")]
    NoPixels(u32, u32),
    /// The image has more than [`MAX_PIXELS`] pixels.
    #[error(
        "an image of {width}x{height} has {pixels} pixels and would need {gigabytes:.1} GB of memory: at most {MAX_PIXELS} pixels (2^28) are rendered at once; render a smaller image"
    )]
    TooManyPixels {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
        /// The number of pixels, width × height.
        pixels: u64,
        /// The memory that writing the image needs, in GB.
        gigabytes: f64,
    },
    /// The requested size is not one row with a pixel for each beam of the pattern.
    #[error(
        "an image of {width}x{height} does not fit the camera's pattern, which has {beams} beams: render an image of {beams}x1"
    )]
    OtherBeams {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
        /// The number of beams.
        beams: u32,
    },
    /// The requested height differs from the number of rows of the elevation table.
    #[error(
        "an image of {width}x{height} does not fit the camera's elevation table, which has {rows} rows: render an image of {width}x{rows}"
    )]
    OtherRows {
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
        /// The number of rows of the table.
        rows: u32,
    },
}

impl CameraError {
    /// Returns the error for a field whose value breaks a rule.
    pub(crate) fn field(
        field: impl Into<String>,
        value: impl ToString,
        rule: &'static str,
    ) -> Self {
        Self::Field { field: field.into(), value: value.to_string(), rule }
    }

    /// Returns an error unless a field's value keeps to a rule.
    pub(super) fn unless(
        is_kept: bool,
        field: &str,
        value: impl ToString,
        rule: &'static str,
    ) -> Result<(), Self> {
        if is_kept { Ok(()) } else { Err(Self::field(field, value, rule)) }
    }

    /// Returns an error that names the first number of a list that breaks a rule, if there is one.
    pub(super) fn unless_all(
        numbers: &[f64],
        is_kept: impl Fn(&f64) -> bool,
        field: &str,
        rule: &'static str,
    ) -> Result<(), Self> {
        match numbers.iter().position(|number| !is_kept(number)) {
            Some(row) => Err(Self::field(format!("{field}[{row}]"), numbers[row], rule)),
            None => Ok(()),
        }
    }

    /// Returns an error unless a field is a finite number of at least 0.
    pub(super) fn unless_from_zero(field: &str, number: f64) -> Result<(), Self> {
        let is_kept = number >= 0.0 && number.is_finite();
        Self::unless(is_kept, field, number, "it must be a finite number of at least 0")
    }

    /// Returns an error unless a field is above 0 and at most 1e9.
    pub(super) fn unless_positive(field: &str, number: f64) -> Result<(), Self> {
        let is_kept = number > 0.0 && number <= 1e9;
        Self::unless(is_kept, field, number, "it must be above 0 and at most 1e9")
    }
}
