//! The ring of chunks: three are under way at once, so that while the device casts one, the host writes the
//! rays of the next and reads the answers of the last.

use super::chunk_buffers::ChunkBuffers;
use super::chunk_tuner::Moment;
use super::resident::Resident;
use super::stream::GpuHit;
use super::{GpuError, GpuTracer, buffer, buffer::scoped};
use bytemuck::Pod;
use futures_channel::oneshot::Receiver;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Chunks that are under way at once: one is written, one is cast, one is read.
pub(super) const RING: usize = 3;

/// As often in a row a device may be lost before a chunk of answers is done.
const LOSSES: usize = 3;

/// A chunk that was submitted.
struct UnderWay {
    chunk: Range<usize>,
    buffers: ChunkBuffers,
    submission: wgpu::SubmissionIndex,
    mapped: Vec<Receiver<Result<(), wgpu::BufferAsyncError>>>,
    since: Moment,
}

/// What a kind of batch asks of each of its chunks.
pub(super) trait Job {
    /// What the device answers to one ray.
    type Answer: Pod;

    /// Records all that makes the answers to a chunk, and their way to where the host reads them.
    async fn record(
        &self,
        resident: &Resident,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError>;

    /// Takes the answers to a chunk; they come in order, and each once.
    fn take(&mut self, chunk: Range<usize>, answers: &[Self::Answer]) -> Result<(), GpuError>;
}

/// Has a job done chunk by chunk. Where the device is lost it is opened again, and the job goes on at the
/// chunk that was not done.
pub(super) async fn run_job<J: Job>(
    tracer: &GpuTracer,
    job: &mut J,
    range: Range<usize>,
) -> Result<(), GpuError> {
    let mut done = range.start;
    let mut losses = Losses::default();
    let mut resident = tracer.resident();
    loop {
        let before = done;
        match run_until_lost(tracer, &resident, job, &mut done, range.end).await {
            Err(lost @ GpuError::Lost(_)) => {
                if done > before {
                    losses = Losses::default();
                }
                // A driver that was kept waiting for too long resets the device.
                tracer.tuner.shrink_after_loss();
                resident = losses.reopened(tracer, &resident, lost).await?;
            }
            end => return end,
        }
    }
}

/// Does some work, again where the device is lost and was opened again.
pub(super) async fn retry_on_loss<T>(
    tracer: &GpuTracer,
    work: impl AsyncFn(&Resident) -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    let mut losses = Losses::default();
    let mut resident = tracer.resident();
    loop {
        match work(&resident).await {
            Err(lost @ GpuError::Lost(_)) => {
                resident = losses.reopened(tracer, &resident, lost).await?;
            }
            end => return end,
        }
    }
}

/// How often in a row the device was lost before anything was done.
#[derive(Default)]
struct Losses(usize);

impl Losses {
    /// The scene on a device that was opened again, unless that was often of no use.
    async fn reopened(
        &mut self,
        tracer: &GpuTracer,
        old: &Arc<Resident>,
        lost: GpuError,
    ) -> Result<Arc<Resident>, GpuError> {
        self.0 += 1;
        if self.0 == LOSSES {
            return Err(lost);
        }
        tracer.reopened(old, lost).await
    }
}

/// From `done`, which is moved along, to `end`, on one device.
async fn run_until_lost<J: Job>(
    tracer: &GpuTracer,
    resident: &Resident,
    job: &mut J,
    done: &mut usize,
    end: usize,
) -> Result<(), GpuError> {
    // A buffers has place for a hit of each of its rays, and by those places a chunk is measured.
    let hits_an_answer = size_of::<J::Answer>() / size_of::<GpuHit>();
    let batch = end - *done;
    let mut under_way = VecDeque::with_capacity(RING);
    let mut next = *done;
    let mut idle_since = Moment::now();
    loop {
        while under_way.len() < RING && next < end {
            let most = (tracer.tuner.chunk(batch) / hits_an_answer).max(1);
            let chunk = next..end.min(next + most);
            let place = chunk.len() * hits_an_answer;
            let buffers = match resident.buffers(place, tracer.tuner.most()).await {
                Err(GpuError::OutOfMemory(_)) if tracer.tuner.shrink_for_memory(place) => continue,
                buffers => buffers?,
            };
            next = chunk.end;
            under_way.push_back(submit(resident, job, buffers, chunk).await?);
        }
        let Some(first) = under_way.pop_front() else { return Ok(()) };
        let UnderWay { chunk, mut buffers, submission, mapped, since }: UnderWay = first;
        buffer::wait(&resident.gpu, submission, mapped).await?;
        let (answers, by_device) = buffers.read::<J::Answer>(chunk.len())?;
        resident.keep(buffers);
        let by_host = since.max(idle_since).elapsed();
        idle_since = Moment::now();
        if let Some(time) = by_device.or(by_host) {
            tracer.tuner.learn(chunk.len() * hits_an_answer, time);
        }
        tracer.tuner.add_kernel_time(by_device.unwrap_or_default());
        *done = chunk.end;
        job.take(chunk, &answers)?;
    }
}

async fn submit<J: Job>(
    resident: &Resident,
    job: &J,
    mut buffers: ChunkBuffers,
    chunk: Range<usize>,
) -> Result<UnderWay, GpuError> {
    let encoder = job.record(resident, &mut buffers, chunk.clone()).await?;
    let bytes = (chunk.len() * size_of::<J::Answer>()) as u64;
    scoped(&resident.gpu, "a batch of rays", || {
        let submission = resident.gpu.queue.submit([encoder.finish()]);
        let mapped = buffers.map(bytes);
        UnderWay { chunk, buffers, submission, mapped, since: Moment::now() }
    })
    .await
}
