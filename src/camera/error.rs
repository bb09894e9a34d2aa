//! The errors of cameras and views.

use glam::DVec3;
use thiserror::Error;

/// The largest number of pixels of an image.
pub const MAX_PIXELS: u64 = 1 << 28;

/// The reason for which a camera or a view is invalid.
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
    /// The fields are those of no projection.
    #[error(
        "the projection must have fov_y_degrees (perspective), or fx, fy, cx, cy, width and height (calibrated), or height alone (orthographic), or azimuth_degrees with elevation_degrees or elevation_table_degrees (panoramic), or pattern"
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
        /// The memory that it takes to write the image.
        gigabytes: f64,
    },
    /// The requested size differs from the one row of the beams of a pattern.
    #[error(
        "an image of {width}x{height} does not fit the camera's pattern, which has {beams} beams: render one of {beams}x1"
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
        "an image of {width}x{height} does not fit the camera's elevation table, which gives {rows} rows: render one of {width}x{rows}"
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
    /// A field of a camera's pattern that is out of its range.
    pub(super) fn of_pattern(field: &str, value: String, rule: &'static str) -> Self {
        Self::Field { field: format!("pattern.{field}"), value, rule }
    }
}
