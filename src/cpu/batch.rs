//! Batches of rays on all cores, by the widest instructions that the processor has.

use super::CpuTracer;
use super::cast::{Best, Cast, Casts};
use super::ways::in_order_of_ways;
use crate::bvh::{ABREAST, Lanes, PACKET, Portable, Stack};
use crate::ray::{Hit, Ray};
use rayon::prelude::*;
use std::ops::Range;

/// The rays that a thread casts one after another.
const RUN: usize = 1024;

/// A run of rays of a batch, cast with the widest instructions that this machine has.
struct Run<'a, F> {
    tracer: &'a CpuTracer<'a>,
    /// By its place in the batch.
    ray: F,
    places: Range<usize>,
}

impl<F: Fn(usize) -> Ray> Run<'_, F> {
    fn hits(self) -> Vec<Hit> {
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new() {
            return v3.vectorize(
                #[inline(always)]
                || self.hits_by(v3),
            );
        }
        self.hits_by(Portable)
    }

    #[inline(always)]
    fn hits_by(self, lanes: impl Lanes) -> Vec<Hit> {
        let Self { tracer, ray, places } = self;
        // All at first: where they lie scattered in memory, a processor fetches many of them at once.
        let rays: Vec<Ray> = places.map(ray).collect();
        let mut stack = Stack::default();
        let mut hits = vec![Hit::INVALID; rays.len()];
        let mut alike = 0;
        for packet in rays.as_chunks::<PACKET>().0 {
            if !packet.iter().all(Ray::is_valid) || !tracer.packed.tree.suits(packet) {
                break;
            }
            let found = tracer.cast_together(lanes, packet, &mut stack);
            for (hit, best) in hits[alike..].iter_mut().zip(found) {
                *hit = tracer.hit(best);
            }
            alike += PACKET;
        }
        let others = (alike..).zip(rays[alike..].iter().copied()).filter(|(_, ray)| ray.is_valid());
        let done = |place: usize, best| hits[place] = tracer.hit(best);
        let mut casts =
            Casts { tracer, rays: others, lanes: [(usize::MAX, Cast::NONE); ABREAST], done };
        tracer.packed.tree.walk_abreast(lanes, &mut stack, &mut casts);
        hits
    }
}

impl CpuTracer<'_> {
    /// What a tracer answers.
    fn hit(&self, best: Option<Best>) -> Hit {
        let Some(Best { crossing, part }) = best else {
            return Hit::MISS;
        };
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Hit { t: crossing.t as f32, geometry_id, primitive_id }
    }

    /// Casts the rays of a batch, in its order.
    pub(super) fn cast_all(
        &self,
        places: Range<usize>,
        ray: impl Fn(usize) -> Ray + Sync,
    ) -> Vec<Hit> {
        let starts = places.clone().into_par_iter().step_by(RUN);
        starts
            .flat_map_iter(|start| {
                let places = start..places.end.min(start + RUN);
                Run { tracer: self, ray: &ray, places }.hits()
            })
            .collect()
    }

    /// Casts rays in an order in which those that go the same way follow each other, where that pays; the answers
    /// are in the order of the rays.
    pub(super) fn cast_in_order_of_ways(&self, rays: &[Ray]) -> Vec<Hit> {
        let is_large = self.packed.tree.node_bytes() > LARGE;
        if !is_large || rays.len() < WORTH_SORTING {
            return self.cast_all(0..rays.len(), |place| rays[place]);
        }
        let mut hits = vec![Hit::INVALID; rays.len()];
        for (rays, hits) in rays.chunks(BLOCK).zip(hits.chunks_mut(BLOCK)) {
            let order = in_order_of_ways(rays, self.packed.tree.size());
            let sorted = self.cast_all(0..rays.len(), |place| rays[order[place] as usize]);
            for (place, hit) in order.into_iter().zip(sorted) {
                hits[place as usize] = hit;
            }
        }
        hits
    }
}

/// A batch is sorted that has this many rays, at a tree of more bytes than a processor's nearest memory holds, so many
/// rays at a time.
const WORTH_SORTING: usize = 1 << 14;
const LARGE: usize = 1 << 20;
const BLOCK: usize = 1 << 20;
