//! Finds the solids that contain a point: the crossings of a line through the point show it for
//! each solid. For a closed mesh it is the parity of the crossings ahead, or a triangle at distance
//! zero, because a ray that runs in a face does not cross it.

use super::leaves::PreparedItem;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::geometry::{Geometry, Primitive};
use crate::query::{Batch, RayFilter};
use crate::ray::{Hit, Line, NONE, Ray};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The solids that contain a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Containment {
    pub count: u32,
    /// The lowest `geometry_id` of them, [`NONE`] if there are none.
    pub lowest_id: u32,
}

impl Containment {
    pub const NOTHING: Self = Self { count: 0, lowest_id: NONE };

    pub fn add(&mut self, geometry_id: u32) {
        self.count += 1;
        self.lowest_id = self.lowest_id.min(geometry_id);
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
            if space.leaves.may_be_hit(leaf, filter, space.instance) {
                self.visit_container(space, leaf, line, here, visit);
            }
        });
        if self.has_closed_mesh {
            self.for_each_mesh_around(&line, here, filter, visit);
        }
    }

    /// Calls `visit` with the id of an item if it is a solid by itself that contains the point at t
    /// of a line in its space.
    pub(super) fn visit_container(
        &self,
        space: Space<'_>,
        leaf: usize,
        line: &Line,
        t: f64,
        visit: &mut dyn FnMut(u32),
    ) {
        let is_inside = match space.leaves.item(leaf) {
            PreparedItem::Shape(shape) => {
                space.leaves.geometry(leaf).is_some_and(Geometry::is_solid)
                    && shape.crossings(line).hold(t)
            }
            PreparedItem::Heightfield(field) => field.holds(line.at(t)),
            PreparedItem::Nothing | PreparedItem::MeshTriangle | PreparedItem::Instance(_) => false,
        };
        if is_inside {
            let [geometry_id, _] = space.ids(leaf);
            visit(geometry_id);
        }
    }

    /// Calls `visit` with the id of each closed mesh and half-space that contains a finite point.
    pub(super) fn visit_other_containers(&self, point: [f32; 3], visit: &mut dyn FnMut(u32)) {
        let upwards = Ray::upwards(point).line();
        for leaf in 0..self.leaves.unbounded() {
            match self.leaves.instance(leaf) {
                None => self.visit_half_space(self.top_level(), leaf, upwards.origin, visit),
                Some(instance) => {
                    let space = self.space_of(instance);
                    let point = instance.object_from_world.point(upwards.origin);
                    for leaf in 0..space.leaves.unbounded() {
                        self.visit_half_space(space, leaf, point, visit);
                    }
                }
            }
        }
        if self.has_closed_mesh {
            self.for_each_mesh_around(&upwards, 0.0, &RayFilter::ALL, visit);
        }
    }

    fn visit_half_space(
        &self,
        space: Space<'_>,
        leaf: usize,
        point: DVec3,
        visit: &mut dyn FnMut(u32),
    ) {
        let shape = space.leaves.geometry(leaf).and_then(|geometry| geometry.shape(0));
        if shape.is_some_and(|shape| shape.half_space_holds(point)) {
            visit(space.ids(leaf)[0]);
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
            let Some(mesh) = space.leaves.geometry(leaf).filter(|mesh| mesh.is_solid()) else {
                return;
            };
            let [_, primitive_id] = space.leaves.ids(leaf);
            let point = line.at(t);
            // A ray in the plane of a triangle does not cross it.
            let is_on = mesh.primitive(primitive_id).is_some_and(|primitive| {
                primitive.closest_point(point).distance(point)
                    <= rounding_of_point(&primitive, point)
            });
            let is_odd = triangle.own_crossings(line).within(onwards).count() % 2 == 1;
            if is_on || is_odd {
                let mesh = passed.entry(space.ids(leaf)[0]).or_default();
                mesh.is_on |= is_on;
                mesh.is_odd ^= is_odd;
            }
        });
        let around = passed.iter().filter(|(_, mesh)| mesh.is_on || mesh.is_odd);
        around.for_each(|(geometry_id, _)| visit(*geometry_id));
    }
}

/// Returns how far rounding moves a point that lies on a slanted triangle.
pub(super) fn rounding_of_point(triangle: &Primitive, point: DVec3) -> f64 {
    1e-14 * (triangle.radius() + point.length())
}

/// Moves the hit of a ray that starts in or on a solid to its start.
pub(super) fn hit_at_start(hit: &mut Hit, ray: &Ray, geometry_id: u32) {
    *hit = Hit { t: ray.t_min, geometry_id, primitive_id: 0 };
}

pub(super) fn occlude_at_start(is_occluded: &mut bool, _: &Ray, _: u32) {
    *is_occluded = true;
}

/// A closed mesh that a ray passes.
#[derive(Clone, Copy, Default)]
struct PassedMesh {
    is_on: bool,
    is_odd: bool,
}
