//! The reasons for which a camera cannot take a picture.

use glam::DVec3;
use thiserror::Error;

/// More pixels than this are refused.
pub const MAX_PIXELS: u64 = 1 << 28;

/// Why a camera cannot take a picture.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CameraError {
    /// A field is out of its range.
    #[error("{field} is {value}: {rule}")]
    Field {
        /// Its name in a scene file.
        field: String,
        /// What it holds.
        value: String,
        /// What it must be.
        rule: &'static str,
    },
    /// There is no way to look.
    #[error("eye and target are the same point, {0}: move one of them")]
    NoDirection(DVec3),
    /// There is no way to hold the camera.
    #[error("up {0} has no length or points along the view: choose another up")]
    NoUp(DVec3),
    /// There are no pixels.
    #[error("an image of {0}x{1} has no pixels: give a --size of at least 1x1")]
    NoPixels(u32, u32),
    /// There are more pixels than an image may have.
    #[error(
        "an image of {width}x{height} has {pixels} pixels and would need {gigabytes:.1} GB of memory: at most {MAX_PIXELS} pixels (2^28) are rendered at once; render a smaller --size"
    )]
    TooManyPixels {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
        /// width × height.
        pixels: u64,
        /// To write the image.
        gigabytes: f64,
    },
    /// A table gives as many rows as it has.
    #[error(
        "an image of {width}x{height} does not fit the camera's elevation table, which gives {rows} rows: render a --size of {width}x{rows}"
    )]
    OtherRows {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
        /// Of the table.
        rows: u32,
    },
}
