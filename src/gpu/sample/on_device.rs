//! A sampler on a device: its tables, its buffers, and the passes for some chunks of rays.

use super::sums::{Sums, word_count};
use super::uniform::SamplingUniform;
use crate::gpu::bindings::{bind, first, first_rays};
use crate::gpu::buffer::{self, scoped};
use crate::gpu::chunk_buffers::ChunkBuffers;
use crate::gpu::clock::{CLOCK_BYTES, Clock, clock_offset};
use crate::gpu::dispatch::{WORKGROUP, one_thread_each, record_pass, workgroups_of_query};
use crate::gpu::hit::RAY_BYTES;
use crate::gpu::kernel::{EntryPoint, RayHandling};
use crate::gpu::numbering::Numbering;
use crate::gpu::pipeline_cache::GroupLayout;
use crate::gpu::pipelines::group_layout;
use crate::gpu::preparation::compile;
use crate::gpu::scene_on_device::{QueryBuffers, SceneOnDevice};
use crate::gpu::view::ViewOnDevice;
use crate::gpu_error::GpuError;
use crate::sample::{RayGenerator, Sampler};
use crate::scene::Scene;
use std::ops::Range;
use wgpu::BufferUsages;

/// The number of hits that a thread adds up, as `shaders/sample/tally.wgsl` says.
pub(in crate::gpu) const HITS_OF_THREAD: u32 = 8;

const SUMS: &str = "the sums of sampled rays";
const CROSSINGS: &str = "the crossings of sampled rays";

/// Chunks of rays whose sums are read at once.
#[derive(Clone)]
pub(super) struct ChunkGroup {
    /// The numbers of the rays.
    pub numbers: Range<u64>,
    /// The largest number of rays of a chunk.
    pub chunk: usize,
    /// For how many crossings of each ray there is room.
    pub room: u32,
}

/// The kernels that make rays and add up their answers.
struct Kernels {
    make: wgpu::ComputePipeline,
    limit: wgpu::ComputePipeline,
    closest: wgpu::ComputePipeline,
    tally_hits: wgpu::ComputePipeline,
    /// Those of paths, if they are asked for.
    of_paths: Option<PathKernels>,
}

/// The kernels that add up the paths of rays.
struct PathKernels {
    /// Lists all crossings.
    all: wgpu::ComputePipeline,
    tally: wgpu::ComputePipeline,
}

impl Kernels {
    async fn new(on_device: &SceneOnDevice, has_paths: bool) -> Result<Self, GpuError> {
        let plain = RayHandling::default();
        let of_query = |entry_point| on_device.kernel(entry_point, plain);
        let mut needed = vec![
            on_device.sample_kernel(EntryPoint::SampledRays),
            on_device.sample_kernel(EntryPoint::TallyHits),
            of_query(EntryPoint::Closest),
        ];
        if has_paths {
            needed.push(on_device.sample_kernel(EntryPoint::TallyPaths));
            needed.push(of_query(EntryPoint::All));
        }
        compile(&on_device.gpu, needed);
        let pipeline = |entry_point| on_device.sample_pipeline(entry_point);
        Ok(Self {
            make: pipeline(EntryPoint::SampledRays).await?,
            limit: pipeline(EntryPoint::SampledInterval).await?,
            closest: on_device.closest_pipeline().await?,
            tally_hits: pipeline(EntryPoint::TallyHits).await?,
            of_paths: match has_paths {
                false => None,
                true => Some(PathKernels {
                    all: on_device.pipeline(EntryPoint::All, plain).await?,
                    tally: pipeline(EntryPoint::TallyPaths).await?,
                }),
            },
        })
    }
}

/// The room for the crossings of a chunk.
struct Crossings {
    /// The index of each ray's first crossing, and after the last ray the number of all.
    splits: wgpu::Buffer,
    crossings: wgpu::Buffer,
    /// For how many rays and for how many crossings of each there is room.
    size: (usize, u32),
}

/// A sampler on one device.
pub(super) struct SamplerOnDevice<'a> {
    on_device: &'a SceneOnDevice,
    sampler: &'a Sampler,
    layout: wgpu::BindGroupLayout,
    kernels: Kernels,
    uniform: SamplingUniform,
    numbering: wgpu::Buffer,
    edges: wgpu::Buffer,
    sums: wgpu::Buffer,
    staging: wgpu::Buffer,
    sum_bytes: u64,
    clock: Option<Clock>,
    crossings: Option<Crossings>,
}

/// The rays of one chunk, with what is bound for them.
pub(super) struct Chunk {
    count: u64,
    /// The view whose pixels they are, if they are any's.
    view: Option<ViewOnDevice>,
    uniform: wgpu::Buffer,
    /// The same with rays that do not end.
    endless: wgpu::Buffer,
}

impl<'a> SamplerOnDevice<'a> {
    pub async fn new(
        on_device: &'a SceneOnDevice,
        world: &Scene,
        sampler: &'a Sampler,
    ) -> Result<Self, GpuError> {
        let gpu = &on_device.gpu;
        let Numbering { mut words, first_segment } = Numbering::of(world);
        let parts = [first_segment, words.len() as u32];
        words.extend(sampler.is_solid().chunks(32).map(|solids| {
            (0..).zip(solids).map(|(bit, &is_solid)| u32::from(is_solid) << bit).sum::<u32>()
        }));
        let edges: Vec<[u32; 2]> =
            sampler.edges().iter().map(|&edge| [edge as u32, (edge >> 32) as u32]).collect();
        let sum_bytes = (word_count(sampler) * size_of::<u32>()) as u64;
        let of_sums = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let read_back = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let staging_bytes = clock_offset(sum_bytes) + CLOCK_BYTES;
        Ok(Self {
            layout: group_layout(gpu, GroupLayout::Sample).await?,
            kernels: Kernels::new(on_device, sampler.has_paths()).await?,
            uniform: SamplingUniform::new(sampler, on_device.hit_kind, parts),
            numbering: buffer::upload(gpu, "the numbering", bytemuck::cast_slice(&words)).await?,
            edges: buffer::upload(gpu, "the bins", bytemuck::cast_slice(&edges)).await?,
            sums: buffer::create(gpu, SUMS, sum_bytes, of_sums).await?,
            staging: buffer::create(gpu, SUMS, staging_bytes, read_back).await?,
            sum_bytes,
            clock: Clock::new(gpu).await?,
            crossings: None,
            on_device,
            sampler,
        })
    }

    /// Casts the rays of a group, and returns their sums. New buffers have room for chunks of up to
    /// `most` rays.
    pub async fn cast(&mut self, group: &ChunkGroup, most: usize) -> Result<Sums, GpuError> {
        let gpu = &self.on_device.gpu;
        let buffers = self.on_device.buffers(group.chunk, most).await?;
        if self.sampler.has_paths() {
            self.make_room(group).await?;
        }
        let mut chunks = self.sampler.by_view(group.numbers.clone(), group.chunk as u64).peekable();
        let mut is_first = true;
        while let Some(numbers) = chunks.next() {
            let chunk = self.chunk(group, numbers).await?;
            let ends = [is_first, chunks.peek().is_none()];
            scoped(gpu, "sampled rays", || {
                let mut encoder = gpu.device.create_command_encoder(&Default::default());
                self.record(&mut encoder, &buffers, &chunk, ends);
                gpu.queue.submit([encoder.finish()]);
            })
            .await?;
            is_first = false;
        }
        let sums = self.read().await?;
        self.on_device.keep(buffers);
        Ok(sums)
    }

    /// Makes room for the crossings of a chunk.
    async fn make_room(&mut self, group: &ChunkGroup) -> Result<(), GpuError> {
        let size = (group.chunk, group.room);
        if self.crossings.as_ref().is_some_and(|crossings| crossings.size == size) {
            return Ok(());
        }
        self.crossings = None;
        let gpu = &self.on_device.gpu;
        let splits: Vec<u32> =
            (0..=group.chunk as u32).map(|ray| ray.saturating_mul(group.room)).collect();
        let bytes = group.chunk as u64 * u64::from(group.room) * self.on_device.hit_kind.bytes();
        self.crossings = Some(Crossings {
            splits: buffer::upload(gpu, CROSSINGS, bytemuck::cast_slice(&splits)).await?,
            crossings: buffer::create(gpu, CROSSINGS, bytes, BufferUsages::STORAGE).await?,
            size,
        });
        Ok(())
    }

    /// Prepares the rays of a chunk of a group.
    pub async fn chunk(&self, group: &ChunkGroup, numbers: Range<u64>) -> Result<Chunk, GpuError> {
        let gpu = &self.on_device.gpu;
        let count = numbers.end - numbers.start;
        let view = match self.sampler.generator() {
            RayGenerator::Views(views) => {
                let pixels = views.first().map_or(1, |view| view.view().pixels()) as u64;
                let first = (numbers.start % pixels) as usize;
                let view = views[(numbers.start / pixels) as usize].view();
                let pixels = first..first + count as usize;
                Some(ViewOnDevice::new(self.on_device, &view.into(), pixels).await?)
            }
            _ => None,
        };
        let first_index = (numbers.start - group.numbers.start) as u32;
        let uniform = self.uniform.of_chunk(numbers.start, count as u32, first_index, group.room);
        let endless = SamplingUniform { t_max: f32::INFINITY.to_bits(), ..uniform };
        let upload = async |uniform: &SamplingUniform| {
            let bytes = bytemuck::bytes_of(uniform);
            buffer::upload_with(gpu, "a chunk of samples", bytes, BufferUsages::UNIFORM).await
        };
        Ok(Chunk {
            count,
            view,
            uniform: upload(&uniform).await?,
            endless: upload(&endless).await?,
        })
    }

    /// Records the passes of a chunk, which is the first or the last of its group.
    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &ChunkBuffers,
        chunk: &Chunk,
        [is_first, is_last]: [bool; 2],
    ) {
        let Self { on_device, kernels, sampler, .. } = self;
        let gpu = &on_device.gpu;
        let timestamps = |at_begin: bool, at_end: bool| {
            let clock = self.clock.as_ref().filter(|_| at_begin || at_end)?;
            Some(clock.writes(at_begin.then_some(0), at_end.then_some(1)))
        };
        if is_first {
            encoder.clear_buffer(&self.sums, 0, None);
        }
        let count = chunk.count;
        let bound = self.bind(buffers, chunk, &chunk.uniform);
        let each = one_thread_each(count);
        let tallied = count.div_ceil(u64::from(HITS_OF_THREAD * WORKGROUP));
        self.record_rays(encoder, buffers, chunk, timestamps(is_first, false));
        let rays = on_device.query(&buffers.rays, &buffers.hits);
        let row_length = chunk.view.as_ref().map_or(rays.row_length, |view| &view.row_length);
        let rays = QueryBuffers { row_length, ..rays };
        let workgroups = workgroups_of_query(gpu, count, chunk.view.is_some());
        buffers.forget_hits(encoder, count as usize);
        let query = on_device.bind_query(&rays, [count; 2]);
        on_device.record_pass(encoder, &kernels.closest, &query, workgroups, None);
        let is_last_pass = is_last && self.crossings.is_none();
        let last = timestamps(false, is_last_pass);
        record_pass(gpu, encoder, (&kernels.tally_hits, &[&bound]), tallied, last);
        let (Some(of_paths), Some(Crossings { splits, crossings, .. })) =
            (&kernels.of_paths, &self.crossings)
        else {
            return;
        };
        if sampler.interval()[1] < f32::INFINITY {
            // A solid that is left beyond the end of the interval shows whether the ray starts
            // inside.
            let endless = self.bind(buffers, chunk, &chunk.endless);
            record_pass(gpu, encoder, (&kernels.limit, &[&endless]), each, None);
        }
        buffers.forget_hits(encoder, count as usize);
        let query = on_device.bind_query(&QueryBuffers { splits, crossings, ..rays }, [count; 2]);
        on_device.record_pass(encoder, &of_paths.all, &query, workgroups, None);
        record_pass(gpu, encoder, (&of_paths.tally, &[&bound]), each, timestamps(false, is_last));
    }

    /// Records the making of a chunk's rays.
    pub fn record_rays(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        buffers: &ChunkBuffers,
        chunk: &Chunk,
        timestamps: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let gpu = &self.on_device.gpu;
        let bound = self.bind(buffers, chunk, &chunk.uniform);
        let each = one_thread_each(chunk.count);
        match &chunk.view {
            Some(view) => {
                let generated = [&buffers.rays, &self.on_device.nowhere];
                view.record_rays(self.on_device, encoder, generated, timestamps);
            }
            None => {
                // A ray that is not written keeps a direction of zero, which no generator makes.
                encoder.clear_buffer(&buffers.rays, 0, Some(chunk.count * RAY_BYTES));
                record_pass(gpu, encoder, (&self.kernels.make, &[&bound]), each, timestamps);
            }
        }
        if self.sampler.interval() != [0.0, f32::INFINITY] {
            record_pass(gpu, encoder, (&self.kernels.limit, &[&bound]), each, None);
        }
    }

    fn bind(
        &self,
        buffers: &ChunkBuffers,
        chunk: &Chunk,
        uniform: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let crossings =
            self.crossings.as_ref().map_or(&self.on_device.nowhere, |room| &room.crossings);
        let resources = [
            uniform.as_entire_binding(),
            first_rays(&buffers.rays, chunk.count),
            first(&buffers.hits, self.on_device.hit_kind.bytes() * chunk.count),
            crossings.as_entire_binding(),
            self.numbering.as_entire_binding(),
            self.edges.as_entire_binding(),
            self.sums.as_entire_binding(),
        ];
        bind(&self.on_device.gpu.device, &self.layout, &resources)
    }

    /// Reads the sums once the device is done.
    async fn read(&self) -> Result<Sums, GpuError> {
        let gpu = &self.on_device.gpu;
        let clock_at = clock_offset(self.sum_bytes);
        let (submission, mapped) = scoped(gpu, SUMS, || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&self.sums, 0, &self.staging, 0, self.sum_bytes);
            if let Some(clock) = &self.clock {
                clock.fetch(&mut encoder, &self.staging, clock_at);
            }
            let submission = gpu.queue.submit([encoder.finish()]);
            let bytes = self.staging.size();
            (submission, buffer::map(&self.staging, wgpu::MapMode::Read, bytes))
        })
        .await?;
        buffer::wait(gpu, submission, vec![mapped]).await?;
        let lost = |reason: wgpu::MapRangeError| GpuError::Lost(reason.to_string());
        let view = self.staging.slice(0..self.sum_bytes).get_mapped_range().map_err(lost)?;
        let words = bytemuck::pod_collect_to_vec(&view);
        drop(view);
        let time = match &self.clock {
            None => None,
            Some(clock) => {
                let readings = clock_at..clock_at + CLOCK_BYTES;
                let view = self.staging.slice(readings).get_mapped_range().map_err(lost)?;
                clock.between(&view)
            }
        };
        self.staging.unmap();
        Ok(Sums { words, time })
    }
}

impl ChunkGroup {
    /// Returns about how many chunks there are.
    pub fn chunk_count(&self) -> u32 {
        (self.numbers.end - self.numbers.start).div_ceil(self.chunk as u64) as u32
    }
}
