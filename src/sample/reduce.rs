//! The sums over answers on the host. `shaders/sample/` computes the same ones.

use super::fixed::{END, Unit};
use super::sampler::Sampler;
use super::tally::Tally;
use crate::crossings::stretches;
use crate::query::AllHits;
use crate::ray::{Hit, NONE};

/// The last position of a path, in units. No solid ends beyond.
const LAST: u64 = u32::MAX as u64;

impl Tally {
    /// Adds the closest hits of some rays.
    pub(crate) fn add_hits(&mut self, hits: &[Hit]) {
        let unit = Unit { exponent: self.run.unit_exponent };
        for hit in hits {
            if hit.geometry_id == NONE {
                let count = if hit.t.is_nan() { &mut self.invalid } else { &mut self.misses };
                *count += 1;
                continue;
            }
            let distance = unit.of(hit.t);
            self.beyond += u64::from(distance == END);
            let geometry = hit.geometry_id as usize;
            self.hits[geometry] += 1;
            self.distances[geometry] += u128::from(distance);
            if !self.histogram.is_empty() {
                self.histogram[self.run.edges.partition_point(|&edge| edge <= distance)] += 1;
            }
        }
    }

    /// Adds the paths of some rays through solids, by all crossings from `t_min` on.
    pub(crate) fn add_paths(&mut self, sampler: &Sampler, all: &AllHits) {
        let mut crossings = Vec::new();
        for ray in 0..all.ray_count() {
            crossings.clear();
            let of_solids =
                all.of_ray(ray).filter(|hit| sampler.is_solid()[hit.geometry_id as usize]);
            crossings.extend(of_solids.map(|hit| (hit.geometry_id, sampler.unit().of(hit.t))));
            crossings.sort_unstable();
            for of_solid in crossings.chunk_by(|a, b| a.0 == b.0) {
                let geometry = of_solid[0].0 as usize;
                let path = path(of_solid.iter().map(|&(_, t)| t), sampler);
                self.paths.rays[geometry] += u64::from(path > 0);
                self.paths.sums[geometry] += u128::from(path);
                self.paths.squares[geometry] += u128::from(path) * u128::from(path);
            }
        }
    }
}

/// Returns the length of a ray's path through a solid, given all its crossings from the start of
/// the ray's interval on, also beyond its end.
fn path(crossings: impl ExactSizeIterator<Item = u64>, sampler: &Sampler) -> u64 {
    let [start, end] = sampler.interval().map(|t| sampler.unit().of(t).min(LAST));
    let crossings = crossings.map(|crossing| crossing.max(start));
    stretches(crossings, [start, end]).map(|[enter, exit]| exit - enter).sum()
}
