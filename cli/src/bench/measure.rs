//! How long things take.

use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Of a copy that no cache holds, in bytes.
const COPY: usize = 128 << 20;
/// What one thread copies at a time.
const PIECE: usize = 1 << 20;
const COPIES: usize = 5;

/// How long the same work took, once and again: the shortest first.
pub struct Times(Vec<Duration>);

impl Times {
    /// The times that there are, if there is one.
    pub fn new(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        (!times.is_empty()).then_some(Self(times))
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

/// Does work once to warm up and then `count` times against the clock; also what it came to the last time.
/// Each result is dropped before the next is made, so that no two of them need memory at once.
pub fn repeated<T, E>(
    count: NonZeroUsize,
    mut work: impl FnMut() -> Result<T, E>,
) -> Result<(Times, T), E> {
    let mut times = Vec::with_capacity(count.get());
    let mut result = work()?;
    for _ in 0..count.get() {
        drop(result);
        let start = Instant::now();
        result = work()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok((Times(times), result))
}

/// Does work once; also how long it took.
pub fn once<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed(), result))
}

/// How many bytes a second the host's threads move when they copy memory, those read and those written both
/// counted.
pub fn copied_bytes_per_s() -> f64 {
    let from = vec![1_u8; COPY];
    let mut to = vec![0_u8; COPY];
    let mut shortest = Duration::MAX;
    for _ in 0..COPIES {
        let start = Instant::now();
        let pieces = to.par_chunks_mut(PIECE).zip(from.par_chunks(PIECE));
        pieces.for_each(|(to, from)| to.copy_from_slice(from));
        shortest = shortest.min(start.elapsed());
    }
    std::hint::black_box(&to);
    2.0 * COPY as f64 / shortest.as_secs_f64().max(1e-9)
}
