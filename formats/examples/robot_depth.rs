//! Drives a robot's joints through a trajectory and renders the depth camera in its hand.
//!
//! `cargo run --release --example robot_depth`

use raytwin::glam::DVec3;
use raytwin::{Camera, Cuboid, DeviceChoice, Projection, Scene, Tracer, View};
use raytwin_formats::{FileStore, ImportedScene, Options, SceneGraph, read};
use std::error::Error;
use std::path::Path;

const FRAMES: u32 = 12;
const WIDTH: u32 = 64;
const HEIGHT: u32 = 48;

/// Makes a scene of the robot with its joints at a time from 0 to 1, and puts a table under it.
fn robot_at(graph: &SceneGraph, time: f64) -> Result<ImportedScene, Box<dyn Error>> {
    let joints = [("waist", 1.2 * time - 0.6), ("shoulder", 0.3 + 0.4 * time), ("elbow", 0.9)];
    let joints = joints.map(|(name, value)| (name.to_owned(), value.into()));
    let options = Options { movable: true, ..Options::default() };
    let mut imported = graph.posed(&joints)?.flatten(&options)?;
    imported.scene.add(Cuboid {
        center: DVec3::new(0.5, 0.0, -0.05),
        half_extents: DVec3::new(1.5, 1.5, 0.05),
        rotation: Default::default(),
    })?;
    Ok(imported)
}

/// Returns the view of a camera in the robot's hand.
fn hand_camera(robot: &ImportedScene) -> Result<View, Box<dyn Error>> {
    let pose = robot.links.get("hand").ok_or("the robot has no link named hand")?.pose;
    let projection = Projection::Perspective { fov_y_degrees: 60.0 };
    let eye = pose.position + pose.rotation * DVec3::new(0.1, 0.0, 0.0);
    let target = pose.position + pose.rotation * DVec3::new(0.2, 0.0, 0.0);
    let up = pose.rotation * DVec3::Z;
    Ok(View::new(Camera::look_at("hand", eye, target, up, projection)?, WIDTH, HEIGHT)?)
}

/// Casts the images.
pub fn main() -> Result<(), Box<dyn Error>> {
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/robots/arm.urdf");
    let graph = read(&FileStore::disk(), robot, &Options::default())?;
    let mut tracer: Option<Box<dyn Tracer>> = None;
    for frame in 0..=FRAMES {
        let robot = robot_at(&graph, f64::from(frame) / f64::from(FRAMES))?;
        let view = hand_camera(&robot)?;
        let tracer = match &mut tracer {
            Some(tracer) => {
                tracer.update(&robot.scene)?;
                tracer
            }
            None => tracer.insert(DeviceChoice::Auto.tracer(Scene::clone(&robot.scene))?),
        };
        let hits = tracer.render(&view, 0..view.pixels())?;
        // Rays have unit length, so t is the distance.
        let depths: Vec<f32> = hits.iter().filter(|hit| hit.is_hit()).map(|hit| hit.t).collect();
        let nearest = depths.iter().copied().fold(f32::INFINITY, f32::min);
        let mean = depths.iter().sum::<f32>() / depths.len() as f32;
        println!(
            "{frame:>3}  {:>4} of {} pixels  nearest {nearest:.3} m  mean {mean:.3} m",
            depths.len(),
            view.pixels()
        );
    }
    Ok(())
}
