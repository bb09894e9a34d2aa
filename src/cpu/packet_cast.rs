//! The cast of a packet of rays. Bounds in float32 decide which crossings may be the first one of a
//! ray, and the float64 tests of those wait until the traversal has found all: then one is left of
//! most rays. An instance that several of the rays meet is traversed by all of these together, in
//! the space of its definition.

use super::crossing_bounds::CrossingBounds;
use super::hit_collector::{Certain, HitCollector};
use super::instances::WorldRay;
use super::leaves::LeafInstance;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::bvh::{
    BoxTester, OfRays, PACKET, PacketLines, PacketStack, PacketVisitor, RayLanes, RayPacket,
    TraversalState, take_lowest,
};
use crate::lanes::Floats;
use crate::math::U;
use crate::query::RayFilter;
use crate::ray::{Line, Ray};
use pulp::Simd;
use std::{array, mem};

/// An item that some rays certainly cross.
struct Candidate {
    leaf: usize,
    /// A lower bound on the t of each of these crossings; NaN for other rays.
    low: OfRays,
}

/// Memory for packets, kept from one to the next.
#[derive(Default)]
pub(super) struct PacketMemory {
    stack: PacketStack,
    candidates: Vec<Candidate>,
    in_instance: InstanceMemory,
}

/// Memory for the traversal of instances.
#[derive(Default)]
struct InstanceMemory {
    stack: PacketStack,
    candidates: Vec<Candidate>,
    state: TraversalState,
}

/// Rays under way together, and the hits that they have so far.
struct RaysUnderWay<'a, C> {
    rays: &'a [Ray; PACKET],
    /// One filter for each ray; none if all rays may hit everything.
    filters: &'a [RayFilter],
    /// The largest t that is still of interest to each ray, by the float64 tests.
    t_max: [f64; PACKET],
    collectors: [C; PACKET],
    /// The lines in the world, for a scene with instances.
    lines: Option<PacketLines>,
}

/// The cast of a packet at the items of one space.
struct PacketCast<'a, 'r, C, B> {
    boxes: B,
    tracer: &'a CpuTracer,
    space: Space<'a>,
    /// The rays' lines in the space; `None` for those that the rays have in the world.
    lines: Option<&'a PacketLines>,
    packet: &'a RayPacket,
    under_way: &'a mut RaysUnderWay<'r, C>,
    candidates: &'a mut Vec<Candidate>,
}

impl<C: HitCollector, B: BoxTester> PacketCast<'_, '_, C, B> {
    /// Intersects an item with one ray.
    #[inline(always)]
    fn meet(&mut self, leaf: usize, lane: usize) {
        let Self { space, under_way, .. } = self;
        let ray = &under_way.rays[lane];
        let line: Line = self.lines.map_or_else(|| ray.line(), |lines| lines.line(lane));
        let interval = [ray.t_min.into(), under_way.t_max[lane]];
        under_way.t_max[lane] = under_way.collectors[lane].meet(*space, leaf, &line, interval);
    }

    /// Intersects an item with the rays of some lanes, and lowers their `reach`.
    #[inline(always)]
    fn meet_all(&mut self, leaf: usize, mut lanes: u32, reach: &mut OfRays) {
        while lanes != 0 {
            let lane = take_lowest(&mut lanes) as usize;
            self.meet(leaf, lane);
            self.lower(lane, reach);
        }
    }

    /// Lowers the `reach` of a ray to the largest t that is still of interest.
    #[inline(always)]
    fn lower(&self, lane: usize, reach: &mut OfRays) {
        let t_max = self.packet.reach(lane, self.under_way.t_max[lane]);
        reach[lane] = if t_max < reach[lane] { t_max } else { reach[lane] };
    }

    /// Returns the lanes whose rays may hit an item by their filters.
    #[inline(always)]
    fn unfiltered(&self, leaf: usize) -> u32 {
        let mut lanes = (1 << PACKET) - 1;
        for (lane, filter) in self.under_way.filters.iter().enumerate() {
            let may_be_hit = self.space.leaves.may_be_hit(leaf, filter, self.space.instance);
            lanes ^= u32::from(!may_be_hit) << lane;
        }
        lanes
    }

    /// Intersects each item that some rays certainly cross with those that may still hit it first.
    #[inline(always)]
    fn meet_candidates(&mut self, reach: &OfRays) {
        let lanes = self.boxes.lanes();
        let mut candidates = mem::take(self.candidates);
        for candidate in &candidates {
            let low = Floats::new(lanes, &candidate.low);
            let mut may_be_first = low.at_most(Floats::new(lanes, reach)).bits();
            while may_be_first != 0 {
                self.meet(candidate.leaf, take_lowest(&mut may_be_first) as usize);
            }
        }
        candidates.clear();
        *self.candidates = candidates;
    }

    /// Bounds the crossings of an item.
    #[inline(always)]
    fn bounds(&self, leaf: usize, reach: &OfRays) -> CrossingBounds {
        self.space.leaves.crossing_bounds(leaf, self.boxes.lanes(), self.packet, reach)
    }

    /// Intersects an item with those rays whose crossing is in doubt.
    #[inline(always)]
    fn visit_shape(&mut self, leaf: usize, mut bounds: CrossingBounds, reach: &mut OfRays) {
        let lanes = self.boxes.lanes();
        for (lane, filter) in self.under_way.filters.iter().enumerate() {
            if !self.space.leaves.may_be_hit(leaf, filter, self.space.instance) {
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
                // The reach was rounded up, twice for an instance.
                let is_within = (high * Floats::splat(lanes, 1.0 + 16.0 * U as f32))
                    .at_most(Floats::new(lanes, reach));
                let mut certain = bounds.certain & is_within.bits();
                self.meet_all(leaf, bounds.met & !certain, reach);
                while certain != 0 {
                    let lane = take_lowest(&mut certain) as usize;
                    self.under_way.collectors[lane] = answer();
                    self.under_way.t_max[lane] = f64::NEG_INFINITY;
                    reach[lane] = f32::NEG_INFINITY;
                }
            }
        }
    }
}

impl<C: HitCollector, B: BoxTester> PacketVisitor for PacketCast<'_, '_, C, B> {
    #[inline(always)]
    fn prefetch(&self, leaf_index: u32) {
        self.space.leaves.prefetch_bounds(self.space.leaves.index_of(leaf_index));
    }

    #[inline(always)]
    fn visit(&mut self, leaf_index: u32, reach: &mut OfRays) {
        let leaf = self.space.leaves.index_of(leaf_index);
        let bounds = self.bounds(leaf, reach);
        if bounds.met != 0 {
            self.visit_shape(leaf, bounds, reach);
        }
    }
}

/// The cast of a packet at the items of the world, instances among them.
struct WorldPacketCast<'a, 'r, C, B> {
    cast: PacketCast<'a, 'r, C, B>,
    in_instance: &'a mut InstanceMemory,
}

/// An instance is traversed by a packet if at least this many of its rays meet it; fewer take less
/// time one by one.
const LEAST_TOGETHER: u32 = 4;

impl<C: HitCollector, B: BoxTester> WorldPacketCast<'_, '_, C, B> {
    #[inline(always)]
    fn instance(&self, leaf: usize) -> Option<LeafInstance> {
        match self.cast.tracer.has_instances() {
            true => self.cast.space.leaves.instance(leaf).copied(),
            // The item need not be fetched to know.
            false => None,
        }
    }

    /// Intersects everything in an instance with the rays of some lanes, and lowers their `reach`.
    #[inline(always)]
    fn meet_instance(&mut self, instance: &LeafInstance, lanes: u32, reach: &mut OfRays) {
        let Self { cast, in_instance } = self;
        let PacketCast { boxes, tracer, packet, .. } = *cast;
        let (under_way, memory) = (&mut *cast.under_way, &mut **in_instance);
        let reach_in_world = &*reach;
        let is_done = lanes.count_ones() >= LEAST_TOGETHER && {
            let in_object = InObject {
                boxes,
                tracer,
                instance,
                packet,
                reach_in_world,
                lanes,
                under_way,
                memory,
            };
            boxes.lanes().vectorize(in_object)
        };
        let mut lanes = lanes;
        while lanes != 0 {
            let lane = take_lowest(&mut lanes) as usize;
            if !is_done {
                let under_way = &mut *cast.under_way;
                let ray = &under_way.rays[lane];
                let filter = under_way.filters.get(lane).unwrap_or(&RayFilter::ALL);
                let interval = [ray.t_min.into(), under_way.t_max[lane]];
                let ray = WorldRay { line: &ray.line(), filter, interval };
                let collector = &mut under_way.collectors[lane];
                let state = &mut in_instance.state;
                under_way.t_max[lane] =
                    tracer.meet_instance(boxes, state, instance, ray, collector);
            }
            cast.lower(lane, reach);
        }
    }
}

/// The cast of a packet into an instance, a function of its own that is compiled for the
/// processor's instructions.
struct InObject<'a, 'r, C, B> {
    boxes: B,
    tracer: &'a CpuTracer,
    instance: &'a LeafInstance,
    /// The packet in the world, and the `reach` of its rays.
    packet: &'a RayPacket,
    reach_in_world: &'a OfRays,
    /// The rays that meet the instance.
    lanes: u32,
    under_way: &'a mut RaysUnderWay<'r, C>,
    memory: &'a mut InstanceMemory,
}

impl<C: HitCollector, B: BoxTester> pulp::NullaryFnOnce for InObject<'_, '_, C, B> {
    /// False if the directions lie in several octants of the object's space: then nothing is done.
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let Self {
            boxes,
            tracer,
            instance,
            packet: world,
            reach_in_world,
            lanes,
            under_way,
            memory,
        } = self;
        let Some(lines) = &under_way.lines else { return false };
        let lines = lines.in_object(&instance.object_from_world);
        let Some(packet) = RayPacket::in_object(boxes.lanes(), under_way.rays, &lines) else {
            return false;
        };
        let space = tracer.space_of(instance);
        let InstanceMemory { stack, candidates, .. } = memory;
        let (lines, packet) = (Some(&lines), &packet);
        let mut cast = PacketCast { boxes, tracer, space, lines, packet, under_way, candidates };
        let mut reach = [f32::NEG_INFINITY; PACKET];
        let mut meeting = lanes;
        while meeting != 0 {
            let lane = take_lowest(&mut meeting) as usize;
            reach[lane] = packet.reach(lane, world.own_t(lane, reach_in_world[lane]));
        }
        for leaf in 0..space.leaves.unbounded() {
            cast.meet_all(leaf, lanes & cast.unfiltered(leaf), &mut reach);
        }
        space.leaves.tree().traverse_packet(boxes, packet, 0, &mut reach, stack, &mut cast);
        cast.meet_candidates(&reach);
        true
    }
}

impl<C: HitCollector, B: BoxTester> PacketVisitor for WorldPacketCast<'_, '_, C, B> {
    #[inline(always)]
    fn prefetch(&self, leaf_index: u32) {
        self.cast.prefetch(leaf_index);
    }

    /// Bounds the crossings of an item, and intersects it with those rays whose crossing is in
    /// doubt.
    #[inline(always)]
    fn visit(&mut self, leaf_index: u32, reach: &mut OfRays) {
        let leaf = self.cast.space.leaves.index_of(leaf_index);
        let bounds = self.cast.bounds(leaf, reach);
        if bounds.met == 0 {
            return;
        }
        match self.instance(leaf) {
            None => self.cast.visit_shape(leaf, bounds, reach),
            Some(instance) => self.meet_instance(&instance, bounds.met, reach),
        }
    }
}

impl CpuTracer {
    /// Casts a packet of rays of one world. There is one filter for each ray, or none.
    #[inline(always)]
    pub(super) fn cast_together<C: HitCollector>(
        &self,
        boxes: impl BoxTester,
        (rays, side_by_side): (&[Ray; PACKET], &RayLanes),
        filters: &[RayFilter],
        memory: &mut PacketMemory,
        answers: &mut [C::Answer],
    ) {
        let (packet, mut reach) = RayPacket::new(boxes.lanes(), side_by_side);
        let PacketMemory { stack, candidates, in_instance } = memory;
        let lines = self.has_instances().then(|| PacketLines::new(rays));
        let mut under_way = RaysUnderWay {
            rays,
            filters,
            t_max: side_by_side.t_max.map(f64::from),
            collectors: array::from_fn(|_| C::new()),
            lines,
        };
        let packet = &packet;
        let space = self.top_level();
        let cast = PacketCast {
            boxes,
            tracer: self,
            space,
            lines: None,
            packet,
            under_way: &mut under_way,
            candidates,
        };
        let mut cast = WorldPacketCast { cast, in_instance };
        for leaf in 0..space.leaves.unbounded() {
            let lanes = cast.cast.unfiltered(leaf);
            match cast.instance(leaf) {
                None => cast.cast.meet_all(leaf, lanes, &mut reach),
                Some(instance) => cast.meet_instance(&instance, lanes, &mut reach),
            }
        }
        let world = filters.first().map_or(0, |filter| filter.world);
        let tree = self.packed.tree();
        tree.traverse_packet(boxes, packet, world, &mut reach, stack, &mut cast);
        cast.cast.meet_candidates(&reach);
        for (answer, collector) in answers.iter_mut().zip(&mut under_way.collectors) {
            *answer = mem::replace(collector, C::new()).answer(self.packed.all_worlds());
        }
    }
}

#[cfg(test)]
mod tests;
