//! The cast of a packet of rays. Bounds in float32 tell which crossings may be the first one of a ray, and the float64
//! tests of those wait until the traversal has found all: then one is left of most rays.

use super::hit_collector::{Certain, HitCollector};
use super::instances::WorldRay;
use super::leaves::Leaves;
use super::tracer::CpuTracer;
use crate::bvh::{
    BoxTester, OfRays, PACKET, PacketVisitor, RayPacket, Stack, TraversalState, take_lowest,
};
use crate::lanes::Floats;
use crate::math::U;
use crate::query::RayFilter;
use crate::ray::{NONE, Ray};
use arrayvec::ArrayVec;

/// An item that some rays certainly cross.
struct Candidate {
    leaf: usize,
    /// A lower bound on the t of each of these crossings; NaN for other rays.
    low: OfRays,
}

/// Memory for packets, kept from one to the next.
#[derive(Default)]
pub(super) struct PacketMemory {
    stack: Stack,
    candidates: Vec<Candidate>,
    state: TraversalState,
}

impl PacketMemory {
    /// Returns the memory for the traversal alone.
    pub fn stack(&mut self) -> &mut Stack {
        &mut self.stack
    }
}

/// A packet under way, and the hits that its rays have so far.
struct PacketCast<'a, C, B> {
    boxes: B,
    tracer: &'a CpuTracer,
    leaves: &'a Leaves,
    rays: &'a [Ray; PACKET],
    packet: &'a RayPacket,
    /// One filter for each ray; none if all rays may hit everything.
    filters: &'a [RayFilter],
    /// The largest t that is still of interest to each ray, by the float64 tests.
    t_max: [f64; PACKET],
    collectors: ArrayVec<C, PACKET>,
    candidates: &'a mut Vec<Candidate>,
    /// Memory to traverse an instance with.
    state: &'a mut TraversalState,
}

impl<C: HitCollector, B: BoxTester> PacketCast<'_, C, B> {
    /// Intersects an item with one ray.
    #[inline(always)]
    fn meet(&mut self, leaf: usize, lane: usize) {
        let ray = &self.rays[lane];
        let interval = [ray.t_min.into(), self.t_max[lane]];
        let collector = &mut self.collectors[lane];
        let line = ray.line();
        let instance = match self.tracer.has_instances() {
            true => self.leaves.instance(leaf),
            // The item need not be fetched to know.
            false => None,
        };
        self.t_max[lane] = match instance {
            None => {
                let tracer = self.tracer;
                collector.meet(tracer.world(), tracer.packed.all_worlds(), leaf, &line, interval)
            }
            Some(instance) => {
                let filter = self.filters.get(lane).unwrap_or(&RayFilter::ALL);
                let ray = WorldRay { line: &line, filter, interval };
                self.tracer.meet_instance(self.boxes, self.state, instance, ray, collector)
            }
        };
    }

    /// Intersects an item with the rays of some lanes, and lowers their `reach`.
    #[inline(always)]
    fn meet_all(&mut self, leaf: usize, mut lanes: u32, reach: &mut OfRays) {
        while lanes != 0 {
            let lane = take_lowest(&mut lanes) as usize;
            self.meet(leaf, lane);
            let t_max = self.packet.reach(lane, self.t_max[lane]);
            reach[lane] = if t_max < reach[lane] { t_max } else { reach[lane] };
        }
    }

    /// Intersects an item with each ray that may still hit it first.
    #[inline(always)]
    fn meet_candidate(&mut self, candidate: &Candidate, reach: &OfRays) {
        let lanes = self.boxes.lanes();
        let low = Floats::new(lanes, &candidate.low);
        let mut may_be_first = low.at_most(Floats::new(lanes, reach)).bits();
        while may_be_first != 0 {
            self.meet(candidate.leaf, take_lowest(&mut may_be_first) as usize);
        }
    }
}

impl<C: HitCollector, B: BoxTester> PacketVisitor for PacketCast<'_, C, B> {
    /// Bounds the crossings of an item, and intersects it with those rays whose crossing is in doubt.
    #[inline(always)]
    fn visit(&mut self, leaf_index: u32, reach: &mut OfRays) {
        let lanes = self.boxes.lanes();
        let leaf = self.leaves.index_of(leaf_index);
        let mut bounds = self.leaves.crossing_bounds(leaf, lanes, self.packet, reach);
        if bounds.met == 0 {
            return;
        }
        for (lane, filter) in self.filters.iter().enumerate() {
            if !self.leaves.may_be_hit(leaf, filter, NONE) {
                bounds.remove(lane);
            }
        }
        let high = Floats::new(lanes, &bounds.high);
        match C::CERTAIN {
            Certain::Nothing => self.meet_all(leaf, bounds.met, reach),
            Certain::Bound => {
                self.meet_all(leaf, bounds.met & !bounds.certain, reach);
                if bounds.certain != 0 {
                    *reach = Floats::new(lanes, reach).min(high).to_array();
                    self.candidates.push(Candidate { leaf, low: bounds.low });
                }
            }
            Certain::Answer(answer) => {
                // The reach was rounded up.
                let is_within = (high * Floats::splat(lanes, 1.0 + 16.0 * U as f32))
                    .at_most(Floats::new(lanes, reach));
                let mut certain = bounds.certain & is_within.bits();
                self.meet_all(leaf, bounds.met & !certain, reach);
                while certain != 0 {
                    let lane = take_lowest(&mut certain) as usize;
                    self.collectors[lane] = answer();
                    reach[lane] = f32::NEG_INFINITY;
                }
            }
        }
    }
}

impl CpuTracer {
    /// Casts a packet of rays of one world. There is one filter for each ray, or none.
    #[inline(always)]
    pub(super) fn cast_together<C: HitCollector>(
        &self,
        boxes: impl BoxTester,
        rays: &[Ray; PACKET],
        filters: &[RayFilter],
        memory: &mut PacketMemory,
        answers: &mut [C::Answer],
    ) {
        let leaves = &self.leaves;
        let (packet, mut reach) = RayPacket::new(boxes.lanes(), rays);
        let PacketMemory { stack, candidates, state } = memory;
        candidates.clear();
        let mut collectors = ArrayVec::new();
        let mut t_max = [0.0; PACKET];
        for lane in 0..PACKET {
            collectors.push(C::new());
            t_max[lane] = rays[lane].t_max.into();
        }
        let packet = &packet;
        let mut cast = PacketCast {
            boxes,
            tracer: self,
            leaves,
            rays,
            packet,
            filters,
            t_max,
            collectors,
            candidates,
            state,
        };
        for leaf in 0..leaves.unbounded() {
            let mut lanes = (1 << PACKET) - 1;
            for (lane, filter) in filters.iter().enumerate() {
                lanes ^= u32::from(!leaves.may_be_hit(leaf, filter, NONE)) << lane;
            }
            cast.meet_all(leaf, lanes, &mut reach);
        }
        let world = filters.first().map_or(0, |filter| filter.world);
        let tree = self.packed.tree();
        tree.traverse_packet(boxes, packet, world, &mut reach, stack, &mut cast);
        let candidates = std::mem::take(cast.candidates);
        for candidate in &candidates {
            cast.meet_candidate(candidate, &reach);
        }
        for (answer, collector) in answers.iter_mut().zip(cast.collectors) {
            *answer = collector.answer(self.packed.all_worlds());
        }
        memory.candidates = candidates;
    }
}
