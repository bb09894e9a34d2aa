//! Finds the solids that contain a point: the crossings of a line through the point show it for each solid.

use super::leaves::PreparedItem;
use super::single_ray::for_each_near;
use super::tracer::CpuTracer;
use crate::geometry::Geometry;
use crate::query::{Batch, RayFilter};
use crate::ray::{Line, NONE, Ray};
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
        let here = ray.within(t, t);
        self.for_each_near(&here, filter, |leaf| {
            self.add_container(leaf, &line, f64::from(t), &mut containment)
        });
        if self.has_closed_mesh {
            self.for_each_mesh_around(ray, t, filter, |id| containment.add(id));
        }
        containment
    }

    /// Adds an item if it is a solid by itself that contains the line's point at t.
    pub(super) fn add_container(
        &self,
        leaf: usize,
        line: &Line,
        t: f64,
        containment: &mut Containment,
    ) {
        let geometry_id = || self.leaves.ids(leaf)[0];
        let is_inside = match self.leaves.item(leaf) {
            PreparedItem::Shape(shape) => {
                self.packed.scene().geometry(geometry_id()).is_some_and(Geometry::is_solid)
                    && shape.crossings(line).hold(t)
            }
            PreparedItem::Heightfield(field) => field.holds(line.at(t)),
            PreparedItem::Nothing | PreparedItem::MeshTriangle => false,
        };
        if is_inside {
            containment.add(geometry_id());
        }
    }

    /// Adds the closed meshes and the half-spaces that contain a finite point.
    pub(super) fn add_other_containers(&self, point: [f32; 3], containment: &mut Containment) {
        let upwards = Ray::upwards(point);
        for leaf in 0..self.leaves.unbounded() {
            let [geometry_id, primitive_id] = self.leaves.ids(leaf);
            let primitive = self.packed.scene().primitive(geometry_id, primitive_id);
            if primitive
                .is_some_and(|primitive| primitive.half_space_contains(upwards.line().origin))
            {
                containment.add(geometry_id);
            }
        }
        if self.has_closed_mesh {
            self.for_each_mesh_around(&upwards, 0.0, &RayFilter::ALL, |id| containment.add(id));
        }
    }

    /// Calls `visit` with the answer to each ray of a solid batch that starts in or on a solid, and the lowest such
    /// solid.
    pub(super) fn for_each_start_inside<T: Send>(
        &self,
        batch: Batch<'_>,
        answers: &mut [T],
        visit: impl Fn(&mut T, &Ray, u32) + Sync,
    ) {
        if !batch.is_solid() {
            return;
        }
        answers.par_iter_mut().enumerate().for_each(|(index, answer)| {
            let ray = &batch.rays()[index];
            if ray.is_valid() && ray.t_min.is_finite() {
                let filter = RayFilter::new(&batch, index, self.packed.scene().primitive_ids());
                match self.containment(ray, ray.t_min, &filter).lowest_id {
                    NONE => {}
                    lowest_id => visit(answer, ray, lowest_id),
                }
            }
        });
    }

    /// Calls `visit` with the id of each closed mesh that the ray leaves more often than it enters, from t on, or that
    /// it touches at t.
    fn for_each_mesh_around(
        &self,
        ray: &Ray,
        t: f32,
        filter: &RayFilter,
        mut visit: impl FnMut(u32),
    ) {
        let line = ray.line();
        let onwards = [f64::from(t), f64::INFINITY];
        let point = line.at(onwards[0]);
        let mut passed = BTreeMap::<u32, PassedMesh>::new();
        self.for_each_near(&ray.within(t, f32::INFINITY), filter, |leaf| {
            let Some(triangle) = self.leaves.triangle(leaf) else { return };
            let [geometry_id, primitive_id] = self.leaves.ids(leaf);
            let geometry = self.packed.scene().geometry(geometry_id);
            let Some(mesh) = geometry.filter(|mesh| mesh.is_solid()) else { return };
            // A ray in the plane of a triangle does not cross it.
            let is_on = mesh.primitive(primitive_id).is_some_and(|primitive| {
                // Rounding moves a point on a slanted triangle by this much.
                let rounding = 1e-14 * (primitive.radius() + point.length());
                primitive.closest_point(point).distance(point) <= rounding
            });
            let is_odd = triangle.own_crossings(&line).within(onwards).count() % 2 == 1;
            if is_on || is_odd {
                let mesh = passed.entry(geometry_id).or_default();
                mesh.is_on |= is_on;
                mesh.is_odd ^= is_odd;
            }
        });
        let around = passed.iter().filter(|(_, mesh)| mesh.is_on || mesh.is_odd);
        around.for_each(|(geometry_id, _)| visit(*geometry_id));
    }

    /// Visits every item whose box a valid ray meets and which it may hit.
    fn for_each_near(&self, ray: &Ray, filter: &RayFilter, mut visit: impl FnMut(usize)) {
        for_each_near(self.packed.tree(), ray, 0.0, |leaf_index| {
            let leaf = self.leaves.index_of(leaf_index);
            if self.leaves.may_be_hit(leaf, filter) {
                visit(leaf);
            }
        });
    }
}

/// A closed mesh that a ray passes.
#[derive(Clone, Copy, Default)]
struct PassedMesh {
    is_on: bool,
    is_odd: bool,
}
