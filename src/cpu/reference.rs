//! The reference for judging answers: single rays in float64, through the tree and by brute force.

use super::cast::cast_one;
use super::hit_collector::{Closest, Crossed};
use super::leaves::PreparedItem;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::crossings::Crossing;
use crate::query::RayFilter;
use crate::ray::{Hit, Line, Ray};

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
    pub fn hit(&self) -> Hit {
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
    /// Returns the closest hit of a valid ray, with a traversal of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let Closest(nearest) = cast_one(self, ray);
        let Crossed { crossing, primitive, .. } = nearest?;
        let [geometry_id, primitive_id] = self.packed.all_worlds().ids_of(primitive);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    /// Returns the closest hit of a valid ray, by intersecting every primitive, without the tree.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let scene = self.packed.all_worlds();
        let visible = scene.written_out().filter(|(number, ..)| scene.is_visible_in(0, *number));
        let primitives = visible.flat_map(|(number, geometry, placement)| {
            let geometry_id = scene.id_of_number(number);
            let line = placement.map_or(line, |placement| placement.line_in_object(&line));
            let count = geometry.primitive_count() as u32;
            (0..count).map(move |primitive_id| (geometry_id, geometry, line, primitive_id))
        });
        primitives
            .filter_map(|(geometry_id, geometry, line, primitive_id)| {
                let crossings = geometry.primitive(primitive_id)?.crossings(&line);
                let crossing = crossings.first_from(interval[0])?;
                let nearest = Nearest { crossing, geometry_id, primitive_id };
                (crossing.t <= interval[1]).then_some(nearest)
            })
            .reduce(|nearest, found| found.or(Some(nearest)))
    }

    /// Appends the t of every place where a line crosses a surface, in no order. An edge that two
    /// triangles share is crossed in one of them.
    pub(crate) fn own_crossings(&self, line: &Line, crossings: &mut Vec<f64>) {
        let whole = [f64::NEG_INFINITY, f64::INFINITY];
        self.for_each_near(line, whole, 0.0, 0, &mut |space, leaf, line| {
            space.leaves.each_crossing(leaf, line, whole, |t, _| crossings.push(t));
        });
    }

    /// Returns the `geometry_id` and the `primitive_id` of every primitive that a ray may hit and
    /// whose box, grown by `pad`, it meets, and of every such plane.
    pub fn near(&self, ray: &Ray, filter: &RayFilter, pad: f64) -> Vec<[u32; 2]> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut near = Vec::new();
        let mut add = |space: Space<'_>, leaf: usize, line: &Line| {
            if !space.leaves.may_be_hit(leaf, filter, space.instance) {
                return;
            }
            let ids = space.ids(leaf);
            match space.leaves.item(leaf) {
                PreparedItem::Heightfield(field) => {
                    let least = space.least_stretch();
                    field.walk(line, interval, pad / least, |facet| {
                        near.extend(field.primitive_of(facet).map(|primitive| [ids[0], primitive]));
                        interval[1]
                    })
                }
                PreparedItem::Shape(_) | PreparedItem::MeshTriangle => near.push(ids),
                PreparedItem::Nothing | PreparedItem::Instance(_) => {}
            }
        };
        for leaf in 0..self.leaves.unbounded() {
            add(self.top_level(), leaf, &line);
        }
        self.for_each_near(&line, interval, pad, filter.world, &mut add);
        // A primitive may be found in two leaves, and the side of a heightfield in each of its
        // cells.
        near.sort_unstable();
        near.dedup();
        near
    }
}
