//! The buffers of one chunk of rays.

use super::buffer::{self, scoped};
use super::clock::{CLOCK_BYTES, Clock, clock_offset};
use super::device::Gpu;
use super::hit::{HitKind, RAY_BYTES};
use crate::gpu_error::GpuError;
use crate::parallel::{ITEMS_A_TASK, mapped};
use crate::query::{Filters, RayFilter, RaySource};
use crate::ray::Ray;
use crate::scene::Scene;
use bytemuck::Pod;
use futures_channel::oneshot::Receiver;
use rayon::prelude::*;
use std::borrow::Cow;
use std::time::Duration;
use wgpu::BufferUsages;

/// The number of rays that one thread of the host writes at a time.
const PIECE: usize = 1 << 12;
const PIECE_BYTES: usize = PIECE * size_of::<Ray>();

const FILTERS: &str = "the ray filters";

/// The buffers for the rays and the answers of a chunk. They outlive the chunk and serve the next
/// one.
#[derive(Debug)]
pub(super) struct ChunkBuffers {
    /// The largest chunk that fits, in rays.
    pub capacity: usize,
    hit_bytes: u64,
    pub rays: wgpu::Buffer,
    pub hits: wgpu::Buffer,
    /// The host writes rays here; it is mapped while no chunk is under way.
    upload: wgpu::Buffer,
    /// As many sentinels as there are hits.
    unwritten: wgpu::Buffer,
    staging: wgpu::Buffer,
    clock: Option<Clock>,
    /// The filter of each ray, created for the first batch that has filters.
    pub ray_filters: Option<wgpu::Buffer>,
    /// The indices of the chunk's rays in the order in which the device casts them, until their
    /// answers are taken; `None` for the order in which they are given.
    pub order: Option<Vec<u32>>,
    /// True while the device reads the upload buffer, which is until the chunk is done.
    is_uploading: bool,
    /// True if a deliberate fault leaves the rays of an earlier chunk in the upload buffer.
    pub is_stale: bool,
}

type Mapped = Receiver<Result<(), wgpu::BufferAsyncError>>;

impl ChunkBuffers {
    /// Creates buffers for chunks of up to `capacity` rays.
    pub async fn new(gpu: &Gpu, hit_kind: HitKind, capacity: usize) -> Result<Self, GpuError> {
        let count = capacity as u64;
        let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let hit_bytes = hit_kind.bytes();
        let use_of_upload = match gpu.shares_memory() {
            true => BufferUsages::STORAGE,
            false => BufferUsages::COPY_SRC,
        };
        Ok(Self {
            capacity,
            hit_bytes,
            rays: buffer::create(gpu, "the rays", count * RAY_BYTES, storage).await?,
            hits: buffer::create(gpu, "the hits", count * hit_bytes, storage).await?,
            upload: buffer::create_mapped(
                gpu,
                "the rays' upload",
                count * RAY_BYTES,
                use_of_upload,
            )
            .await?,
            unwritten: buffer::upload_with(
                gpu,
                "the sentinels",
                &hit_kind.sentinels(capacity),
                BufferUsages::COPY_SRC,
            )
            .await?,
            staging: buffer::create(
                gpu,
                "the staging buffer",
                clock_offset(count * hit_bytes) + CLOCK_BYTES,
                BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            )
            .await?,
            clock: Clock::new(gpu).await?,
            ray_filters: None,
            order: None,
            is_uploading: false,
            is_stale: false,
        })
    }

    /// Writes rays to the upload buffer, in the order in which to cast them. Returns the buffer
    /// from which the device reads them: the same one if the device shares the host's memory, or
    /// else one to which it records their copy.
    pub fn upload(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        rays: RaySource<'_>,
    ) -> Result<wgpu::Buffer, GpuError> {
        let bytes = rays.len() as u64 * RAY_BYTES;
        if !self.is_stale {
            self.write_rays(rays)?;
        }
        self.upload.unmap();
        self.is_uploading = true;
        if self.upload.usage().contains(BufferUsages::STORAGE) {
            return Ok(self.upload.clone());
        }
        encoder.copy_buffer_to_buffer(&self.upload, 0, &self.rays, 0, bytes);
        Ok(self.rays.clone())
    }

    fn write_rays(&mut self, rays: RaySource<'_>) -> Result<(), GpuError> {
        let bytes = rays.len() as u64 * RAY_BYTES;
        let mut view = self.upload.get_mapped_range_mut(0..bytes).map_err(lost)?;
        let (pieces, mut rest) = view.slice(..).into_chunks::<PIECE_BYTES>();
        let write = |first: usize, count: usize, write: &mut dyn FnMut(&[u8])| {
            let gathered: Vec<Ray> = match (&self.order, rays) {
                (None, RaySource::Rays(rays)) => {
                    return with_valid(&rays[first..first + count], write);
                }
                (None, lines) => (first..first + count).map(|index| lines.get(index)).collect(),
                (Some(order), rays) => {
                    let order = order[first..first + count].iter();
                    order.map(|&index| rays.get(index as usize)).collect()
                }
            };
            with_valid(&gathered, write);
        };
        let whole = rays.len() / PIECE * PIECE;
        let pieces: Vec<_> = (0..whole).step_by(PIECE).zip(pieces).collect();
        pieces.into_par_iter().for_each(|(first, piece)| {
            let mut piece = wgpu::WriteOnly::<[u8]>::from(piece);
            write(first, PIECE, &mut |bytes| piece.copy_from_slice(bytes));
        });
        write(whole, rays.len() - whole, &mut |bytes| rest.copy_from_slice(bytes));
        Ok(())
    }

    /// Writes the filter of each of this many rays, if they have filters.
    pub async fn write_ray_filters(
        &mut self,
        gpu: &Gpu,
        filters: &Filters<'_>,
        count: usize,
        world: &Scene,
    ) -> Result<(), GpuError> {
        if !filters.is_filtered() {
            return Ok(());
        }
        let buffer = self.ray_filters(gpu).await?;
        let filter = |position: usize| {
            let ray = self.order.as_ref().map_or(position, |order| order[position] as usize);
            RayFilter::new(filters, ray, world)
        };
        let ray_filters = mapped(count, ITEMS_A_TASK, filter);
        let bytes = bytemuck::cast_slice(&ray_filters);
        scoped(gpu, FILTERS, || gpu.queue.write_buffer(&buffer, 0, bytes)).await
    }

    /// Returns the buffer for the filters of the rays.
    pub async fn ray_filters(&mut self, gpu: &Gpu) -> Result<wgpu::Buffer, GpuError> {
        if let Some(buffer) = &self.ray_filters {
            return Ok(buffer.clone());
        }
        let bytes = (self.capacity * size_of::<RayFilter>()) as u64;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let buffer = buffer::create(gpu, FILTERS, bytes, usage).await?;
        Ok(self.ray_filters.insert(buffer).clone())
    }

    /// Records the fill of the first `count` hits with sentinels.
    pub fn forget_hits(&self, encoder: &mut wgpu::CommandEncoder, count: usize) {
        let bytes = count as u64 * self.hit_bytes;
        encoder.copy_buffer_to_buffer(&self.unwritten, 0, &self.hits, 0, bytes);
    }

    /// Returns when a pass reads the device's clock: the chunk's first pass at its beginning, the
    /// last one at its end.
    pub fn timestamps(
        &self,
        [first, last]: [bool; 2],
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let clock = self.clock.as_ref()?;
        Some(clock.writes(first.then_some(0), last.then_some(1)))
    }

    /// Records the copy of `bytes` of answers, and of the clock's readings, to the staging buffer.
    pub fn fetch(&self, encoder: &mut wgpu::CommandEncoder, answers: &wgpu::Buffer, bytes: u64) {
        encoder.copy_buffer_to_buffer(answers, 0, &self.staging, 0, bytes);
        if let Some(clock) = &self.clock {
            clock.fetch(encoder, &self.staging, clock_offset(bytes));
        }
    }

    /// Asks to map the host's buffers, which happens once the submission is done.
    pub fn map(&self, bytes: u64) -> Vec<Mapped> {
        let bytes = match self.clock {
            Some(_) => clock_offset(bytes) + CLOCK_BYTES,
            None => bytes,
        };
        let mut mapped = vec![buffer::map(&self.staging, wgpu::MapMode::Read, bytes)];
        if self.is_uploading {
            mapped.push(buffer::map(&self.upload, wgpu::MapMode::Write, self.upload.size()));
        }
        mapped
    }

    /// Returns this many bytes of answers, which must be mapped.
    pub fn answers(&self, bytes: u64) -> Result<wgpu::BufferView, GpuError> {
        self.staging.slice(0..bytes).get_mapped_range().map_err(lost)
    }

    /// Releases this many bytes of answers, and returns the time of the kernels by the device's
    /// clock.
    pub fn release(&mut self, bytes: u64) -> Result<Option<Duration>, GpuError> {
        let time = match &self.clock {
            None => None,
            Some(clock) => {
                let first = clock_offset(bytes);
                let readings = first..first + CLOCK_BYTES;
                let view = self.staging.slice(readings).get_mapped_range().map_err(lost)?;
                clock.between(&view)
            }
        };
        self.staging.unmap();
        self.is_uploading = false;
        Ok(time)
    }
}

/// Returns the numbers that mapped bytes hold. They are aligned, except perhaps in a browser, which
/// copies them.
pub(super) fn typed<T: Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) => Cow::Borrowed(numbers),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
    }
}

fn lost(reason: wgpu::MapRangeError) -> GpuError {
    GpuError::Lost(reason.to_string())
}

/// Writes rays as bytes, with NaN for the interval of an invalid one. The host decides which rays
/// are valid, by the exact limits, because the shader's limits are slightly wider.
fn with_valid(rays: &[Ray], write: &mut dyn FnMut(&[u8])) {
    if rays.iter().all(Ray::is_valid) {
        return write(bytemuck::cast_slice(rays));
    }
    let spoilt = |ray: &Ray| if ray.is_valid() { *ray } else { ray.within(f32::NAN, f32::NAN) };
    let rays: Vec<Ray> = rays.iter().map(spoilt).collect();
    write(bytemuck::cast_slice(&rays));
}
