//! The reference that answers are judged by: single rays in float64, through the tree and by brute force.

use super::cast::Casts;
use super::hit_collector::Closest;
use super::leaves::{PreparedItem, PrimitiveCrossing};
use super::single_ray::for_each_near;
use super::tracer::CpuTracer;
use crate::bvh::{Portable, Stack};
use crate::crossings::Crossing;
use crate::query::RayFilter;
use crate::ray::{Hit, Ray};

/// The closest hit of a ray, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The crossing: its t and its face.
    pub crossing: Crossing,
    /// The geometry that is hit.
    pub geometry_id: u32,
    /// The primitive of that geometry.
    pub primitive_id: u32,
}

impl Nearest {
    /// Returns the hit as tracers answer it, with `t` rounded to float32.
    pub(crate) fn hit(&self) -> Hit {
        Hit {
            t: self.crossing.t as f32,
            geometry_id: self.geometry_id,
            primitive_id: self.primitive_id,
        }
    }

    /// Returns the nearer of two; of two at the same t the one with the lower ids.
    fn or(self, other: Option<Self>) -> Self {
        let rank = |nearest: &Self| (nearest.crossing.t, nearest.geometry_id, nearest.primitive_id);
        match other {
            Some(other) if rank(&other) < rank(&self) => other,
            _ => self,
        }
    }
}

impl CpuTracer {
    /// Returns the closest hit of a valid ray, by a traversal of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let mut nearest = None;
        let rays = std::iter::once((0, *ray, RayFilter::ALL));
        let mut casts = Casts::new(self, rays, |_, Closest(found)| nearest = found);
        self.packed.tree().traverse(Portable, &mut Stack::default(), &mut casts);
        let PrimitiveCrossing { crossing, primitive } = nearest?;
        let [geometry_id, primitive_id] = self.packed.scene().primitive_ids().ids(primitive);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    /// Returns the closest hit of a valid ray, by intersecting every primitive without the tree.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let primitives = self.packed.scene().visible().flat_map(|(geometry_id, geometry)| {
            let count = geometry.primitive_count() as u32;
            (0..count).map(move |primitive_id| (geometry_id, geometry, primitive_id))
        });
        primitives
            .filter_map(|(geometry_id, geometry, primitive_id)| {
                let crossings = geometry.primitive(primitive_id)?.crossings(&line);
                let crossing = crossings.first_from(interval[0])?;
                let nearest = Nearest { crossing, geometry_id, primitive_id };
                (crossing.t <= interval[1]).then_some(nearest)
            })
            .reduce(|nearest, found| found.or(Some(nearest)))
    }

    /// Returns the `geometry_id` and the `primitive_id` of every primitive whose box, grown by `pad`, the ray meets,
    /// and of every plane.
    pub(crate) fn near(&self, ray: &Ray, pad: f64) -> Vec<[u32; 2]> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut near = Vec::new();
        let mut add = |leaf: usize| {
            let ids = self.leaves.ids(leaf);
            match self.leaves.item(leaf) {
                PreparedItem::Heightfield(field) => field.walk(&line, interval, pad, |facet| {
                    near.extend(field.primitive_of(facet).map(|primitive| [ids[0], primitive]));
                    interval[1]
                }),
                PreparedItem::Nothing | PreparedItem::Shape(_) | PreparedItem::MeshTriangle => {
                    near.push(ids)
                }
            }
        };
        (0..self.leaves.unbounded()).for_each(&mut add);
        for_each_near(self.packed.tree(), ray, pad, |leaf_index| {
            add(self.leaves.index_of(leaf_index));
        });
        near
    }
}
