//! Simulates a range finder on a turntable: builds a scene and casts a ring of rays, on a GPU if there is one.
//!
//! `cargo run --release --example range_finder`

use raytwin::glam::{DQuat, DVec3};
use raytwin::{Cuboid, Cylinder, DeviceChoice, Ray, Scene, Sphere};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = Scene::new();
    let pillar =
        scene.add(Cylinder::solid(DVec3::new(2.0, 0.0, 0.0), DVec3::new(2.0, 0.0, 3.0), 0.25))?;
    scene.set_name(pillar, "pillar");
    scene.add(Sphere { center: DVec3::new(0.0, 3.0, 1.0), radius: 0.5 })?;
    scene.add(Cuboid {
        center: DVec3::new(-4.0, 0.0, 1.0),
        half_extents: DVec3::new(0.5, 2.0, 1.0),
        rotation: DQuat::from_rotation_z(0.3),
    })?;

    let rays: Vec<Ray> = (0..24_u8)
        .map(|step| {
            let azimuth = f32::from(step) * std::f32::consts::TAU / 24.0;
            Ray::new([0.0, 0.0, 1.0], [azimuth.cos(), azimuth.sin(), 0.0]).within(0.1, 10.0)
        })
        .collect();

    let tracer = DeviceChoice::Auto.tracer(scene)?;
    let hits = tracer.cast(&rays)?;

    println!("on {}", tracer.device());
    for (step, (t, id)) in hits.t_hit.iter().zip(&hits.geometry_ids).enumerate() {
        let path = tracer.scene().path(*id);
        println!("{:>4} deg  {t:>8.4}  {path}", step * 15);
    }
    Ok(())
}
