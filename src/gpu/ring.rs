//! The ring of chunks. Three are under way at once, so that the device casts one while the host
//! writes the rays of the next and reads the answers of the one before.

use super::buffer::{self, scoped};
use super::chunk_buffers::{ChunkBuffers, typed};
use super::chunk_tuner::{ChunkTuner, Moment};
use super::hit::ChunkAnswers;
use super::host_phases::Phase;
use super::recovery::{Losses, RecoverableScene};
use super::scene_on_device::{CHUNKS_UNDER_WAY, SceneOnDevice};
use crate::gpu_error::GpuError;
use bytemuck::Pod;
use futures_channel::oneshot::Receiver;
use std::collections::VecDeque;
use std::ops::Range;

/// A chunk that was submitted.
struct UnderWay {
    chunk: Range<usize>,
    buffers: ChunkBuffers,
    submission: wgpu::SubmissionIndex,
    mapped: Vec<Receiver<Result<(), wgpu::BufferAsyncError>>>,
    since: Moment,
}

/// The work on a batch, chunk by chunk.
pub(super) trait Job {
    /// An answer of the device to a ray, a point or a beam.
    type Answer: Pod + Sync;

    /// Returns how many answers there are to each.
    fn answers_each(&self) -> usize {
        1
    }

    /// Returns how many answers there are for this many rays.
    fn answers_of(&self, count: usize) -> usize {
        count * self.answers_each()
    }

    /// Returns for how many rays and hits there must be room for each. Its answers take no more
    /// bytes than these hits.
    fn hits_each(&self, hit_bytes: usize) -> usize {
        (self.answers_each() * size_of::<Self::Answer>()).div_ceil(hit_bytes)
    }

    /// Returns how many rays the next chunk of a batch of this many should have.
    fn chunk(&self, tuner: &ChunkTuner, batch: usize) -> usize {
        tuner.chunk(batch)
    }

    /// Records the passes that answer a chunk, and the copy of the answers to the staging buffer.
    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError>;

    /// Takes the answers to a chunk. Chunks come in order, and each comes once.
    fn take(
        &mut self,
        chunk: Range<usize>,
        found: &ChunkAnswers<'_, Self::Answer>,
    ) -> Result<(), GpuError>;
}

/// Runs a job chunk by chunk. If the device is lost, it is opened again, and the job goes on with
/// the first chunk that was not done.
pub(super) async fn run_job<J: Job>(
    scene: &RecoverableScene,
    job: &mut J,
    range: Range<usize>,
) -> Result<(), GpuError> {
    let mut done = range.start;
    let mut losses = Losses::default();
    let mut on_device = scene.current()?;
    loop {
        let before = done;
        match run_until_lost(scene, &on_device, job, &mut done, range.end).await {
            Err(lost @ GpuError::Lost(_)) => {
                if done > before {
                    losses = Losses::default();
                }
                // The chunk may have been too large: a driver resets a device that is busy for too
                // long.
                scene.tuner.shrink_after_loss();
                on_device = losses.recover(scene, &on_device, lost).await?;
            }
            end => return end,
        }
    }
}

/// Runs a job on one device, whose loss is an error.
pub(super) async fn run_on<J: Job>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    job: &mut J,
    range: Range<usize>,
) -> Result<(), GpuError> {
    let mut done = range.start;
    run_until_lost(scene, on_device, job, &mut done, range.end).await
}

/// Runs a job from `done` to `end` on one device, and advances `done` after each chunk.
async fn run_until_lost<J: Job>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    job: &mut J,
    done: &mut usize,
    end: usize,
) -> Result<(), GpuError> {
    // Buffers have room for one hit of each ray, so the size of a chunk is counted in hits.
    let hits_each = job.hits_each(on_device.hit_kind.bytes() as usize);
    let batch = end - *done;
    let mut under_way = VecDeque::with_capacity(CHUNKS_UNDER_WAY);
    let mut next = *done;
    let mut idle_since = Moment::now();
    let mut phases = scene.phases.begin();
    loop {
        while under_way.len() < CHUNKS_UNDER_WAY && next < end {
            let most = (job.chunk(&scene.tuner, batch) / hits_each).max(1);
            let chunk = next..end.min(next + most);
            let hits = chunk.len() * hits_each;
            let buffers = match on_device.buffers(hits, scene.tuner.most()).await {
                Err(GpuError::OutOfMemory(_)) if scene.tuner.shrink_for_memory(hits) => continue,
                buffers => buffers?,
            };
            next = chunk.end;
            under_way.push_back(submit(on_device, job, buffers, chunk).await?);
        }
        phases.end(Phase::Writing);
        let Some(first) = under_way.pop_front() else { return Ok(()) };
        let UnderWay { chunk, mut buffers, submission, mapped, since }: UnderWay = first;
        buffer::wait(&on_device.gpu, submission, mapped).await?;
        phases.end(Phase::Waiting);
        let by_host = since.max(idle_since).elapsed();
        idle_since = Moment::now();
        let bytes = answer_bytes(job, &chunk);
        let order = buffers.order.take();
        job.take(chunk.clone(), &ChunkAnswers::new(&typed(&buffers.answers(bytes)?), order))?;
        *done = chunk.end;
        let by_device = buffers.release(bytes)?;
        on_device.keep(buffers);
        if let Some(time) = by_device.or(by_host) {
            scene.tuner.learn(chunk.len() * hits_each, time);
        }
        scene.tuner.add_kernel_time(by_device.unwrap_or_default());
        phases.end(Phase::Reading);
    }
}

/// Returns how many bytes the answers to a chunk take.
fn answer_bytes<J: Job>(job: &J, chunk: &Range<usize>) -> u64 {
    (job.answers_of(chunk.len()) * size_of::<J::Answer>()) as u64
}

async fn submit<J: Job>(
    on_device: &SceneOnDevice,
    job: &J,
    mut buffers: ChunkBuffers,
    chunk: Range<usize>,
) -> Result<UnderWay, GpuError> {
    let encoder = job.record(on_device, &mut buffers, chunk.clone()).await?;
    let bytes = answer_bytes(job, &chunk);
    scoped(&on_device.gpu, "a batch of rays", || {
        let submission = on_device.gpu.queue.submit([encoder.finish()]);
        let mapped = buffers.map(bytes);
        UnderWay { chunk, buffers, submission, mapped, since: Moment::now() }
    })
    .await
}
