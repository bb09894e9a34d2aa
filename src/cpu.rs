//! The float64 tracer: reference for the GPU, and what casts where there is none.
//!
//! It walks the same tree as the GPU but reads the shapes' own fields, not the words packed for the
//! GPU: packing is part of what it proves. [`CpuTracer::brute_force`] asks every shape, without a
//! tree, and has the last word.

use crate::bvh::{Lanes, PACKET, Portable, Stack};
use crate::camera::View;
use crate::crossings::Crossing;
use crate::geometry::Geometry;
use crate::math::U;
use crate::packed::{Packed, Record};
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

/// What a record of the tree stands for, at hand.
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
    /// Around each record's shape: what is read of most.
    balls: Vec<Ball>,
    /// Of each record.
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

/// A ray on its way, and what it has met.
struct Cast {
    line: Line,
    sight: Sight,
    t_min: f64,
    /// The best's t, or t_max.
    nearest: f64,
    best: Option<Best>,
}

impl Cast {
    /// Asks what has no box, as planes have none.
    #[inline(always)]
    fn begin(tracer: &CpuTracer<'_>, ray: &Ray) -> Self {
        let mut cast = Self {
            line: ray.line(),
            sight: Sight::of(ray),
            t_min: ray.t_min.into(),
            nearest: ray.t_max.into(),
            best: None,
        };
        for place in 0..tracer.packed.unbounded {
            cast.meet(tracer, place);
        }
        cast
    }

    /// Asks what stands at a place of the tree's order; returns the best's t.
    #[inline(always)]
    fn visit(&mut self, tracer: &CpuTracer<'_>, place: u32) -> f64 {
        let place = tracer.packed.unbounded + place as usize;
        if !tracer.balls[place].is_missed(&self.sight) {
            self.meet(tracer, place);
        }
        self.nearest
    }

    /// Asks what stands at a place of the records.
    fn meet(&mut self, tracer: &CpuTracer<'_>, place: usize) {
        let found = tracer.meet(place, &self.line, [self.t_min, self.nearest]);
        // Of two at the same place the one with the lower number.
        if let Some(found) = found
            && (found.crossing.t < self.nearest
                || self.best.is_none_or(|best| found.part < best.part))
        {
            self.nearest = found.crossing.t;
            self.best = Some(found);
        }
    }
}

impl<'a> CpuTracer<'a> {
    /// A tracer of a scene and the tree that was packed from it.
    pub fn new(scene: &'a Scene, packed: &'a Packed) -> Self {
        let item = |record: &Record| {
            if record.part == NONE {
                return Some((Ball::EVERYWHERE, Item::Nothing));
            }
            // A record's part is one of the scene that it was packed from.
            let [geometry_id, primitive_id] = scene.parts().ids(record.part);
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
        let (balls, items) = packed.records.par_iter().filter_map(item).unzip();
        Self { scene, packed, balls, items }
    }

    /// What a valid ray meets first, by a walk of the tree; `None` for a miss.
    pub fn nearest(&self, ray: &Ray) -> Option<Nearest> {
        let Best { crossing, part } = self.cast(Portable, ray, &mut Stack::default())?;
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Some(Nearest { crossing, geometry_id, primitive_id })
    }

    #[inline(always)]
    fn cast(&self, lanes: impl Lanes, ray: &Ray, stack: &mut Stack) -> Option<Best> {
        let mut cast = Cast::begin(self, ray);
        let t_max = cast.nearest;
        self.packed.tree.walk(lanes, ray, t_max, 0.0, stack, |place| cast.visit(self, place));
        cast.best
    }

    /// As [`Self::cast`], of valid rays that go nearly the same way; `None` where they do not.
    #[inline(always)]
    fn cast_together(
        &self,
        lanes: impl Lanes,
        rays: &[Ray; PACKET],
        stack: &mut Stack,
    ) -> Option<[Option<Best>; PACKET]> {
        let mut casts = rays.each_ref().map(|ray| Cast::begin(self, ray));
        let nearest = casts.each_ref().map(|cast| cast.nearest);
        let visit = |place, lane: usize| casts[lane].visit(self, place);
        let is_done = self.packed.tree.walk_together(lanes, rays, &nearest, stack, visit);
        is_done.then(|| casts.map(|cast| cast.best))
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

    /// What a record's shape answers.
    #[inline(always)]
    fn meet(&self, place: usize, line: &Line, [t_min, t_max]: [f64; 2]) -> Option<Best> {
        let first = || self.packed.records[place].part;
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
            let part = self.packed.records[place as usize].part;
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
        self.packed.tree.walk(Portable, ray, interval[1], pad, &mut Stack::default(), |place| {
            add(unbounded + place)
        });
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

impl<F: Fn(usize) -> Ray> Run<'_, F> {
    fn hits(self) -> Vec<Hit> {
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = pulp::x86::V3::try_new() {
            return v3.vectorize(
                #[inline(always)]
                || self.hits_by(v3),
            );
        }
        self.hits_by(Portable)
    }

    #[inline(always)]
    fn hits_by(self, lanes: impl Lanes) -> Vec<Hit> {
        let Self { tracer, ray, places } = self;
        let mut stack = Stack::default();
        let mut hits = Vec::with_capacity(places.len());
        // Not by an iterator's adapters: what they call is not compiled for the wide instructions.
        let mut place = places.start;
        while place < places.end {
            if places.end - place >= PACKET {
                let rays = std::array::from_fn(|lane| ray(place + lane));
                if rays.iter().all(Ray::is_valid)
                    && let Some(found) = tracer.cast_together(lanes, &rays, &mut stack)
                {
                    hits.extend(found.map(|best| tracer.hit(best)));
                    place += PACKET;
                    continue;
                }
            }
            let end = places.end.min(place + PACKET);
            for place in place..end {
                let ray = ray(place);
                hits.push(match ray.is_valid() {
                    true => tracer.hit(tracer.cast(lanes, &ray, &mut stack)),
                    false => Hit::INVALID,
                });
            }
            place = end;
        }
        hits
    }
}

impl CpuTracer<'_> {
    fn hit(&self, best: Option<Best>) -> Hit {
        let Some(Best { crossing, part }) = best else {
            return Hit::MISS;
        };
        let [geometry_id, primitive_id] = self.scene.parts().ids(part);
        Hit { t: crossing.t as f32, geometry_id, primitive_id }
    }

    fn cast_all(&self, places: Range<usize>, ray: impl Fn(usize) -> Ray + Sync) -> Vec<Hit> {
        let starts = places.clone().into_par_iter().step_by(RUN);
        starts
            .flat_map_iter(|start| {
                let places = start..places.end.min(start + RUN);
                Run { tracer: self, ray: &ray, places }.hits()
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
