//! Reads the cameras of a native scene. Their fields tell the four projections apart.

use super::Reader;
use super::format::{CameraFile, PixelOrigin};
use crate::camera::{Elevation, Lidar, Panorama, Projection, RangeNoise, Sensor};
use crate::import::graph::{Aim, CameraPlace, GraphCamera};
use crate::import::shortened::shortened;
use crate::io::{FileError, nearest};
use glam::DVec3;
use serde_json::Value;

const NO_PINHOLE: [Option<f64>; 4] = [None; 4];

impl Reader<'_> {
    pub(super) fn read_camera(
        &self,
        camera: Value,
        index: usize,
    ) -> Result<GraphCamera, FileError> {
        let place = format!("cameras[{index}]");
        let file: CameraFile = self.typed(camera, &place)?;
        let elevation = match (file.elevation_degrees, file.elevation_table_degrees) {
            (Some(edges), None) => Some(Elevation::Range(edges)),
            (None, Some(rows)) => Some(Elevation::Table(rows)),
            (None, None) => None,
            (Some(_), Some(_)) => {
                let reason = "is given together with elevation_degrees: keep one of the two";
                return Err(self.refuse(&format!("{place}.elevation_table_degrees"), reason));
            }
        };
        let pinhole = [file.fx, file.fy, file.cx, file.cy];
        let lidar = self.lidar(file.lidar.as_deref(), &place)?;
        let (azimuth, elevation) = match (lidar, file.azimuth_degrees, elevation) {
            (None, azimuth, elevation) => (azimuth, elevation),
            (Some(lidar), None, None) => {
                let Panorama { azimuth_degrees, elevation_degrees, .. } = lidar.panorama();
                (Some(azimuth_degrees), Some(elevation_degrees))
            }
            (Some(_), ..) => {
                let reason = "gives the azimuths and the elevations: leave out those of the camera";
                return Err(self.refuse(&format!("{place}.lidar"), reason));
            }
        };
        let planar = (file.fov_y_degrees, pinhole, file.width, file.height);
        let projection = match (planar, azimuth, elevation) {
            ((Some(fov_y_degrees), NO_PINHOLE, None, None), None, None) => {
                Projection::Perspective { fov_y_degrees }
            }
            (
                (None, [Some(fx), Some(fy), Some(cx), Some(cy)], Some(width), Some(height)),
                None,
                None,
            ) => {
                if height.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&height) {
                    let reason =
                        format!("is {height}: an image's height is a whole number of pixels");
                    return Err(self.refuse(&format!("{place}.height"), reason));
                }
                let corner = match file.pixel_origin {
                    Some(PixelOrigin::Center) => 0.5,
                    Some(PixelOrigin::Corner) | None => 0.0,
                };
                Projection::Pinhole {
                    focal: [fx, fy],
                    center: [cx + corner, cy + corner],
                    size: [width, height as u32],
                }
            }
            ((None, NO_PINHOLE, None, Some(height)), None, None) => {
                Projection::Orthographic { height }
            }
            ((None, NO_PINHOLE, None, None), Some(azimuth_degrees), Some(elevation_degrees)) => {
                Projection::Panoramic(Panorama {
                    azimuth_degrees,
                    elevation_degrees,
                    columns: file.columns.or(lidar.map(|lidar| lidar.columns)),
                    sweep_s: file.sweep_s.or(lidar.map(|lidar| 1.0 / lidar.rate)).unwrap_or(0.0),
                })
            }
            _ => {
                return Err(self.refuse(
                    &place,
                    "must have fov_y_degrees (perspective), or fx, fy, cx, cy, width and height \
                     (calibrated), or height alone (orthographic), or azimuth_degrees with \
                     elevation_degrees or elevation_table_degrees, or lidar (panoramic)",
                ));
            }
        };
        let turns = file.columns.map(|_| "columns").or(file.sweep_s.map(|_| "sweep_s"));
        if let (Some(field), false) = (turns, matches!(projection, Projection::Panoramic(_))) {
            let reason = "is for panoramic cameras: leave it out";
            return Err(self.refuse(&format!("{place}.{field}"), reason));
        }
        let is_pinhole = matches!(projection, Projection::Pinhole { .. });
        if file.pixel_origin.is_some() && !is_pinhole {
            let reason = "tells where cx and cy count from: leave it out of a camera without them";
            return Err(self.refuse(&format!("{place}.pixel_origin"), reason));
        }
        let default =
            lidar.map_or_else(Sensor::default, |lidar| lidar.with_range(Sensor::default()));
        let noise = file.noise.map(|noise| RangeNoise {
            stddev: noise.stddev,
            seed: noise.seed,
            image_number: 0,
        });
        let sensor = Sensor {
            range_min: file.range_min.unwrap_or(default.range_min),
            range_max: file.range_max.unwrap_or(default.range_max),
            noise,
            hide: file.hide,
        };
        Ok(GraphCamera {
            name: file.name.unwrap_or_else(|| place.clone()),
            eye: DVec3::from_array(file.eye),
            aim: Aim::Target(DVec3::from_array(file.target)),
            up: file.up.map(DVec3::from_array),
            projection,
            sensor,
            hidden: 0..0,
            parent: file.parent,
            place: CameraPlace::Key(place),
        })
    }

    fn lidar(&self, name: Option<&str>, place: &str) -> Result<Option<&'static Lidar>, FileError> {
        let Some(name) = name else { return Ok(None) };
        let known = Lidar::ALL.map(|lidar| lidar.name);
        let lidar = Lidar::named(name).ok_or_else(|| {
            let hint = nearest(name, &known).map(|name| format!("; did you mean {name}?"));
            let reason = format!(
                "\"{}\" is no known lidar, which are {}{}",
                shortened(name),
                known.join(", "),
                hint.unwrap_or_default()
            );
            self.refuse(&format!("{place}.lidar"), reason)
        })?;
        Ok(Some(lidar))
    }
}
