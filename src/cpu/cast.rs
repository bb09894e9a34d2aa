//! One ray, or a few that go the same way, through the tree.

use super::CpuTracer;
use super::bounding_sphere::SphereTestRay;
use super::hit_collector::HitCollector;
use crate::batch::RayFilter;
use crate::bvh::{BoxTester, INTERLEAVED_RAYS, PACKET, RayFeeder, Stack, Start};
use crate::ray::{Line, Ray};
use arrayvec::ArrayVec;

/// A ray on its way, and what it has met.
pub(super) struct Cast<Q> {
    line: Line,
    sphere_test_ray: SphereTestRay,
    filter: RayFilter,
    t_min: f64,
    /// Up to which there may be more of interest.
    t_max: f64,
    collector: Q,
}

impl<Q: HitCollector> Cast<Q> {
    /// Asks what has no box, as planes have none.
    #[inline(always)]
    fn begin(tracer: &CpuTracer<'_>, ray: &Ray, filter: RayFilter) -> Self {
        let mut cast = Self {
            line: ray.line(),
            sphere_test_ray: SphereTestRay::of(ray),
            filter,
            t_min: ray.t_min.into(),
            t_max: ray.t_max.into(),
            collector: Q::new(),
        };
        for leaf_index in 0..tracer.packed.unbounded {
            cast.meet(tracer, leaf_index);
        }
        cast
    }

    /// Asks what stands at a place of the tree's order; returns up to which t there may be more.
    #[inline(always)]
    fn visit(&mut self, tracer: &CpuTracer<'_>, leaf_index: u32) -> f64 {
        let leaf_index = tracer.packed.unbounded + leaf_index as usize;
        if !tracer.bounding_spheres[leaf_index].is_missed(&self.sphere_test_ray) {
            self.meet(tracer, leaf_index);
        }
        self.t_max
    }

    /// Asks what stands at a place of all, those that have no box first.
    fn meet(&mut self, tracer: &CpuTracer<'_>, leaf_index: usize) {
        if tracer.may_meet(leaf_index, &self.filter) {
            self.t_max =
                self.collector.meet(tracer, leaf_index, &self.line, [self.t_min, self.t_max]);
        }
    }
}

impl CpuTracer<'_> {
    /// What rays find that are walked together.
    #[inline(always)]
    pub(super) fn cast_together<Q: HitCollector>(
        &self,
        lanes: impl BoxTester,
        rays: &[Ray; PACKET],
        filter: impl Fn(usize) -> RayFilter,
        stack: &mut Stack,
    ) -> impl Iterator<Item = Q> {
        // By loops, for what an array's map calls is not compiled for the wide instructions.
        let mut casts = ArrayVec::<Cast<Q>, PACKET>::new();
        let mut t_max = [0.0; PACKET];
        for lane in 0..PACKET {
            let cast = Cast::begin(self, &rays[lane], filter(lane));
            t_max[lane] = cast.t_max;
            casts.push(cast);
        }
        let visit = |leaf_index, lane: usize| casts[lane].visit(self, leaf_index);
        self.packed.tree.walk_together(lanes, rays, &t_max, stack, visit);
        casts.into_iter().map(|cast| cast.collector)
    }
}

/// Rays that are cast some at a time.
pub(super) struct Casts<'a, Q, R, D> {
    tracer: &'a CpuTracer<'a>,
    /// Valid ones, each with its place in the batch.
    rays: R,
    lanes: [Option<(usize, Cast<Q>)>; INTERLEAVED_RAYS],
    /// Is told what each has found.
    done: D,
}

impl<'a, Q, R, D> Casts<'a, Q, R, D> {
    pub fn new(tracer: &'a CpuTracer<'a>, rays: R, done: D) -> Self {
        Self { tracer, rays, lanes: [const { None }; INTERLEAVED_RAYS], done }
    }
}

impl<Q, R, D> RayFeeder for Casts<'_, Q, R, D>
where
    Q: HitCollector,
    R: Iterator<Item = (usize, Ray, RayFilter)>,
    D: FnMut(usize, Q),
{
    const ENDS_EARLY: bool = Q::ENDS_EARLY;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        if let Some((leaf_index, cast)) = self.lanes[lane].take() {
            (self.done)(leaf_index, cast.collector);
        }
        loop {
            let (leaf_index, ray, filter) = self.rays.next()?;
            let cast = Cast::begin(self.tracer, &ray, filter);
            if let Some(start) = self.tracer.packed.tree.start(&ray, cast.t_max, 0.0) {
                self.lanes[lane] = Some((leaf_index, cast));
                return Some(start);
            }
            (self.done)(leaf_index, cast.collector);
        }
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        match &mut self.lanes[lane] {
            Some((_, cast)) => cast.visit(self.tracer, leaf_index),
            // No lane is walked without a ray.
            None => f64::NEG_INFINITY,
        }
    }
}
