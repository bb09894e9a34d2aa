//! The sums that a device has made, as `shaders/sample/tally.wgsl` lays them out.

use crate::gpu_error::GpuError;
use crate::ray::NONE;
use crate::sample::{Sampler, Tally};
use std::ops::Range;
use std::time::Duration;

const MISSES: usize = 0;
const INVALID: usize = 1;
const BEYOND: usize = 2;
const UNANSWERED: usize = 3;
const UNCROSSED: usize = 4;
const MOST_CROSSINGS: usize = 5;
const ABANDONED: usize = 6;
const CROSSED: usize = 7;
pub(in crate::gpu) const COUNTS: usize = 8;

/// The words of a geometry's hits, and of its paths.
pub(in crate::gpu) const HIT_SUMS: usize = 3;
pub(in crate::gpu) const PATH_SUMS: usize = 6;

/// Returns how many words the sums of a sampler take.
pub(super) fn word_count(sampler: &Sampler) -> usize {
    let bins = if sampler.edges().is_empty() { 0 } else { sampler.edges().len() + 1 };
    let of_geometry = HIT_SUMS + if sampler.has_paths() { PATH_SUMS } else { 0 };
    COUNTS + bins + of_geometry * sampler.is_solid().len()
}

/// The sums over the rays of some chunks.
pub(super) struct Sums {
    pub words: Vec<u32>,
    /// The time that the kernels took by the device's clock, if it has one.
    pub time: Option<Duration>,
}

impl Sums {
    /// Returns the number of the crossings of the ray that has most.
    pub fn most_crossings(&self) -> u32 {
        self.words[MOST_CROSSINGS]
    }

    /// Returns true if the driver gave up on a ray.
    pub fn is_abandoned(&self) -> bool {
        self.words[ABANDONED] > 0
    }

    /// Adds them to a tally, if every ray was answered.
    pub fn add_to(&self, tally: &mut Tally, numbers: &Range<u64>) -> Result<(), GpuError> {
        let rays = numbers.end - numbers.start;
        let (counts, rest) = self.words.split_at(COUNTS);
        let (bins, rest) = rest.split_at(tally.histogram.len());
        let (hits, paths) = rest.split_at(HIT_SUMS * tally.hits.len());
        let from_behind = counts[UNANSWERED].max(counts[UNCROSSED]);
        let hit_count: u64 = hits.iter().step_by(HIT_SUMS).map(|&count| u64::from(count)).sum();
        let answered = hit_count + u64::from(counts[MISSES]) + u64::from(counts[INVALID]);
        let crossed = if tally.has_paths() { u64::from(counts[CROSSED]) } else { rays };
        if from_behind > 0 || answered != rays || crossed != rays {
            // Sums do not say which ray they lack.
            let index = if from_behind > 0 { NONE - from_behind } else { 0 };
            return Err(GpuError::Unanswered((numbers.start + u64::from(index)) as usize));
        }
        tally.misses += u64::from(counts[MISSES]);
        tally.invalid += u64::from(counts[INVALID]);
        tally.beyond += u64::from(counts[BEYOND]);
        tally.histogram.iter_mut().zip(bins).for_each(|(sum, &bin)| *sum += u64::from(bin));
        let sums = tally.hits.iter_mut().zip(&mut tally.distances);
        for ((hits, distance), words) in sums.zip(hits.chunks_exact(HIT_SUMS)) {
            *hits += u64::from(words[0]);
            *distance += whole(&words[1..]);
        }
        let of_paths = &mut tally.paths;
        let sums = of_paths.rays.iter_mut().zip(&mut of_paths.sums).zip(&mut of_paths.squares);
        for (((rays, sum), squares), words) in sums.zip(paths.chunks_exact(PATH_SUMS)) {
            *rays += u64::from(words[0]);
            *sum += whole(&words[1..3]);
            *squares += whole(&words[3..]);
        }
        tally.add_range(numbers.clone());
        Ok(())
    }
}

/// Returns the number that some words hold, the lowest first.
fn whole(words: &[u32]) -> u128 {
    words.iter().rev().fold(0, |whole, &word| whole << 32 | u128::from(word))
}
