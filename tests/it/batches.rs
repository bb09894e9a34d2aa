//! Answers do not depend on batch, chunk or threads, to the bit, on one device.

use crate::common::*;
use raytwin::bvh::Quality;
use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, GpuHit, GpuTracer, wgpu};
use raytwin::{
    Batch, Camera, CpuTracer, Elevation, Hit, PackedScene, Panorama, Projection, Ray, Scene,
    Sphere, Tracer, View,
};

fn bits(hits: &[Hit]) -> Vec<(u32, u32)> {
    hits.iter().map(|hit| (hit.t.to_bits(), hit.geometry_id)).collect()
}

fn setting() -> (Scene, PackedScene, Vec<Ray>) {
    let scene = random_scene(21, 300, 0.5, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let rays = [Family::Aimed(12.0), Family::Inside, Family::Cut]
        .into_iter()
        .flat_map(|family| rays(22, family, 3001, &scene, 1.0))
        .collect();
    (scene, packed, rays)
}

/// The views of a camera outside the scene and of a lidar in its middle.
fn views(scene: &Scene) -> [View; 2] {
    let outside = Camera::fit_bounds(&scene.bounds(), scene.up, 97, 61).unwrap();
    let elevation = Elevation::Range([80.0, -80.0]);
    let lidar = Projection::Panoramic(Panorama::new([180.0, -180.0], elevation));
    let eye = scene.bounds().center();
    let lidar = Camera::look_at("lidar", eye, eye + DVec3::X, DVec3::Z, lidar).unwrap();
    [outside, lidar].map(|camera| View::new(camera, 97, 61).unwrap())
}

fn in_pieces(tracer: &dyn Tracer, rays: &[Ray], size: usize) -> Vec<Hit> {
    rays.chunks(size).flat_map(|piece| tracer.closest(Batch::new(piece)).unwrap()).collect()
}

#[test]
fn the_gpu_gives_the_same_answers_in_any_batch_and_chunk() {
    let (scene, packed, rays) = setting();
    let gpu = gpu();
    let tracer = GpuTracer::new(&gpu, &packed).unwrap();
    let whole = bits(&tracer.closest(Batch::new(&rays)).unwrap());
    assert_eq!(whole.len(), rays.len());
    for size in [1000, 777] {
        assert_eq!(bits(&in_pieces(&tracer, &rays, size)), whole, "batches of {size}");
    }
    assert_eq!(bits(&in_pieces(&tracer, &rays[..100], 1)), whole[..100], "one by one");
    for chunk in [1, 64, 1000] {
        let count = if chunk == 1 { 100 } else { rays.len() };
        let chunked = GpuTracer::new(&gpu, &packed).unwrap().with_chunk(chunk);
        let hits = chunked.closest(Batch::new(&rays[..count])).unwrap();
        assert_eq!(bits(&hits), whole[..count], "chunks of {chunk}");
        for view in views(&scene).iter().filter(|_| chunk > 1) {
            assert_eq!(
                bits(&chunked.render(view, 0..view.pixels()).unwrap()),
                bits(&tracer.render(view, 0..view.pixels()).unwrap())
            );
        }
    }
    assert!(tracer.closest(Batch::new(&[])).unwrap().is_empty());
}

#[test]
fn chunks_of_tuned_sizes_give_the_answers_of_chunks_of_one_size() {
    let scene = random_scene(23, 30, 0.5, DVec3::ZERO);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = gpu();
    let tracer = GpuTracer::new(&gpu, &packed).unwrap();
    let rays = rays(24, Family::Aimed(12.0), 200_001, &scene, 1.0);
    let sized = GpuTracer::new(&gpu, &packed).unwrap().with_chunk(30_011);
    let expected = bits(&sized.closest(Batch::new(&rays)).unwrap());
    // The second run uses the chunk size learnt in the first, and its buffers.
    for _ in 0..2 {
        assert_eq!(bits(&tracer.closest(Batch::new(&rays)).unwrap()), expected);
        assert_eq!(bits(&tracer.closest(Batch::new(&rays[..7])).unwrap()), expected[..7]);
    }
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(bits(&tracer.closest(Batch::new(&rays)).unwrap()), expected));
        }
    });
}

#[test]
fn an_image_is_the_query_of_its_rays() {
    let (scene, packed, _) = setting();
    let tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let views = views(&scene);
    let tracers = [&tracer as &dyn Tracer, &cpu];
    for (tracer, view) in tracers.iter().flat_map(|tracer| views.iter().map(move |v| (tracer, v))) {
        let rays = tracer.camera_rays(view, 0..view.pixels()).unwrap();
        let image = bits(&tracer.render(view, 0..view.pixels()).unwrap());
        assert_eq!(bits(&tracer.closest(Batch::new(&rays)).unwrap()), image);
        let part = bits(&tracer.render(view, 1000..1234).unwrap());
        assert_eq!(part, image[1000..1234]);
        assert_eq!(rays[1000..1234], tracer.camera_rays(view, 1000..1234).unwrap());
        // The range is shorter than a row and crosses the end of one.
        assert_eq!(rays[190..200], tracer.camera_rays(view, 190..200).unwrap());
    }
}

#[test]
fn the_cpu_answers_as_brute_force_does_on_any_number_of_threads() {
    let (_, packed, rays) = setting();
    let tracer = CpuTracer::new(&packed);
    let whole = tracer.closest(Batch::new(&rays)).unwrap();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let hits = pool.install(|| tracer.closest(Batch::new(&rays))).unwrap();
        assert_eq!(bits(&hits), bits(&whole), "{threads} threads");
    }
    assert_eq!(bits(&in_pieces(&tracer, &rays, 77)), bits(&whole));
    for (ray, hit) in rays.iter().zip(&whole) {
        let nearest = tracer.brute_force(ray);
        let id = nearest.map_or(raytwin::NONE, |nearest| nearest.geometry_id);
        let t = nearest.map_or(f32::INFINITY, |nearest| nearest.crossing.t as f32);
        assert_eq!((t.to_bits(), id), (hit.t.to_bits(), hit.geometry_id), "{ray:?}");
    }
}

#[test]
fn the_cpu_hits_the_lowest_id_of_coincident_shapes_and_crosses_all_of_them() {
    const COUNT: u32 = 300;
    let scene_of = |radius: &dyn Fn(f64) -> f64| {
        let mut scene = Scene::new();
        for i in (0..COUNT).map(f64::from) {
            scene.add(Sphere { center: DVec3::ONE, radius: radius(i) }).unwrap();
        }
        scene
    };
    let rays = rays(5, Family::Aimed(12.0), 500, &scene_of(&|_| 1.0), 1.0);
    for (scene, has_ties) in [(scene_of(&|_| 1.0), true), (scene_of(&|i| 1.0 + i / 300.0), false)] {
        for quality in [Quality::Fast, Quality::Best] {
            let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
            let tracer = CpuTracer::new(&packed);
            let hits = tracer.closest(Batch::new(&rays)).unwrap();
            let all = tracer.all(Batch::new(&rays)).unwrap();
            for (i, (ray, hit)) in rays.iter().zip(&hits).enumerate() {
                let id = tracer.brute_force(ray).map_or(raytwin::NONE, |hit| hit.geometry_id);
                assert_eq!(hit.geometry_id, id, "{quality:?}, {ray:?}");
                if has_ties && hit.is_hit() {
                    let ids: Vec<u32> = all.of_ray(i).map(|hit| hit.geometry_id).collect();
                    let sides = if ids.len() == COUNT as usize { 1 } else { 2 };
                    let expected: Vec<u32> = (0..sides).flat_map(|_| 0..COUNT).collect();
                    assert_eq!(ids, expected, "{quality:?}, {ray:?}");
                }
            }
            assert!(hits.iter().filter(|hit| hit.is_hit()).count() > 100);
        }
    }
}

#[test]
fn rays_that_lie_on_the_device_are_cast_there() {
    let (_, packed, rays) = setting();
    let adapter_tracer = GpuTracer::new(&gpu(), &packed).unwrap();
    let expected = bits(&adapter_tracer.closest(Batch::new(&rays)).unwrap());

    // The caller opens the device and owns the buffers.
    let instance = wgpu::Instance::default();
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let adapter = adapters.first().expect("an adapter, as gpu() found one");
    let (device, queue) =
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let tracer =
        GpuTracer::new(&Gpu::from_wgpu(device.clone(), queue.clone()).unwrap(), &packed).unwrap();
    let buffer = |size, usage| {
        let descriptor =
            wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        device.create_buffer(&descriptor)
    };
    use wgpu::BufferUsages as Usage;
    let count = rays.len() as u64;
    let ray_buffer = buffer(32 * count, Usage::STORAGE | Usage::COPY_DST);
    let hit_buffer = buffer(8 * count, Usage::STORAGE | Usage::COPY_SRC);
    let staging = buffer(8 * count, Usage::MAP_READ | Usage::COPY_DST);
    queue.write_buffer(&ray_buffer, 0, bytemuck::cast_slice(&rays));
    let mut encoder = device.create_command_encoder(&Default::default());
    let on_device =
        |encoder: &mut _, count| tracer.closest_on_device(encoder, &ray_buffer, &hit_buffer, count);
    assert!(on_device(&mut encoder, rays.len() as u32 + 1).is_err(), "more rays than the buffer");
    on_device(&mut encoder, rays.len() as u32).unwrap();
    encoder.copy_buffer_to_buffer(&hit_buffer, 0, &staging, 0, 8 * count);
    queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = staging.get_mapped_range(..).unwrap();
    let hits: Vec<GpuHit> = bytemuck::pod_collect_to_vec(&view);
    // In this scene the primitive's number equals the geometry's id, because each geometry has one primitive.
    let hits: Vec<_> = hits.iter().map(|hit| (hit.t.to_bits(), hit.primitive)).collect();
    assert_eq!(hits, expected);
}

#[test]
fn a_lost_device_is_an_error_and_no_panic() {
    let (_, packed, rays) = setting();
    let instance = wgpu::Instance::default();
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let adapter = adapters.first().expect("an adapter");
    let (device, queue) =
        pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).unwrap();
    let tracer = GpuTracer::new(&Gpu::from_wgpu(device.clone(), queue).unwrap(), &packed).unwrap();
    tracer.closest(Batch::new(&rays)).unwrap();
    device.destroy();
    let error = tracer.closest(Batch::new(&rays)).unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
}
