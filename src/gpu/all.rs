//! All crossings of each ray: a first pass counts them, and a second one writes them to a buffer of
//! that size. The numbers of both are compared all the same, and a piece in which a ray has more
//! crossings than before is cast again.

use super::buffer::{self, scoped};
use super::chunk_buffers::ChunkBuffers;
use super::chunk_tuner::ChunkTuner;
use super::device::Gpu;
use super::dispatch::workgroups_of_query;
use super::hit::{GpuHit, GpuPlacedHit, HitKind, KernelHit, refuse_unanswered};
use super::kernel::{EntryPoint, RayHandling};
use super::rays::count;
use super::recovery::RecoverableScene;
use super::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::query::AllHits;
use crate::query::Batch;
use crate::ray::Hit;
use crate::scene::Scene;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use wgpu::BufferUsages;

/// The most crossings that one pass writes. The crossings of one ray stay together whatever their
/// number.
const PIECE: u64 = 1 << 22;

/// How often a piece is cast before it is an error that its rays have more crossings than they had
/// the last time.
const CASTS: usize = 3;

pub(super) async fn all(scene: &RecoverableScene, batch: Batch<'_>) -> Result<AllHits, GpuError> {
    let batch = batch.surfaces();
    let counts = count(scene, batch).await?;
    let mut all = with_room_for(&counts)?;
    let mut done = 0;
    let mut most = scene.tuner.chunk(batch.len());
    let crossings = PIECE
        .min(buffer::most_bytes(&scene.on_device().gpu.device.limits()) / scene.hit_kind().bytes());
    while done < batch.len() {
        let piece = done..done + piece(&counts[done..], most, crossings);
        let counts = &counts[piece.clone()];
        let added = match scene.hit_kind() {
            HitKind::Own => {
                add_piece::<GpuHit>(scene, batch, piece.clone(), counts, &mut all).await
            }
            HitKind::Placed => {
                add_piece::<GpuPlacedHit>(scene, batch, piece.clone(), counts, &mut all).await
            }
        };
        match added {
            Err(GpuError::OutOfMemory(_)) if piece.len() > 1 => most = piece.len() / 2,
            noted => {
                noted?;
                done = piece.end;
            }
        }
    }
    Ok(all)
}

/// Returns empty answers with room for as many crossings as were counted. It is an error if the
/// host has not so much memory.
fn with_room_for(counts: &[u32]) -> Result<AllHits, GpuError> {
    let crossings = counts.iter().map(|&count| u64::from(count)).sum();
    AllHits::with_capacity(counts.len(), crossings).ok_or(GpuError::HostMemory {
        what: "the crossings of all rays",
        needed: AllHits::bytes(counts.len(), crossings),
    })
}

/// Returns how many of the first rays to cast in one pass, at most `most`, so that they have at
/// most `crossings_at_most` crossings. It is at least one ray.
fn piece(counts: &[u32], most: usize, crossings_at_most: u64) -> usize {
    let mut crossings = 0;
    let fitting = counts.iter().take(most).take_while(|&&count| {
        crossings += u64::from(count);
        crossings <= crossings_at_most
    });
    fitting.count().max(1)
}

async fn add_piece<H: KernelHit>(
    scene: &RecoverableScene,
    batch: Batch<'_>,
    piece: Range<usize>,
    counts: &[u32],
    all: &mut AllHits,
) -> Result<(), GpuError> {
    let world = scene.all_worlds();
    let mut room = counts.to_vec();
    for _ in 0..CASTS {
        if room.iter().all(|&count| count == 0) {
            room.iter().for_each(|_| all.push([]));
            return Ok(());
        }
        let noted = async |on_device: &SceneOnDevice| {
            let splits = splits::<H>(&on_device.gpu, &room)?;
            note(on_device, batch.slice(piece.clone()), world, &splits, &scene.tuner).await
        };
        let PassOutput::<H> { counts, mut crossings } = scene.retry_on_loss(noted).await?;
        refuse_unanswered(piece.clone(), &counts, H::is_never)?;
        let found = counts.iter().map(|found| found.t().to_bits());
        // Crossings beyond a ray's room were not written, so the next cast has more room.
        if found.clone().zip(&room).any(|(found, &room)| found > room) {
            room = found.zip(&room).map(|(found, &room)| found.max(room)).collect();
            continue;
        }
        let mut rest = &mut crossings[..];
        let mut rays = Vec::with_capacity(room.len());
        for (&room, found) in room.iter().zip(found) {
            let (of_ray, others) = rest.split_at_mut(room as usize);
            rays.push(&mut of_ray[..found as usize]);
            rest = others;
        }
        rays.par_iter_mut().for_each(|of_ray| of_ray.sort_unstable_by(|a, b| order(world, a, b)));
        for of_ray in rays {
            all.push(of_ray.iter().map(|found| found.hit(world)).collect::<Vec<Hit>>());
        }
        return Ok(());
    }
    Err(GpuError::Unsteady(piece.start))
}

/// Compares two crossings by t, then by primitive. No t is NaN.
fn order<H: KernelHit>(world: &Scene, a: &H, b: &H) -> Ordering {
    let by_ids = || world.order(a.primitive_ref(), b.primitive_ref());
    a.t().partial_cmp(&b.t()).unwrap_or(Ordering::Equal).then_with(by_ids)
}

/// Returns the index of each ray's first crossing, and after the last ray the number of all
/// crossings.
fn splits<H: KernelHit>(gpu: &Gpu, room: &[u32]) -> Result<Vec<u32>, GpuError> {
    let mut end = 0;
    let ends = room.iter().map(|&count| {
        end += u64::from(count);
        end
    });
    let splits: Vec<u64> = std::iter::once(0).chain(ends).collect();
    let allowed = buffer::most_bytes(&gpu.device.limits());
    let needed = size_of::<H>() as u64 * end;
    if needed > allowed || end > u64::from(u32::MAX) {
        let device = gpu.name().to_owned();
        return Err(GpuError::TooLarge { what: "the crossings of a ray", needed, allowed, device });
    }
    Ok(splits.into_iter().map(|split| split as u32).collect())
}

/// The crossings that one pass has written.
struct PassOutput<H> {
    /// A hit for each ray, which has the ray's number of crossings in place of t.
    counts: Vec<H>,
    crossings: Vec<H>,
}

async fn note<H: KernelHit>(
    on_device: &SceneOnDevice,
    batch: Batch<'_>,
    world: &Scene,
    splits: &[u32],
    tuner: &ChunkTuner,
) -> Result<PassOutput<H>, GpuError> {
    let gpu = &on_device.gpu;
    let kernel = on_device.pipeline(EntryPoint::All, RayHandling::of(&batch)).await?;
    let total = splits.last().copied().unwrap_or_default() as usize;
    let count = batch.len() as u64;
    let [hit_bytes, crossing_bytes] =
        [count, total as u64].map(|hits| hits * size_of::<H>() as u64);
    let what = "the crossings";
    let device_only = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
    let crossings = buffer::create(gpu, what, crossing_bytes, device_only).await?;
    let read_back = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let staging = buffer::create(gpu, what, crossing_bytes, read_back).await?;
    let splits = buffer::upload(gpu, "the ray splits", bytemuck::cast_slice(splits)).await?;
    let mut buffers: ChunkBuffers = on_device.buffers(batch.len(), tuner.most()).await?;
    buffers.write_ray_filters(gpu, &batch, world).await?;
    let recorded = scoped(gpu, what, || {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        buffers.forget_hits(&mut encoder, batch.len());
        let rays = buffers.upload(&mut encoder, batch.rays())?;
        let ray_filters = buffers.ray_filters.as_ref().unwrap_or(&on_device.nothing);
        let rays_and_hits = [&rays, &buffers.hits];
        let others = [ray_filters, &splits, &crossings];
        let bound = on_device.bind_query(rays_and_hits, others, [count; 2]);
        let timestamps = buffers.timestamps([true, true]);
        let workgroups = workgroups_of_query(gpu, count);
        on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, timestamps);
        buffers.fetch(&mut encoder, &buffers.hits, hit_bytes);
        encoder.copy_buffer_to_buffer(&crossings, 0, &staging, 0, crossing_bytes);
        let submission = gpu.queue.submit([encoder.finish()]);
        let mut mapped = buffers.map(hit_bytes);
        mapped.push(buffer::map(&staging, wgpu::MapMode::Read, crossing_bytes));
        Ok((submission, mapped))
    });
    let (submission, mapped) = recorded.await??;
    buffer::wait(gpu, submission, mapped).await?;
    let (counts, time) = buffers.read(batch.len())?;
    tuner.add_kernel_time(time.unwrap_or_default());
    on_device.keep(buffers);
    let view = staging.get_mapped_range(..);
    let view = view.map_err(|reason| GpuError::Lost(reason.to_string()))?;
    let mut crossings = vec![H::NEVER; total];
    bytemuck::cast_slice_mut(&mut crossings).copy_from_slice(&view);
    Ok(PassOutput { counts, crossings })
}

#[cfg(test)]
mod tests;
