use super::*;
use crate::camera::UpAxis;
use crate::gpu::kernel_variant::KernelVariant;
use crate::gpu::query_job::QueryJob;
use crate::gpu::ray_order::row_length;
use crate::gpu::scene_on_device::CHUNKS_UNDER_WAY;
use crate::gpu::{AdapterChoice, Gpu};
use crate::query::RaySource;
use crate::shapes::Sphere;
use crate::{Camera, PackedScene, Scene, View};
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CHUNK: usize = 64;

fn setting() -> (Scene, PackedScene, Vec<Ray>) {
    let mut scene = Scene::new();
    for index in 0..20 {
        let center = DVec3::new(f64::from(index % 5), f64::from(index / 5), 0.0);
        scene.add(Sphere { center, radius: 0.4 }).unwrap();
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let ray = |number: usize| {
        let [x, y] = [(number % 37) as f32 * 0.12, (number % 29) as f32 * 0.11];
        Ray::new([x, y, -3.0], [0.01 * y, -0.02, 1.0])
    };
    let rays = (0..CHUNK * 10 + 5).map(ray).collect();
    (scene, packed, rays)
}

fn upload(packed: &PackedScene) -> RecoverableScene {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    let mut scene = pollster::block_on(RecoverableScene::new(&gpu, packed, None)).unwrap();
    scene.tuner.limit(CHUNK);
    scene
}

/// Adds the answers to a chunk.
type Add<'a> = Box<dyn FnMut(&mut Vec<Hit>, Batch<'_>, &ChunkAnswers<'_, GpuHit>) + 'a>;

fn closest_hits<'a>(
    rays: &'a [Ray],
    packed: &'a PackedScene,
) -> QueryJob<'a, GpuHit, Vec<Hit>, Add<'a>> {
    let world = packed.scene();
    let add: Add<'a> = Box::new(|answers, _, found| {
        answers.extend((0..found.len()).map(|ray| found.hit(ray, GpuHit::is_never).hit(world)));
    });
    QueryJob {
        entry_point: EntryPoint::Closest,
        handling: RayHandling::default(),
        batch: Batch::new(rays),
        records: packed.record_count(),
        world,
        add,
        answers: Vec::new(),
        abandoned: Vec::new(),
        kind: PhantomData,
    }
}

/// A job whose device is destroyed before the submissions of these numbers.
struct Sabotaged<J> {
    job: J,
    before: &'static [usize],
    submissions: AtomicUsize,
}

impl<J: Job> Job for Sabotaged<J> {
    type Answer = J::Answer;

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let number = self.submissions.fetch_add(1, Ordering::Relaxed);
        if self.before.contains(&number) {
            on_device.gpu.device.destroy();
        }
        self.job.record(on_device, buffers, chunk).await
    }

    fn take(
        &mut self,
        chunk: Range<usize>,
        found: &ChunkAnswers<'_, J::Answer>,
    ) -> Result<(), GpuError> {
        self.job.take(chunk, found)
    }
}

/// Runs a job whose device is destroyed, and returns its result and the job.
fn sabotaged<J: Job>(
    scene: &RecoverableScene,
    job: J,
    count: usize,
    before: &'static [usize],
) -> (Result<(), GpuError>, J) {
    let mut job = Sabotaged { job, before, submissions: AtomicUsize::new(0) };
    let end = pollster::block_on(run_job(scene, &mut job, 0..count));
    (end, job.job)
}

/// The rays of an image of so many columns, from the ray `first` on.
fn image(columns: usize, first: usize, count: usize) -> Vec<Ray> {
    let ray = |number: usize| {
        let [x, y] = [number % columns, number / columns].map(|pixel| pixel as f32 * 0.04);
        Ray::new([x, y, -3.0], [0.01, -0.02, 1.0])
    };
    (first..first + count).map(ray).collect()
}

#[test]
fn tiles_of_an_image_answer_each_ray() {
    let (_, packed, _) = setting();
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    for kernels in [KernelVariant::Software, KernelVariant::Hardware] {
        let gpu = gpu.clone().with_kernels(kernels);
        let scene = pollster::block_on(RecoverableScene::new(&gpu, &packed, None)).unwrap();
        for (columns, first, count) in [(64, 0, 4096), (37, 2, 3000), (100, 99, 4000)] {
            let rays = image(columns, first, count);
            assert_eq!(row_length(RaySource::Rays(&rays)), columns as u32);
            // The rays in an order in which they are no image's.
            let order: Vec<usize> = (0..count).map(|place| place * 1999 % count).collect();
            let shuffled: Vec<Ray> = order.iter().map(|&ray| rays[ray]).collect();
            assert_eq!(row_length(RaySource::Rays(&shuffled)), 0);
            let cast = |rays: &[Ray]| {
                pollster::block_on(closest(&scene, Batch::new(rays), Vec::new())).unwrap()
            };
            let hits: Vec<Hit> = cast(&rays);
            let of_shuffled: Vec<Hit> = cast(&shuffled);
            assert!(hits.iter().any(Hit::is_hit) && !hits.iter().all(Hit::is_hit));
            assert!(order.iter().zip(of_shuffled).all(|(&ray, hit)| hits[ray] == hit));
        }
    }
}

#[test]
fn a_lost_device_is_opened_again_and_the_answers_are_the_same() {
    let (definition, packed, rays) = setting();
    let expected =
        pollster::block_on(closest(&upload(&packed), Batch::new(&rays), Vec::new())).unwrap();
    let ids = expected.iter().filter(|hit| hit.is_hit()).count();
    assert!(ids > 100 && ids < rays.len(), "{ids} hits");
    // The device is lost at the first chunk, with chunks under way, twice in a row, and at the last
    // chunk.
    for before in [&[0][..], &[4], &[0, 1, 7], &[5, 6], &[10]] {
        let scene = upload(&packed);
        let first = scene.on_device();
        let job = closest_hits(&rays, &packed);
        let (end, job) = sabotaged(&scene, job, rays.len(), before);
        assert_eq!((end, job.answers.as_slice()), (Ok(()), expected.as_slice()), "{before:?}");
        assert!(!Arc::ptr_eq(&first, &scene.on_device()));
        // The next call finds the new device.
        assert_eq!(
            pollster::block_on(closest(&scene, Batch::new(&rays), Vec::new())).unwrap(),
            expected
        );
    }

    let camera = Camera::fit_bounds(&definition.bounds(), UpAxis::Z, 31, 27).unwrap();
    let views = Views::from(&View::new(camera, 31, 27).unwrap());
    let scene = upload(&packed);
    let image = pollster::block_on(render(&scene, &views, 0..views.pixels())).unwrap();
    let job = RenderJob::<GpuHit> {
        views: &views,
        world: packed.scene(),
        hits: Vec::new(),
        abandoned: Vec::new(),
        kind: PhantomData,
    };
    let (end, job) = sabotaged(&scene, job, views.pixels(), &[3]);
    assert_eq!((end, job.hits), (Ok(()), image));
    let generated = pollster::block_on(camera_rays(&scene, &views, 0..views.pixels())).unwrap();
    let job = CameraRaysJob { views: &views, rays: Vec::new() };
    let (end, job) = sabotaged(&scene, job, views.pixels(), &[3, 9]);
    assert_eq!((end, job.rays), (Ok(()), generated));
}

#[test]
fn a_device_that_is_lost_again_and_again_is_an_error() {
    let (_, packed, rays) = setting();
    let job = || closest_hits(&rays, &packed);
    let (end, _) = sabotaged(&upload(&packed), job(), rays.len(), &[0, 1, 2]);
    assert!(matches!(end, Err(GpuError::Lost(_))), "{end:?}");
    // It is no error if a chunk is done in between, which is the first of three that are submitted.
    let before = &[0, 1, 6, 7, 12, 13];
    let (end, job) = sabotaged(&upload(&packed), job(), rays.len(), before);
    assert_eq!((end, job.answers.len()), (Ok(()), rays.len()));
}

#[test]
fn buffers_are_kept_from_call_to_call_for_as_many_chunks_as_are_under_way() {
    let (_, packed, rays) = setting();
    let scene = upload(&packed);
    let on_device = scene.on_device();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                pollster::block_on(closest(&scene, Batch::new(&rays), Vec::new())).unwrap()
            });
        }
    });
    let buffers = || pollster::block_on(on_device.buffers(CHUNK, CHUNK)).unwrap();
    let all: Vec<ChunkBuffers> = (0..CHUNKS_UNDER_WAY).map(|_| buffers()).collect();
    let ray_buffers: Vec<_> = all.iter().map(|buffers| buffers.rays.clone()).collect();
    all.into_iter().for_each(|buffers| on_device.keep(buffers));
    on_device
        .keep(pollster::block_on(ChunkBuffers::new(&on_device.gpu, HitKind::Own, CHUNK)).unwrap());
    pollster::block_on(closest(&scene, Batch::new(&rays), Vec::new())).unwrap();
    for _ in 0..CHUNKS_UNDER_WAY {
        assert!(ray_buffers.contains(&buffers().rays));
    }
    assert!(!ray_buffers.contains(&buffers().rays), "the fourth was let go");
}

#[test]
fn the_devices_own_clock_tells_how_long_kernels_took() {
    let (_, packed, rays) = setting();
    let scene = upload(&packed);
    pollster::block_on(closest(&scene, Batch::new(&rays), Vec::new())).unwrap();
    let time = scene.tuner.take_kernel_time();
    assert_eq!(!time.is_zero(), scene.on_device().gpu.has_clock());
    assert!(scene.tuner.take_kernel_time().is_zero(), "reported twice");
}
