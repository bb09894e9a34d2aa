//! A program that has a wgpu device of its own, such as a viewer, casts on that one: two scenes share it, and what was
//! compiled for the first serves the second.
//!
//! `cargo run --release --example shared_device`

use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, GpuTracer, wgpu};
use raytwin::{Batch, PackedScene, Ray, Scene, Sphere, Tracer};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The program's own device, with the limits and features that the program needs.
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;

    // Handles of wgpu are counted references: these clones are the same device and the same queue. The program's
    // error handlers stay in place, and a device that is lost is for the program to open again.
    let gpu = Gpu::from_wgpu(device.clone(), queue.clone())?;
    println!("on {}", gpu.name());

    let ray = [Ray::new([0.0; 3], [1.0, 0.0, 0.0])];
    for distance in [3.0, 5.0] {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::new(distance, 0.0, 0.0), radius: 1.0 })?;
        // Both scenes have spheres alone, so the second finds its pipelines compiled.
        let tracer = GpuTracer::new(&gpu, &PackedScene::new(scene)?)?;
        let hit = tracer.closest(Batch::new(&ray))?[0];
        println!("a ball at {distance} is hit at t = {}", hit.t);
        assert_eq!(f64::from(hit.t), distance - 1.0);
    }
    Ok(())
}
