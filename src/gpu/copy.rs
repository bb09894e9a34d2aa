//! Measures how fast a device copies within its own memory, for comparison with other rates.

use super::buffer;
use super::device::Gpu;
use super::full_load::FullLoad;
use crate::gpu_error::GpuError;
use wgpu::BufferUsages;

/// The size of the buffers, too large for any cache of a device.
const BYTES: u64 = 128 << 20;
/// How often the time is taken. The shortest counts: the first copies also fill pages, and other
/// programs may use the device.
const TRIES: usize = 5;

impl Gpu {
    /// Measures how many bytes per second the device moves when it copies one large buffer to
    /// another repeatedly, at its full clock. The bytes that it reads and those that it writes both
    /// count. Returns `None` if the device has no clock.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], and other errors only from a device that fails.
    pub fn copied_bytes_per_s(&self) -> Result<Option<f64>, GpuError> {
        pollster::block_on(self.copied_bytes_per_s_async())
    }

    /// Does the same as [`Self::copied_bytes_per_s`] without blocking.
    ///
    /// # Errors
    /// As [`Self::copied_bytes_per_s`].
    pub async fn copied_bytes_per_s_async(&self) -> Result<Option<f64>, GpuError> {
        let bytes = BYTES.min(self.device.limits().max_buffer_size);
        let from = buffer::create(self, "a copy's source", bytes, BufferUsages::COPY_SRC).await?;
        let to = buffer::create(self, "a copy's target", bytes, BufferUsages::COPY_DST).await?;
        let record = |encoder: &mut wgpu::CommandEncoder, _: usize| {
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes);
        };
        let times = FullLoad { gpu: self, parts: 1, record }.times(TRIES).await?;
        let shortest = times.and_then(|times| times.into_iter().min());
        Ok(shortest.map(|time| 2.0 * bytes as f64 / time.as_secs_f64().max(1e-9)))
    }
}
