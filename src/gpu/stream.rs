//! A batch of rays on the device: chunk by chunk, rays in, hits out.

use super::pipeline::WORKGROUP;
use super::view::ViewOnDevice;
use super::{Gpu, GpuError, GpuTracer, buffer, buffer::scoped};
use crate::camera::View;
use crate::geometry::Parts;
use crate::ray::{Hit, NONE, Ray};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use wgpu::BufferUsages;

pub(super) const RAY_BYTES: u64 = size_of::<Ray>() as u64;
pub(super) const HIT_BYTES: u64 = size_of::<Found>() as u64;

/// The most rays of a chunk: some 20 ms on a GPU of today, well under a driver's patience.
const CHUNK: u64 = 1 << 20;

/// How many rays of a chunk the device's buffers and dispatches allow.
pub(super) fn chunk_size(limits: &wgpu::Limits) -> usize {
    let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let threads = u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(WORKGROUP);
    CHUNK.min(bytes / RAY_BYTES).min(threads).max(1) as usize
}

/// What a kernel answers to a ray. Parts are numbered through all geometries in the order of their ids, so
/// only one number crosses the bus: in a scene without meshes, lines and heightfields it is the
/// `geometry_id`, and [`Scene::ids_of_part`](crate::Scene::ids_of_part) tells both ids in any scene.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Found {
    /// Where along the ray; +∞ for a miss, NaN for an invalid ray.
    pub t: f32,
    /// Which part, [`NONE`] for a miss.
    pub part: u32,
}

impl Found {
    /// What answers hold before a kernel runs, so that "never written" cannot pass for one: a NaN that no
    /// kernel makes.
    fn never() -> Self {
        Self { t: f32::from_bits(0x7fc0_dead), part: 0xdead_beef }
    }

    fn is_never(&self) -> bool {
        let never = Self::never();
        self.t.to_bits() == never.t.to_bits() && self.part == never.part
    }

    /// With the ids that the part stands for.
    fn hit(&self, parts: &Parts) -> Hit {
        let [geometry_id, primitive_id] =
            if self.part == NONE { [NONE; 2] } else { parts.ids(self.part) };
        Hit { t: self.t, geometry_id, primitive_id }
    }
}

/// The buffers of one call, of the size of its largest chunk.
struct Batch<'a> {
    tracer: &'a GpuTracer,
    rays: wgpu::Buffer,
    hits: wgpu::Buffer,
    unwritten: wgpu::Buffer,
    staging: wgpu::Buffer,
}

impl<'a> Batch<'a> {
    async fn new(tracer: &'a GpuTracer, chunk: usize) -> Result<Self, GpuError> {
        let gpu = &tracer.gpu;
        let count = chunk as u64;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let unwritten = vec![Found::never(); chunk];
        Ok(Self {
            tracer,
            rays: buffer::create(gpu, "the rays", count * RAY_BYTES, storage).await?,
            hits: buffer::create(gpu, "the hits", count * HIT_BYTES, storage).await?,
            unwritten: buffer::upload_with(
                gpu,
                "the sentinels",
                bytemuck::cast_slice(&unwritten),
                BufferUsages::COPY_SRC,
            )
            .await?,
            staging: staging(gpu, count * HIT_BYTES).await?,
        })
    }

    /// Casts the first `count` rays of the buffer, after what `prepare` records; they are those from
    /// `first` on of the caller's.
    async fn cast(
        &self,
        count: usize,
        first: usize,
        prepare: impl FnOnce(&mut wgpu::CommandEncoder),
    ) -> Result<Vec<Hit>, GpuError> {
        let gpu = &self.tracer.gpu;
        let bytes = count as u64 * HIT_BYTES;
        scoped(gpu, "a batch of rays", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            prepare(&mut encoder);
            encoder.copy_buffer_to_buffer(&self.unwritten, 0, &self.hits, 0, bytes);
            let buffers = [&self.rays, &self.hits];
            record_closest(self.tracer, &mut encoder, buffers, count as u64);
            encoder.copy_buffer_to_buffer(&self.hits, 0, &self.staging, 0, bytes);
            gpu.queue.submit([encoder.finish()]);
        })
        .await?;
        let found: Vec<Found> = buffer::read(gpu, &self.staging, count).await?;
        match found.par_iter().position_first(Found::is_never) {
            Some(ray) => Err(GpuError::Unanswered(first + ray)),
            None => Ok(found.par_iter().map(|found| found.hit(&self.tracer.parts)).collect()),
        }
    }
}

async fn staging(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    buffer::create(gpu, "the staging buffer", bytes, usage).await
}

/// One thread for each of `count` rays, in rows of as many workgroups as a dispatch allows.
fn dispatch(pass: &mut wgpu::ComputePass<'_>, limits: &wgpu::Limits, count: u64) {
    let groups = count.div_ceil(u64::from(WORKGROUP)) as u32;
    let across = groups.min(limits.max_compute_workgroups_per_dimension);
    pass.dispatch_workgroups(across, groups.div_ceil(across), 1);
}

/// One pass of a kernel over `count` rays.
pub(super) fn record(
    tracer: &GpuTracer,
    encoder: &mut wgpu::CommandEncoder,
    kernel: &wgpu::ComputePipeline,
    batch: &wgpu::BindGroup,
    count: u64,
) {
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(kernel);
    pass.set_bind_group(0, &tracer.scene, &[]);
    pass.set_bind_group(1, batch, &[]);
    dispatch(&mut pass, &tracer.gpu.device.limits(), count);
}

fn record_closest(
    tracer: &GpuTracer,
    encoder: &mut wgpu::CommandEncoder,
    buffers: [&wgpu::Buffer; 2],
    count: u64,
) {
    let batch = tracer.pipelines.bind_query(&tracer.gpu.device, buffers, count);
    record(tracer, encoder, &tracer.pipelines.query_closest, &batch, count);
}

/// Starts and lengths of the chunks of a range.
fn chunks(range: Range<usize>, chunk: usize) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(chunk).map(move |start| start..range.end.min(start + chunk))
}

pub(super) async fn closest(tracer: &GpuTracer, rays: &[Ray]) -> Result<Vec<Hit>, GpuError> {
    let mut hits = Vec::with_capacity(rays.len());
    if rays.is_empty() {
        return Ok(hits);
    }
    let batch = Batch::new(tracer, rays.len().min(tracer.chunk)).await?;
    for chunk in chunks(0..rays.len(), tracer.chunk) {
        let first = chunk.start;
        // By the contract's exact limits; the shader's own are a hair wider.
        let valid: Vec<Ray> = rays[chunk]
            .par_iter()
            .map(|ray| if ray.is_valid() { *ray } else { ray.within(f32::NAN, f32::NAN) })
            .collect();
        scoped(&tracer.gpu, "the rays", || {
            let queue = &tracer.gpu.queue;
            queue.write_buffer(&batch.rays, 0, bytemuck::cast_slice(&valid));
        })
        .await?;
        hits.extend(batch.cast(valid.len(), first, |_| {}).await?);
    }
    Ok(hits)
}

pub(super) async fn render(
    tracer: &GpuTracer,
    view: &View,
    pixels: Range<usize>,
) -> Result<Vec<Hit>, GpuError> {
    let mut hits = Vec::with_capacity(pixels.len());
    if pixels.is_empty() {
        return Ok(hits);
    }
    let batch = Batch::new(tracer, pixels.len().min(tracer.chunk)).await?;
    for chunk in chunks(pixels, tracer.chunk) {
        let view = ViewOnDevice::new(&tracer.gpu, view, chunk.clone()).await?;
        let cast = batch.cast(chunk.len(), chunk.start, |encoder| {
            view.record_rays(tracer, encoder, &batch.rays);
        });
        let found = cast.await?;
        if let Some(ray) = found.iter().position(|hit| hit.t.is_nan()) {
            return Err(GpuError::Unanswered(chunk.start + ray));
        }
        hits.extend(found);
    }
    Ok(hits)
}

pub(super) async fn camera_rays(
    tracer: &GpuTracer,
    view: &View,
    pixels: Range<usize>,
) -> Result<Vec<Ray>, GpuError> {
    let gpu = &tracer.gpu;
    let mut rays = Vec::with_capacity(pixels.len());
    if pixels.is_empty() {
        return Ok(rays);
    }
    let chunk = pixels.len().min(tracer.chunk);
    let bytes = chunk as u64 * RAY_BYTES;
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let generated = buffer::create(gpu, "the rays", bytes, usage).await?;
    let staging = staging(gpu, bytes).await?;
    for chunk in chunks(pixels, chunk) {
        let view = ViewOnDevice::new(gpu, view, chunk.clone()).await?;
        scoped(gpu, "the camera's rays", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            view.record_rays(tracer, &mut encoder, &generated);
            let bytes = chunk.len() as u64 * RAY_BYTES;
            encoder.copy_buffer_to_buffer(&generated, 0, &staging, 0, bytes);
            gpu.queue.submit([encoder.finish()]);
        })
        .await?;
        let generated = buffer::read::<Ray>(gpu, &staging, chunk.len()).await?;
        if let Some(ray) = generated.iter().position(|ray| ray.direction == [0.0; 3]) {
            return Err(GpuError::Unanswered(chunk.start + ray));
        }
        rays.extend(generated);
    }
    Ok(rays)
}

pub(super) fn record_on_device(
    tracer: &GpuTracer,
    encoder: &mut wgpu::CommandEncoder,
    [rays, hits]: [&wgpu::Buffer; 2],
    count: u32,
) -> Result<(), GpuError> {
    let limits = tracer.gpu.device.limits();
    let groups = u64::from(limits.max_compute_workgroups_per_dimension);
    let count = u64::from(count);
    let too_large = |what, needed, allowed| GpuError::TooLarge {
        what,
        needed,
        allowed,
        device: tracer.gpu.name.clone(),
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
        record_closest(tracer, encoder, [rays, hits], count);
    }
    Ok(())
}
