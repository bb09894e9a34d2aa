//! The fields of the projections by the names that they have in scene files and in Python. It alone
//! turns named numbers into a projection and back, for all that reads or writes cameras.

use super::error::CameraError;
use super::panorama::{Elevation, Panorama};
use super::projection::Projection;

/// The fields of a projection. Those of other projections are `None`.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct ProjectionFields {
    /// Perspective: the angle between the top and the bottom edge of the image.
    pub fov_y_degrees: Option<f64>,
    /// Calibrated: the focal length along x, in pixels.
    pub fx: Option<f64>,
    /// Calibrated: the focal length along y, in pixels.
    pub fy: Option<f64>,
    /// Calibrated: the principal point, in pixels from the left edge of the image.
    pub cx: Option<f64>,
    /// Calibrated: the principal point, in pixels from the top edge of the image.
    pub cy: Option<f64>,
    /// Calibrated: the width of the image for which the other numbers were measured.
    pub width: Option<u32>,
    /// Calibrated: the height of that image. Orthographic: the height of the image in scene units.
    #[serde(serialize_with = "write_height")]
    pub height: Option<f64>,
    /// Panoramic: the azimuths of the left and the right edge.
    pub azimuth_degrees: Option<[f64; 2]>,
    /// Panoramic: the elevations of the top and the bottom edge.
    pub elevation_degrees: Option<[f64; 2]>,
    /// Panoramic: the elevation of each row instead.
    pub elevation_table_degrees: Option<Vec<f64>>,
    /// Panoramic: the default width of an image.
    pub columns: Option<u32>,
    /// Panoramic: the seconds of a sweep, none for 0.
    pub sweep_s: Option<f64>,
}

/// Pixels are whole numbers, which are written as such.
fn write_height<S: serde::Serializer>(
    height: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::Serialize;
    match height {
        Some(height) if height.fract() == 0.0 && *height < 1e9 => {
            (*height as u32).serialize(serializer)
        }
        height => height.serialize(serializer),
    }
}

impl From<&Projection> for ProjectionFields {
    fn from(projection: &Projection) -> Self {
        match *projection {
            Projection::Perspective { fov_y_degrees } => {
                Self { fov_y_degrees: Some(fov_y_degrees), ..Self::default() }
            }
            Projection::Pinhole { focal: [fx, fy], center: [cx, cy], size: [width, height] } => {
                Self {
                    fx: Some(fx),
                    fy: Some(fy),
                    cx: Some(cx),
                    cy: Some(cy),
                    width: Some(width),
                    height: Some(height.into()),
                    ..Self::default()
                }
            }
            Projection::Orthographic { height } => Self { height: Some(height), ..Self::default() },
            Projection::Panoramic(ref panorama) => {
                let (edges, rows) = match &panorama.elevation_degrees {
                    Elevation::Range(edges) => (Some(*edges), None),
                    Elevation::Table(rows) => (None, Some(rows.clone())),
                };
                Self {
                    azimuth_degrees: Some(panorama.azimuth_degrees),
                    elevation_degrees: edges,
                    elevation_table_degrees: rows,
                    columns: panorama.columns,
                    sweep_s: Some(panorama.sweep_s).filter(|&seconds| seconds != 0.0),
                    ..Self::default()
                }
            }
        }
    }
}

impl TryFrom<ProjectionFields> for Projection {
    type Error = CameraError;

    /// Returns the projection that has these fields. [`Camera::look_at`](super::Camera::look_at)
    /// checks their values.
    ///
    /// # Errors
    /// [`CameraError::NoProjection`] for fields of no projection, and [`CameraError::Field`] for one
    /// that is not of the projection that the others are of.
    fn try_from(fields: ProjectionFields) -> Result<Self, CameraError> {
        let refuse = |field: &str, value: String, rule| {
            Err(CameraError::Field { field: field.to_owned(), value, rule })
        };
        let ProjectionFields { fov_y_degrees, fx, fy, cx, cy, width, height, .. } = fields;
        let elevations = match (fields.elevation_degrees, fields.elevation_table_degrees) {
            (Some(edges), None) => Some(Elevation::Range(edges)),
            (None, Some(rows)) => Some(Elevation::Table(rows)),
            (None, None) => None,
            (Some(_), Some(_)) => {
                return refuse(
                    "elevation_table_degrees",
                    "given together with elevation_degrees".to_owned(),
                    "keep one of the two",
                );
            }
        };
        let pinhole = [fx, fy, cx, cy];
        let panoramic = (fields.azimuth_degrees, elevations);
        let projection = match (fov_y_degrees, pinhole, width, height, panoramic) {
            (Some(fov_y_degrees), [None, None, None, None], None, None, (None, None)) => {
                Self::Perspective { fov_y_degrees }
            }
            (
                None,
                [Some(fx), Some(fy), Some(cx), Some(cy)],
                Some(width),
                Some(height),
                (None, None),
            ) => {
                if height.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&height) {
                    let rule = "an image's height is a whole number of pixels";
                    return refuse("height", height.to_string(), rule);
                }
                Self::Pinhole { focal: [fx, fy], center: [cx, cy], size: [width, height as u32] }
            }
            (None, [None, None, None, None], None, Some(height), (None, None)) => {
                Self::Orthographic { height }
            }
            (
                None,
                [None, None, None, None],
                None,
                None,
                (Some(azimuth_degrees), Some(elevation_degrees)),
            ) => {
                return Ok(Self::Panoramic(Panorama {
                    azimuth_degrees,
                    elevation_degrees,
                    columns: fields.columns,
                    sweep_s: fields.sweep_s.unwrap_or(0.0),
                }));
            }
            _ => return Err(CameraError::NoProjection),
        };
        let panoramic_only = "for panoramic cameras".to_owned();
        match (fields.columns, fields.sweep_s) {
            (None, None) => Ok(projection),
            (Some(_), _) => refuse("columns", panoramic_only, "leave it out"),
            (None, Some(_)) => refuse("sweep_s", panoramic_only, "leave it out"),
        }
    }
}
