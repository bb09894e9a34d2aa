//! The cast into an instance: the ray is taken into the space of its definition, whose tree is
//! traversed there. The direction is not normalised, so t is the same in both spaces.

use super::hit_collector::HitCollector;
use super::leaves::{LeafInstance, Leaves};
use super::line_in_float32::LineInFloat32;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::bvh::{BoxTester, Portable, TraversalState};
use crate::query::RayFilter;
use crate::ray::{Line, NONE};
use pulp::Simd;

/// A ray of world space that meets an instance.
#[derive(Clone, Copy)]
pub(super) struct WorldRay<'a> {
    pub line: &'a Line,
    pub filter: &'a RayFilter,
    /// The interval of t that is still of interest.
    pub interval: [f64; 2],
}

impl CpuTracer {
    /// Returns the items of the scene's own.
    #[inline(always)]
    pub(super) fn top_level(&self) -> Space<'_> {
        Space { leaves: &self.leaves, scene: self.packed.all_worlds(), instance: NONE }
    }

    #[inline(always)]
    pub(super) fn space_of(&self, instance: &LeafInstance) -> Space<'_> {
        let leaves = &self.definitions[instance.definition as usize];
        Space { leaves, scene: self.packed.all_worlds(), instance: instance.index }
    }

    /// Intersects everything in an instance with a line of world space, and returns the largest t
    /// that is still of interest.
    #[inline(always)]
    pub(super) fn meet_instance<C: HitCollector, B: BoxTester>(
        &self,
        boxes: B,
        state: &mut TraversalState,
        instance: &LeafInstance,
        ray: WorldRay<'_>,
        collector: &mut C,
    ) -> f64 {
        let tracer = self;
        boxes.lanes().vectorize(InstanceCast { tracer, boxes, state, instance, ray, collector })
    }
}

/// The cast of one ray into an instance, a function of its own that is compiled for the processor's
/// instructions.
struct InstanceCast<'a, C, B> {
    tracer: &'a CpuTracer,
    boxes: B,
    state: &'a mut TraversalState,
    instance: &'a LeafInstance,
    ray: WorldRay<'a>,
    collector: &'a mut C,
}

impl<C: HitCollector, B: BoxTester> pulp::NullaryFnOnce for InstanceCast<'_, C, B> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Self { tracer, boxes, state, instance, ray, collector } = self;
        let WorldRay { line, filter, interval: [t_min, t_max] } = ray;
        let space = tracer.space_of(instance);
        let line = instance.object_from_world.line(line);
        let mut t_max = t_max;
        let mut meet = |leaf: usize, t_max: &mut f64| {
            if space.leaves.may_be_hit(leaf, filter, space.instance) {
                let interval = [t_min, *t_max];
                *t_max = collector.meet(space, leaf, &line, interval);
            }
        };
        // A box and a sphere around the one item were met in world space.
        if let Some(leaf) = space.leaves.only() {
            meet(leaf, &mut t_max);
            return t_max;
        }
        for leaf in 0..space.leaves.unbounded() {
            meet(leaf, &mut t_max);
        }
        let tree = space.leaves.tree();
        let Some(start) = tree.start_line(&line, [t_min, t_max], 0.0, 0) else { return t_max };
        let sphere_test_ray = LineInFloat32::of_line(&line);
        tree.traverse_one(boxes, state, start, C::ENDS_EARLY, |leaf_index| {
            let leaf = space.leaves.index_of(leaf_index);
            if !space.leaves.is_missed(leaf, &sphere_test_ray) {
                meet(leaf, &mut t_max);
            }
            t_max
        });
        t_max
    }
}

impl CpuTracer {
    /// Visits every item of a world and of its instances whose box, grown by `pad`, a line meets in
    /// a closed interval, each with the line in the item's space. Items without a box are left out,
    /// but not those of instances.
    pub(super) fn for_each_near<'a>(
        &'a self,
        line: &Line,
        interval: [f64; 2],
        pad: f64,
        ray_world: u32,
        visit: &mut dyn FnMut(Space<'a>, usize, &Line),
    ) {
        let world = self.top_level();
        let unbounded = 0..world.leaves.unbounded();
        let unbounded = unbounded.filter(|&leaf| world.leaves.instance(leaf).is_some());
        let mut found: Vec<usize> = unbounded.collect();
        near_in(world.leaves, line, interval, (pad, ray_world), &mut |leaf| found.push(leaf));
        for leaf in found {
            let Some(instance) = world.leaves.instance(leaf) else {
                visit(world, leaf, line);
                continue;
            };
            let space = self.space_of(instance);
            let line = instance.object_from_world.line(line);
            for leaf in 0..space.leaves.unbounded() {
                visit(space, leaf, &line);
            }
            let pad = pad / space.least_stretch();
            near_in(space.leaves, &line, interval, (pad, 0), &mut |leaf| visit(space, leaf, &line));
        }
    }
}

/// Visits every item of one tree whose box, grown by `pad`, a line of a world meets in a closed
/// interval.
fn near_in(
    leaves: &Leaves,
    line: &Line,
    [t_min, t_max]: [f64; 2],
    (pad, world): (f64, u32),
    visit: &mut dyn FnMut(usize),
) {
    let tree = leaves.tree();
    let Some(start) = tree.start_line(line, [t_min, t_max], pad, world) else { return };
    tree.traverse_one(Portable, &mut TraversalState::default(), start, false, |leaf_index| {
        visit(leaves.index_of(leaf_index));
        t_max
    });
}
