//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

mod ball;
mod batch;
mod cast;
mod choice;
mod inside;
mod points;
mod quest;
mod ways;

pub use points::NearestSurface;

use crate::answers::{AllHits, Neighbour};
use crate::batch::{Batch, Choice};
use crate::bvh::{Caller, Portable, Stack, Start};
use crate::camera::View;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::packed::Packed;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::{Heightfield, Ready};
use crate::tracer::{TraceError, Tracer};
use ball::Ball;
use cast::Casts;
use quest::{All, Any, Best, Closest, Count};
use rayon::prelude::*;
use std::ops::Range;

/// What a line meets first, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Where, and through which face.
    pub crossing: Crossing,
    /// Which geometry.
    pub geometry_id: u32,
    /// Which part of it.
    pub primitive_id: u32,
}

impl Nearest {
    /// As a tracer answers: `t` rounded to float32.
    pub(crate) fn hit(&self) -> Hit {
        Hit {
            t: self.crossing.t as f32,
            geometry_id: self.geometry_id,
            primitive_id: self.primitive_id,
        }
    }

    /// The nearer of two; of two at the same place the one with the lower ids.
    fn or(self, other: Option<Self>) -> Self {
        let rank = |nearest: &Self| (nearest.crossing.t, nearest.geometry_id, nearest.primitive_id);
        match other {
            Some(other) if rank(&other) < rank(&self) => other,
            _ => self,
        }
    }
}

/// What stands at a place, at hand.
#[derive(Debug)]
enum Item<'a> {
    Nothing,
    Shape(Ready),
    /// Of a mesh: it shares its edges with others.
    Facet(Ready),
    Heightfield(&'a Heightfield),
}

/// Casts rays in float64 on all cores.
#[derive(Debug)]
pub struct CpuTracer<'a> {
    scene: &'a Scene,
    packed: &'a Packed,
    /// Around the shape at each place: what is read of most.
    balls: Vec<Ball>,
    /// At each place.
    items: Vec<Item<'a>>,
    /// At each place; empty where all masks are all ones.
    masks: Vec<u32>,
    has_closed_mesh: bool,
    /// The widest instructions that this uses, where the processor has them.
    #[cfg(target_arch = "x86_64")]
    wide: Option<pulp::x86::V3>,
}

impl<'a> CpuTracer<'a> {
    /// A tracer of a scene and the tree that was packed from it.
    pub fn new(scene: &'a Scene, packed: &'a Packed) -> Self {
        let item = |&part: &u32| {
            if part == NONE {
                return Some((Ball::EVERYWHERE, Item::Nothing));
            }
            // The part is one of the scene that it was packed from.
            let [geometry_id, primitive_id] = scene.parts().ids(part);
            match scene.geometry(geometry_id)? {
                Geometry::Heightfield(field) => {
                    let ball = Ball::new(field.center, field.bounding_radius());
                    Some((ball, Item::Heightfield(field.as_ref())))
                }
                geometry => {
                    let shape = geometry.shape(primitive_id)?;
                    let ball = match shape.bounds() {
                        Some(_) => Ball::new(shape.center(), shape.bounding_radius()),
                        None => Ball::EVERYWHERE,
                    };
                    let item = match geometry {
                        Geometry::Mesh(_) => Item::Facet(shape.into()),
                        _ => Item::Shape(shape.into()),
                    };
                    Some((ball, item))
                }
            }
        };
        let (balls, items) = packed.parts_at.par_iter().filter_map(item).unzip();
        let mask = |&part: &u32| match part {
            NONE => 0,
            _ => scene.mask(scene.parts().ids(part)[0]),
        };
        let masks = match scene.has_masks() {
            true => packed.parts_at.iter().map(mask).collect(),
            false => Vec::new(),
        };
        let is_closed = |own: &Geometry| matches!(own, Geometry::Mesh(mesh) if mesh.is_closed());
        let has_closed_mesh = scene.geometries().iter().any(is_closed);
        Self {
            scene,
            packed,
            balls,
            items,
            masks,
            has_closed_mesh,
            #[cfg(target_arch = "x86_64")]
            wide: pulp::x86::V3::try_new(),
        }
    }

    /// What a valid ray meets first, by a walk of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let mut best = None;
        let rays = std::iter::once((0, *ray, Choice::ALL));
        let mut casts = Casts::new(self, rays, |_, Closest(found)| best = found);
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut casts);
        let Best { crossing, part } = best?;
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    /// What a valid ray meets first, by asking every part.
    pub fn brute_force(&self, ray: &Ray) -> Option<Nearest> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let parts = self.scene.visible().flat_map(|(geometry_id, geometry)| {
            let count = geometry.part_count() as u32;
            (0..count).map(move |primitive_id| (geometry_id, geometry, primitive_id))
        });
        parts
            .filter_map(|(geometry_id, geometry, primitive_id)| {
                let crossing = geometry.first_crossing(primitive_id, &line, interval)?;
                Some(Nearest { crossing, geometry_id, primitive_id })
            })
            .reduce(|best, found| found.or(Some(best)))
    }

    /// The parts whose boxes, grown by `pad`, the ray meets, and every plane: their `geometry_id` and
    /// `primitive_id`.
    pub(crate) fn near(&self, ray: &Ray, pad: f64) -> Vec<[u32; 2]> {
        let line = ray.line();
        let interval = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let mut ids = Vec::new();
        let mut add = |place: u32| {
            let part = self.packed.parts_at[place as usize];
            let [geometry_id, primitive_id] = self.scene.parts().ids(part);
            match &self.items[place as usize] {
                Item::Heightfield(field) => field.walk(&line, interval, pad, |place| {
                    ids.push([geometry_id, place as u32]);
                    interval[1]
                }),
                Item::Nothing | Item::Shape(_) | Item::Facet(_) => {
                    ids.push([geometry_id, primitive_id])
                }
            }
            interval[1]
        };
        let unbounded = self.packed.unbounded as u32;
        (0..unbounded).for_each(|place| _ = add(place));
        let start = self.packed.tree.start(ray, interval[1], pad);
        let mut one = One { start, visit: |place| add(unbounded + place) };
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut one);
        ids
    }
}

/// A ray that visits whatever it comes near.
struct One<V> {
    start: Option<Start>,
    visit: V,
}

impl<V: FnMut(u32) -> f64> Caller for One<V> {
    const ENDS_EARLY: bool = false;

    fn next(&mut self, _lane: usize) -> Option<Start> {
        self.start.take()
    }

    fn visit(&mut self, _lane: usize, place: u32) -> f64 {
        (self.visit)(place)
    }
}

impl Tracer for CpuTracer<'_> {
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        batch.check(self.scene.parts().geometries())?;
        let mut hits = self.cast_batch::<Closest>(batch);
        self.each_from_within(batch, &mut hits, |hit, ray, geometry_id| {
            *hit = Hit { t: ray.t_min, geometry_id, primitive_id: 0 };
        });
        Ok(hits)
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        batch.check(self.scene.parts().geometries())?;
        let mut are_hits = self.cast_batch::<Any>(batch);
        self.each_from_within(batch, &mut are_hits, |is_hit, _, _| *is_hit = true);
        Ok(are_hits)
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        batch.check(self.scene.parts().geometries())?;
        Ok(self.cast_batch::<Count>(batch))
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        batch.check(self.scene.parts().geometries())?;
        let mut all = AllHits::default();
        self.cast_batch::<All>(batch).into_iter().for_each(|hits| all.push(hits));
        Ok(all)
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<Neighbour>, TraceError> {
        Ok(self.neighbours(points))
    }

    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        Ok(pixels.into_par_iter().map(|pixel| view.ray(pixel)).collect())
    }

    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        Ok(self.cast_all::<Closest>(pixels, |pixel| view.ray(pixel)))
    }

    fn device(&self) -> String {
        format!("CPU, float64, {} threads", rayon::current_num_threads())
    }
}

#[cfg(all(feature = "json", feature = "npz", feature = "urdf"))]
#[cfg(test)]
mod tests;
