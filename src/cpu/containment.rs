//! Finds the solids that contain a point: the crossings of a line through the point show it for
//! each solid. For a closed mesh it is the parity of the crossings ahead, or a triangle at distance
//! zero, because a ray that runs in a face does not cross it.

use super::hit_collector::LeafHit;
use super::leaves::PreparedItem;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::geometry::{Geometry, Primitive};
use crate::query::{Batch, Containment, RayFilter};
use crate::ray::{Hit, Line, NONE, Ray};
use crate::shapes::PreparedTriangle;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is kept of the solids that contain a point.
pub(super) trait ContainerSet: Clone + Send {
    const NOTHING: Self;

    fn add(&mut self, geometry_id: u32);
}

impl ContainerSet for Containment {
    const NOTHING: Self = Self::NOTHING;

    fn add(&mut self, geometry_id: u32) {
        Self::add(self, geometry_id);
    }
}

/// All of their ids.
impl ContainerSet for Vec<u32> {
    const NOTHING: Self = Self::new();

    fn add(&mut self, geometry_id: u32) {
        self.push(geometry_id);
    }
}

impl CpuTracer {
    /// Calls `visit` with the id of each solid that contains a valid ray's point at a finite t.
    /// Half-spaces are not among them.
    pub fn for_each_container(
        &self,
        ray: &Ray,
        t: f32,
        filter: &RayFilter,
        visit: &mut dyn FnMut(u32),
    ) {
        let line = ray.line();
        let here = f64::from(t);
        self.for_each_near(&line, [here, here], 0.0, filter.world, &mut |space, leaf, line| {
            let may_be_hit = space.leaves.may_be_hit(leaf, filter, space.instance);
            if may_be_hit && holds(space, leaf, line, here) {
                visit(space.ids(leaf)[0]);
            }
        });
        if self.has_closed_mesh {
            self.for_each_mesh_around(&line, here, filter, visit);
        }
    }

    /// Returns the solids that contain a valid point, item by item.
    pub(super) fn containers_of<K: ContainerSet>(&self, point: [f32; 3]) -> K {
        let upwards = Ray::upwards(point).line();
        let mut containers = K::NOTHING;
        let world = RayFilter::ALL.world;
        self.for_each_near(&upwards, [0.0; 2], 0.0, world, &mut |space, leaf, line| {
            if holds(space, leaf, line, 0.0) {
                containers.add(space.ids(leaf)[0]);
            }
        });
        self.visit_other_containers(point, &mut |id| containers.add(id));
        containers
    }

    /// Calls `visit` with the id of each closed mesh and half-space that contains a finite point.
    pub(super) fn visit_other_containers(&self, point: [f32; 3], visit: &mut dyn FnMut(u32)) {
        let upwards = Ray::upwards(point).line();
        let mut visit_half_space = |space: Space<'_>, leaf: usize, point: DVec3| {
            if half_space_holds(space, leaf, point) {
                visit(space.ids(leaf)[0]);
            }
        };
        for leaf in 0..self.leaves.unbounded() {
            match self.leaves.instance(leaf) {
                None => visit_half_space(self.top_level(), leaf, upwards.origin),
                Some(instance) => {
                    let space = self.space_of(instance);
                    let point = instance.object_from_world.point(upwards.origin);
                    for leaf in 0..space.leaves.unbounded() {
                        visit_half_space(space, leaf, point);
                    }
                }
            }
        }
        if self.has_closed_mesh {
            self.for_each_mesh_around(&upwards, 0.0, &RayFilter::ALL, visit);
        }
    }

    /// Calls `visit` with the answer to each of these rays of a solid batch that starts in or on a
    /// solid, and the lowest such solid.
    pub(super) fn for_each_start_inside<T, I>(
        &self,
        batch: Batch<'_>,
        rays: I,
        answers: &mut [T],
        visit: impl Fn(&mut T, &Ray, u32) + Sync,
    ) where
        T: Send,
        I: IntoParallelIterator<Item = usize, Iter: IndexedParallelIterator>,
    {
        if !batch.is_solid() {
            return;
        }
        rays.into_par_iter().zip(answers).for_each(|(index, answer)| {
            let ray = &batch.ray(index);
            if ray.is_valid() && ray.t_min.is_finite() {
                let filter = batch.ray_filter(index, self.packed.all_worlds());
                let mut lowest_id = NONE;
                self.for_each_container(ray, ray.t_min, &filter, &mut |id| {
                    lowest_id = lowest_id.min(id);
                });
                if lowest_id != NONE {
                    visit(answer, ray, lowest_id);
                }
            }
        });
    }

    /// Calls `visit` with the id of each closed mesh that the line leaves more often than it
    /// enters, from t on, or that it touches at t.
    fn for_each_mesh_around(
        &self,
        line: &Line,
        t: f64,
        filter: &RayFilter,
        visit: &mut dyn FnMut(u32),
    ) {
        let onwards = [t, f64::INFINITY];
        let mut passed = BTreeMap::<u32, PassedMesh>::new();
        self.for_each_near(line, onwards, 0.0, filter.world, &mut |space, leaf, line| {
            if !space.leaves.may_be_hit(leaf, filter, space.instance) {
                return;
            }
            let Some(triangle) = space.leaves.triangle(leaf) else { return };
            if let Some(PassedMesh { is_on, is_odd }) = passed_mesh(space, leaf, triangle, line, t)
            {
                let mesh = passed.entry(space.ids(leaf)[0]).or_default();
                mesh.is_on |= is_on;
                mesh.is_odd ^= is_odd;
            }
        });
        let around = passed.iter().filter(|(_, mesh)| mesh.is_on || mesh.is_odd);
        around.for_each(|(geometry_id, _)| visit(*geometry_id));
    }
}

/// Returns true if an item is a solid by itself that contains the point at t of a line in its
/// space.
pub(super) fn holds(space: Space<'_>, leaf: usize, line: &Line, t: f64) -> bool {
    match space.leaves.item(leaf) {
        PreparedItem::Shape(shape) => {
            space.leaves.geometry(leaf).is_some_and(Geometry::is_solid)
                && shape.crossings(line).hold(t)
        }
        PreparedItem::Heightfield(field) => field.holds(line.at(t)),
        PreparedItem::Nothing | PreparedItem::MeshTriangle | PreparedItem::Instance(_) => false,
    }
}

/// Returns true if an item without a box is a plane, and the half-space behind it holds a point of
/// its space.
pub(super) fn half_space_holds(space: Space<'_>, leaf: usize, point: DVec3) -> bool {
    let shape = space.leaves.geometry(leaf).and_then(|geometry| geometry.shape(0));
    shape.is_some_and(|shape| shape.half_space_holds(point))
}

/// Returns how a line passes the triangle of a closed mesh from t on; `None` if it passes it by.
#[inline(always)]
pub(super) fn passed_mesh(
    space: Space<'_>,
    leaf: usize,
    triangle: &PreparedTriangle,
    line: &Line,
    t: f64,
) -> Option<PassedMesh> {
    let point = line.at(t);
    let may_be_on = may_be_on(triangle, point);
    let is_odd = triangle.may_be_crossed(line)
        && triangle.own_crossings(line).within([t, f64::INFINITY]).count() % 2 == 1;
    if !(may_be_on || is_odd) {
        return None;
    }
    let mesh = space.leaves.geometry(leaf).filter(|mesh| mesh.is_solid())?;
    // A ray in the plane of a triangle does not cross it.
    let is_on = may_be_on && {
        let [_, primitive_id] = space.leaves.ids(leaf);
        mesh.primitive(primitive_id).is_some_and(|primitive| {
            primitive.closest_point(point).distance(point) <= rounding_of_point(&primitive, point)
        })
    };
    (is_on || is_odd).then_some(PassedMesh { is_on, is_odd })
}

/// Returns false if a point is so far outside of the box around a triangle that rounding cannot
/// have moved it there.
#[inline(always)]
fn may_be_on(triangle: &PreparedTriangle, point: DVec3) -> bool {
    let [a, b, c] = triangle.corners().map(|corner| Vec3::from(corner).as_dvec3());
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    // The sums are at least the lengths and the radius of which the rounding is a fraction.
    let size = (high - low).element_sum() + point.abs().element_sum();
    let margin = DVec3::splat(2.0 * ROUNDING * size);
    (low - margin).cmple(point).all() && point.cmple(high + margin).all()
}

/// The distance by which rounding moves a point, as a fraction of the sizes that lead to it.
const ROUNDING: f64 = 1e-14;

/// Returns how far rounding moves a point that lies on a slanted triangle.
pub(super) fn rounding_of_point(triangle: &Primitive, point: DVec3) -> f64 {
    ROUNDING * (triangle.radius() + point.length())
}

/// Moves the hit of a ray that starts in or on a solid to its start.
pub(super) fn hit_at_start<T: From<LeafHit>>(answer: &mut T, ray: &Ray, geometry_id: u32) {
    *answer = LeafHit::nowhere(Hit { t: ray.t_min, geometry_id, primitive_id: 0 }).into();
}

pub(super) fn occlude_at_start(is_occluded: &mut bool, _: &Ray, _: u32) {
    *is_occluded = true;
}

/// The crossings of a ray and a closed mesh, from the ray's start on.
#[derive(Clone, Copy, Default)]
pub(super) struct PassedMesh {
    /// True if it starts on the mesh.
    pub is_on: bool,
    /// True if it crosses the mesh an odd number of times.
    pub is_odd: bool,
}
