//! The fields of the projections, with the names that scene files and Python use. Everything that
//! reads or writes cameras converts named numbers to projections, and back, with this module.

use super::error::CameraError;
use super::panorama::{Elevation, Panorama};
use super::pattern::PatternFields;
use super::projection::Projection;
use serde::{Deserialize, Serialize};

/// The fields of a projection. The fields of all other projections are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectionFields {
    /// Perspective: the angle from the top to the bottom of the image.
    pub fov_y_degrees: Option<f64>,
    /// Calibrated: focal length in pixels along x.
    pub fx: Option<f64>,
    /// Calibrated: focal length in pixels along y.
    pub fy: Option<f64>,
    /// Calibrated: the principal point, in pixels from the left.
    pub cx: Option<f64>,
    /// Calibrated: the principal point, in pixels from the top.
    pub cy: Option<f64>,
    /// Calibrated: the point from which `cx` and `cy` count. Default: the image's top left corner.
    pub pixel_origin: Option<PixelOrigin>,
    /// Calibrated: the image's width in pixels, to which the other numbers refer.
    pub width: Option<u32>,
    /// Calibrated: the image's height in pixels. Orthographic: the height of the view, in scene
    /// units.
    #[serde(serialize_with = "write_height")]
    pub height: Option<f64>,
    /// Panoramic: the angles of the image's left and right edge about `up`, at most 360 apart. 0 is
    /// forward, positive is to the left.
    pub azimuth_degrees: Option<[f64; 2]>,
    /// Panoramic: the angles of the image's top and bottom edge above the plane through forward and
    /// left.
    #[schemars(inner(range(min = -90, max = 90)))]
    pub elevation_degrees: Option<[f64; 2]>,
    /// Panoramic: in place of elevation_degrees, the elevation of each row, from the top. The image
    /// has as many rows as the table.
    #[schemars(length(min = 1, max = 65536), inner(range(min = -90, max = 90)))]
    pub elevation_table_degrees: Option<Vec<f64>>,
    /// Panoramic: the angle added to the azimuth of each row of the table, for lasers that point
    /// beside their column.
    pub row_azimuth_offsets_degrees: Option<Vec<f64>>,
    /// Panoramic: the seconds after its column's time (negative: before it) at which each row of
    /// the table is cast in a sweep.
    pub row_times_s: Option<Vec<f64>>,
    /// The beams of a lidar without rows and columns, in place of all angles.
    pub pattern: Option<PatternFields>,
    /// In place of all these angles: the name of a published lidar, such as VLP-16. It also sets
    /// the columns, the duration of a sweep, the range, the beam and the returns, for scene units
    /// of metres. `raytwin scan --list-lidars` prints the names.
    pub lidar: Option<String>,
    /// Panoramic: the default width of its images.
    #[schemars(range(min = 1, max = 268_435_456))]
    pub columns: Option<u32>,
    /// Panoramic: the seconds in which a scan sweeps over the columns from left to right. Default:
    /// all columns are cast at once.
    #[schemars(range(min = 0))]
    pub sweep_s: Option<f64>,
}

/// The point of the image from which a calibrated camera's principal point is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PixelOrigin {
    /// The top left corner of the first pixel: the middle of an image is at half its width and
    /// height.
    Corner,
    /// The middle of the first pixel, as in OpenCV and ROS.
    Center,
}

impl PixelOrigin {
    /// Returns the number to add to a coordinate from this origin, to count from the corner.
    fn offset(self) -> f64 {
        match self {
            Self::Corner => 0.0,
            Self::Center => 0.5,
        }
    }
}

/// Writes a whole number of pixels without a decimal point.
fn write_height<S: serde::Serializer>(
    height: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match height {
        Some(height) if height.fract() == 0.0 && *height < 1e9 => {
            (*height as u32).serialize(serializer)
        }
        height => height.serialize(serializer),
    }
}

/// Returns the list, unless it is empty.
fn given(list: &[f64]) -> Option<Vec<f64>> {
    (!list.is_empty()).then(|| list.to_vec())
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
                    row_azimuth_offsets_degrees: given(&panorama.row_azimuth_offsets_degrees),
                    row_times_s: given(&panorama.row_times_s),
                    ..Self::default()
                }
            }
            Projection::Pattern(ref pattern) => {
                Self { pattern: Some(pattern.into()), ..Self::default() }
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
    /// [`CameraError::NoProjection`], if the fields belong to no projection, and
    /// [`CameraError::Field`], if one field belongs to another projection than the others.
    fn try_from(mut fields: ProjectionFields) -> Result<Self, CameraError> {
        let elevations = match (fields.elevation_degrees, fields.elevation_table_degrees.clone()) {
            (Some(edges), None) => Some(Elevation::Range(edges)),
            (None, Some(rows)) => Some(Elevation::Table(rows)),
            (None, None) => None,
            (Some(_), Some(_)) => {
                let value = "given together with elevation_degrees";
                let rule = "keep one of the two";
                return Err(CameraError::field("elevation_table_degrees", value, rule));
            }
        };
        if let Some(pattern) = fields.pattern.take() {
            let others = ProjectionFields { pixel_origin: None, ..fields };
            let value = "given together with the keys of another projection";
            let is_alone = others == ProjectionFields::default();
            CameraError::unless(is_alone, "pattern", value, "keep one of the two")?;
            return Ok(Self::Pattern(pattern.try_into()?));
        }
        let ProjectionFields { fov_y_degrees, fx, fy, cx, cy, width, height, .. } = fields;
        let panoramic = (fields.azimuth_degrees, elevations);
        let projection = match (fov_y_degrees, [fx, fy, cx, cy], width, height, panoramic) {
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
                let is_whole =
                    height.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&height);
                let rule = "the height of an image must be a whole number of pixels";
                CameraError::unless(is_whole, "height", height, rule)?;
                let offset = fields.pixel_origin.map_or(0.0, PixelOrigin::offset);
                let center = [cx + offset, cy + offset];
                Self::Pinhole { focal: [fx, fy], center, size: [width, height as u32] }
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
                    row_azimuth_offsets_degrees: fields
                        .row_azimuth_offsets_degrees
                        .unwrap_or_default(),
                    row_times_s: fields.row_times_s.unwrap_or_default(),
                }));
            }
            _ => return Err(CameraError::NoProjection),
        };
        for (key, is_given) in [
            ("columns", fields.columns.is_some()),
            ("sweep_s", fields.sweep_s.is_some()),
            ("row_azimuth_offsets_degrees", fields.row_azimuth_offsets_degrees.is_some()),
            ("row_times_s", fields.row_times_s.is_some()),
        ] {
            let value = "for cameras of rows and columns";
            CameraError::unless(!is_given, key, value, "leave it out")?;
        }
        Ok(projection)
    }
}
