//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

use crate::bvh::Stack;
use crate::camera::View;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::math::U;
use crate::packed::Packed;
use crate::ray::{Hit, Line, NONE, Ray};
use crate::scene::Scene;
use crate::shapes::{Heightfield, Ready};
use crate::tracer::{TraceError, Tracer};
use glam::DVec3;
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

/// A ball around a shape, in float32: few bytes, and a test in few instructions that most shapes fail whose
/// boxes a ray meets.
#[derive(Clone, Copy, Debug)]
struct Ball {
    center: [f32; 3],
    radius: f32,
}

impl Ball {
    /// All of space, for what has no end.
    const EVERYWHERE: Self = Self { center: [0.0; 3], radius: f32::INFINITY };

    fn new(center: DVec3, radius: f64) -> Self {
        // And what the centre's rounding moves it by, and a hair.
        let radius = radius * (1.0 + 4.0 * U) + 4.0 * U * center.length();
        Self { center: center.as_vec3().to_array(), radius: radius as f32 }
    }

    /// Whether the ray's line surely passes by. Of the products' roundings none is more than 8 u of the way to the
    /// centre times |direction|.
    #[inline(always)]
    fn is_missed(&self, sight: &Sight) -> bool {
        let [ox, oy, oz] = sight.origin;
        let [dx, dy, dz] = sight.direction;
        let [x, y, z] = [self.center[0] - ox, self.center[1] - oy, self.center[2] - oz];
        let [a, b, c] = [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
        let reach = self.radius + 8.0 * U as f32 * (x.abs() + y.abs() + z.abs());
        a * a + b * b + c * c > reach * reach * sight.length_squared
    }
}

/// A ray as balls see it.
struct Sight {
    origin: [f32; 3],
    /// Of a largest component from 1 to 2.
    direction: [f32; 3],
    /// A hair more.
    length_squared: f32,
}

/// The best so far, by the number of its part.
#[derive(Clone, Copy)]
struct Best {
    crossing: Crossing,
    part: u32,
}

impl Sight {
    #[inline(always)]
    fn of(ray: &Ray) -> Self {
        let [x, y, z] = ray.direction.map(f32::abs);
        let scale = f32::from_bits(x.max(y).max(z).to_bits() & 0x7f80_0000);
        let direction = ray.direction.map(|speed| speed / scale);
        let [x, y, z] = direction;
        let length_squared = (x * x + y * y + z * z) * (1.0 + 8.0 * U as f32);
        Self { origin: ray.origin, direction, length_squared }
    }
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
        let Best { crossing, part } = self.cast(ray, &mut Stack::default())?;
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    #[inline(always)]
    fn cast(&self, ray: &Ray, stack: &mut Stack) -> Option<Best> {
        let line = ray.line();
        let [t_min, t_max] = [f64::from(ray.t_min), f64::from(ray.t_max)];
        let sight = Sight::of(ray);
        let mut best = None;
        let mut nearest = t_max;
        let mut meet = |place: u32| {
            if !self.balls[place as usize].is_missed(&sight)
                && let Some(found) = self.meet(place as usize, &line, [t_min, nearest])
                && best.is_none_or(|best: Best| {
                    found.crossing.t < best.crossing.t || found.part < best.part
                })
            {
                nearest = found.crossing.t;
                best = Some(found);
            }
            nearest
        };
        // Planes have no box.
        let unbounded = self.packed.unbounded as u32;
        let nearest_plane = (0..unbounded).map(&mut meet).last().unwrap_or(t_max);
        self.packed.tree.walk(ray, nearest_plane, 0.0, stack, |place| meet(unbounded + place));
        best
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

    /// What the shape at a place answers.
    #[inline(always)]
    fn meet(&self, place: usize, line: &Line, [t_min, t_max]: [f64; 2]) -> Option<Best> {
        let first = || self.packed.parts_at[place];
        match &self.items[place] {
            Item::Nothing => None,
            Item::Shape(shape) => {
                let crossing = shape.first_crossing(line, t_min)?;
                (crossing.t <= t_max).then_some(Best { crossing, part: first() })
            }
            Item::Heightfield(field) => {
                let (crossing, triangle) = field.first_crossing(line, [t_min, t_max])?;
                Some(Best { crossing, part: first() + triangle })
            }
        }
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
        self.packed
            .tree
            .walk(ray, interval[1], pad, &mut Stack::default(), |place| add(unbounded + place));
        ids
    }
}

/// The rays that a thread casts one after another.
const RUN: usize = 1024;

/// A run of rays, cast with the widest instructions that this machine has.
struct Run<'a, F> {
    tracer: &'a CpuTracer<'a>,
    /// By its place in the batch.
    ray: F,
    places: Range<usize>,
}

impl<F: Fn(usize) -> Ray> pulp::WithSimd for Run<'_, F> {
    type Output = Vec<Hit>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<Hit> {
        let mut stack = Stack::default();
        let mut hits = Vec::with_capacity(self.places.len());
        // Not by an iterator's adapters: what they call is not compiled for the wide instructions.
        for place in self.places {
            let ray = (self.ray)(place);
            hits.push(self.tracer.answer(&ray, &mut stack));
        }
        hits
    }
}

impl CpuTracer<'_> {
    #[inline(always)]
    fn answer(&self, ray: &Ray, stack: &mut Stack) -> Hit {
        if !ray.is_valid() {
            return Hit::INVALID;
        }
        let Some(Best { crossing, part }) = self.cast(ray, stack) else {
            return Hit::MISS;
        };
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Hit { t: crossing.t as f32, geometry_id, primitive_id }
    }

    fn cast_all(&self, places: Range<usize>, ray: impl Fn(usize) -> Ray + Sync) -> Vec<Hit> {
        let arch = pulp::Arch::new();
        let starts = places.clone().into_par_iter().step_by(RUN);
        starts
            .flat_map_iter(|start| {
                let places = start..places.end.min(start + RUN);
                arch.dispatch(Run { tracer: self, ray: &ray, places })
            })
            .collect()
    }
}

impl Tracer for CpuTracer<'_> {
    fn closest(&self, rays: &[Ray]) -> Result<Vec<Hit>, TraceError> {
        Ok(self.cast_all(0..rays.len(), |place| rays[place]))
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
