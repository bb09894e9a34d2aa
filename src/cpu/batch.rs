//! Batches of rays on all cores, by the widest instructions that the processor has.

use super::CpuTracer;
use super::cast::{Best, Cast, Casts};
use crate::bvh::{ABREAST, Lanes, PACKET, Portable, Stack};
use crate::ray::{Hit, Ray};
use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};
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
        let tree = &self.packed.tree;
        let is_large = tree.node_bytes().len() > LARGE && rays.len() > WORTH_SORTING;
        if !is_large || self.are_in_order(rays) {
            return self.cast_all(0..rays.len(), |place| rays[place]);
        }
        let bounds = tree.bounds();
        let mut hits = vec![Hit::INVALID; rays.len()];
        for (rays, hits) in rays.chunks(BLOCK).zip(hits.chunks_mut(BLOCK)) {
            let mut order: Vec<Way> = (0..rays.len() as u32)
                .into_par_iter()
                .map(|place| Way::new(place, &rays[place as usize], &bounds))
                .collect();
            order.radix_sort_unstable();
            let sorted = self.cast_all(0..rays.len(), |place| rays[order[place].place as usize]);
            for (way, hit) in order.iter().zip(sorted) {
                hits[way.place as usize] = hit;
            }
        }
        hits
    }

    /// Whether of a few packets of rays, taken all over the batch, many are of rays that go the same way.
    fn are_in_order(&self, rays: &[Ray]) -> bool {
        const SAMPLES: usize = 64;
        let packets = rays.as_chunks::<PACKET>().0;
        let step = (packets.len() / SAMPLES).max(1);
        let is_alike = |packet: &&[Ray; PACKET]| self.packed.tree.suits(packet);
        4 * packets.iter().step_by(step).filter(is_alike).count() > SAMPLES
    }
}

/// A batch is sorted that has more rays than this, at a tree of more bytes than a processor's nearest memory
/// holds, so many rays at a time.
const WORTH_SORTING: usize = 1 << 14;
const LARGE: usize = 1 << 20;
const BLOCK: usize = 1 << 20;

/// A ray's place in its batch, and where it begins and which way it goes as one number, in the manner of Morton:
/// rays of near numbers are mostly near.
#[derive(Clone, Copy)]
struct Way {
    key: u32,
    place: u32,
}

/// Of a number of five bits, those bits, each six places from the next.
static SPREAD: [u32; 32] = {
    let mut spread = [0; 32];
    let mut place = 0;
    while place < 32 * 5 {
        let (number, bit) = (place / 5, place % 5);
        spread[number] |= (number as u32 >> bit & 1) << (6 * bit);
        place += 1;
    }
    spread
};

impl Way {
    fn new(place: u32, ray: &Ray, bounds: &[[f32; 3]; 2]) -> Self {
        let [x, y, z] = ray.direction.map(f32::abs);
        let largest = x.max(y).max(z);
        let mut key = 0;
        for axis in 0..3 {
            let [low, high] = bounds.map(|corner| corner[axis]);
            let origin = (ray.origin[axis] - low) / (high - low);
            let direction = 0.5 + 0.5 * ray.direction[axis] / largest;
            // What is no number, as an invalid ray may have, goes to cell 0.
            let cell = |share: f32| (32.0 * share).clamp(0.0, 31.0) as usize;
            key = key << 1 | SPREAD[cell(origin)] << 3 | SPREAD[cell(direction)];
        }
        Self { key, place }
    }
}

impl RadixKey for Way {
    const LEVELS: usize = 4;

    fn get_level(&self, level: usize) -> u8 {
        self.key.to_le_bytes()[level]
    }
}
