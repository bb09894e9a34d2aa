//! The job of casting a batch of rays chunk by chunk, by any kernel that answers rays.

use super::buffer::scoped;
use super::chunk_buffers::ChunkBuffers;
use super::device::Gpu;
use super::dispatch::{one_thread_each, workgroups_of_query};
use super::hit::{ChunkAnswers, KernelHit};
use super::kernel::{EntryPoint, RayHandling};
use super::kernel_variant::KernelVariant;
use super::ray_order::{ray_order, row_length};
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job, run_on};
use super::scene_on_device::{QueryBuffers, SceneOnDevice};
use crate::gpu_error::GpuError;
use crate::parallel::extend;
use crate::query::Batch;
use crate::scene::Scene;
use std::marker::PhantomData;
use std::ops::Range;

/// The job of answering the rays of a batch.
pub(super) struct QueryJob<'a, H, A, F> {
    pub entry_point: EntryPoint,
    pub handling: RayHandling,
    pub batch: Batch<'a>,
    /// The number of the scene's records.
    pub records: usize,
    pub world: &'a Scene,
    /// Adds the answers to a chunk, given the hits of the device.
    pub add: F,
    pub answers: A,
    /// The rays on which the driver gave up, so that their answers are none.
    pub abandoned: Vec<usize>,
    /// The hits that the kernel writes.
    pub kind: PhantomData<H>,
}

impl<H, A, F> Job for QueryJob<'_, H, A, F>
where
    H: KernelHit,
    F: FnMut(&mut A, Batch<'_>, &ChunkAnswers<'_, H>),
{
    type Answer = H;

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let batch = self.batch.slice(chunk);
        let count = batch.len() as u64;
        let gpu = &on_device.gpu;
        let kernel = on_device.pipeline(self.entry_point, self.handling).await?;
        let row_length = row_length(batch.rays());
        let are_coherent = row_length > 0;
        buffers.order = match gpu.kernel_variant {
            KernelVariant::Software if !are_coherent => ray_order(batch.rays(), self.records),
            _ => None,
        };
        let row_length = on_device.row_length(row_length).await?;
        buffers.write_ray_filters(gpu, batch.filters(), batch.len(), self.world).await?;
        scoped(gpu, "the rays", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, batch.len());
            let rays = buffers.upload(&mut encoder, batch.rays())?;
            let ray_filters = buffers.ray_filters.as_ref().unwrap_or(&on_device.nothing);
            // A kernel that only counts crossings writes none.
            let query = on_device.query(&rays, &buffers.hits);
            let query = QueryBuffers { ray_filters, row_length: &row_length, ..query };
            let bound = on_device.bind_query(&query, [count; 2]);
            let timestamps = buffers.timestamps([true, true]);
            let workgroups = workgroups_of(self.entry_point, gpu, count, are_coherent);
            on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, timestamps);
            buffers.fetch(&mut encoder, &buffers.hits, count * size_of::<H>() as u64);
            Ok(encoder)
        })
        .await?
    }

    fn take(&mut self, chunk: Range<usize>, found: &ChunkAnswers<'_, H>) -> Result<(), GpuError> {
        let first = chunk.start;
        (self.add)(&mut self.answers, self.batch.slice(chunk), found);
        self.abandoned.extend(found.abandoned(first)?);
        Ok(())
    }
}

/// Returns how many workgroups of a kernel answer this many rays.
pub(super) fn workgroups_of(
    entry_point: EntryPoint,
    gpu: &Gpu,
    count: u64,
    are_coherent: bool,
) -> u64 {
    match entry_point {
        EntryPoint::ContainerSet => one_thread_each(count),
        _ => workgroups_of_query(gpu, count, are_coherent),
    }
}

pub(super) struct QueryAnswers<A> {
    pub answers: A,
    /// The rays on which the driver gave up, so that their answers are none.
    pub abandoned: Vec<usize>,
}

fn job<'a, H, A, F>(
    scene: &'a RecoverableScene,
    (entry_point, handling): (EntryPoint, RayHandling),
    batch: Batch<'a>,
    answers: A,
    add: F,
) -> QueryJob<'a, H, A, F> {
    let (records, world, kind) = (scene.record_count(), scene.all_worlds(), PhantomData);
    let abandoned = Vec::new();
    QueryJob { entry_point, handling, batch, records, world, add, answers, abandoned, kind }
}

/// Casts a batch. `add` makes answers of the hits, chunk by chunk, while the device casts the next
/// chunk, and appends them to `answers`.
pub(super) async fn run_query<H: KernelHit, A>(
    scene: &RecoverableScene,
    kernel: (EntryPoint, RayHandling),
    batch: Batch<'_>,
    answers: A,
    add: impl FnMut(&mut A, Batch<'_>, &ChunkAnswers<'_, H>),
) -> Result<QueryAnswers<A>, GpuError> {
    let mut job = job(scene, kernel, batch, answers, add);
    run_job(scene, &mut job, 0..batch.len()).await?;
    Ok(QueryAnswers { answers: job.answers, abandoned: job.abandoned })
}

/// Casts a batch at a part of the scene on one device, and returns the hits as they are.
pub(super) async fn hits_on<H: KernelHit>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    kernel: (EntryPoint, RayHandling),
    batch: Batch<'_>,
) -> Result<Vec<H>, GpuError> {
    let add = |answers: &mut Vec<H>, _: Batch<'_>, found: &ChunkAnswers<'_, H>| {
        extend(answers, found.len(), &|ray| found.hit(ray, H::is_never));
    };
    let mut job = job(scene, kernel, batch, Vec::new(), add);
    run_on(scene, on_device, &mut job, 0..batch.len()).await?;
    Ok(job.answers)
}
