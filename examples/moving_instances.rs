//! Moves ten thousand instances each frame, and prints how long that takes by an update of the tracer and without.
//!
//! `cargo run --release --example moving_instances [FRAMES]`

use raytwin::bvh::Quality;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::{
    Camera, Capsule, Definition, DeviceChoice, NodeId, PackedScene, Projection, Scene, Sphere,
    Transform, View,
};
use std::error::Error;
use std::time::Instant;

const BIRDS: u32 = 10_000;

/// A place on a helix that winds around the z axis, at a time in seconds.
fn place(bird: u32, time: f64) -> Transform {
    let share = f64::from(bird) / f64::from(BIRDS);
    // Rational turns take the place of trigonometry, which a short program can do without.
    let turn = 40.0 * share + 0.3 * time;
    let quarter = (turn.fract() * 4.0).floor();
    // The tangent of half the angle within the quarter.
    let tangent = turn.fract() * 4.0 - quarter;
    let (x, y) = (1.0 - tangent * tangent, 2.0 * tangent);
    let scale = 1.0 + tangent * tangent;
    let (x, y) = match quarter as u32 {
        0 => (x, y),
        1 => (-y, x),
        2 => (-x, -y),
        _ => (y, -x),
    };
    let outward = DVec3::new(x, y, 0.0) / scale;
    Similarity {
        translation: (20.0 + 10.0 * share) * outward + 60.0 * (share - 0.5) * DVec3::Z,
        rotation: DQuat::from_rotation_arc(DVec3::X, outward),
        scale: 1.0,
    }
    .into()
}

fn main() -> Result<(), Box<dyn Error>> {
    run(std::env::args().nth(1).map_or(Ok(20), |text| text.parse())?)
}

/// Moves the birds so many times.
///
/// # Errors
/// It fails if a bird is refused, or if a device cannot be opened or fails.
pub fn run(frames: u32) -> Result<(), Box<dyn Error>> {
    let mut bird = Scene::new();
    bird.add(Sphere { center: DVec3::ZERO, radius: 0.15 })?;
    for side in [-0.5, 0.5] {
        bird.add(Capsule { start: DVec3::ZERO, end: side * DVec3::Y, radius: 0.05 })?;
    }
    let bird = Definition::new(bird);
    let mut scene = Scene::new();
    let mut birds: Vec<NodeId> = Vec::new();
    for number in 0..BIRDS {
        let node = scene.add_node(None, &place(number, 0.0), None)?;
        scene.add_instance_at(node, &bird, None)?;
        birds.push(node);
    }

    let packed = PackedScene::with_quality(scene.clone(), Quality::Fast)?;
    let mut tracer = DeviceChoice::Auto.tracer_for(&packed)?;
    println!("{BIRDS} instances on {}", tracer.device());
    let projection = Projection::Perspective { fov_y_degrees: 45.0 };
    let eye = DVec3::new(90.0, 0.0, 20.0);
    let view = View::new(Camera::look_at("side", eye, DVec3::ZERO, None, projection)?, 320, 240)?;
    let [mut placings, mut refits, mut rebuilds, mut anew, mut images] = [const { Vec::new() }; 5];
    let mut hits = 0;
    for frame in 0..frames {
        let time = f64::from(frame + 1) / 30.0;
        // In the last quarter of the frames the birds change places, so that the tree degrades and is built anew.
        let step = if frame >= frames - frames / 4 { [7, 11][frame as usize % 2] } else { 1 };
        let place_of = |number: u32| place(number * step % BIRDS, time);
        let moved: Vec<(NodeId, Transform)> =
            (0..).zip(&birds).map(|(number, node)| (*node, place_of(number))).collect();
        let start = Instant::now();
        scene.set_transforms(&moved)?;
        placings.push(start.elapsed());
        let start = Instant::now();
        let is_rebuilt = tracer.update(&scene)?.is_rebuilt;
        if is_rebuilt { &mut rebuilds } else { &mut refits }.push(start.elapsed());
        if is_rebuilt {
            let start = Instant::now();
            let packed = PackedScene::with_quality(scene.clone(), Quality::Fast)?;
            DeviceChoice::Auto.tracer_for(&packed)?;
            anew.push(start.elapsed());
        }
        let start = Instant::now();
        hits += tracer.render(&view, 0..320 * 240)?.iter().filter(|hit| hit.is_hit()).count();
        images.push(start.elapsed());
    }
    for (what, mut times) in [
        ("times the scene's transforms are set", placings),
        ("updates by which the tree is refitted", refits),
        ("updates by which the tree is built anew", rebuilds),
        ("new tracers", anew),
        ("images", images),
    ] {
        times.sort_unstable();
        if let Some(median) = times.get(times.len() / 2) {
            println!("{:>4} {what}: {:.2} ms", times.len(), 1e3 * median.as_secs_f64());
        }
    }
    println!("{hits} pixels hit");
    Ok(())
}
