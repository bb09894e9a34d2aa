//! Writes the native scene file. Numbers are written as text, a shape a line.

use super::instances::{write_definitions, write_nodes};
use super::shapes_json::{exact, point, write_head, write_shapes};
use glam::DVec3;
use raytwin::camera::{
    Beam, Camera, Projection, ProjectionFields, Pulse, RangeNoise, ReturnRules, Sensor,
};
use raytwin::scene::Scene;
use serde_json::Value;
use std::io::{self, Write};

/// Writes all geometries in world space, the instances with their definitions, and the cameras.
pub(super) fn write(scene: &Scene, mut file: impl Write) -> io::Result<()> {
    let has_origin = scene.origin() != DVec3::ZERO;
    write_head(scene, &mut file)?;
    if !scene.instances().is_empty() {
        write_definitions(scene, &mut file)?;
    }
    if has_origin {
        // A node at the origin cancels it to the bit, where sums of both would be rounded.
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
    // The values are numbers and lists of numbers, which are written as those of shapes are.
    let text = |value: &Value| value.to_string().replace(',', ", ");
    let keys: Vec<String> =
        keys.map(|(name, value)| format!("\"{name}\": {}", text(value))).collect();
    keys.join(", ")
}

/// The keys of a sensor that differ from their defaults, each after a comma.
fn sensor_text(sensor: &Sensor) -> String {
    let Sensor { range_min, range_max, noise, hide, pulse, topic, frame_id, update_rate_hz } =
        sensor;
    let mut text = String::new();
    if *range_min > 0.0 {
        text += &format!(", \"range_min\": {range_min:?}");
    }
    if range_max.is_finite() {
        text += &format!(", \"range_max\": {range_max:?}");
    }
    if let Some(noise) = noise {
        text += &noise_text(noise);
    }
    if !hide.is_empty() {
        text += &format!(", \"hide\": {}", Value::from(hide.clone()));
    }
    for (key, name) in [("topic", topic), ("frame_id", frame_id)] {
        if let Some(name) = name {
            text += &format!(", \"{key}\": {}", Value::from(name.as_str()));
        }
    }
    if let Some(rate) = update_rate_hz {
        text += &format!(", \"update_rate_hz\": {rate:?}");
    }
    text + &pulse_text(pulse)
}

/// The noise of a sensor, after a comma.
fn noise_text(noise: &RangeNoise) -> String {
    let RangeNoise {
        stddev,
        stddev_per_distance,
        reference_intensity,
        jitter_mrad,
        dropout,
        seed,
        image_number: _,
    } = noise;
    let others = [
        ("stddev_per_distance", stddev_per_distance),
        ("reference_intensity", reference_intensity),
        ("jitter_mrad", jitter_mrad),
        ("dropout", dropout),
    ];
    let others = others.into_iter().filter(|(_, number)| **number > 0.0);
    let others: String = others.map(|(key, number)| format!(", \"{key}\": {number:?}")).collect();
    format!(", \"noise\": {{ \"stddev\": {stddev:?}, \"seed\": {seed}{others} }}")
}

/// The keys of a lidar's light that differ from their defaults, each after a comma.
fn pulse_text(pulse: &Pulse) -> String {
    let Pulse { beam, returns, attenuation_per_km, detection_limit } = pulse;
    let mut text = String::new();
    if let Some(Beam { divergence_mrad, exit_diameter, subrays }) = beam {
        text += &format!(
            ", \"beam\": {{ \"divergence_mrad\": {divergence_mrad:?}, \"exit_diameter\": {exit_diameter:?}, \"subrays\": {subrays} }}"
        );
    }
    if let Some(ReturnRules { max, mode, range_resolution }) = returns {
        let mode = mode.name();
        text += &format!(
            ", \"returns\": {{ \"max\": {max}, \"mode\": \"{mode}\", \"range_resolution\": {range_resolution:?} }}"
        );
    }
    if *attenuation_per_km > 0.0 {
        text += &format!(", \"attenuation_per_km\": {attenuation_per_km:?}");
    }
    if *detection_limit > 0.0 {
        text += &format!(", \"detection_limit\": {detection_limit:?}");
    }
    text
}
