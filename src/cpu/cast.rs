//! The cast of single rays through the tree.

use super::bounding_sphere::SphereTestRay;
use super::hit_collector::HitCollector;
use super::instances::WorldRay;
use super::tracer::CpuTracer;
use crate::bvh::{BoxTester, INTERLEAVED_RAYS, Portable, RayFeeder, Start, TraversalState};
use crate::query::RayFilter;
use crate::ray::{Line, NONE, Ray};

/// A ray under way, and the hits that it has so far.
pub(super) struct Cast<C> {
    line: Line,
    sphere_test_ray: SphereTestRay,
    filter: RayFilter,
    t_min: f64,
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
    fn new(ray: &Ray, filter: RayFilter) -> Self {
        Self {
            line: ray.line(),
            sphere_test_ray: SphereTestRay::of(ray),
            filter,
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
            collector: C::new(),
        }
    }

    /// Intersects the items that have no box, as planes have none.
    #[inline(always)]
    fn meet_unbounded(&mut self, caster: &mut Caster<'_, impl BoxTester>) {
        for leaf in 0..caster.tracer.leaves.unbounded() {
            self.meet(caster, leaf);
        }
    }

    /// Intersects the item at a leaf index of the tree, and returns the largest t that is still of
    /// interest.
    #[inline(always)]
    fn visit(&mut self, caster: &mut Caster<'_, impl BoxTester>, leaf_index: u32) -> f64 {
        let leaf = caster.tracer.leaves.index_of(leaf_index);
        if !caster.tracer.leaves.is_missed(leaf, &self.sphere_test_ray) {
            self.meet(caster, leaf);
        }
        self.t_max
    }

    /// Intersects an item.
    #[inline(always)]
    fn meet(&mut self, caster: &mut Caster<'_, impl BoxTester>, leaf: usize) {
        let Self { line, filter, collector, .. } = self;
        let tracer = caster.tracer;
        let interval = [self.t_min, self.t_max];
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
    let mut cast = Cast::new(ray, RayFilter::ALL);
    cast.meet_unbounded(&mut caster);
    let tree = tracer.packed.tree();
    if let Some(start) = tree.start(ray, cast.t_max, RayFilter::ALL.world) {
        let state = &mut TraversalState::default();
        let visit = |leaf_index| cast.visit(&mut caster, leaf_index);
        tree.traverse_one(Portable, state, start, C::ENDS_EARLY, visit);
    }
    cast.collector
}

/// Feeds a traversal with rays, and collects their hits.
pub(super) struct Casts<'a, B, C, R, D> {
    caster: Caster<'a, B>,
    /// The rays, all valid, each with its index in the batch.
    rays: R,
    lanes: [Option<(usize, Cast<C>)>; INTERLEAVED_RAYS],
    /// Receives the index and the collector of each ray that is done.
    done: D,
}

impl<'a, B, C, R, D> Casts<'a, B, C, R, D> {
    pub fn new(tracer: &'a CpuTracer, boxes: B, rays: R, done: D) -> Self {
        let caster = Caster { tracer, boxes, state: TraversalState::default() };
        Self { caster, rays, lanes: [const { None }; INTERLEAVED_RAYS], done }
    }
}

impl<B, C, R, D> RayFeeder for Casts<'_, B, C, R, D>
where
    B: BoxTester,
    C: HitCollector,
    R: Iterator<Item = (usize, Ray, RayFilter)>,
    D: FnMut(usize, C),
{
    const ENDS_EARLY: bool = C::ENDS_EARLY;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        loop {
            if let Some((index, cast)) = self.lanes[lane].take() {
                (self.done)(index, cast.collector);
            }
            let (index, ray, filter) = self.rays.next()?;
            // The ray is prepared where it stays, because it would take long to move.
            let (_, cast) = self.lanes[lane].insert((index, Cast::new(&ray, filter)));
            cast.meet_unbounded(&mut self.caster);
            let start = self.caster.tracer.packed.tree().start(&ray, cast.t_max, filter.world);
            if start.is_some() {
                return start;
            }
        }
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        match &mut self.lanes[lane] {
            Some((_, cast)) => cast.visit(&mut self.caster, leaf_index),
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
