//! A device's own clock, which is read at the beginning and at the end of a pass.

use super::buffer::{self, scoped};
use super::device::Gpu;
use crate::gpu_error::GpuError;
use std::time::Duration;
use wgpu::BufferUsages;

/// The size of two readings.
pub(super) const CLOCK_BYTES: u64 = 16;

/// Returns where readings begin after this many bytes: at a multiple of their alignment.
pub(super) fn clock_offset(bytes: u64) -> u64 {
    bytes.next_multiple_of(wgpu::MAP_ALIGNMENT)
}

/// The clock, with room for two readings.
#[derive(Debug)]
pub(super) struct Clock {
    readings: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    nanoseconds: f64,
}

impl Clock {
    /// Creates the clock; returns `None` for a device that has none.
    pub async fn new(gpu: &Gpu) -> Result<Option<Self>, GpuError> {
        if !gpu.has_clock() {
            return Ok(None);
        }
        let usage = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = buffer::create(gpu, "the clock's readings", CLOCK_BYTES, usage).await?;
        let readings = scoped(gpu, "the clock", || {
            gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("the clock"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            })
        })
        .await?;
        let nanoseconds = f64::from(gpu.queue.get_timestamp_period());
        Ok(Some(Self { readings, resolved, nanoseconds }))
    }

    /// Returns which reading, 0 or 1, a pass takes at its beginning and which at its end.
    pub fn writes(
        &self,
        at_begin: Option<u32>,
        at_end: Option<u32>,
    ) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.readings,
            beginning_of_pass_write_index: at_begin,
            end_of_pass_write_index: at_end,
        }
    }

    /// Records the copy of both readings to an offset of a buffer.
    pub fn fetch(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.readings, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, CLOCK_BYTES);
    }

    /// The readings are given as bytes. It is `None` if the clock stood still, because such
    /// readings say nothing.
    pub fn between(&self, readings: &[u8]) -> Option<Duration> {
        let readings: Vec<u64> = bytemuck::pod_collect_to_vec(readings);
        let [first, last] = readings[..] else { return None };
        let nanoseconds = last.saturating_sub(first) as f64 * self.nanoseconds;
        (nanoseconds > 0.0).then(|| Duration::from_nanos(nanoseconds as u64))
    }
}
