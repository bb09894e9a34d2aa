//! The flight along the legs of a file, at given heights or above the ground of the scene.

use super::Arguments;
use crate::console::Console;
use crate::failure::Failure;
use raytwin::Ground;
use raytwin::camera::{Projection, View};
use raytwin::glam::DVec3;
use raytwin::packed::PackedScene;
use raytwin::scan::{Flight, FlightError};
use raytwin::scene::Scene;
use raytwin_files::legs::Legs;
use std::path::Path;

/// Makes the flight of a view's sensor. Its sweeps must take time.
pub(super) fn flight(
    arguments: &Arguments,
    (path, legs): (&Path, &Legs),
    view: &View,
    packed: &PackedScene,
    console: &Console,
) -> Result<Flight, Failure> {
    let sweep_s = view.camera.projection.sweep_s();
    if sweep_s <= 0.0 {
        let advice = match view.camera.projection {
            Projection::Panoramic(_) => "set the seconds of a sweep with --sweep",
            _ => "choose a panoramic camera, which has sweeps, with --camera or --lidar",
        };
        return Err(Failure::usage(format!(
            "--legs: sweeps follow one another, and a sweep of camera {} takes no time: {advice}",
            view.camera.name
        )));
    }
    let refuse =
        |error: FlightError| Failure::input(error.to_string()).in_file(&path.display().to_string());
    let flight = Flight::new(&legs.legs, sweep_s, legs.are_above_ground).map_err(refuse)?;
    if !legs.are_above_ground {
        return match arguments.ground.is_empty() {
            true => Ok(flight),
            false => Err(Failure::usage(
                "--ground is for legs with a column altitude, and these legs have z: leave it out",
            )),
        };
    }
    let ground = Ground::new(packed, ground_ids(&arguments.ground, packed.scene())?);
    let places: Vec<DVec3> = flight.trajectory.poses().iter().map(|pose| pose.position).collect();
    let heights = console.phase("finding the ground below the legs", || ground.heights(&places))?;
    flight.above(&heights).map_err(refuse)
}

/// Finds the geometries that are the ground.
fn ground_ids(patterns: &[String], scene: &Scene) -> Result<Vec<u32>, Failure> {
    let mut ids = Vec::new();
    for pattern in patterns {
        let chosen = scene.select(pattern);
        if chosen.is_empty() {
            return Err(Failure::input(format!(
                "--ground {pattern}: the scene has no such shape: give an id, or a path as pick prints it"
            )));
        }
        ids.extend(chosen);
    }
    if !patterns.is_empty() {
        return Ok(ids);
    }
    for wanted in ["heightfield", "plane"] {
        let is_wanted = scene.written_out().filter(|(_, it, _)| it.type_name() == wanted);
        ids.extend(is_wanted.map(|(id, ..)| id));
        if !ids.is_empty() {
            return Ok(ids);
        }
    }
    Err(Failure::input(
        "--legs: altitudes are above the ground, and the scene has neither a heightfield nor a plane: choose the ground with --ground",
    ))
}
