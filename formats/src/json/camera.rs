//! Reads the cameras of a native scene. Their fields distinguish the projections.

use super::Reader;
use super::format::{CameraFile, PixelOrigin, ReturnsFile};
use crate::graph::{Aim, CameraPlace, GraphCamera};
use crate::shortened::shortened;
use glam::DVec3;
use raytwin::camera::{
    Beam, CameraError, Lidar, Projection, ProjectionFields, Pulse, RangeNoise, ReturnMode,
    ReturnRules, Sensor,
};
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
        let (pulse, pulse_key) = self.pulse(&file, &place)?;
        let pattern = file.pattern.map(|pattern| self.read_pattern(pattern, &place)).transpose()?;
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
            row_azimuth_offsets_degrees: file.row_azimuth_offsets_degrees,
            row_times_s: file.row_times_s,
            pattern,
        };
        if let Some(lidar) = lidar {
            let own = ProjectionFields { columns: None, sweep_s: None, ..fields.clone() };
            if own != ProjectionFields::default() {
                let reason = "gives the directions: leave out those of the camera";
                return Err(self.refuse(&format!("{place}.lidar"), reason));
            }
            let of_lidar = ProjectionFields::from(&lidar.projection());
            fields = ProjectionFields {
                columns: fields.columns.or(of_lidar.columns),
                sweep_s: fields.sweep_s.or(of_lidar.sweep_s),
                ..of_lidar
            };
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
            lidar.map_or_else(Sensor::default, |lidar| lidar.as_sensor(Sensor::default()));
        if let Some(key) = pulse_key
            && !projection.is_lidar()
        {
            let reason = "is for panoramic cameras: leave it out of another one";
            return Err(self.refuse(&format!("{place}.{key}"), reason));
        }
        let noise = file.noise.map(|noise| RangeNoise {
            stddev: noise.stddev,
            stddev_per_distance: noise.stddev_per_distance,
            reference_intensity: noise.reference_intensity,
            jitter_mrad: noise.jitter_mrad,
            dropout: noise.dropout,
            seed: noise.seed,
            image_number: 0,
        });
        let own = if file.no_beam { Pulse::default() } else { default.pulse };
        let pulse = Pulse {
            beam: pulse.beam.or(own.beam),
            returns: pulse.returns.or(own.returns),
            ..pulse
        };
        let sensor = Sensor {
            pulse,
            range_min: file.range_min.unwrap_or(default.range_min),
            range_max: file.range_max.unwrap_or(default.range_max),
            noise,
            hide: file.hide,
            topic: file.topic,
            frame_id: file.frame_id,
            update_rate_hz: file.update_rate_hz,
        };
        Ok(GraphCamera {
            name: file.name.unwrap_or_else(|| place.clone()),
            eye: DVec3::from_array(file.eye),
            aim: Aim::Target(DVec3::from_array(file.target)),
            up: file.up.map(DVec3::from_array),
            projection,
            sensor,
            hidden: 0..0,
            carrier: 0..0,
            parent: file.parent,
            place: CameraPlace::Key(place),
        })
    }

    /// The light of a lidar, and the first of its keys that is given.
    fn pulse(
        &self,
        file: &CameraFile,
        place: &str,
    ) -> Result<(Pulse, Option<&'static str>), FileError> {
        let keys = [
            ("beam", file.beam.is_some()),
            ("returns", file.returns.is_some()),
            ("no_beam", file.no_beam),
            ("attenuation_per_km", file.attenuation_per_km.is_some()),
            ("detection_limit", file.detection_limit.is_some()),
        ];
        if file.no_beam && (file.beam.is_some() || file.returns.is_some()) {
            let reason = "leaves out the beam and the returns of a lidar, and others are given: leave one of both out";
            return Err(self.refuse(&format!("{place}.no_beam"), reason));
        }
        let given = keys.into_iter().find(|(_, is_given)| *is_given).map(|(key, _)| key);
        let beam = file.beam.as_ref().map(|beam| Beam {
            divergence_mrad: beam.divergence_mrad,
            exit_diameter: beam.exit_diameter,
            subrays: beam.subrays,
        });
        let default = ReturnRules::default();
        let rules = |returns: &ReturnsFile| {
            let mode = match &returns.mode {
                None => default.mode,
                Some(name) => ReturnMode::named(name).ok_or_else(|| {
                    let known = ReturnMode::NAMES.map(|(name, _)| name).join(", ");
                    let reason = format!("is \"{}\": it must be one of {known}", shortened(name));
                    self.refuse(&format!("{place}.returns.mode"), reason)
                })?,
            };
            Ok(ReturnRules {
                max: returns.max.unwrap_or(default.max),
                mode,
                range_resolution: returns.range_resolution.unwrap_or(default.range_resolution),
            })
        };
        let pulse = Pulse {
            beam,
            returns: file.returns.as_ref().map(rules).transpose()?,
            attenuation_per_km: file.attenuation_per_km.unwrap_or(0.0),
            detection_limit: file.detection_limit.unwrap_or(0.0),
        };
        Ok((pulse, given))
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
