//! Rays that lie in a wgpu buffer are cast where they are, and their hits stay on the device too, for a kernel of your
//! own that reads them next. Here the host reads them.
//!
//! `cargo run --release --example resident_buffers`

use raytwin::glam::DVec3;
use raytwin::gpu::wgpu::{BufferDescriptor, BufferUsages, MapMode, PollType};
use raytwin::gpu::{Gpu, GpuHit, GpuTracer, wgpu};
use raytwin::{PackedScene, Ray, Scene, Sphere, Tracer};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()))?;
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default()))?;

    let mut scene = Scene::new();
    scene.add(Sphere { center: DVec3::new(3.0, 0.0, 0.0), radius: 1.0 })?;
    let gpu = Gpu::from_wgpu(device.clone(), queue.clone())?;
    let tracer = GpuTracer::new(&gpu, &PackedScene::new(scene)?)?;

    // A ray is 32 bytes and a hit is 8. A kernel may write the rays; here the host does.
    let heights = [0.0, 0.5, 2.0];
    let rays = heights.map(|height| Ray::new([0.0, 0.0, height], [1.0, 0.0, 0.0]));
    let hit_bytes = (rays.len() * size_of::<GpuHit>()) as u64;
    let buffer = |label, size, usage| {
        device.create_buffer(&BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let ray_buffer =
        buffer("rays", size_of_val(&rays) as u64, BufferUsages::STORAGE | BufferUsages::COPY_DST);
    let hit_buffer = buffer("hits", hit_bytes, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let staging = buffer("staging", hit_bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    queue.write_buffer(&ray_buffer, 0, bytemuck::cast_slice(&rays));

    // The cast is one pass of the program's own encoder, among its other passes.
    let mut encoder = device.create_command_encoder(&Default::default());
    tracer.closest_on_device(&mut encoder, &ray_buffer, &hit_buffer, rays.len() as u32)?;
    encoder.copy_buffer_to_buffer(&hit_buffer, 0, &staging, 0, hit_bytes);
    queue.submit([encoder.finish()]);

    // Reading from a device takes mapping a buffer and waiting for that.
    let (sender, receiver) = std::sync::mpsc::channel();
    staging.map_async(MapMode::Read, .., move |mapped| drop(sender.send(mapped)));
    device.poll(PollType::wait_indefinitely())?;
    receiver.recv()??;
    let hits: Vec<GpuHit> = bytemuck::pod_collect_to_vec(&staging.get_mapped_range(..)?);
    for (height, hit) in heights.iter().zip(&hits) {
        // A miss is +∞; `Scene::ids_of_primitive` returns the geometry of a hit.
        let ids = hit.t.is_finite().then(|| tracer.scene().ids_of_primitive(hit.primitive));
        println!("at height {height} t = {}, ids {ids:?}", hit.t);
    }
    assert_eq!(hits[0].t, 2.0);
    assert_eq!(hits[2].t, f32::INFINITY);
    Ok(())
}
