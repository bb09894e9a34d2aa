//! Chooses how many rays a chunk has: enough to keep the device busy, and so few that no driver
//! resets the device for being busy too long. Answers do not depend on it.
//!
//! The device's own clock measures how long a chunk took, or the host's clock if the device has
//! none. This is the only file of the core that reads a clock.

use super::buffer::most_bytes;
use super::dispatch::WORKGROUP;
use super::hit::RAY_BYTES;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The rays of the first chunk, few enough for a slow device and a large scene.
const FIRST: usize = 1 << 16;
/// The rays of the first chunk on a card. It casts fewer in less time than a submission takes.
const FIRST_ON_CARD: usize = 1 << 18;
/// The most rays of a chunk on a device that shares its memory with the host. Three chunks of the
/// buffers' 88 bytes a ray are 264 MiB then.
const MOST_IN_HOST_MEMORY: usize = 1 << 20;
/// The most rays of a chunk on a software driver. Their buffers stay in the processor's
/// second-level cache, through which the host and the kernels pass them on.
const MOST_IN_CACHE: usize = 1 << 15;
/// The fewest rays of a chunk. In a smaller one the fixed costs of a chunk would outweigh its rays.
const LEAST: usize = 1 << 10;
/// After a chunk that took less time, the next one has twice as many rays.
const SHORT: Duration = Duration::from_millis(20);
/// A chunk that took more time was too large: drivers reset a device that does not respond for
/// seconds.
const LONG: Duration = Duration::from_millis(100);
/// The time that the chunk after one that was too large should take.
const WANTED: Duration = Duration::from_millis(50);
/// A long batch is cut into at least this many chunks, because nothing overlaps with its first
/// upload and with the reading of its last answers.
const CUTS: usize = 8;
/// The rays that a card takes from its host, casts and answers while the host submits a chunk: an
/// H100 takes 2.3 ns for each, and the submission 75 µs.
const RAYS_OF_SUBMISSION: usize = 1 << 15;

/// The size of chunks, learnt from the chunks that are done, and the total time of the kernels.
#[derive(Debug)]
pub(super) struct ChunkTuner {
    chunk: AtomicUsize,
    first: usize,
    most: usize,
    is_for_card: bool,
    kernel_nanoseconds: AtomicU64,
}

impl ChunkTuner {
    /// Starts with the limits that the device sets for buffers and for one row of workgroups, and
    /// with sizes for its type.
    pub fn new(limits: &wgpu::Limits, device_type: wgpu::DeviceType) -> Self {
        let (first, most, is_for_card) = match device_type {
            wgpu::DeviceType::DiscreteGpu | wgpu::DeviceType::VirtualGpu => {
                (FIRST_ON_CARD, usize::MAX, true)
            }
            wgpu::DeviceType::Cpu => (MOST_IN_CACHE, MOST_IN_CACHE, false),
            _ => (FIRST, MOST_IN_HOST_MEMORY, false),
        };
        let bytes = most_bytes(limits);
        let threads = u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(WORKGROUP);
        let most = most.min((bytes / RAY_BYTES).min(threads).max(1) as usize);
        Self {
            chunk: AtomicUsize::new(first.min(most)),
            first,
            most,
            is_for_card,
            kernel_nanoseconds: AtomicU64::new(0),
        }
    }

    /// Limits every chunk to this many rays.
    pub fn limit(&mut self, rays: usize) {
        self.most = rays.clamp(1, self.most);
        *self.chunk.get_mut() = self.first.min(self.most);
    }

    /// Returns the most rays that a chunk may have.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Returns how many rays the next chunk of a batch should have, whose rays or answers cross the
    /// bus while the device casts other chunks.
    ///
    /// The host of a card submits n/c chunks of c rays of a batch of n, and waits for the last one.
    /// Both together take least if c is the root of n times the rays of a submission.
    pub fn chunk(&self, batch: usize) -> usize {
        let overlapping = match self.is_for_card {
            true => batch.saturating_mul(RAYS_OF_SUBMISSION).isqrt(),
            false => batch / CUTS,
        };
        self.largest().min(overlapping.max(self.first))
    }

    /// Returns how many rays the next chunk should have if the device makes them. Nothing is
    /// uploaded that other chunks could overlap with, and more rays keep the device busier.
    pub fn largest(&self) -> usize {
        self.chunk.load(Ordering::Relaxed)
    }

    /// Adapts the size of chunks to the time that one took. Fewer rays than a workgroup teach
    /// nothing: their time is that of fixed costs, such as compiling.
    pub fn learn(&self, rays: usize, time: Duration) {
        if rays < WORKGROUP as usize {
            return;
        }
        let chunk = self.chunk.load(Ordering::Relaxed);
        let next = if time > LONG {
            let fitting = rays as f64 * WANTED.as_secs_f64() / time.as_secs_f64();
            // An answer may take the bytes of four hits, so the number is a multiple of four.
            chunk.min(fitting as usize & !3).max(LEAST)
        } else if time < SHORT && rays >= chunk {
            2 * chunk
        } else {
            chunk
        };
        self.chunk.store(next.min(self.most), Ordering::Relaxed);
    }

    /// Halves the size of chunks after the device had no memory for one of this many rays. Returns
    /// false if that chunk was too small to be halved.
    pub fn shrink_for_memory(&self, rays: usize) -> bool {
        let smaller = rays > FIRST;
        if smaller {
            self.chunk.fetch_min(rays / 2, Ordering::Relaxed);
        }
        smaller
    }

    /// Makes the next chunks much smaller after the device was lost, because a chunk that took too
    /// long may be the cause.
    pub fn shrink_after_loss(&self) {
        let chunk = self.chunk.load(Ordering::Relaxed);
        self.chunk.store(((chunk / 4) & !3).max(LEAST).min(chunk), Ordering::Relaxed);
    }

    /// Adds the time of a chunk by the device's own clock.
    pub fn add_kernel_time(&self, time: Duration) {
        self.kernel_nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Returns the time that was added since the last call.
    pub fn take_kernel_time(&self) -> Duration {
        Duration::from_nanos(self.kernel_nanoseconds.swap(0, Ordering::Relaxed))
    }
}

/// A moment by the host's clock. In a browser it is empty, because no clock is read there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

impl Moment {
    pub fn now() -> Self {
        Self(
            #[cfg(not(target_arch = "wasm32"))]
            std::time::Instant::now(),
        )
    }

    /// It is `None` if there is no clock.
    pub fn elapsed(&self) -> Option<Duration> {
        #[cfg(not(target_arch = "wasm32"))]
        return Some(self.0.elapsed());
        #[cfg(target_arch = "wasm32")]
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_grow_while_short_and_shrink_when_long() {
        let mut tuner = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::Other);
        let batch = usize::MAX;
        assert_eq!(tuner.chunk(batch), FIRST);
        // A chunk cut short by the end of its batch says nothing about a whole one.
        tuner.learn(10, Duration::from_micros(1));
        assert_eq!(tuner.chunk(batch), FIRST);
        for _ in 0..20 {
            tuner.learn(tuner.chunk(batch), Duration::from_millis(1));
        }
        // A batch that is not much longer is still cut up.
        assert_eq!(tuner.chunk(batch), MOST_IN_HOST_MEMORY);
        assert_eq!(tuner.chunk(4 << 20), 1 << 19);
        assert_eq!(tuner.chunk(1000), FIRST);
        tuner.learn(1 << 20, Duration::from_millis(60));
        assert_eq!(tuner.chunk(batch), MOST_IN_HOST_MEMORY);
        tuner.learn(1 << 20, Duration::from_millis(500));
        assert!((104_850..=104_860).contains(&tuner.chunk(batch)), "{}", tuner.chunk(batch));
        tuner.learn(1 << 16, Duration::from_secs(1000));
        assert_eq!(tuner.chunk(batch), LEAST);
        tuner.limit(10);
        tuner.learn(10, Duration::from_secs(1));
        assert_eq!(tuner.chunk(batch), 10);
    }

    #[test]
    fn a_card_gets_fewer_and_larger_chunks() {
        let tuner = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::DiscreteGpu);
        assert_eq!(tuner.chunk(1 << 20), FIRST_ON_CARD);
        for _ in 0..20 {
            tuner.learn(tuner.chunk(usize::MAX), Duration::from_millis(1));
        }
        // A row has 65,535 workgroups.
        assert_eq!(tuner.chunk(usize::MAX), 65_535 * 64);
        assert_eq!(tuner.largest(), 65_535 * 64);
        // Four times as many rays are cut into twice as many chunks of twice the size.
        assert_eq!(tuner.chunk(1 << 20), FIRST_ON_CARD);
        assert_eq!(tuner.chunk(8 << 20), 1 << 19);
        assert_eq!(tuner.chunk(32 << 20), 1 << 20);
    }

    #[test]
    fn rays_that_a_device_makes_come_in_the_largest_chunks_that_are_short() {
        let tuner = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::DiscreteGpu);
        assert_eq!(tuner.largest(), FIRST_ON_CARD);
        tuner.learn(tuner.largest(), Duration::from_millis(1));
        assert_eq!((tuner.largest(), tuner.chunk(1 << 20)), (2 * FIRST_ON_CARD, FIRST_ON_CARD));
        tuner.learn(tuner.largest(), Duration::from_millis(200));
        assert_eq!(tuner.largest(), FIRST_ON_CARD / 2);
        let software = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::Cpu);
        assert_eq!(software.largest(), MOST_IN_CACHE);
    }

    #[test]
    fn chunks_shrink_if_memory_runs_out() {
        let tuner = ChunkTuner::new(&wgpu::Limits::default(), wgpu::DeviceType::Other);
        tuner.learn(FIRST, Duration::from_millis(1));
        assert!(tuner.shrink_for_memory(tuner.chunk(usize::MAX)));
        assert_eq!(tuner.chunk(usize::MAX), FIRST);
        assert!(!tuner.shrink_for_memory(FIRST));
    }
}
