//! Casts a batch of rays on the device, chunk by chunk: rays in, hits out.

use super::buffer::scoped;
use super::chunk_buffers::ChunkBuffers;
use super::dispatch::{WORKGROUP, workgroups_of_query};
use super::hit::{
    ChunkAnswers, GpuHit, GpuPlacedHit, HitKind, KernelHit, RAY_BYTES, refuse_unanswered,
};
use super::kernel::{EntryPoint, RayHandling};
use super::query_job::{QueryAnswers, run_query};
use super::recast;
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job};
use super::scene_on_device::{QueryBuffers, SceneOnDevice};
use super::view::ViewOnDevice;
use crate::gpu_error::GpuError;
use crate::parallel::extend;
use crate::query::{Batch, Hits, Proposal, ProposedQuery, Selection};
use crate::ray::{Hit, NONE, Ray};
use crate::scan::Views;
use crate::scene::Scene;
use std::marker::PhantomData;
use std::ops::Range;

/// The job of finding the closest hits of rays that the device generates.
struct RenderJob<'a, H> {
    views: &'a Views,
    world: &'a Scene,
    hits: Vec<Hit>,
    /// The pixels on whose rays the driver gave up.
    abandoned: Vec<usize>,
    /// The hits that the kernel writes.
    kind: PhantomData<H>,
}

impl<H: KernelHit> Job for RenderJob<'_, H> {
    type Answer = H;

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        pixels: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let count = pixels.len();
        let view = ViewOnDevice::new(on_device, self.views, pixels).await?;
        let handling =
            RayHandling { is_filtered: self.views.is_filtered(), ..RayHandling::default() };
        let kernel = on_device.pipeline(EntryPoint::Closest, handling).await?;
        let filters = match handling.is_filtered {
            true => Some(buffers.ray_filters(&on_device.gpu).await?),
            false => None,
        };
        scoped(&on_device.gpu, "the image", || {
            let mut encoder = on_device.gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, count);
            let (first, last) =
                (buffers.timestamps([true, false]), buffers.timestamps([false, true]));
            let generated = [&buffers.rays, filters.as_ref().unwrap_or(&on_device.nowhere)];
            view.record_rays(on_device, &mut encoder, generated, first);
            let query = on_device.query(&buffers.rays, &buffers.hits);
            let ray_filters = filters.as_ref().unwrap_or(query.ray_filters);
            let query = QueryBuffers { row_length: &view.row_length, ray_filters, ..query };
            let bound = on_device.bind_query(&query, [count as u64; 2]);
            let workgroups = workgroups_of_query(&on_device.gpu, count as u64, true);
            on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, last);
            buffers.fetch(&mut encoder, &buffers.hits, (count * size_of::<H>()) as u64);
            encoder
        })
        .await
    }

    fn take(&mut self, pixels: Range<usize>, found: &ChunkAnswers<'_, H>) -> Result<(), GpuError> {
        // A camera has no invalid rays, so any NaN means that the answer is missing.
        let hit = |ray: usize| found.hit(ray, |_| true).hit(self.world);
        extend(&mut self.hits, found.len(), &hit);
        self.abandoned.extend(found.abandoned(pixels.start)?);
        Ok(())
    }
}

struct CameraRaysJob<'a> {
    views: &'a Views,
    rays: Vec<Ray>,
}

impl Job for CameraRaysJob<'_> {
    type Answer = Ray;

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        pixels: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let count = pixels.len() as u64;
        let view = ViewOnDevice::new(on_device, self.views, pixels).await?;
        scoped(&on_device.gpu, "the camera's rays", || {
            let mut encoder = on_device.gpu.device.create_command_encoder(&Default::default());
            let timestamps = buffers.timestamps([true, true]);
            let generated = [&buffers.rays, &on_device.nowhere];
            view.record_rays(on_device, &mut encoder, generated, timestamps);
            buffers.fetch(&mut encoder, &buffers.rays, count * RAY_BYTES);
            encoder
        })
        .await
    }

    fn take(
        &mut self,
        pixels: Range<usize>,
        found: &ChunkAnswers<'_, Ray>,
    ) -> Result<(), GpuError> {
        let rays = found.answers();
        refuse_unanswered(pixels, rays, |ray| ray.direction == [0.0; 3])?;
        self.rays.extend(rays);
        Ok(())
    }
}

/// Answers in the order of rays, of which more are appended.
pub(super) trait AnswerList<T> {
    fn append(&mut self, count: usize, answer: &(dyn Fn(usize) -> T + Sync));

    /// Replaces the answer to a ray, which is counted from the batch's first.
    fn replace(&mut self, ray: usize, answer: T);
}

impl<T: Send> AnswerList<T> for Vec<T> {
    fn append(&mut self, count: usize, answer: &(dyn Fn(usize) -> T + Sync)) {
        extend(self, count, answer);
    }

    fn replace(&mut self, ray: usize, answer: T) {
        self[ray] = answer;
    }
}

/// The arrays of closest hits, of which the last ones are those of a batch.
pub(super) struct LastHits<'a> {
    pub hits: &'a mut Hits,
    /// The index of the batch's first ray.
    pub first: usize,
}

impl AnswerList<Hit> for LastHits<'_> {
    fn append(&mut self, count: usize, hit: &(dyn Fn(usize) -> Hit + Sync)) {
        self.hits.extend(count, hit);
    }

    fn replace(&mut self, ray: usize, answer: Hit) {
        self.hits.replace(self.first + ray, answer);
    }
}

/// Casts a batch, and again the rays on which the driver gave up.
async fn query<H: KernelHit, T: Send, A: AnswerList<T>>(
    scene: &RecoverableScene,
    entry_point: EntryPoint,
    batch: Batch<'_>,
    answers: A,
    answer: fn(&H, &Scene) -> T,
) -> Result<QueryAnswers<A>, GpuError> {
    let world = scene.all_worlds();
    let add = |answers: &mut A, _: Batch<'_>, found: &ChunkAnswers<'_, H>| {
        answers.append(found.len(), &|ray| answer(&found.hit(ray, H::is_never), world));
    };
    let kernel = (entry_point, RayHandling::of(&batch));
    let cast = run_query(scene, kernel, batch, answers, add).await?;
    let QueryAnswers { mut answers, abandoned } = cast;
    if !abandoned.is_empty() {
        let rays = Selection::new(&batch, &abandoned);
        let found = recast::answers::<H>(scene, entry_point, rays.batch()).await;
        let found = found.map_err(|error| error.of_rays(&abandoned))?;
        for (&ray, found) in abandoned.iter().zip(&found) {
            answers.replace(ray, answer(found, world));
        }
    }
    Ok(QueryAnswers { answers, abandoned })
}

/// Casts a batch by canonical kernels, which propose what each ray hits. `complete` makes answers
/// of that, chunk by chunk, while the device casts the next chunk.
pub(super) async fn propose<T>(
    scene: &RecoverableScene,
    query: ProposedQuery,
    batch: Batch<'_>,
    complete: impl Fn(Batch<'_>, &[Proposal]) -> Vec<T>,
) -> Result<Vec<T>, GpuError> {
    match scene.hit_kind() {
        HitKind::Own => propose_as::<GpuHit, T>(scene, query, batch, complete).await,
        HitKind::Placed => propose_as::<GpuPlacedHit, T>(scene, query, batch, complete).await,
    }
}

async fn propose_as<H: KernelHit, T>(
    scene: &RecoverableScene,
    query: ProposedQuery,
    batch: Batch<'_>,
    complete: impl Fn(Batch<'_>, &[Proposal]) -> Vec<T>,
) -> Result<Vec<T>, GpuError> {
    let entry_point = match query {
        ProposedQuery::Closest => EntryPoint::Closest,
        ProposedQuery::Any => EntryPoint::Any,
    };
    let handling = RayHandling { is_canonical: true, ..RayHandling::of(&batch) };
    let add = |answers: &mut Vec<T>, batch: Batch<'_>, found: &ChunkAnswers<'_, H>| {
        let mut proposals = Vec::new();
        extend(&mut proposals, found.len(), &|ray| found.hit(ray, H::is_never).proposal());
        answers.extend(complete(batch, &proposals));
    };
    let answers = Vec::with_capacity(batch.len());
    // Rays on which the driver gave up are in doubt.
    Ok(run_query(scene, (entry_point, handling), batch, answers, add).await?.answers)
}

pub(super) async fn closest<A: AnswerList<Hit>>(
    scene: &RecoverableScene,
    batch: Batch<'_>,
    hits: A,
) -> Result<A, GpuError> {
    let kernel = EntryPoint::Closest;
    let found = match scene.hit_kind() {
        HitKind::Own => query(scene, kernel, batch, hits, GpuHit::hit).await,
        HitKind::Placed => query(scene, kernel, batch, hits, GpuPlacedHit::hit).await,
    };
    Ok(found?.answers)
}

fn is_hit<H: KernelHit>(found: &H, _: &Scene) -> bool {
    found.primitive_ref().primitive != NONE
}

pub(super) async fn any(scene: &RecoverableScene, batch: Batch<'_>) -> Result<Vec<bool>, GpuError> {
    let (kernel, room) = (EntryPoint::Any, Vec::with_capacity(batch.len()));
    let found = match scene.hit_kind() {
        HitKind::Own => query(scene, kernel, batch, room, is_hit::<GpuHit>).await,
        HitKind::Placed => query(scene, kernel, batch, room, is_hit::<GpuPlacedHit>).await,
    };
    Ok(found?.answers)
}

/// The number of crossings stands in place of t.
fn count_in<H: KernelHit>(found: &H, _: &Scene) -> u32 {
    found.t().to_bits()
}

/// Returns how often each ray crosses a surface, and on which rays the driver gave up before they
/// were cast again.
pub(super) async fn counted(
    scene: &RecoverableScene,
    batch: Batch<'_>,
) -> Result<QueryAnswers<Vec<u32>>, GpuError> {
    let (kernel, batch) = (EntryPoint::All, batch.surfaces());
    let room = Vec::with_capacity(batch.len());
    match scene.hit_kind() {
        HitKind::Own => query(scene, kernel, batch, room, count_in::<GpuHit>).await,
        HitKind::Placed => query(scene, kernel, batch, room, count_in::<GpuPlacedHit>).await,
    }
}

/// Returns the closest hit of each of these pixels' rays, of checked images.
pub(super) async fn render(
    scene: &RecoverableScene,
    views: &Views,
    pixels: Range<usize>,
) -> Result<Vec<Hit>, GpuError> {
    match scene.hit_kind() {
        HitKind::Own => render_as::<GpuHit>(scene, views, pixels).await,
        HitKind::Placed => render_as::<GpuPlacedHit>(scene, views, pixels).await,
    }
}

async fn render_as<H: KernelHit>(
    scene: &RecoverableScene,
    views: &Views,
    pixels: Range<usize>,
) -> Result<Vec<Hit>, GpuError> {
    let (hits, abandoned) = (Vec::with_capacity(pixels.len()), Vec::new());
    let world = scene.all_worlds();
    let mut job = RenderJob::<H> { views, world, hits, abandoned, kind: PhantomData };
    run_job(scene, &mut job, pixels.clone()).await?;
    let RenderJob { mut hits, abandoned, .. } = job;
    if !abandoned.is_empty() {
        let rays = camera_rays(scene, views, pixels.clone()).await?;
        let of_pixel = |pixel: &usize| pixel - pixels.start;
        let of_abandoned = abandoned.iter().map(|pixel| rays[of_pixel(pixel)]).collect();
        let rays = views.as_query(abandoned.iter().copied(), of_abandoned);
        let batch = rays.batch().map_err(|error| GpuError::Refused {
            what: "an image's rays",
            reason: error.to_string(),
        })?;
        let found = closest(scene, batch, Vec::new()).await?;
        for (pixel, found) in abandoned.iter().zip(found) {
            hits[of_pixel(pixel)] = found;
        }
    }
    Ok(hits)
}

pub(super) async fn camera_rays(
    scene: &RecoverableScene,
    views: &Views,
    pixels: Range<usize>,
) -> Result<Vec<Ray>, GpuError> {
    let mut job = CameraRaysJob { views, rays: Vec::with_capacity(pixels.len()) };
    run_job(scene, &mut job, pixels).await?;
    Ok(job.rays)
}

pub(super) fn record_on_device(
    scene: &RecoverableScene,
    encoder: &mut wgpu::CommandEncoder,
    [rays, hits]: [&wgpu::Buffer; 2],
    count: u32,
) -> Result<(), GpuError> {
    let on_device = scene.current()?;
    let limits = on_device.gpu.device.limits();
    let groups = u64::from(limits.max_compute_workgroups_per_dimension);
    let count = u64::from(count);
    let too_large = |what, needed, allowed| GpuError::TooLarge {
        what,
        needed,
        allowed,
        device: on_device.gpu.name().to_owned(),
    };
    for (what, buffer, each) in
        [("the rays", rays, RAY_BYTES), ("the hits", hits, on_device.hit_kind.bytes())]
    {
        let needed = count * each;
        let allowed = buffer.size().min(limits.max_storage_buffer_binding_size);
        if needed > allowed {
            return Err(too_large(what, needed, allowed));
        }
    }
    let most = groups * groups * u64::from(WORKGROUP);
    if count > most {
        return Err(too_large("the rays", count * RAY_BYTES, most * RAY_BYTES));
    }
    if count > 0 {
        let kernel = pollster::block_on(on_device.closest_pipeline())?;
        let query = on_device.bind_query(&on_device.query(rays, hits), [count; 2]);
        let workgroups = workgroups_of_query(&on_device.gpu, count, false);
        on_device.record_pass(encoder, &kernel, &query, workgroups, None);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
