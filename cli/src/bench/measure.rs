//! Measures times, and the rate at which the host copies memory.

use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// The bytes of a copy, which are more than a cache has.
const COPY_BYTES: usize = 128 << 20;
/// The bytes that one thread copies at a time.
const PIECE_BYTES: usize = 1 << 20;
const COPIES: usize = 5;

/// The times of the same work, sorted from the shortest to the longest. There is at least one.
pub struct Times(Vec<Duration>);

impl Times {
    /// Sorts the times; `None` if there are none.
    pub fn new(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        (!times.is_empty()).then_some(Self(times))
    }

    pub fn count(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0.len()).unwrap_or(NonZeroUsize::MIN)
    }

    pub fn median(&self) -> Duration {
        let middle = self.0.len() / 2;
        if self.0.len() % 2 == 1 {
            self.0[middle]
        } else {
            (self.0[middle - 1] + self.0[middle]) / 2
        }
    }

    pub fn shortest(&self) -> Duration {
        self.0[0]
    }

    pub fn longest(&self) -> Duration {
        self.0[self.0.len() - 1]
    }
}

/// Runs `work` for a time to warm up, at least once, and then measures it `count` times. Returns
/// the times and the last result. Each result is dropped before the next is made, so that two
/// results never need memory at once.
pub fn repeated<T, E>(
    count: NonZeroUsize,
    warm_up: Duration,
    mut work: impl FnMut() -> Result<T, E>,
) -> Result<(Times, T), E> {
    let mut times = Vec::with_capacity(count.get());
    let begin = Instant::now();
    let mut result = work()?;
    while begin.elapsed() < warm_up {
        drop(result);
        result = work()?;
    }
    for _ in 0..count.get() {
        drop(result);
        let start = Instant::now();
        result = work()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok((Times(times), result))
}

/// Runs `work` once, and returns its time and its result.
pub fn once<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed(), result))
}

/// Measures how many bytes the host's threads move each second when they copy memory. It counts the
/// bytes read and the bytes written.
pub fn copied_bytes_per_s() -> f64 {
    let from = vec![1_u8; COPY_BYTES];
    let mut to = vec![0_u8; COPY_BYTES];
    let mut shortest = Duration::MAX;
    for _ in 0..COPIES {
        let start = Instant::now();
        let pieces = to.par_chunks_mut(PIECE_BYTES).zip(from.par_chunks(PIECE_BYTES));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        shortest = shortest.min(start.elapsed());
    }
    std::hint::black_box(&to);
    2.0 * COPY_BYTES as f64 / shortest.as_secs_f64().max(1e-9)
}
