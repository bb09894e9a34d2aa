//! Measures how fast a device copies in its own memory, as a yardstick for other rates.

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
    /// Returns how many bytes a second the device moves when it copies a large buffer to another
    /// again and again, at its full clock. Both the bytes that it reads and the bytes that it
    /// writes count. The result is `None` if there is no clock to take the time.
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
