//! `raytwin info`: tells what a scene holds.

use super::Failure;
use super::console::Console;
use super::source::SceneArguments;
use clap::Args;
use raytwin::camera::Camera;
use raytwin::scene::Scene;
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// List every geometry, with its id, type, number of primitives and path.
    #[arg(long)]
    geometries: bool,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let scene = arguments.scene.read(console)?;
    let mut object = summary(&scene);
    object["command"] = json!("info");
    object["scene"] = json!(arguments.scene.name());
    object["load_s"] = json!(start.elapsed().as_secs_f64());
    let mut table = table(&scene);
    if arguments.geometries {
        object["geometries"] = (0..scene.geometries().len() as u32)
            .map(|id| geometry(&scene, id))
            .collect::<Vec<Value>>()
            .into();
        table += &list(&scene);
    }
    console.result(&object, &table)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns how many primitives all geometries have.
fn primitive_count(scene: &Scene) -> usize {
    scene.geometries().iter().map(|geometry| geometry.primitive_count()).sum()
}

fn solid_count(scene: &Scene) -> usize {
    scene.geometries().iter().filter(|geometry| geometry.is_solid()).count()
}

/// Returns the least and the largest coordinates; `None` for a scene without geometries.
fn bounds(scene: &Scene) -> Option<[[f64; 3]; 2]> {
    let bounds = scene.bounds();
    (!scene.geometries().is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()])
}

fn summary(scene: &Scene) -> Value {
    let types: serde_json::Map<String, Value> =
        scene.census().into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
    let camera = |camera: &Camera| json!({ "name": camera.name, "kind": camera.projection.name() });
    json!({
        "types": types, "geometry_count": scene.geometries().len(),
        "primitive_count": primitive_count(scene), "solid_count": solid_count(scene),
        "coarsely_rounded": scene.coarsely_rounded().len(), "bounds": bounds(scene),
        "cameras": scene.cameras.iter().map(camera).collect::<Vec<Value>>(),
    })
}

fn table(scene: &Scene) -> String {
    let mut text = String::new();
    for (name, count) in scene.census() {
        let _ = writeln!(text, "{name:<12} {count:>10}");
    }
    let counts = [
        ("geometries", scene.geometries().len()),
        ("primitives", primitive_count(scene)),
        ("solids", solid_count(scene)),
        ("coarsely rounded", scene.coarsely_rounded().len()),
    ];
    text.push('\n');
    for (name, count) in counts {
        let _ = writeln!(text, "{name:<16} {count}");
    }
    if let Some([min, max]) = bounds(scene) {
        let _ = writeln!(text, "{:<16} {min:?} to {max:?}", "bounds");
    }
    for camera in &scene.cameras {
        let _ = writeln!(text, "{:<16} {} ({})", "camera", camera.name, camera.projection.name());
    }
    text
}

fn geometry(scene: &Scene, id: u32) -> Value {
    let geometry = scene.geometry(id);
    json!({
        "id": id, "type": geometry.map(|geometry| geometry.type_name()),
        "primitive_count": geometry.map(|geometry| geometry.primitive_count()),
        "path": scene.path(id),
    })
}

fn list(scene: &Scene) -> String {
    let mut text = format!("\n{:>10}  {:<12} {:>10}  path\n", "id", "type", "primitives");
    for (id, geometry) in scene.geometries().iter().enumerate() {
        let (kind, count) = (geometry.type_name(), geometry.primitive_count());
        let _ = writeln!(text, "{id:>10}  {kind:<12} {count:>10}  {}", scene.path(id as u32));
    }
    text
}
