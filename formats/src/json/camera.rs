//! Reads the cameras of a native scene. Their fields distinguish the projections.

use super::format::CameraFile;
use super::{Reader, known_keys};
use crate::graph::{Aim, CameraPlace, GraphCamera};
use crate::shortened::shortened;
use glam::DVec3;
use raytwin::Lidar;
use raytwin::camera::{
    CameraError, Projection, ProjectionFields, PulseFields, RangeNoise, ReturnMode, Sensor,
};
use raytwin_files::{FileError, nearest};
use schemars::JsonSchema;
use serde_json::{Map, Value};

impl Reader<'_> {
    pub(super) fn read_camera(
        &self,
        mut camera: Value,
        index: usize,
    ) -> Result<GraphCamera, FileError> {
        let place = format!("cameras[{index}]");
        let projection = take_keys_of::<ProjectionFields>(&mut camera);
        let light = take_keys_of::<PulseFields>(&mut camera);
        let mut file: CameraFile = self.typed(camera, &place)?;
        file.projection = self.typed(projection, &place)?;
        file.light = self.typed(light, &place)?;
        let CameraFile { projection: mut fields, light, .. } = file;
        let lidar = self.lidar(fields.lidar.take().as_deref(), &place)?;
        let light_key = self.first_key(&light, &place)?;
        let refuse = |error: CameraError| match error {
            CameraError::Field { field, value, rule } => {
                self.refuse(&format!("{place}.{field}"), format_args!("is {value}: {rule}"))
            }
            CameraError::Pattern(reason) => self.refuse(&format!("{place}.pattern"), reason),
            other => self.refuse(&place, format_args!("{other}, or lidar")),
        };
        if let Some(pattern) = &mut fields.pattern {
            self.read_beams(pattern, &place)?;
        }
        let pixel_origin = fields.pixel_origin;
        if let Some(lidar) = lidar {
            let own = ProjectionFields {
                columns: None,
                sweep_s: None,
                pixel_origin: None,
                ..fields.clone()
            };
            if own != ProjectionFields::default() {
                let reason = "defines the directions: remove the camera's own";
                return Err(self.refuse(&format!("{place}.lidar"), reason));
            }
            let of_lidar = ProjectionFields::from(&lidar.projection());
            fields = ProjectionFields {
                columns: fields.columns.or(of_lidar.columns),
                sweep_s: fields.sweep_s.or(of_lidar.sweep_s),
                ..of_lidar
            };
        }
        let projection = Projection::try_from(fields).map_err(refuse)?;
        let is_pinhole = matches!(projection, Projection::Pinhole { .. });
        if pixel_origin.is_some() && !is_pinhole {
            let reason = "is only for cameras with cx and cy: remove it";
            return Err(self.refuse(&format!("{place}.pixel_origin"), reason));
        }
        let default =
            lidar.map_or_else(Sensor::default, |lidar| lidar.as_sensor(Sensor::default()));
        if let Some(key) = light_key
            && !projection.is_lidar()
        {
            let reason = "is only for panoramic cameras: remove it";
            return Err(self.refuse(&format!("{place}.{key}"), reason));
        }
        let pulse = light.pulse(default.pulse).map_err(|mode| {
            let known = ReturnMode::NAMES.map(|(name, _)| name).join(", ");
            let reason = format!("is \"{}\": it must be one of {known}", shortened(&mode));
            self.refuse(&format!("{place}.returns.mode"), reason)
        })?;
        let sensor = Sensor {
            pulse,
            range_min: file.range_min.unwrap_or(default.range_min),
            range_max: file.range_max.unwrap_or(default.range_max),
            noise: file.noise.map(RangeNoise::from),
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

    /// The first given key of a lidar's light.
    fn first_key(&self, light: &PulseFields, place: &str) -> Result<Option<String>, FileError> {
        if light.no_beam && (light.beam.is_some() || light.returns.is_some()) {
            let reason = "removes the beam and the returns of a lidar, but a beam or returns are given: remove one of the two";
            return Err(self.refuse(&format!("{place}.no_beam"), reason));
        }
        let keys = serde_json::to_value(light).unwrap_or_default();
        let mut keys = keys.as_object().into_iter().flatten();
        let first = keys.find(|(_, value)| !matches!(value, Value::Null | Value::Bool(false)));
        Ok(first.map(|(key, _)| key.clone()))
    }

    fn lidar(&self, name: Option<&str>, place: &str) -> Result<Option<&'static Lidar>, FileError> {
        let Some(name) = name else { return Ok(None) };
        let known = Lidar::ALL.map(|lidar| lidar.name);
        let lidar = Lidar::named(name).ok_or_else(|| {
            let hint = nearest(name, &known).map(|name| format!("; did you mean {name}?"));
            let reason = format!(
                "\"{}\" is not a known lidar; the lidars are {}{}",
                shortened(name),
                known.join(", "),
                hint.unwrap_or_default()
            );
            self.refuse(&format!("{place}.lidar"), reason)
        })?;
        Ok(Some(lidar))
    }
}

/// Moves the keys of a struct from an object into a new object.
fn take_keys_of<T: JsonSchema>(object: &mut Value) -> Value {
    let Value::Object(keys) = object else { return Value::Object(Map::new()) };
    let schema = schemars::schema_for!(T);
    let known = known_keys(&schema);
    let (own, others) =
        std::mem::take(keys).into_iter().partition(|(key, _)| known.contains(&&**key));
    *keys = others;
    Value::Object(own)
}
