//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

mod ball;
mod batch;
mod cast;
mod points;
mod ways;

pub use points::NearestSurface;

use crate::batch::Batch;
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
use cast::{Best, Casts};
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
                    Some((ball, Item::Shape(shape.into())))
                }
            }
        };
        let (balls, items) = packed.parts_at.par_iter().filter_map(item).unzip();
        Self { scene, packed, balls, items }
    }

    /// What a valid ray meets first, by a walk of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let mut best = None;
        let rays = std::iter::once((0, *ray));
        let mut casts = Casts::new(self, rays, |_, found| best = found);
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
                Item::Nothing | Item::Shape(_) => ids.push([geometry_id, primitive_id]),
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
    fn next(&mut self, _lane: usize) -> Option<Start> {
        self.start.take()
    }

    fn visit(&mut self, _lane: usize, place: u32) -> f64 {
        (self.visit)(place)
    }
}

impl Tracer for CpuTracer<'_> {
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        Ok(self.cast_batch(batch.rays()))
    }

    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        Ok(pixels.into_par_iter().map(|pixel| view.ray(pixel)).collect())
    }

    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        Ok(self.cast_all(pixels, |pixel| view.ray(pixel)))
    }

    fn device(&self) -> String {
        format!("CPU, float64, {} threads", rayon::current_num_threads())
    }
}
