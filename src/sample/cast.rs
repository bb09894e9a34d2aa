//! Sampling by a tracer's queries, with rays and sums on the host.

use super::sampler::Sampler;
use super::tally::Tally;
use crate::query::Batch;
use crate::ray::Ray;
use crate::tracer::{TraceError, Tracer};
use std::ops::Range;

/// How many rays are made at a time.
const PIECE: u64 = 1 << 15;

/// Casts the rays of these numbers, and adds up their answers.
pub(crate) fn sample_on_host<T: Tracer + ?Sized>(
    tracer: &T,
    sampler: &Sampler,
    numbers: Range<u64>,
) -> Result<Tally, TraceError> {
    sampler.check(tracer.scene(), &numbers)?;
    let mut tally = sampler.tally();
    let mut first = numbers.start;
    while first < numbers.end {
        let end = numbers.end.min(first.saturating_add(PIECE));
        let rays = sampler.rays(first..end);
        tally.add_hits(&tracer.closest(Batch::new(&rays))?);
        if sampler.has_paths() {
            let endless: Vec<Ray> =
                rays.iter().map(|ray| ray.within(ray.t_min, f32::INFINITY)).collect();
            tally.add_paths(sampler, &tracer.all(Batch::new(&endless))?);
        }
        first = end;
    }
    tally.add_range(numbers);
    Ok(tally)
}
