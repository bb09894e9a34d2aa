//! Finds the solids that contain a point: the crossings of a line through the point show it for each solid.

use super::leaves::PreparedItem;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::geometry::Geometry;
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
    /// Returns the solids that contain a valid ray's point at a finite t. Half-spaces are not among them.
    pub(super) fn containment(&self, ray: &Ray, t: f32, filter: &RayFilter) -> Containment {
        let mut containment = Containment::NOTHING;
        let line = ray.line();
        let here = f64::from(t);
        self.for_each_near(&line, [here, here], 0.0, filter.world, &mut |space, leaf, line| {
            if space.leaves.may_be_hit(leaf, filter, space.instance) {
                self.add_container(space, leaf, line, here, &mut containment);
            }
        });
        if self.has_closed_mesh {
            self.for_each_mesh_around(&line, here, filter, |id| containment.add(id));
        }
        containment
    }

    /// Adds an item if it is a solid by itself that contains the point at t of a line in its space.
    pub(super) fn add_container(
        &self,
        space: Space<'_>,
        leaf: usize,
        line: &Line,
        t: f64,
        containment: &mut Containment,
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
            let [geometry_id, _] = self.ids_in(space, leaf);
            containment.add(geometry_id);
        }
    }

    /// Adds the closed meshes and the half-spaces that contain a finite point.
    pub(super) fn add_other_containers(&self, point: [f32; 3], containment: &mut Containment) {
        let upwards = Ray::upwards(point).line();
        for leaf in 0..self.leaves.unbounded() {
            match self.leaves.instance(leaf) {
                None => self.add_half_space(self.world(), leaf, upwards.origin, containment),
                Some(instance) => {
                    let space = self.space_of(instance);
                    let point = instance.object_from_world.point(upwards.origin);
                    for leaf in 0..space.leaves.unbounded() {
                        self.add_half_space(space, leaf, point, containment);
                    }
                }
            }
        }
        if self.has_closed_mesh {
            self.for_each_mesh_around(&upwards, 0.0, &RayFilter::ALL, |id| containment.add(id));
        }
    }

    fn add_half_space(
        &self,
        space: Space<'_>,
        leaf: usize,
        point: DVec3,
        containment: &mut Containment,
    ) {
        let shape = space.leaves.geometry(leaf).and_then(|geometry| geometry.shape(0));
        if shape.is_some_and(|shape| shape.half_space_holds(point)) {
            containment.add(self.ids_in(space, leaf)[0]);
        }
    }

    /// Calls `visit` with the answer to each of these rays of a solid batch that starts in or on a solid, and the lowest
    /// such solid.
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
            let ray = &batch.rays()[index];
            if ray.is_valid() && ray.t_min.is_finite() {
                let filter = RayFilter::new(&batch, index, self.packed.all_worlds());
                match self.containment(ray, ray.t_min, &filter).lowest_id {
                    NONE => {}
                    lowest_id => visit(answer, ray, lowest_id),
                }
            }
        });
    }

    /// Calls `visit` with the id of each closed mesh that the line leaves more often than it enters, from t on, or that
    /// it touches at t.
    fn for_each_mesh_around(
        &self,
        line: &Line,
        t: f64,
        filter: &RayFilter,
        mut visit: impl FnMut(u32),
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
                // Rounding moves a point on a slanted triangle by this much.
                let rounding = 1e-14 * (primitive.radius() + point.length());
                primitive.closest_point(point).distance(point) <= rounding
            });
            let is_odd = triangle.own_crossings(line).within(onwards).count() % 2 == 1;
            if is_on || is_odd {
                let mesh = passed.entry(self.ids_in(space, leaf)[0]).or_default();
                mesh.is_on |= is_on;
                mesh.is_odd ^= is_odd;
            }
        });
        let around = passed.iter().filter(|(_, mesh)| mesh.is_on || mesh.is_odd);
        around.for_each(|(geometry_id, _)| visit(*geometry_id));
    }
}

/// Moves the hit of a ray that starts in or on a solid to its start.
pub(super) fn hit_at_start(hit: &mut Hit, ray: &Ray, geometry_id: u32) {
    *hit = Hit { t: ray.t_min, geometry_id, primitive_id: 0 };
}

/// Occludes a ray that starts in or on a solid.
pub(super) fn occlude_at_start(is_occluded: &mut bool, _: &Ray, _: u32) {
    *is_occluded = true;
}

/// A closed mesh that a ray passes.
#[derive(Clone, Copy, Default)]
struct PassedMesh {
    is_on: bool,
    is_odd: bool,
}
