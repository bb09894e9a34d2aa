//! A batch of rays on the device: chunk by chunk, rays in, hits out.

use super::chunk_buffers::ChunkBuffers;
use super::pipeline::{EntryPoint, Kernel, WORKGROUP};
use super::resident::Resident;
use super::ring::{Job, run_job};
use super::view::ViewOnDevice;
use super::{GpuError, GpuTracer, buffer::scoped};
use crate::query::Batch;
use crate::camera::View;
use crate::geometry::PrimitiveIds;
use crate::ray::{Hit, NONE, Ray};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;

pub(super) const RAY_BYTES: u64 = size_of::<Ray>() as u64;
pub(super) const HIT_BYTES: u64 = size_of::<GpuHit>() as u64;

/// What a kernel answers to a ray. PrimitiveIds are numbered through all geometries in the order of their ids, so
/// only one number crosses the bus: in a scene without meshes, lines and heightfields it is the
/// `geometry_id`, and [`Scene::ids_of_primitive`](crate::Scene::ids_of_primitive) tells both ids in any scene.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct GpuHit {
    /// Where along the ray; +∞ for a miss, NaN for an invalid ray.
    pub t: f32,
    /// Which primitive, [`NONE`] for a miss.
    pub primitive: u32,
}

impl GpuHit {
    /// What answers hold before a kernel runs, so that "never written" cannot pass for one: a NaN that no
    /// kernel makes.
    pub(super) fn never() -> Self {
        Self { t: f32::from_bits(0x7fc0_dead), primitive: 0xdead_beef }
    }

    pub(super) fn is_never(&self) -> bool {
        let never = Self::never();
        self.t.to_bits() == never.t.to_bits() && self.primitive == never.primitive
    }

    /// The ids that the primitive stands for.
    pub(super) fn ids(&self, primitive_ids: &PrimitiveIds) -> [u32; 2] {
        if self.primitive == NONE { [NONE; 2] } else { primitive_ids.ids(self.primitive) }
    }

    /// With the ids that the primitive stands for.
    pub(super) fn hit(&self, primitive_ids: &PrimitiveIds) -> Hit {
        let [geometry_id, primitive_id] = self.ids(primitive_ids);
        Hit { t: self.t, geometry_id, primitive_id }
    }
}

/// One thread for each of `count` rays or points, in rows of as many workgroups as a dispatch allows.
pub(super) fn dispatch(pass: &mut wgpu::ComputePass<'_>, limits: &wgpu::Limits, count: u64) {
    let groups = count.div_ceil(u64::from(WORKGROUP)) as u32;
    let across = groups.min(limits.max_compute_workgroups_per_dimension);
    pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
}

/// One pass of a kernel over `count` rays.
pub(super) fn record(
    resident: &Resident,
    encoder: &mut wgpu::CommandEncoder,
    kernel: &wgpu::ComputePipeline,
    batch: &wgpu::BindGroup,
    count: u64,
    timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
) {
    let mut pass =
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
    pass.set_pipeline(kernel);
    pass.set_bind_group(0, &resident.scene, &[]);
    pass.set_bind_group(1, batch, &[]);
    dispatch(&mut pass, &resident.gpu.device.limits(), count);
}

/// Records the closest hits of rays that may meet everything.
fn record_closest(
    resident: &Resident,
    encoder: &mut wgpu::CommandEncoder,
    rays_and_hits: [&wgpu::Buffer; 2],
    count: u64,
    timestamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
) {
    let others = [&resident.nothing, &resident.nothing, &resident.nowhere];
    let batch =
        resident.pipelines.bind_query(&resident.gpu.device, rays_and_hits, others, [count; 2]);
    record(resident, encoder, &resident.pipelines.query_closest, &batch, count, timestamps);
}

/// An answer to each ray that the host has.
struct QueryJob<'a, T> {
    entry_point: EntryPoint,
    batch: Batch<'a>,
    primitive_ids: &'a PrimitiveIds,
    /// What the host makes of what the device has found.
    answer: fn(&GpuHit, &PrimitiveIds) -> T,
    answers: Vec<T>,
}

impl<T: Send> Job for QueryJob<'_, T> {
    type Answer = GpuHit;

    async fn record(
        &self,
        resident: &Resident,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let batch = self.batch.slice(chunk);
        let count = batch.len() as u64;
        let gpu = &resident.gpu;
        let kernel = resident.pipelines.kernel(gpu, Kernel::of(self.entry_point, &batch)).await?;
        buffers.write_ray_filters(gpu, &batch, self.primitive_ids).await?;
        scoped(gpu, "the rays", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, batch.len());
            buffers.upload(&mut encoder, batch.rays())?;
            let ray_filters = buffers.ray_filters.as_ref().unwrap_or(&resident.nothing);
            // Where crossings are counted, they are noted nowhere.
            let others = [ray_filters, &resident.nothing, &resident.nowhere];
            let rays_and_hits = [&buffers.rays, &buffers.hits];
            let bound =
                resident.pipelines.bind_query(&gpu.device, rays_and_hits, others, [count; 2]);
            let timestamps = buffers.timestamps([true, true]);
            record(resident, &mut encoder, &kernel, &bound, count, timestamps);
            buffers.fetch(&mut encoder, &buffers.hits, count * HIT_BYTES);
            Ok(encoder)
        })
        .await?
    }

    fn take(&mut self, chunk: Range<usize>, found: &[GpuHit]) -> Result<(), GpuError> {
        refuse_unanswered(chunk, found, GpuHit::is_never)?;
        let (answer, primitive_ids) = (self.answer, self.primitive_ids);
        self.answers.par_extend(found.par_iter().map(|found| answer(found, primitive_ids)));
        Ok(())
    }
}

/// The closest hits of rays that the device generates.
struct RenderJob<'a> {
    view: &'a View,
    primitive_ids: &'a PrimitiveIds,
    hits: Vec<Hit>,
}

impl Job for RenderJob<'_> {
    type Answer = GpuHit;

    async fn record(
        &self,
        resident: &Resident,
        buffers: &mut ChunkBuffers,
        pixels: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let count = pixels.len();
        let view = ViewOnDevice::new(resident, self.view, pixels).await?;
        scoped(&resident.gpu, "the image", || {
            let mut encoder = resident.gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, count);
            let (first, last) =
                (buffers.timestamps([true, false]), buffers.timestamps([false, true]));
            view.record_rays(resident, &mut encoder, &buffers.rays, first);
            let rays_and_hits = [&buffers.rays, &buffers.hits];
            record_closest(resident, &mut encoder, rays_and_hits, count as u64, last);
            buffers.fetch(&mut encoder, &buffers.hits, count as u64 * HIT_BYTES);
            encoder
        })
        .await
    }

    fn take(&mut self, pixels: Range<usize>, found: &[GpuHit]) -> Result<(), GpuError> {
        // Nor is a ray of a camera's one that cannot be cast.
        refuse_unanswered(pixels, found, |found| found.t.is_nan())?;
        self.hits.par_extend(found.par_iter().map(|found| found.hit(self.primitive_ids)));
        Ok(())
    }
}

/// Those rays themselves.
struct CameraRaysJob<'a> {
    view: &'a View,
    rays: Vec<Ray>,
}

impl Job for CameraRaysJob<'_> {
    type Answer = Ray;

    async fn record(
        &self,
        resident: &Resident,
        buffers: &mut ChunkBuffers,
        pixels: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let count = pixels.len() as u64;
        let view = ViewOnDevice::new(resident, self.view, pixels).await?;
        scoped(&resident.gpu, "the camera's rays", || {
            let mut encoder = resident.gpu.device.create_command_encoder(&Default::default());
            let timestamps = buffers.timestamps([true, true]);
            view.record_rays(resident, &mut encoder, &buffers.rays, timestamps);
            buffers.fetch(&mut encoder, &buffers.rays, count * RAY_BYTES);
            encoder
        })
        .await
    }

    fn take(&mut self, pixels: Range<usize>, rays: &[Ray]) -> Result<(), GpuError> {
        refuse_unanswered(pixels, rays, |ray| ray.direction == [0.0; 3])?;
        self.rays.extend(rays);
        Ok(())
    }
}

/// An error that names the first ray of a chunk without an answer. It is not cast again: what comes by
/// luck is no evidence.
pub(super) fn refuse_unanswered<T: Sync>(
    chunk: Range<usize>,
    answers: &[T],
    is_missing: impl Fn(&T) -> bool + Sync + Send,
) -> Result<(), GpuError> {
    match answers.par_iter().position_first(is_missing) {
        Some(ray) => Err(GpuError::Unanswered(chunk.start + ray)),
        None => Ok(()),
    }
}

async fn query<T: Send>(
    tracer: &GpuTracer,
    entry_point: EntryPoint,
    batch: Batch<'_>,
    answer: fn(&GpuHit, &PrimitiveIds) -> T,
) -> Result<Vec<T>, GpuError> {
    let answers = Vec::with_capacity(batch.len());
    let mut job = QueryJob {
        entry_point,
        batch,
        primitive_ids: &tracer.packed.primitive_ids,
        answer,
        answers,
    };
    run_job(tracer, &mut job, 0..batch.len()).await?;
    Ok(job.answers)
}

pub(super) async fn closest(tracer: &GpuTracer, batch: Batch<'_>) -> Result<Vec<Hit>, GpuError> {
    query(tracer, EntryPoint::Closest, batch, GpuHit::hit).await
}

pub(super) async fn any(tracer: &GpuTracer, batch: Batch<'_>) -> Result<Vec<bool>, GpuError> {
    query(tracer, EntryPoint::Any, batch, |found, _| found.primitive != NONE).await
}

/// How many crossings each ray has.
pub(super) async fn count(tracer: &GpuTracer, batch: Batch<'_>) -> Result<Vec<u32>, GpuError> {
    query(tracer, EntryPoint::All, batch.surfaces(), |found, _| found.t.to_bits()).await
}

pub(super) async fn render(
    tracer: &GpuTracer,
    view: &View,
    pixels: Range<usize>,
) -> Result<Vec<Hit>, GpuError> {
    let hits = Vec::with_capacity(pixels.len());
    let mut job = RenderJob { view, primitive_ids: &tracer.packed.primitive_ids, hits };
    run_job(tracer, &mut job, pixels).await?;
    Ok(job.hits)
}

pub(super) async fn camera_rays(
    tracer: &GpuTracer,
    view: &View,
    pixels: Range<usize>,
) -> Result<Vec<Ray>, GpuError> {
    let mut job = CameraRaysJob { view, rays: Vec::with_capacity(pixels.len()) };
    run_job(tracer, &mut job, pixels).await?;
    Ok(job.rays)
}

pub(super) fn record_on_device(
    tracer: &GpuTracer,
    encoder: &mut wgpu::CommandEncoder,
    [rays, hits]: [&wgpu::Buffer; 2],
    count: u32,
) -> Result<(), GpuError> {
    let resident = tracer.resident();
    let limits = resident.gpu.device.limits();
    let groups = u64::from(limits.max_compute_workgroups_per_dimension);
    let count = u64::from(count);
    let too_large = |what, needed, allowed| GpuError::TooLarge {
        what,
        needed,
        allowed,
        device: resident.gpu.name.clone(),
    };
    for (what, buffer, each) in [("the rays", rays, RAY_BYTES), ("the hits", hits, HIT_BYTES)] {
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
        record_closest(&resident, encoder, [rays, hits], count, None);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
