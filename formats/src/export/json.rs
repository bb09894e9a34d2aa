//! Writes the native scene file. Numbers are written as text, one shape per line.

use super::instances::{write_definitions, write_nodes};
use super::shapes_json::{exact, point, write_head, write_shapes};
use glam::DVec3;
use raytwin::camera::{
    Camera, NoiseFields, Projection, ProjectionFields, PulseFields, RangeNoise, Sensor,
};
use raytwin::scene::Scene;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes all geometries in world space, the instances with their definitions, and the cameras.
pub(super) fn write(scene: &Scene, mut file: impl Write) -> io::Result<()> {
    let has_origin = scene.origin() != DVec3::ZERO;
    write_head(scene, &mut file)?;
    if !scene.instances().is_empty() {
        write_definitions(scene, &mut file)?;
    }
    if has_origin {
        // A node at the origin cancels it exactly, while sums of both would be rounded.
        let origin = point(scene.origin(), exact);
        write!(file, "\n  \"nodes\": [ {{ \"translation\": {origin},")?;
    }
    match scene.instances().is_empty() {
        true => {
            write!(file, "\n  \"shapes\": [")?;
            write_shapes(scene, 0..scene.geometries().len() as u32, &mut file)?;
        }
        false => {
            write!(file, "\n  \"nodes\": [")?;
            write_nodes(scene, &mut file)?;
        }
    }
    write!(file, " ]")?;
    if has_origin {
        write!(file, " }} ]")?;
    }
    write_end(scene, &mut file)
}

/// Writes the cameras of a scene, which are given in the world, and the end of the file.
pub(super) fn write_end(scene: &Scene, file: &mut impl Write) -> io::Result<()> {
    if !scene.cameras.is_empty() {
        let cameras: Vec<String> =
            scene.cameras.iter().map(|camera| camera_text(camera, scene.origin())).collect();
        write!(file, ",\n  \"cameras\": [\n    {} ]", cameras.join(",\n    "))?;
    }
    writeln!(file, " }}")
}

fn camera_text(camera: &Camera, origin: DVec3) -> String {
    let projection = projection_text(&camera.projection);
    format!(
        "{{ \"name\": {}, \"eye\": {}, \"target\": {}, \"up\": {}, {projection}{} }}",
        Value::from(camera.name.clone()),
        point(camera.eye + origin, exact),
        point(camera.target + origin, exact),
        point(camera.up, exact),
        sensor_text(&camera.sensor)
    )
}

/// The keys of a projection, between commas.
fn projection_text(projection: &Projection) -> String {
    let fields = ProjectionFields::from(projection);
    let keys = serde_json::to_value(fields).unwrap_or_default();
    let keys = keys.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    // Keys of all rows come before lists with an entry for each row.
    let (of_rows, of_all): (Vec<_>, Vec<_>) =
        keys.partition(|(name, _)| name.starts_with("row_") || *name == "pattern");
    let keys = of_all.into_iter().chain(of_rows);
    // The values are numbers and lists of numbers, which are written like those of shapes.
    let text = |value: &Value| value.to_string().replace(',', ", ");
    let keys: Vec<String> =
        keys.map(|(name, value)| format!("\"{name}\": {}", text(value))).collect();
    keys.join(", ")
}

/// The keys of a sensor that differ from their defaults, each after a comma.
fn sensor_text(sensor: &Sensor) -> String {
    let Sensor { range_min, range_max, noise, hide, pulse, topic, frame_id, update_rate_hz } =
        sensor;
    let keys = json!({
        "range_min": (*range_min > 0.0).then_some(range_min),
        "range_max": range_max.is_finite().then_some(range_max),
        "noise": noise.as_ref().map(noise_keys),
        "hide": (!hide.is_empty()).then_some(hide),
        "topic": topic,
        "frame_id": frame_id,
        "update_rate_hz": update_rate_hz,
    });
    let light = serde_json::to_value(PulseFields::from(pulse)).unwrap_or_default();
    [keys, light].iter().flat_map(key_texts).map(|key| format!(", {key}")).collect()
}

/// The noise of a sensor: its standard deviation, its seed, and what else is not 0.
fn noise_keys(noise: &RangeNoise) -> Value {
    let fields = serde_json::to_value(NoiseFields::from(noise)).unwrap_or_default();
    let mut keys = json!({ "stddev": fields["stddev"], "seed": fields["seed"] });
    for (key, value) in fields.as_object().into_iter().flatten() {
        if *value != 0.0 {
            keys[key] = value.clone();
        }
    }
    keys
}

/// The keys of an object with values that are not the default.
fn key_texts(object: &Value) -> impl Iterator<Item = String> {
    let keys = object.as_object().into_iter().flatten();
    let given = keys.filter(|(_, value)| !matches!(value, Value::Null | Value::Bool(false)));
    given.map(|(key, value)| format!("\"{key}\": {}", value_text(value)))
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Object(_) => format!("{{ {} }}", key_texts(value).collect::<Vec<_>>().join(", ")),
        Value::Number(number) if number.is_f64() => {
            format!("{:?}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}
