//! `raytwin info`: tells what a scene holds.

use super::Failure;
use super::console::Console;
use super::source::SceneArguments;
use super::summary::{CameraSummary, GeometrySummary, InfoSummary, Summary};
use clap::Args;
use raytwin::camera::Camera;
use raytwin::geometry::Geometry;
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
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
    arguments.scene.refuse_ignored("info counts every shape")?;
    let start = Instant::now();
    let scene = arguments.scene.read(console)?;
    let summary = InfoSummary {
        scene: arguments.scene.name(),
        load_s: start.elapsed().as_secs_f64(),
        types: scene.census().into_iter().collect(),
        geometry_count: scene.geometries().len(),
        primitive_count: scene.geometries().iter().map(|geometry| geometry.primitive_count()).sum(),
        solid_count: scene.geometries().iter().filter(|geometry| geometry.is_solid()).count(),
        coarsely_rounded: scene.coarsely_rounded().len(),
        bounds: bounds(&scene),
        origin: scene.origin().to_array(),
        cameras: scene.cameras.iter().map(camera).collect(),
        geometries: arguments.geometries.then(|| geometries(&scene)),
    };
    let table = table(&scene, &summary);
    console.result(Summary::Info(summary), &table)?;
    Ok(ExitCode::SUCCESS)
}

fn bounds(scene: &Scene) -> Option<[[f64; 3]; 2]> {
    let bounds = scene.bounds();
    (!scene.geometries().is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()])
}

fn camera(camera: &Camera) -> CameraSummary {
    CameraSummary { name: camera.name.clone(), kind: camera.projection.name() }
}

fn geometries(scene: &Scene) -> Vec<GeometrySummary> {
    let summary = |(id, geometry): (u32, &Geometry)| GeometrySummary {
        id,
        r#type: geometry.type_name(),
        primitive_count: geometry.primitive_count(),
        path: scene.path(id),
    };
    (0..).zip(scene.geometries()).map(summary).collect()
}

fn table(scene: &Scene, summary: &InfoSummary) -> String {
    let mut text = String::new();
    for (name, count) in scene.census() {
        let _ = writeln!(text, "{name:<12} {count:>10}");
    }
    let counts = [
        ("geometries", summary.geometry_count),
        ("primitives", summary.primitive_count),
        ("solids", summary.solid_count),
        ("coarsely rounded", summary.coarsely_rounded),
    ];
    text.push('\n');
    for (name, count) in counts {
        let _ = writeln!(text, "{name:<16} {count}");
    }
    if let Some([min, max]) = summary.bounds {
        let _ = writeln!(text, "{:<16} {min:?} to {max:?}", "bounds");
    }
    if scene.origin() != DVec3::ZERO {
        let _ = writeln!(text, "{:<16} {:?}", "origin", summary.origin);
    }
    for CameraSummary { name, kind } in &summary.cameras {
        let _ = writeln!(text, "{:<16} {name} ({kind})", "camera");
    }
    if let Some(geometries) = &summary.geometries {
        let _ = writeln!(text, "\n{:>10}  {:<12} {:>10}  path", "id", "type", "primitives");
        for GeometrySummary { id, r#type, primitive_count, path } in geometries {
            let _ = writeln!(text, "{id:>10}  {:<12} {primitive_count:>10}  {path}", r#type);
        }
    }
    text
}
