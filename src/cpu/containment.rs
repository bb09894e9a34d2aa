//! What holds a point: a line through it tells of each solid whether the point lies inside.

use super::{CpuTracer, Item, One};
use crate::batch::{Batch, RayFilter};
use crate::bvh::{Portable, Stack};
use crate::geometry::Geometry;
use crate::ray::{Line, NONE, Ray};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The solids that hold a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Containment {
    pub count: u32,
    /// [`NONE`] where there is none.
    pub lowest_id: u32,
}

impl Containment {
    pub const NOBODY: Self = Self { count: 0, lowest_id: NONE };

    pub fn add(&mut self, geometry_id: u32) {
        self.count += 1;
        self.lowest_id = self.lowest_id.min(geometry_id);
    }
}

impl CpuTracer<'_> {
    /// The solids in or on which a valid ray's point at t lies, a finite one. Half-spaces are none.
    pub(super) fn containment(&self, ray: &Ray, t: f32, filter: &RayFilter) -> Containment {
        let mut containment = Containment::NOBODY;
        let line = ray.line();
        let at = f64::from(t);
        let here = ray.within(t, t);
        self.for_each_near(&here, filter, |leaf_index| {
            self.add_container(leaf_index, &line, at, &mut containment)
        });
        if self.has_closed_mesh {
            self.each_mesh_around(ray, t, filter, |geometry_id| containment.add(geometry_id));
        }
        containment
    }

    /// Adds what stands at a place if it is a solid by itself that the line runs in or on at t.
    pub(super) fn add_container(
        &self,
        leaf_index: usize,
        line: &Line,
        t: f64,
        containment: &mut Containment,
    ) {
        if let Item::Shape(shape) = &self.items[leaf_index]
            && let [geometry_id, _] = self.ids_at(leaf_index)
            && self.scene.geometry(geometry_id).is_some_and(Geometry::is_solid)
            && shape.crossings(line).hold(t)
        {
            containment.add(geometry_id);
        }
    }

    /// Adds the closed meshes and the half-spaces in or on which a finite point lies.
    pub(super) fn add_other_containers(&self, point: [f32; 3], containment: &mut Containment) {
        let upwards = Ray::upwards(point);
        for leaf_index in 0..self.packed.unbounded {
            let [geometry_id, primitive_id] = self.ids_at(leaf_index);
            let shape = self.scene.geometry(geometry_id).and_then(|own| own.shape(primitive_id));
            if shape.is_some_and(|shape| shape.half_space_holds(upwards.line().origin)) {
                containment.add(geometry_id);
            }
        }
        if self.has_closed_mesh {
            self.each_mesh_around(&upwards, 0.0, &RayFilter::ALL, |id| containment.add(id));
        }
    }

    /// Tells of each answer to a ray of a solid batch that begins in or on a solid, and of the lowest such.
    pub(super) fn for_each_start_inside<T: Send>(
        &self,
        batch: Batch<'_>,
        answers: &mut [T],
        tell: impl Fn(&mut T, &Ray, u32) + Sync,
    ) {
        if !batch.is_solid() {
            return;
        }
        answers.par_iter_mut().enumerate().for_each(|(leaf_index, answer)| {
            let ray = &batch.rays()[leaf_index];
            if ray.is_valid() && ray.t_min.is_finite() {
                let filter = RayFilter::of(&batch, leaf_index, self.scene.primitive_ids());
                match self.containment(ray, ray.t_min, &filter).lowest_id {
                    NONE => {}
                    lowest_id => tell(answer, ray, lowest_id),
                }
            }
        });
    }

    /// Tells of each closed mesh that the ray leaves more often than it enters, from t on, or is on at t.
    fn each_mesh_around(&self, ray: &Ray, t: f32, filter: &RayFilter, mut tell: impl FnMut(u32)) {
        let line = ray.line();
        let onwards = [f64::from(t), f64::INFINITY];
        let point = line.at(onwards[0]);
        // Of each whether it is around.
        let mut met = BTreeMap::<u32, Met>::new();
        self.for_each_near(&ray.within(t, f32::INFINITY), filter, |leaf_index| {
            let Item::MeshTriangle(mesh_triangle) = &self.items[leaf_index] else { return };
            let [geometry_id, primitive_id] = self.ids_at(leaf_index);
            let Some(mesh) = self.scene.geometry(geometry_id).filter(|own| own.is_solid()) else {
                return;
            };
            // A ray that runs in a mesh_triangle does not cross it.
            let is_on = mesh.primitive(primitive_id).is_some_and(|primitive| {
                // What float64 has rounded of a point that is on a slanted mesh_triangle.
                let hair = 1e-14 * (primitive.radius + point.length());
                primitive.shape.closest_point(point).distance(point) <= hair
            });
            let is_odd = mesh_triangle.own_crossings(&line).within(onwards).count() % 2 == 1;
            if is_on || is_odd {
                let met = met.entry(geometry_id).or_default();
                met.is_on |= is_on;
                met.is_odd ^= is_odd;
            }
        });
        let around = met.iter().filter(|(_, met)| met.is_on || met.is_odd);
        around.for_each(|(geometry_id, _)| tell(*geometry_id));
    }

    fn ids_at(&self, leaf_index: usize) -> [u32; 2] {
        self.scene.primitive_ids().ids(self.packed.primitives_at[leaf_index])
    }

    /// Tells the places of what has a box which a valid ray meets, and which it may meet.
    fn for_each_near(&self, ray: &Ray, filter: &RayFilter, mut tell: impl FnMut(usize)) {
        let t_max = f64::from(ray.t_max);
        let visit = |leaf_index| {
            let leaf_index = self.packed.unbounded + leaf_index as usize;
            if self.may_meet(leaf_index, filter) {
                tell(leaf_index);
            }
            t_max
        };
        let start = self.packed.tree.start(ray, t_max, 0.0);
        let mut one = One { start, visit };
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut one);
    }
}

/// How often a mesh is crossed.
#[derive(Clone, Copy, Default)]
struct Met {
    is_on: bool,
    is_odd: bool,
}
