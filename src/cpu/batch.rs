//! Batches of rays on all cores, by the widest instructions that the processor has.

use super::CpuTracer;
use super::cast::{Best, Casts};
use super::ways::in_order_of_ways;
use crate::bvh::{Lanes, PACKET, Portable, Stack};
use crate::ray::{Hit, Ray};
use rayon::prelude::*;
use std::ops::Range;

/// The rays that a thread casts one after another.
const RUN: usize = 1024;

/// Rays are sorted at a tree of more bytes than this, which a processor's nearest memory does not hold.
const LARGE: usize = 1 << 20;

/// So many rays are sorted at a time, by one thread. More would follow each other more closely, and lie where they are
/// slow to fetch.
const BLOCK: Range<usize> = 1 << 13..1 << 19;

impl CpuTracer<'_> {
    /// Casts a batch of rays, in an order in which those that go the same way follow each other where that pays.
    pub(super) fn cast_batch(&self, rays: &[Ray]) -> Vec<Hit> {
        let is_large = self.packed.tree.node_bytes() > LARGE;
        if !is_large || rays.len() < BLOCK.start {
            return self.cast_all(0..rays.len(), |place| rays[place]);
        }
        let mut hits = vec![Hit::INVALID; rays.len()];
        // Some for each thread, so that none waits for another for long.
        let block = rays.len() / (4 * rayon::current_num_threads());
        let block = block.clamp(BLOCK.start, BLOCK.end);
        let blocks = rays.par_chunks(block).zip(hits.par_chunks_mut(block));
        blocks.for_each(|(rays, hits)| self.cast_sorted(rays, hits));
        hits
    }

    fn cast_sorted(&self, rays: &[Ray], hits: &mut [Hit]) {
        let order = in_order_of_ways(rays, self.packed.tree.size());
        for places in order.chunks(RUN) {
            // All at first: where they lie scattered in memory, a processor fetches many of them at once.
            let run: Vec<Ray> = places.iter().map(|&place| rays[place as usize]).collect();
            for (&place, hit) in places.iter().zip(self.cast_run(&run)) {
                hits[place as usize] = hit;
            }
        }
    }

    /// Casts rays in the order of their places.
    pub(super) fn cast_all(
        &self,
        places: Range<usize>,
        ray: impl Fn(usize) -> Ray + Sync,
    ) -> Vec<Hit> {
        let cast = |start: usize| {
            let run: Vec<Ray> = (start..places.end.min(start + RUN)).map(&ray).collect();
            self.cast_run(&run)
        };
        places.clone().into_par_iter().step_by(RUN).flat_map_iter(cast).collect()
    }

    fn cast_run(&self, rays: &[Ray]) -> Vec<Hit> {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = pulp::x86::V3::try_new() {
            return lanes.vectorize(Run { tracer: self, lanes, rays });
        }
        self.cast_run_by(Portable, rays)
    }

    /// Rays that go the same way are walked together, the others one beside another.
    #[inline(always)]
    fn cast_run_by(&self, lanes: impl Lanes, rays: &[Ray]) -> Vec<Hit> {
        let mut stack = Stack::default();
        let mut hits = vec![Hit::INVALID; rays.len()];
        let mut alike = 0;
        for packet in rays.as_chunks::<PACKET>().0 {
            if !packet.iter().all(Ray::is_valid) || !self.packed.tree.suits(packet) {
                break;
            }
            let found = self.cast_together(lanes, packet, &mut stack);
            for (hit, best) in hits[alike..].iter_mut().zip(found) {
                *hit = self.hit(best);
            }
            alike += PACKET;
        }
        let others = (alike..).zip(rays[alike..].iter().copied()).filter(|(_, ray)| ray.is_valid());
        let done = |place: usize, best| hits[place] = self.hit(best);
        self.packed.tree.walk(lanes, &mut stack, &mut Casts::new(self, others, done));
        hits
    }

    /// What a tracer answers.
    fn hit(&self, best: Option<Best>) -> Hit {
        let Some(Best { crossing, part }) = best else {
            return Hit::MISS;
        };
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Hit { t: crossing.t as f32, geometry_id, primitive_id }
    }
}

/// What is compiled for the wide instructions. Not a closure, which a compiler may leave to itself.
#[cfg(target_arch = "x86_64")]
struct Run<'a, L> {
    tracer: &'a CpuTracer<'a>,
    lanes: L,
    rays: &'a [Ray],
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> pulp::NullaryFnOnce for Run<'_, L> {
    type Output = Vec<Hit>;

    #[inline(always)]
    fn call(self) -> Vec<Hit> {
        self.tracer.cast_run_by(self.lanes, self.rays)
    }
}
