//! Reads the cameras of a native scene. Their fields tell the projections apart.

use super::Reader;
use super::format::{CameraFile, PixelOrigin};
use crate::graph::{Aim, CameraPlace, GraphCamera};
use crate::shortened::shortened;
use glam::DVec3;
use raytwin::camera::{CameraError, Lidar, Projection, ProjectionFields, RangeNoise, Sensor};
use raytwin_files::{FileError, nearest};
use serde_json::Value;

impl Reader<'_> {
    pub(super) fn read_camera(
        &self,
        camera: Value,
        index: usize,
    ) -> Result<GraphCamera, FileError> {
        let place = format!("cameras[{index}]");
        let file: CameraFile = self.typed(camera, &place)?;
        let lidar = self.lidar(file.lidar.as_deref(), &place)?;
        let mut fields = ProjectionFields {
            fov_y_degrees: file.fov_y_degrees,
            fx: file.fx,
            fy: file.fy,
            cx: file.cx,
            cy: file.cy,
            width: file.width,
            height: file.height,
            azimuth_degrees: file.azimuth_degrees,
            elevation_degrees: file.elevation_degrees,
            elevation_table_degrees: file.elevation_table_degrees,
            columns: file.columns,
            sweep_s: file.sweep_s,
        };
        if let Some(lidar) = lidar {
            let has_own_angles = fields.azimuth_degrees.is_some()
                || fields.elevation_degrees.is_some()
                || fields.elevation_table_degrees.is_some();
            if has_own_angles {
                let reason = "gives the azimuths and the elevations: leave out those of the camera";
                return Err(self.refuse(&format!("{place}.lidar"), reason));
            }
            fields.azimuth_degrees = Some(lidar.panorama().azimuth_degrees);
            fields.elevation_table_degrees = Some(lidar.elevations());
            fields.columns.get_or_insert(lidar.columns);
            fields.sweep_s.get_or_insert(1.0 / lidar.rate);
        }
        if let Some(PixelOrigin::Center) = file.pixel_origin {
            // The library counts from the corner.
            fields.cx = fields.cx.map(|cx| cx + 0.5);
            fields.cy = fields.cy.map(|cy| cy + 0.5);
        }
        let projection = Projection::try_from(fields).map_err(|error| match error {
            CameraError::Field { field, value, rule } => {
                self.refuse(&format!("{place}.{field}"), format_args!("is {value}: {rule}"))
            }
            other => self.refuse(&place, format_args!("{other}, or lidar")),
        })?;
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
