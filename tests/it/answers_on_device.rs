//! Answers that stay on the device are those that come back.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::{
    AnswersOnDevice, ArrayOnDevice, Gpu, GpuError, GpuTracer, KernelVariant, RaysOnDevice, wgpu,
};
use raytwin::image::Image;
use raytwin::{
    Batch, BatchError, Camera, HitArrays, Hits, NONE, PackedScene, Pose, Projection, Ray, Scene,
    TraceError, Tracer, View, Views,
};
use wgpu::BufferUsages;

fn buffer(gpu: &Gpu, bytes: u64) -> wgpu::Buffer {
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let (device, _) = gpu.wgpu();
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes,
        usage,
        mapped_at_creation: false,
    })
}

/// A buffer with these bytes behind so many others.
fn filled(gpu: &Gpu, before: u64, bytes: &[u8]) -> wgpu::Buffer {
    let made = buffer(gpu, before + bytes.len() as u64);
    gpu.wgpu().1.write_buffer(&made, before, bytes);
    made
}

fn read(gpu: &Gpu, from: &wgpu::Buffer) -> Vec<u32> {
    let (device, queue) = gpu.wgpu();
    let staging = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: from.size(),
        usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(from, 0, &staging, 0, from.size());
    queue.submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = staging.slice(..).get_mapped_range().unwrap();
    view.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect()
}

/// A word that is in the arrays before they are filled.
const BEFORE: u32 = 0x1234_5678;

/// Five arrays in one buffer, with a word before the first and behind the last.
struct Arrays {
    buffer: wgpu::Buffer,
    count: usize,
}

impl Arrays {
    fn new(gpu: &Gpu, count: usize) -> Self {
        let words = vec![BEFORE; 5 * count + 2];
        Self { buffer: filled(gpu, 0, bytemuck::cast_slice(&words)), count }
    }

    fn array(&self, index: usize) -> Option<ArrayOnDevice<'_>> {
        Some(ArrayOnDevice { buffer: &self.buffer, offset: 4 * (1 + index * self.count) as u64 })
    }

    fn all(&self) -> AnswersOnDevice<'_> {
        AnswersOnDevice {
            distance: self.array(0),
            z: self.array(1),
            geometry_ids: self.array(2),
            primitive_ids: self.array(3),
            label_ids: self.array(4),
        }
    }

    fn read(&self, gpu: &Gpu) -> Vec<Vec<u32>> {
        let words = read(gpu, &self.buffer);
        assert_eq!([words[0], words[5 * self.count + 1]], [BEFORE; 2], "beside the arrays");
        words[1..5 * self.count + 1].chunks(self.count).map(<[u32]>::to_vec).collect()
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// A scene of all forms in four worlds, some of which have labels.
fn labelled_worlds(rng: &mut Rng) -> Scene {
    let (mut scene, movers) = stage(rng, 5.0);
    for id in (0..scene.geometry_count()).step_by(3) {
        scene.set_appearance(
            id,
            raytwin::scene::Appearance { label: Some(id as u16 + 7), ..scene.appearance(id) },
        );
    }
    add_worlds(rng, &mut scene, &movers, 4, 5.0);
    scene
}

#[test]
fn hits_that_stay_on_the_device_are_those_that_come_back() {
    let rng = &mut Rng::with_seed(51);
    let own = random_scene(52, 400, 1.0, DVec3::ZERO);
    for scene in [own, labelled_worlds(rng)] {
        let (mut rays, worlds) = rays_in_worlds(rng, &alone(&scene), 3001);
        rays[17] = Ray::new([0.0; 3], [0.0; 3]);
        rays[1234].t_max = 0.5;
        let masks: Vec<u32> = rays.iter().map(|_| [u32::MAX, 1, 2][rng.usize(..3)]).collect();
        let ignored: Vec<u32> = rays
            .iter()
            .map(|_| [NONE, rng.u32(..scene.geometry_count())][rng.usize(..2)])
            .collect();
        let packed = PackedScene::new(scene.clone()).unwrap();
        for variant in [KernelVariant::Hardware, KernelVariant::Software] {
            let gpu = gpu().with_kernels(variant);
            let tracer = GpuTracer::new(&gpu, &packed).unwrap().with_chunk(500);
            let gpu = tracer.gpu();
            let given = filled(&gpu, 256, bytemuck::cast_slice(&rays));
            let given = ArrayOnDevice { buffer: &given, offset: 256 };
            let on_device = RaysOnDevice::new(given, rays.len()).in_worlds(&worlds).unwrap();
            let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
            let filtered = on_device.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
            let batch_filtered = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
            for (on_device, batch) in
                [(on_device, batch), (on_device.solid(), batch.solid()), (filtered, batch_filtered)]
            {
                let arrays = Arrays::new(&gpu, rays.len());
                tracer.closest_to_device(on_device, arrays.all()).unwrap();
                let found = arrays.read(&gpu);
                let hits = tracer.closest(batch).unwrap();
                let expected = Hits::new(tracer.scene(), batch, &hits, HitArrays::ALL);
                let is_same = |(&found, expected): (&u32, &f32)| {
                    let found = f32::from_bits(found);
                    found == *expected || found.is_nan() && expected.is_nan()
                };
                assert!(found[0].iter().zip(&expected.t_hit).all(is_same), "{variant:?}");
                assert!(found[2] == expected.geometry_ids, "{variant:?}");
                assert!(found[3] == expected.primitive_ids, "{variant:?}");
                let labels: Vec<u32> =
                    expected.label_ids.iter().map(|&label| u32::from(label)).collect();
                assert!(found[4] == labels, "{variant:?}");
                let hit = found[2].iter().filter(|id| **id != NONE).count();
                assert!(hit > 300, "{hit}");
            }
        }
    }
}

#[test]
fn images_that_stay_on_the_device_are_those_that_come_back() {
    let rng = &mut Rng::with_seed(53);
    let scene = labelled_worlds(rng);
    let packed = PackedScene::new(scene.clone()).unwrap();
    let projections =
        [Projection::Perspective { fov_y_degrees: 70.0 }, Projection::Orthographic { height: 9.0 }];
    for (projection, kernels) in
        projections.into_iter().zip([KernelVariant::Hardware, KernelVariant::Software])
    {
        let tracer = GpuTracer::new(&gpu().with_kernels(kernels), &packed).unwrap().with_chunk(200);
        let gpu = tracer.gpu();
        let look = |eye: DVec3| {
            Camera::look_at("eye", eye, DVec3::ZERO, None, projection.clone()).unwrap()
        };
        let poses: Vec<Pose> =
            (0..7).map(|_| look(9.0 * direction(rng)).pose(DVec3::ZERO)).collect();
        let mut camera = look(DVec3::X);
        (camera.sensor.range_min, camera.sensor.range_max) = (4.1, 11.3);
        let view = View::new(camera, 17, 13).unwrap();
        let views = Views::new(&view, &poses, DVec3::ZERO).unwrap();
        let views = views.in_worlds(&[3, 0, 1, 1, 2, 0, 3]).unwrap().seeing(1);
        let arrays = Arrays::new(&gpu, views.pixels());
        tracer.render_to_device(&views, arrays.all()).unwrap();
        let found = arrays.read(&gpu);
        let hits = tracer.render_views(&views, 0..views.pixels()).unwrap();
        let image = Image::of_views(&scene, &views, 0, &hits, HitArrays::HIT);
        assert!(found[0] == bits(&image.distance));
        assert!(found[2] == image.hits.geometry_ids && found[3] == image.hits.primitive_ids);
        let labels = scene.labels_of(&image.hits.geometry_ids);
        assert!(found[4] == labels.into_iter().map(u32::from).collect::<Vec<u32>>());
        for (&z, expected) in found[1].iter().zip(image.z) {
            let z = f32::from_bits(z);
            assert!(z == expected || ((z - expected) / expected).abs() < 4e-7, "{z} {expected}");
        }
        let [within, all] = [&image.distance, &hits.iter().map(|hit| hit.t).collect()]
            .map(|row: &Vec<f32>| row.iter().filter(|t| t.is_finite()).count());
        assert!(within > 50 && within < all, "{within} {all}");
    }
}

#[test]
fn what_cannot_stay_on_the_device_is_refused_with_the_reason() {
    let rng = &mut Rng::with_seed(54);
    let packed = PackedScene::new(random_scene(55, 9, 1.0, DVec3::ZERO)).unwrap();
    let gpu = own_gpu();
    let tracer = GpuTracer::new(&gpu, &packed).unwrap();
    let rays = vec![Ray::new([0.0, 0.0, -9.0], [0.0, 0.0, 1.0]); 100];
    let given = filled(&gpu, 0, bytemuck::cast_slice(&rays));
    let given = ArrayOnDevice { buffer: &given, offset: 0 };
    let whole = RaysOnDevice::new(given, 100);
    let arrays = Arrays::new(&gpu, 100);
    let refused = |rays, answers| match tracer.closest_to_device(rays, answers) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("it is answered"),
    };
    assert!(refused(RaysOnDevice::new(given, 101), arrays.all()).contains("101 rows"));
    let short = Arrays::new(&gpu, 50);
    let distance = short.array(4);
    let answers = AnswersOnDevice { distance, ..Default::default() };
    assert!(refused(whole, answers).contains("do not fit a buffer"));
    let distance = Some(ArrayOnDevice { buffer: &arrays.buffer, offset: 6 });
    let answers = AnswersOnDevice { distance, ..Default::default() };
    assert!(refused(whole, answers).contains("not a multiple of 4"));
    let worlds = vec![1; 100];
    let elsewhere = whole.in_worlds(&worlds).unwrap();
    let error = tracer.closest_to_device(elsewhere, arrays.all()).unwrap_err();
    let expected = BatchError::World { ray: 0, world: 1, worlds: 1 };
    assert!(matches!(error, TraceError::Batch(error) if error == expected));
    assert!(whole.with_masks(&worlds[1..]).is_err());

    // Nothing was written so far, and no rays are no work.
    assert!(arrays.read(&gpu).iter().flatten().all(|&word| word == BEFORE));
    tracer.closest_to_device(RaysOnDevice::new(given, 0), arrays.all()).unwrap();

    let camera = Camera::look_at(
        "eye",
        9.0 * direction(rng),
        DVec3::ZERO,
        None,
        Projection::Perspective { fov_y_degrees: 40.0 },
    );
    let mut view = View::new(camera.unwrap(), 4, 4).unwrap();
    view.camera.sensor.noise = Some(Default::default());
    let error = tracer.render_to_device(&Views::from(&view), arrays.all()).unwrap_err();
    assert!(error.to_string().contains("the host computes noise"), "{error}");

    // A workgroup that does not run leaves hits unanswered, and its rays have no answer here.
    let dropped =
        raytwin_verify::faults::all().find(|fault| fault.name == "last-workgroup-dropped");
    let faulty = GpuTracer::with_fault(&gpu, &packed, dropped.unwrap().site).unwrap();
    let error = faulty.closest_to_device(whole, arrays.all()).unwrap_err();
    assert!(matches!(error, TraceError::Gpu(GpuError::Unanswered(_))), "{error}");
}
