//! The fields of the projections by the names that they have in scene files and in Python. It alone
//! turns named numbers into a projection and back, for all that reads or writes cameras.

use super::error::CameraError;
use super::panorama::{Elevation, Panorama};
use super::pattern::ScanPattern;
use super::pattern_fields::PatternFields;
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
    /// Panoramic: what is added to the azimuth of each row of the table, if anything is.
    pub row_azimuth_offsets_degrees: Option<Vec<f64>>,
    /// Panoramic: the seconds after its column's time, negative before it, at which each row is cast.
    pub row_times_s: Option<Vec<f64>>,
    /// Pattern: the pattern, which is written as its fields.
    #[serde(serialize_with = "write_pattern")]
    pub pattern: Option<ScanPattern>,
}

fn write_pattern<S: serde::Serializer>(
    pattern: &Option<ScanPattern>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use serde::Serialize;
    pattern.as_ref().map(PatternFields::from).serialize(serializer)
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

/// A list, if it has anything.
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
                Self { pattern: Some(pattern.clone()), ..Self::default() }
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
        // The keys that only a panoramic camera has.
        let panoramic_keys = [
            ("columns", fields.columns.is_some()),
            ("sweep_s", fields.sweep_s.is_some()),
            ("row_azimuth_offsets_degrees", fields.row_azimuth_offsets_degrees.is_some()),
            ("row_times_s", fields.row_times_s.is_some()),
        ];
        let panoramic_key = panoramic_keys.into_iter().find(|(_, is_given)| *is_given);
        if let Some(pattern) = fields.pattern {
            let has_other = fov_y_degrees.is_some()
                || pinhole.iter().any(Option::is_some)
                || width.is_some()
                || height.is_some()
                || panoramic != (None, None)
                || panoramic_key.is_some();
            return match has_other {
                false => Ok(Self::Pattern(pattern)),
                true => {
                    let value = "given together with the keys of another projection".to_owned();
                    refuse("pattern", value, "keep one of the two")
                }
            };
        }
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
                    row_azimuth_offsets_degrees: fields
                        .row_azimuth_offsets_degrees
                        .unwrap_or_default(),
                    row_times_s: fields.row_times_s.unwrap_or_default(),
                }));
            }
            _ => return Err(CameraError::NoProjection),
        };
        match panoramic_key {
            None => Ok(projection),
            Some((key, _)) => {
                refuse(key, "for cameras of rows and columns".to_owned(), "leave it out")
            }
        }
    }
}
