//! On devices with low limits, a scene that fits is answered as elsewhere, and one that does not is refused with both
//! figures.

use crate::common::direction;
use fastrand::Rng;
use glam::DVec3;
use raytwin::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer, KernelVariant, wgpu};
use raytwin::math::Similarity;
use raytwin::shapes::Sphere;
use raytwin::{Batch, Definition, PackedScene, Ray, Scene, TraceError, Tracer};

/// The limit on the bytes of a binding or a buffer of a small device.
const ALLOWED: u64 = 1 << 16;

/// Opens a device whose bindings are small. Its error handler is wgpu's default, which panics.
fn small_device(change: impl Fn(&mut wgpu::Limits)) -> (wgpu::Device, Gpu) {
    let instance = wgpu::Instance::default();
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let adapter = adapters.first().expect("an adapter: install mesa-vulkan-drivers");
    let mut required_limits = adapter.limits();
    required_limits.max_storage_buffer_binding_size = ALLOWED;
    required_limits.max_buffer_size = ALLOWED;
    change(&mut required_limits);
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    (device.clone(), Gpu::from_wgpu(device, queue).unwrap())
}

/// A row of spheres.
fn row(length: u32) -> Scene {
    let mut scene = Scene::new();
    for index in 0..length {
        scene.add(Sphere { center: DVec3::X * f64::from(index), radius: 0.4 }).unwrap();
    }
    scene
}

fn along(count: u16) -> Vec<Ray> {
    let ray = |index| Ray::new([f32::from(index % 50) - 0.5, 0.1, 0.0], [1.0, 0.0, 0.0]);
    (0..count).map(ray).collect()
}

#[test]
fn a_scene_that_fits_a_small_device_is_answered_as_on_a_large_one() {
    let packed = PackedScene::new(row(50)).unwrap();
    let rays = along(5000);
    let batch = Batch::new(&rays);
    let large = GpuTracer::new(&Gpu::open(&AdapterChoice::Any).unwrap(), &packed).unwrap();
    // The second device has too small a texture for a row of records, so it gets the kernels for hardware.
    for dimension in [1 << 12, 1 << 11] {
        let (_, gpu) = small_device(|limits| limits.max_texture_dimension_2d = dimension);
        let small = GpuTracer::new(&gpu, &packed).unwrap();
        assert_eq!(small.closest(batch).unwrap(), large.closest(batch).unwrap());
        assert_eq!(small.count(batch).unwrap(), large.count(batch).unwrap());
        let all = large.all(batch).unwrap();
        assert!(8 * all.len() as u64 > 10 * ALLOWED, "one piece holds few of them");
        assert_eq!(small.all(batch).unwrap(), all);
        let points: Vec<_> = rays.iter().map(|ray| ray.origin).collect();
        assert_eq!(small.points(&points).unwrap(), large.points(&points).unwrap());
    }
}

#[test]
fn a_scene_that_does_not_fit_is_refused_with_both_figures_before_the_device_is_used() {
    let packed = PackedScene::new(row(2000)).unwrap();
    let (device, gpu) = small_device(|_| ());
    // The device is destroyed, so any further use fails: the errors must come before it is used.
    device.destroy();
    let gpu = gpu.with_kernels(KernelVariant::Hardware);
    let error = GpuTracer::new(&gpu, &packed).unwrap_err();
    let text = error.to_string();
    let GpuError::TooLarge { what, needed, allowed, .. } = error else { panic!("{text}") };
    assert_eq!((what, allowed), ("the shapes", ALLOWED));
    assert!(needed > ALLOWED && text.contains(&needed.to_string()), "{text}");
    assert!(text.contains("65536") && text.contains("split the scene"), "{text}");
}

#[test]
fn crossings_of_one_ray_that_fit_no_binding_are_refused_with_both_figures() {
    let packed = PackedScene::new(row(5000)).unwrap();
    // A texture can hold a larger scene than a binding.
    let (_, gpu) = small_device(|_| ());
    let tracer = GpuTracer::new(&gpu.with_kernels(KernelVariant::Software), &packed).unwrap();
    let Err(TraceError::Gpu(error)) = tracer.all(Batch::new(&along(1))) else {
        panic!("80,000 bytes of crossings fit no binding of 65,536");
    };
    let too_large = matches!(error, GpuError::TooLarge { needed: 80_000, allowed: ALLOWED, .. });
    assert!(too_large, "{error}");
}

#[test]
fn a_tree_that_outgrows_the_device_in_a_move_is_an_error_until_a_move_brings_it_back() {
    let mut ball = Scene::new();
    ball.add(Sphere { center: DVec3::ZERO, radius: 0.1 }).unwrap();
    let ball = Definition::new(ball);
    let rng = &mut Rng::with_seed(1);
    let mut place = || Similarity { translation: 9.0 * direction(rng), ..Similarity::IDENTITY };
    let mut scene = Scene::new();
    let mut nodes = Vec::new();
    for _ in 0..200 {
        let node = scene.add_node(None, &place().into(), None).unwrap();
        scene.add_instance_at(node, &ball, None).unwrap();
        nodes.push(node);
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let bytes = 64 * packed.record_count() as u64;
    // A new tree of as many balls may need more nodes.
    let larger = loop {
        let mut moved = scene.clone();
        nodes.iter().for_each(|node| moved.set_transform(*node, &place().into()).unwrap());
        let mut after = packed.clone();
        let update = after.update(&moved).unwrap();
        if update.is_rebuilt && after.record_count() > packed.record_count() {
            break moved;
        }
    };
    let (_, gpu) = small_device(|limits| limits.max_storage_buffer_binding_size = bytes);
    let gpu = gpu.with_kernels(KernelVariant::Hardware);
    let mut tracer = GpuTracer::new(&gpu, &packed).unwrap();
    let rays = along(500);
    let answers = tracer.closest(Batch::new(&rays)).unwrap();
    let is_too_large = |error| matches!(error, TraceError::Gpu(GpuError::TooLarge { .. }));
    for _ in 0..2 {
        assert!(is_too_large(tracer.update(&larger).unwrap_err()));
        assert!(is_too_large(tracer.closest(Batch::new(&rays)).unwrap_err()));
    }
    tracer.update(&scene).unwrap();
    assert_eq!(tracer.closest(Batch::new(&rays)).unwrap(), answers);
}
