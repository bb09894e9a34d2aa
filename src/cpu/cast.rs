//! The cast of single rays through the tree.

use super::hit_collector::HitCollector;
use super::instances::WorldRay;
use super::line_in_float32::LineInFloat32;
use super::tracer::CpuTracer;
use super::triangle_sieve::TriangleSieve;
use crate::bvh::{
    BoxTester, INTERLEAVED_RAYS, PACKET, Portable, RayFeeder, RayLanes, Start, TraversalLanes,
    TraversalState, take_lowest,
};
use crate::query::RayFilter;
use crate::ray::{NONE, Ray};
use std::array;

/// A ray under way, and the hits that it has so far.
pub(super) struct Cast<C> {
    line_in_float32: LineInFloat32,
    filter: RayFilter,
    /// The largest t that is still of interest.
    t_max: f64,
    collector: C,
}

/// A tracer, with what it takes to traverse an instance.
struct Caster<'a, B> {
    tracer: &'a CpuTracer,
    boxes: B,
    state: TraversalState,
}

impl<C: HitCollector> Cast<C> {
    #[inline(always)]
    fn new(ray: &Ray, line_in_float32: LineInFloat32, filter: RayFilter) -> Self {
        Self { line_in_float32, filter, t_max: ray.t_max.into(), collector: C::new() }
    }

    /// Intersects the items that have no box, as planes have none.
    #[inline(always)]
    fn meet_unbounded(&mut self, caster: &mut Caster<'_, impl BoxTester>, ray: &Ray) {
        for leaf in 0..caster.tracer.leaves.unbounded() {
            self.meet(caster, ray, leaf);
        }
    }

    /// Intersects the item at a leaf index of the tree, and returns the largest t that is still of
    /// interest.
    #[inline(always)]
    fn visit(
        &mut self,
        caster: &mut Caster<'_, impl BoxTester>,
        ray: &Ray,
        leaf_index: u32,
    ) -> f64 {
        let leaf = caster.tracer.leaves.index_of(leaf_index);
        if !caster.tracer.leaves.is_missed(leaf, &self.line_in_float32) {
            self.meet(caster, ray, leaf);
        }
        self.t_max
    }

    /// Intersects an item.
    #[inline(always)]
    fn meet(&mut self, caster: &mut Caster<'_, impl BoxTester>, ray: &Ray, leaf: usize) {
        let Self { filter, collector, .. } = self;
        let tracer = caster.tracer;
        let line = &ray.line();
        let interval = [ray.t_min.into(), self.t_max];
        if tracer.has_instances()
            && let Some(instance) = tracer.leaves.instance(leaf)
        {
            let Caster { boxes, state, .. } = caster;
            let ray = WorldRay { line, filter, interval };
            self.t_max = tracer.meet_instance(*boxes, state, instance, ray, collector);
        } else if tracer.leaves.may_be_hit(leaf, filter, NONE) {
            self.t_max = collector.meet(tracer.top_level(), leaf, line, interval);
        }
    }
}

/// Casts one valid ray that may hit everything, and returns what it met.
pub(super) fn cast_one<C: HitCollector>(tracer: &CpuTracer, ray: &Ray) -> C {
    let mut caster = Caster { tracer, boxes: Portable, state: TraversalState::default() };
    let mut cast = Cast::new(ray, LineInFloat32::of(ray), RayFilter::ALL);
    cast.meet_unbounded(&mut caster, ray);
    let tree = tracer.packed.tree();
    if let Some(start) = tree.start(ray, cast.t_max, RayFilter::ALL.world) {
        let state = &mut TraversalState::default();
        let visit = |leaf_index| cast.visit(&mut caster, ray, leaf_index);
        tree.traverse_one(Portable, state, start, C::ENDS_EARLY, visit);
    }
    cast.collector
}

/// Rays of which one thread casts some, sixteen that stand side by side at a time.
pub(super) struct Casts<'a, B, C, D> {
    caster: Caster<'a, B>,
    rays: &'a [Ray],
    /// One filter for each ray; none if all rays may hit everything.
    filters: &'a [RayFilter],
    /// The index of the first ray of each sixteen that are still to be cast.
    firsts: std::vec::IntoIter<usize>,
    /// Those that are cast now: the first one's index, and a bit for each that is still to be cast.
    first: usize,
    left: u32,
    prepared: TraversalLanes,
    lanes: [Option<(usize, Cast<C>)>; INTERLEAVED_RAYS],
    /// Receives the index and the collector of each ray that is done.
    done: D,
}

impl<'a, B: BoxTester, C, D> Casts<'a, B, C, D> {
    pub fn new(
        tracer: &'a CpuTracer,
        boxes: B,
        (rays, filters): (&'a [Ray], &'a [RayFilter]),
        firsts: Vec<usize>,
        done: D,
    ) -> Self {
        Self {
            caster: Caster { tracer, boxes, state: TraversalState::default() },
            rays,
            filters,
            firsts: firsts.into_iter(),
            first: 0,
            left: 0,
            prepared: TraversalLanes::default(),
            lanes: [const { None }; INTERLEAVED_RAYS],
            done,
        }
    }

    /// Prepares the next sixteen rays; false if there are none.
    #[inline(always)]
    fn prepare(&mut self) -> bool {
        let Some(first) = self.firsts.next() else { return false };
        let rays = &self.rays[first..self.rays.len().min(first + PACKET)];
        let lanes = self.caster.boxes.lanes();
        let side_by_side = match rays.try_into() {
            Ok(rays) => RayLanes::new(rays),
            // An invalid ray stands for each that is missing.
            Err(_) => RayLanes::new(&array::from_fn(|lane| {
                rays.get(lane).copied().unwrap_or(Ray::new([f32::NAN; 3], [0.0; 3]))
            })),
        };
        self.left = side_by_side.surely_valid(lanes);
        if self.left != (1 << PACKET) - 1 {
            let valid = |(lane, ray): (usize, &Ray)| u32::from(ray.is_valid()) << lane;
            self.left |= rays.iter().enumerate().map(valid).sum::<u32>();
        }
        self.prepared = TraversalLanes::new(lanes, &side_by_side);
        self.first = first;
        true
    }
}

impl<B, C, D> RayFeeder for Casts<'_, B, C, D>
where
    B: BoxTester + TriangleSieve,
    C: HitCollector,
    D: FnMut(usize, C),
{
    const ENDS_EARLY: bool = C::ENDS_EARLY;

    #[inline(always)]
    fn next(&mut self, lane: usize, start: &mut Start) -> bool {
        loop {
            if let Some((index, cast)) = self.lanes[lane].take() {
                (self.done)(index, cast.collector);
            }
            while self.left == 0 {
                if !self.prepare() {
                    return false;
                }
            }
            let number = take_lowest(&mut self.left) as usize;
            let index = self.first + number;
            let ray = &self.rays[index];
            let direction = self.prepared.start(number, start);
            let line_in_float32 = LineInFloat32::new(ray.origin, direction);
            let filter = self.filters.get(index).copied().unwrap_or(RayFilter::ALL);
            // The cast is made where it stays, because it would take long to move.
            let (_, cast) =
                self.lanes[lane].insert((index, Cast::new(ray, line_in_float32, filter)));
            let Caster { tracer, .. } = self.caster;
            if tracer.leaves.unbounded() > 0 {
                cast.meet_unbounded(&mut self.caster, ray);
                start.reach = start.ray.reach(cast.t_max);
            }
            if let Some(root) = tracer.packed.tree().root(filter.world) {
                start.node = root;
                return true;
            }
        }
    }

    #[inline(always)]
    fn sift(&self, lane: usize, first: u32, leaves: u32) -> u32 {
        let Caster { tracer, boxes, .. } = &self.caster;
        match &self.lanes[lane] {
            Some((_, cast)) => {
                let first = tracer.leaves.index_of(first);
                tracer.leaves.triangles().sift(*boxes, &cast.line_in_float32, first, leaves)
            }
            None => 0,
        }
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        match &mut self.lanes[lane] {
            Some((index, cast)) => cast.visit(&mut self.caster, &self.rays[*index], leaf_index),
            // A lane without a ray is not traversed.
            None => f64::NEG_INFINITY,
        }
    }

    #[inline(always)]
    fn prefetch(&self, leaf_index: u32) {
        let leaves = &self.caster.tracer.leaves;
        leaves.prefetch(leaves.index_of(leaf_index));
    }
}
