use super::*;
use crate::gpu::ring::RING;
use crate::gpu::{AdapterChoice, Gpu};
use crate::shapes::Sphere;
use crate::{Camera, PackedScene, Scene};
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CHUNK: usize = 64;

fn setting() -> (Scene, PackedScene, Vec<Ray>) {
    let mut scene = Scene::new();
    for place in 0..20 {
        let center = DVec3::new(f64::from(place % 5), f64::from(place / 5), 0.0);
        scene.add(Sphere { center, radius: 0.4 }).unwrap();
    }
    let packed = PackedScene::new(&scene).unwrap();
    let ray = |number: usize| {
        let [x, y] = [(number % 37) as f32 * 0.12, (number % 29) as f32 * 0.11];
        Ray::new([x, y, -3.0], [0.01 * y, -0.02, 1.0])
    };
    let rays = (0..CHUNK * 10 + 5).map(ray).collect();
    (scene, packed, rays)
}

fn tracer(packed: &PackedScene) -> GpuTracer {
    let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
    GpuTracer::new(&gpu, packed).unwrap().with_chunk(CHUNK)
}

fn closest_hits<'a>(rays: &'a [Ray], packed: &'a PackedScene) -> QueryJob<'a, Hit> {
    let (entry_point, answer) = (EntryPoint::Closest, GpuHit::hit);
    QueryJob {
        entry_point,
        batch: Batch::new(rays),
        primitive_ids: &packed.primitive_ids,
        answer,
        answers: Vec::new(),
    }
}

/// A job whose device is destroyed before those of its submissions.
struct Sabotaged<J> {
    job: J,
    before: &'static [usize],
    submissions: AtomicUsize,
}

impl<J: Job> Job for Sabotaged<J> {
    type Answer = J::Answer;

    async fn record(
        &self,
        resident: &Resident,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let number = self.submissions.fetch_add(1, Ordering::Relaxed);
        if self.before.contains(&number) {
            resident.gpu.device.destroy();
        }
        self.job.record(resident, buffers, chunk).await
    }

    fn take(&mut self, chunk: Range<usize>, answers: &[J::Answer]) -> Result<(), GpuError> {
        self.job.take(chunk, answers)
    }
}

/// The job's end, and what it came to.
fn sabotaged<J: Job>(
    tracer: &GpuTracer,
    job: J,
    count: usize,
    before: &'static [usize],
) -> (Result<(), GpuError>, J) {
    let mut job = Sabotaged { job, before, submissions: AtomicUsize::new(0) };
    let end = pollster::block_on(run_job(tracer, &mut job, 0..count));
    (end, job.job)
}

#[test]
fn a_lost_device_is_opened_again_and_the_answers_are_the_same() {
    let (scene, packed, rays) = setting();
    let expected = pollster::block_on(closest(&tracer(&packed), Batch::new(&rays))).unwrap();
    let ids = expected.iter().filter(|hit| hit.is_hit()).count();
    assert!(ids > 100 && ids < rays.len(), "{ids} hits");
    // At the first chunk, with chunks under way, twice in a row, at the last.
    for before in [&[0][..], &[4], &[0, 1, 7], &[5, 6], &[10]] {
        let tracer = tracer(&packed);
        let first = tracer.resident();
        let job = closest_hits(&rays, &packed);
        let (end, job) = sabotaged(&tracer, job, rays.len(), before);
        assert_eq!((end, job.answers.as_slice()), (Ok(()), expected.as_slice()), "{before:?}");
        assert!(!Arc::ptr_eq(&first, &tracer.resident()));
        // The next call finds the new device.
        assert_eq!(pollster::block_on(closest(&tracer, Batch::new(&rays))).unwrap(), expected);
    }

    let camera = Camera::that_sees(&scene.bounds(), 31, 27).unwrap();
    let view = View::new(camera, 31, 27).unwrap();
    let tracer = tracer(&packed);
    let image = pollster::block_on(render(&tracer, &view, 0..view.pixels())).unwrap();
    let job = RenderJob { view: &view, primitive_ids: &packed.primitive_ids, hits: Vec::new() };
    let (end, job) = sabotaged(&tracer, job, view.pixels(), &[3]);
    assert_eq!((end, job.hits), (Ok(()), image));
    let generated = pollster::block_on(camera_rays(&tracer, &view, 0..view.pixels())).unwrap();
    let job = CameraRaysJob { view: &view, rays: Vec::new() };
    let (end, job) = sabotaged(&tracer, job, view.pixels(), &[3, 9]);
    assert_eq!((end, job.rays), (Ok(()), generated));
}

#[test]
fn a_device_that_is_lost_again_and_again_is_an_error() {
    let (_, packed, rays) = setting();
    let job = || closest_hits(&rays, &packed);
    let (end, _) = sabotaged(&tracer(&packed), job(), rays.len(), &[0, 1, 2]);
    assert!(matches!(end, Err(GpuError::Lost(_))), "{end:?}");
    // Not so with a chunk done in between: of three that are submitted the first is.
    let before = &[0, 1, 6, 7, 12, 13];
    let (end, job) = sabotaged(&tracer(&packed), job(), rays.len(), before);
    assert_eq!((end, job.answers.len()), (Ok(()), rays.len()));
}

#[test]
fn slots_are_kept_from_call_to_call_and_no_more_than_a_ring() {
    let (_, packed, rays) = setting();
    let tracer = tracer(&packed);
    let resident = tracer.resident();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| pollster::block_on(closest(&tracer, Batch::new(&rays))).unwrap());
        }
    });
    let buffers = || pollster::block_on(resident.buffers(CHUNK, CHUNK)).unwrap();
    let slots: Vec<ChunkBuffers> = (0..RING).map(|_| buffers()).collect();
    let ray_buffers: Vec<_> = slots.iter().map(|buffers| buffers.rays.clone()).collect();
    slots.into_iter().for_each(|buffers| resident.keep(buffers));
    resident.keep(pollster::block_on(ChunkBuffers::new(&resident.gpu, CHUNK)).unwrap());
    pollster::block_on(closest(&tracer, Batch::new(&rays))).unwrap();
    for _ in 0..RING {
        assert!(ray_buffers.contains(&buffers().rays));
    }
    assert!(!ray_buffers.contains(&buffers().rays), "the fourth was let go");
}

#[test]
fn the_devices_own_clock_tells_how_long_kernels_took() {
    let (_, packed, rays) = setting();
    let tracer = tracer(&packed);
    pollster::block_on(closest(&tracer, Batch::new(&rays))).unwrap();
    let time = tracer.take_kernel_time();
    assert_eq!(time.is_some(), tracer.resident().gpu.has_clock());
    assert!(time.is_none_or(|time| !time.is_zero()));
    assert!(tracer.take_kernel_time().is_none_or(|time| time.is_zero()), "told twice");
}
