//! Measures how fast a device copies in its own memory, as a yardstick for other rates.

use super::buffer::{self, scoped};
use super::chunk_tuner::Moment;
use super::clock::{CLOCK_BYTES, Clock};
use super::device::Gpu;
use crate::gpu_error::GpuError;
use wgpu::BufferUsages;

/// The size of the buffers, too large for any cache of a device.
const BYTES: u64 = 128 << 20;
/// The copies in one submission, enough to outweigh the cost of the submission.
const COPIES: u32 = 8;
/// How often the time is taken. The shortest counts: the first copies also fill pages, and other
/// programs may use the device.
const TRIES: usize = 5;

impl Gpu {
    /// Returns how many bytes a second the device moves when it copies a large buffer to another.
    /// Both the bytes that it reads and the bytes that it writes count. The time is taken by the
    /// device's clock, or else by the host's; the result is `None` if there is neither.
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
        let create = |what, bytes, usage| buffer::create(self, what, bytes, usage);
        let from = create("a copy's source", bytes, BufferUsages::COPY_SRC).await?;
        let to = create("a copy's target", bytes, BufferUsages::COPY_DST).await?;
        let read_back = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let readings = create("the clock's staging buffer", CLOCK_BYTES, read_back).await?;
        let clock = Clock::new(self).await?;

        let mut shortest = None;
        for _ in 0..TRIES {
            let begin = Moment::now();
            let submission = scoped(self, "a copy", || {
                let mut encoder = self.device.create_command_encoder(&Default::default());
                read_clock(&mut encoder, clock.as_ref(), None, Some(0));
                for _ in 0..COPIES {
                    encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes);
                }
                read_clock(&mut encoder, clock.as_ref(), Some(1), None);
                if let Some(clock) = &clock {
                    clock.fetch(&mut encoder, &readings, 0);
                }
                self.queue.submit([encoder.finish()])
            })
            .await?;
            let mapped = buffer::map(&readings, wgpu::MapMode::Read, CLOCK_BYTES);
            buffer::wait(self, submission, vec![mapped]).await?;
            let by_host = begin.elapsed();
            let view = readings.slice(..).get_mapped_range();
            let view = view.map_err(|reason| GpuError::Lost(reason.to_string()))?;
            let time = clock.as_ref().and_then(|clock| clock.between(&view)).or(by_host);
            drop(view);
            readings.unmap();
            shortest = [shortest, time].into_iter().flatten().min();
        }
        let moved = 2 * u64::from(COPIES) * bytes;
        Ok(shortest.map(|time| moved as f64 / time.as_secs_f64().max(1e-9)))
    }
}

/// Records a pass that does nothing but read the clock, if there is one, at its beginning or its
/// end. It is needed because a copy cannot read the clock.
fn read_clock(
    encoder: &mut wgpu::CommandEncoder,
    clock: Option<&Clock>,
    at_begin: Option<u32>,
    at_end: Option<u32>,
) {
    if let Some(clock) = clock {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(clock.writes(at_begin, at_end)),
        });
    }
}
