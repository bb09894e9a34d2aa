//! How many rays a chunk has: as many as keep the device busy for a while, and no longer than a driver
//! has patience for. Answers do not depend on it.
//!
//! The device's own clock tells how long a chunk took. Where it has none the host's does: this is the one
//! place of the core that reads a clock.

use super::buffer::most_bytes;
use super::dispatch::WORKGROUP;
use super::hit::RAY_BYTES;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// The rays of a first chunk: little enough for a slow device and a large scene.
const FIRST: usize = 1 << 16;
/// The rays of no chunk are fewer: what a chunk costs beside its rays would be most of it.
const LEAST: usize = 1 << 10;
/// A chunk that took less may be twice as long.
const SHORT: Duration = Duration::from_millis(20);
/// A chunk that took more was too long: drivers reset a device that is silent for seconds.
const LONG: Duration = Duration::from_millis(100);
/// A chunk that was too long is followed by one that should take this time.
const WANTED: Duration = Duration::from_millis(50);
/// A batch is cut in at least so many: its first upload and the reading of its last answers overlap with nothing.
const CUTS: usize = 8;

/// The size of chunks, learnt from those that are done, and the time that kernels took in all.
#[derive(Debug)]
pub(super) struct ChunkTuner {
    chunk: AtomicUsize,
    most: usize,
    kernel_nanoseconds: AtomicU64,
}

impl ChunkTuner {
    /// For what the device's buffers and the rows of one dispatch allow.
    pub fn new(limits: &wgpu::Limits) -> Self {
        let bytes = most_bytes(limits);
        let threads = u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(WORKGROUP);
        let most = (bytes / RAY_BYTES).min(threads).max(1) as usize;
        Self {
            chunk: AtomicUsize::new(FIRST.min(most)),
            most,
            kernel_nanoseconds: AtomicU64::new(0),
        }
    }

    /// No chunk of more than that many rays.
    pub fn limit(&mut self, rays: usize) {
        self.most = rays.clamp(1, self.most);
        *self.chunk.get_mut() = FIRST.min(self.most);
    }

    /// The most rays that a chunk may have.
    pub fn most(&self) -> usize {
        self.most
    }

    /// How many rays the next chunk of a batch should have.
    pub fn chunk(&self, batch: usize) -> usize {
        self.chunk.load(Ordering::Relaxed).min((batch / CUTS).max(FIRST))
    }

    /// Takes note of how long a chunk took.
    pub fn learn(&self, rays: usize, time: Duration) {
        let chunk = self.chunk.load(Ordering::Relaxed);
        let next = if time > LONG {
            let fitting = rays as f64 * WANTED.as_secs_f64() / time.as_secs_f64();
            // A multiple of four, for an answer may take four places.
            chunk.min(fitting as usize & !3).max(LEAST)
        } else if time < SHORT && rays >= chunk {
            2 * chunk
        } else {
            chunk
        };
        self.chunk.store(next.min(self.most), Ordering::Relaxed);
    }

    /// Tells whether a chunk of so many rays, for which the device has no memory, can be had smaller; then the
    /// next ones are.
    pub fn shrink_for_memory(&self, rays: usize) -> bool {
        let smaller = rays > FIRST;
        if smaller {
            self.chunk.fetch_min(rays / 2, Ordering::Relaxed);
        }
        smaller
    }

    /// Makes the next chunks much smaller, for a device that was lost, perhaps over one that took too long.
    pub fn shrink_after_loss(&self) {
        let chunk = self.chunk.load(Ordering::Relaxed);
        self.chunk.store(((chunk / 4) & !3).max(LEAST).min(chunk), Ordering::Relaxed);
    }

    /// Adds what the device's own clock told of a chunk.
    pub fn add_kernel_time(&self, time: Duration) {
        self.kernel_nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// The time that was added since this was last asked.
    pub fn take_kernel_time(&self) -> Duration {
        Duration::from_nanos(self.kernel_nanoseconds.swap(0, Ordering::Relaxed))
    }
}

/// A moment by the host's clock; a browser's is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(#[cfg(not(target_arch = "wasm32"))] std::time::Instant);

impl Moment {
    /// This one.
    pub fn now() -> Self {
        Self(
            #[cfg(not(target_arch = "wasm32"))]
            std::time::Instant::now(),
        )
    }

    /// How long ago it was, if there is a clock.
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
        let mut tuner = ChunkTuner::new(&wgpu::Limits::default());
        let batch = usize::MAX;
        assert_eq!(tuner.chunk(batch), FIRST);
        // The end of a batch says nothing of a whole chunk.
        tuner.learn(10, Duration::from_micros(1));
        assert_eq!(tuner.chunk(batch), FIRST);
        for _ in 0..20 {
            tuner.learn(tuner.chunk(batch), Duration::from_millis(1));
        }
        // 65,535 workgroups; a batch that is not much longer is cut up all the same.
        assert_eq!(tuner.chunk(batch), 65_535 * 64);
        assert_eq!(tuner.chunk(8 << 20), 1 << 20);
        assert_eq!(tuner.chunk(1000), FIRST);
        tuner.learn(1 << 20, Duration::from_millis(60));
        assert_eq!(tuner.chunk(batch), 65_535 * 64);
        tuner.learn(1 << 20, Duration::from_millis(500));
        assert!((104_850..=104_860).contains(&tuner.chunk(batch)), "{}", tuner.chunk(batch));
        tuner.learn(1 << 16, Duration::from_secs(1000));
        assert_eq!(tuner.chunk(batch), LEAST);
        tuner.limit(10);
        tuner.learn(10, Duration::from_secs(1));
        assert_eq!(tuner.chunk(batch), 10);
    }

    #[test]
    fn chunks_give_way_where_memory_ends() {
        let tuner = ChunkTuner::new(&wgpu::Limits::default());
        tuner.learn(FIRST, Duration::from_millis(1));
        assert!(tuner.shrink_for_memory(tuner.chunk(usize::MAX)));
        assert_eq!(tuner.chunk(usize::MAX), FIRST);
        assert!(!tuner.shrink_for_memory(FIRST));
    }
}
