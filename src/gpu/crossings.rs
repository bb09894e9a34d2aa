//! Lists of the crossings of rays: a pass writes them to a buffer with room for as many as were
//! counted before. The numbers of both are compared all the same, and rays of which one has more
//! crossings than before are cast again.

use super::buffer::{self, scoped};
use super::chunk_buffers::{ChunkBuffers, typed};
use super::device::Gpu;
use super::hit::{KernelHit, refuse_unanswered};
use super::kernel::{EntryPoint, RayHandling};
use super::query_job::{hits_on, workgroups_of};
use super::ray_order::row_length;
use super::recovery::RecoverableScene;
use super::scene_on_device::{QueryBuffers, SceneOnDevice};
use crate::gpu_error::GpuError;
use crate::query::Batch;
use wgpu::BufferUsages;

/// The most crossings that one pass writes. The crossings of one ray stay together whatever their
/// number.
pub(super) const PIECE: u64 = 1 << 22;

/// How often rays are cast before it is an error that one has more crossings than it had the last
/// time.
const CASTS: usize = 3;

/// The crossings of some rays.
pub(super) struct ListedCrossings<H> {
    /// The number of each ray's crossings; `None` if the driver gave up on the ray.
    counts: Vec<Option<u32>>,
    /// For how many of each ray there was room.
    room: Vec<u32>,
    crossings: Vec<H>,
}

impl<H> ListedCrossings<H> {
    /// Returns those of each ray in no order, and `None` if the driver gave up on the ray.
    pub fn of_rays(&mut self) -> Vec<Option<&mut [H]>> {
        let mut rest = &mut self.crossings[..];
        let of_ray = |(&room, count): (&u32, &Option<u32>)| {
            let (of_ray, others) = std::mem::take(&mut rest).split_at_mut(room as usize);
            rest = others;
            count.map(|count| &mut of_ray[..count as usize])
        };
        self.room.iter().zip(&self.counts).map(of_ray).collect()
    }
}

/// Returns the most crossings that one pass writes on a device.
pub(super) fn crossings_at_most(scene: &RecoverableScene, on_device: &SceneOnDevice) -> u64 {
    let bytes = buffer::most_bytes(&on_device.gpu.device.limits());
    PIECE.min(bytes / scene.hit_kind().bytes())
}

/// Returns how many of the first rays to cast in one pass, at most `most`, so that they have at
/// most `crossings_at_most` crossings. It is at least one ray.
pub(super) fn piece(counts: &[u32], most: usize, crossings_at_most: u64) -> usize {
    let mut crossings = 0;
    let fitting = counts.iter().take(most).take_while(|&&count| {
        crossings += u64::from(count);
        crossings <= crossings_at_most
    });
    fitting.count().max(1)
}

/// Lists the crossings of rays that had this many when they were counted.
pub(super) async fn crossings<H: KernelHit>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    kernel: (EntryPoint, RayHandling),
    batch: Batch<'_>,
    counts: &[u32],
) -> Result<ListedCrossings<H>, GpuError> {
    let mut room = counts.to_vec();
    for _ in 0..CASTS {
        if room.iter().all(|&count| count == 0) {
            let counts = vec![Some(0); room.len()];
            return Ok(ListedCrossings { counts, room, crossings: Vec::new() });
        }
        let splits = splits::<H>(&on_device.gpu, &room)?;
        let noted = note(scene, on_device, kernel, batch, &splits).await?;
        let PassOutput::<H> { counts, crossings } = noted;
        refuse_unanswered(0..batch.len(), &counts, H::is_never)?;
        let counts: Vec<Option<u32>> = counts.iter().map(count_of).collect();
        // Crossings beyond a ray's room were not written, so the next cast has more room.
        if counts.iter().zip(&room).all(|(count, &room)| count.is_none_or(|count| count <= room)) {
            return Ok(ListedCrossings { counts, room, crossings });
        }
        for (room, count) in room.iter_mut().zip(counts) {
            *room = count.unwrap_or(0).max(*room);
        }
    }
    Err(GpuError::Unsteady(0))
}

/// The number of crossings stands in place of t.
fn count_of<H: KernelHit>(found: &H) -> Option<u32> {
    (!found.is_abandoned()).then(|| found.t().to_bits())
}

/// Counts and lists the crossings of rays; those of a ray are `None` if the driver gave up on it.
pub(super) async fn lists<H: KernelHit>(
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    kernel: (EntryPoint, RayHandling),
    batch: Batch<'_>,
) -> Result<Vec<Option<Vec<H>>>, GpuError> {
    let hits: Vec<H> = hits_on(scene, on_device, kernel, batch).await?;
    let counts: Vec<Option<u32>> = hits.iter().map(count_of).collect();
    let room: Vec<u32> = counts.iter().map(|count| count.unwrap_or(0)).collect();
    let most = scene.tuner.chunk(batch.len());
    let mut lists = Vec::with_capacity(batch.len());
    while lists.len() < batch.len() {
        let first = lists.len();
        let end = first + piece(&room[first..], most, crossings_at_most(scene, on_device));
        let (some, room) = (batch.slice(first..end), &room[first..end]);
        let mut found = crossings::<H>(scene, on_device, kernel, some, room).await?;
        lists.extend(
            found
                .of_rays()
                .into_iter()
                .zip(&counts[first..end])
                .map(|(list, count)| count.and_then(|_| list.map(|list| list.to_vec()))),
        );
    }
    Ok(lists)
}

/// Returns the index of each ray's first crossing, and after the last ray the number of all
/// crossings.
pub(super) fn splits<H: KernelHit>(gpu: &Gpu, room: &[u32]) -> Result<Vec<u32>, GpuError> {
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
    scene: &RecoverableScene,
    on_device: &SceneOnDevice,
    (entry_point, handling): (EntryPoint, RayHandling),
    batch: Batch<'_>,
    splits: &[u32],
) -> Result<PassOutput<H>, GpuError> {
    let (gpu, tuner) = (&on_device.gpu, &scene.tuner);
    let kernel = on_device.pipeline(entry_point, handling).await?;
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
    let row_length = row_length(batch.rays());
    let are_coherent = row_length > 0;
    let row_length = on_device.row_length(row_length).await?;
    let mut buffers: ChunkBuffers = on_device.buffers(batch.len(), tuner.most()).await?;
    buffers.write_ray_filters(gpu, batch.filters(), batch.len(), scene.all_worlds()).await?;
    let recorded = scoped(gpu, what, || {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        buffers.forget_hits(&mut encoder, batch.len());
        let rays = buffers.upload(&mut encoder, batch.rays())?;
        let query = QueryBuffers {
            ray_filters: buffers.ray_filters.as_ref().unwrap_or(&on_device.nothing),
            splits: &splits,
            crossings: &crossings,
            row_length: &row_length,
            ..on_device.query(&rays, &buffers.hits)
        };
        let bound = on_device.bind_query(&query, [count; 2]);
        let timestamps = buffers.timestamps([true, true]);
        let workgroups = workgroups_of(entry_point, gpu, count, are_coherent);
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
    let counts = typed(&buffers.answers(hit_bytes)?).into_owned();
    let time = buffers.release(hit_bytes)?;
    tuner.add_kernel_time(time.unwrap_or_default());
    on_device.keep(buffers);
    let view = staging.get_mapped_range(..);
    let view = view.map_err(|reason| GpuError::Lost(reason.to_string()))?;
    let mut crossings = vec![H::NEVER; total];
    bytemuck::cast_slice_mut(&mut crossings).copy_from_slice(&view);
    Ok(PassOutput { counts, crossings })
}
