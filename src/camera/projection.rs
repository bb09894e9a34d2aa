//! The projections of cameras.

use super::error::{CameraError, MAX_PIXELS};
use super::panorama::{Panorama, TABLE_WIDTH};
use super::pattern::ScanPattern;

/// The default width and height of an image.
pub const DEFAULT_SIZE: (u32, u32) = (640, 480);

/// The projection that turns pixels into rays.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum Projection {
    /// A perspective with square pixels, whose optical axis meets the middle of the image.
    Perspective {
        /// The angle between the top and the bottom edge of the image, in degrees.
        fov_y_degrees: f64,
    },
    /// A calibrated pinhole camera. Its numbers scale with the size of the image.
    Pinhole {
        /// The focal lengths in pixels, x then y.
        focal: [f64; 2],
        /// The principal point, where the optical axis meets the image, in pixels from its top left
        /// corner.
        center: [f64; 2],
        /// The width and height, in pixels, of the image for which the other numbers were measured.
        size: [u32; 2],
    },
    /// Parallel rays that start on the plane through the eye.
    Orthographic {
        /// The height of the image on that plane, in scene units.
        height: f64,
    },
    /// A lidar with columns of azimuths and rows of elevations about the eye.
    Panoramic(Panorama),
    /// A lidar whose beams have no rows and columns. Its image has one row, with a pixel for each
    /// beam.
    Pattern(ScanPattern),
}

impl Projection {
    /// Returns the name of its kind: `perspective`, `calibrated`, `orthographic`, `panoramic` or
    /// `pattern`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Perspective { .. } => "perspective",
            Self::Pinhole { .. } => "calibrated",
            Self::Orthographic { .. } => "orthographic",
            Self::Panoramic(_) => "panoramic",
            Self::Pattern(_) => "pattern",
        }
    }

    /// Returns true for a lidar. The frame of its sensor has x forward, y left and z up, as in ROS
    /// (REP 103).
    pub fn is_lidar(&self) -> bool {
        matches!(self, Self::Panoramic(_) | Self::Pattern(_))
    }

    /// Returns the default width and height of images, in pixels.
    ///
    /// A calibrated camera has the size at which it was measured, an elevation table gives one row
    /// for each entry, and a pattern has one row of its beams. The default of all others is
    /// 640×480.
    pub fn default_size(&self) -> (u32, u32) {
        match self {
            Self::Pinhole { size, .. } => (size[0], size[1]),
            Self::Panoramic(panorama) => {
                let (width, height) =
                    panorama.rows().map_or(DEFAULT_SIZE, |rows| (TABLE_WIDTH, rows));
                (panorama.columns.unwrap_or(width), height)
            }
            Self::Pattern(pattern) => (pattern.beam_count() as u32, 1),
            _ => DEFAULT_SIZE,
        }
    }

    /// Returns the duration of a sweep, in seconds; 0 if all pixels are cast at once.
    pub fn sweep_s(&self) -> f64 {
        match self {
            Self::Panoramic(panorama) => panorama.sweep_s,
            Self::Pattern(pattern) => pattern.sweep_s(),
            _ => 0.0,
        }
    }

    pub(crate) fn check(&self) -> Result<(), CameraError> {
        match *self {
            Self::Perspective { fov_y_degrees } => {
                let is_kept = fov_y_degrees > 0.0 && fov_y_degrees < 180.0;
                let rule = "it must be above 0 and below 180";
                CameraError::unless(is_kept, "fov_y_degrees", fov_y_degrees, rule)
            }
            Self::Pinhole { focal: [fx, fy], center: [cx, cy], size: [width, height] } => {
                CameraError::unless_positive("fx", fx)?;
                CameraError::unless_positive("fy", fy)?;
                CameraError::unless_positive("width", width.into())?;
                CameraError::unless_positive("height", height.into())?;
                let is_kept = u64::from(width) * u64::from(height) <= MAX_PIXELS;
                CameraError::unless(
                    is_kept,
                    "width",
                    width,
                    "times height it must be at most 2^28",
                )?;
                let in_image = |field, number: f64| {
                    let rule = "it must be a number between -1e9 and 1e9";
                    CameraError::unless(number.abs() <= 1e9, field, number, rule)
                };
                in_image("cx", cx)?;
                in_image("cy", cy)
            }
            Self::Orthographic { height } => CameraError::unless_positive("height", height),
            Self::Panoramic(ref panorama) => panorama.check(),
            Self::Pattern(ref pattern) => pattern.check(),
        }
    }
}
