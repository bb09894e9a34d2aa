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
    let name_text =
        |name: &Option<String>| name.as_deref().map(|name| Value::from(name).to_string());
    let keys = [
        ("range_min", above_zero(*range_min)),
        ("range_max", range_max.is_finite().then(|| format!("{range_max:?}"))),
        ("noise", noise.as_ref().map(noise_text)),
        ("hide", (!hide.is_empty()).then(|| Value::from(hide.clone()).to_string())),
        ("topic", name_text(topic)),
        ("frame_id", name_text(frame_id)),
        ("update_rate_hz", update_rate_hz.map(|rate| format!("{rate:?}"))),
    ];
    given(keys) + &pulse_text(pulse)
}

/// The keys that have a value, each after a comma.
fn given<const N: usize>(keys: [(&str, Option<String>); N]) -> String {
    let keys = keys.into_iter().filter_map(|(key, value)| Some((key, value?)));
    keys.map(|(key, value)| format!(", \"{key}\": {value}")).collect()
}

/// The noise of a sensor.
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
    let others = given([
        ("stddev_per_distance", above_zero(*stddev_per_distance)),
        ("reference_intensity", above_zero(*reference_intensity)),
        ("jitter_mrad", above_zero(*jitter_mrad)),
        ("dropout", above_zero(*dropout)),
    ]);
    format!("{{ \"stddev\": {stddev:?}, \"seed\": {seed}{others} }}")
}

/// The keys of a lidar's light that differ from their defaults, each after a comma.
fn pulse_text(pulse: &Pulse) -> String {
    let Pulse { beam, returns, attenuation_per_km, detection_limit } = pulse;
    let beam = beam.as_ref().map(|Beam { divergence_mrad, exit_diameter, subrays }| {
        format!(
            "{{ \"divergence_mrad\": {divergence_mrad:?}, \"exit_diameter\": {exit_diameter:?}, \"subrays\": {subrays} }}"
        )
    });
    let returns = returns.as_ref().map(|ReturnRules { max, mode, range_resolution }| {
        let mode = mode.name();
        format!(
            "{{ \"max\": {max}, \"mode\": \"{mode}\", \"range_resolution\": {range_resolution:?} }}"
        )
    });
    given([
        ("beam", beam),
        ("returns", returns),
        ("attenuation_per_km", above_zero(*attenuation_per_km)),
        ("detection_limit", above_zero(*detection_limit)),
    ])
}

fn above_zero(number: f64) -> Option<String> {
    (number > 0.0).then(|| format!("{number:?}"))
}
