//! The cast of single rays through the tree.

use super::bounding_sphere::SphereTestRay;
use super::hit_collector::HitCollector;
use super::leaves::Leaves;
use super::tracer::CpuTracer;
use crate::bvh::{INTERLEAVED_RAYS, RayFeeder, Start};
use crate::query::RayFilter;
use crate::ray::{Line, Ray};

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

impl<C: HitCollector> Cast<C> {
    /// Starts a ray by intersecting the items that have no box, as planes have none.
    #[inline(always)]
    fn begin(leaves: &Leaves, ray: &Ray, filter: RayFilter) -> Self {
        let mut cast = Self {
            line: ray.line(),
            sphere_test_ray: SphereTestRay::of(ray),
            filter,
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
            collector: C::new(),
        };
        for leaf in 0..leaves.unbounded() {
            cast.meet(leaves, leaf);
        }
        cast
    }

    /// Intersects the item at a leaf index of the tree, and returns the largest t that is still of interest.
    #[inline(always)]
    fn visit(&mut self, leaves: &Leaves, leaf_index: u32) -> f64 {
        let leaf = leaves.index_of(leaf_index);
        if !leaves.is_missed(leaf, &self.sphere_test_ray) {
            self.meet(leaves, leaf);
        }
        self.t_max
    }

    /// Intersects an item.
    #[inline(always)]
    fn meet(&mut self, leaves: &Leaves, leaf: usize) {
        if leaves.may_be_hit(leaf, &self.filter) {
            let interval = [self.t_min, self.t_max];
            self.t_max = self.collector.meet(leaves, leaf, &self.line, interval);
        }
    }
}

/// Feeds a traversal with rays, and collects their hits.
pub(super) struct Casts<'a, C, R, D> {
    tracer: &'a CpuTracer,
    /// The rays, all valid, each with its index in the batch.
    rays: R,
    lanes: [Option<(usize, Cast<C>)>; INTERLEAVED_RAYS],
    /// Receives the index and the collector of each ray that is done.
    done: D,
}

impl<'a, C, R, D> Casts<'a, C, R, D> {
    pub fn new(tracer: &'a CpuTracer, rays: R, done: D) -> Self {
        Self { tracer, rays, lanes: [const { None }; INTERLEAVED_RAYS], done }
    }
}

impl<C, R, D> RayFeeder for Casts<'_, C, R, D>
where
    C: HitCollector,
    R: Iterator<Item = (usize, Ray, RayFilter)>,
    D: FnMut(usize, C),
{
    const ENDS_EARLY: bool = C::ENDS_EARLY;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        if let Some((index, cast)) = self.lanes[lane].take() {
            (self.done)(index, cast.collector);
        }
        loop {
            let (index, ray, filter) = self.rays.next()?;
            let cast = Cast::begin(&self.tracer.leaves, &ray, filter);
            if let Some(start) = self.tracer.packed.tree().start(&ray, cast.t_max, 0.0) {
                self.lanes[lane] = Some((index, cast));
                return Some(start);
            }
            (self.done)(index, cast.collector);
        }
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        match &mut self.lanes[lane] {
            Some((_, cast)) => cast.visit(&self.tracer.leaves, leaf_index),
            // A lane without a ray is not traversed.
            None => f64::NEG_INFINITY,
        }
    }
}
