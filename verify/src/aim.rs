//! Rays and points that a seed aims at the shapes of a scene, in families that implementations
//! easily get wrong: from far away, from inside, along axes and faces, cut near a crossing, of any
//! length. The same seed gives the same rays on every machine.

use fastrand::Rng;
use glam::DVec3;
use raytwin::geometry::{Geometry, Primitive};
use raytwin::ray::{Line, MAX_COORDINATE, Ray};
use raytwin::scene::Scene;

/// A family of rays.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Family {
    /// Rays aimed near shapes from this many sizes away, with directions of lengths from 1/20
    /// to 20.
    Aimed(f64),
    /// Rays that start inside shapes.
    Inside,
    /// Rays along a shape's axes and in its faces, some of them displaced by a few ulp.
    Along,
    /// Rays aimed at shapes and cut by `t_min` and `t_max` near a crossing.
    Cut,
    /// Rays aimed at shapes, with directions whose lengths range from 1e-12 to 1e12.
    AnyLength,
    /// Rays aimed near shapes from 100 up to this many sizes of the whole scene away, equally many
    /// from each power of ten.
    Afar(f64),
}

impl Family {
    /// All families whose distances are sizes of a shape.
    pub const ALL: [Self; 7] = [
        Self::Aimed(12.0),
        Self::Aimed(1e3),
        Self::Aimed(1e5),
        Self::Inside,
        Self::Along,
        Self::Cut,
        Self::AnyLength,
    ];
}

/// The position of a point relative to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Spot {
    /// This many sizes away.
    Away(f64),
    /// In its bounding sphere.
    Within,
    /// On its surface up to the rounding of coordinates, or within a tiny distance of it.
    AtSurface,
    /// At special positions where several points of the surface are equally near, or where formulas
    /// divide by zero.
    Special,
}

impl Spot {
    /// All positions.
    pub const ALL: [Self; 6] = [
        Self::Away(2.0),
        Self::Away(1e3),
        Self::Away(1e5),
        Self::Within,
        Self::AtSurface,
        Self::Special,
    ];
}

/// Makes `count` rays of one family, aimed at the geometries of a scene that has some. A plane
/// without edges counts as `size` large, because it has no size of its own.
pub fn rays(seed: u64, family: Family, count: usize, scene: &Scene, size: f64) -> Vec<Ray> {
    aimed_rays(seed, family, count, scene, size).into_iter().map(|(ray, _)| ray).collect()
}

/// Makes the same rays, each with the `geometry_id` that it is aimed at.
pub(super) fn aimed_rays(
    seed: u64,
    family: Family,
    count: usize,
    scene: &Scene,
    size: f64,
) -> Vec<(Ray, u32)> {
    let mut aim = Aim { rng: Rng::with_seed(seed), scene, size };
    (0..count).map_while(|_| aim.ray(family)).collect()
}

/// Makes `count` points of one kind around the geometries of a scene that has some. A plane without
/// edges counts as `size` large.
pub fn points(seed: u64, spot: Spot, count: usize, scene: &Scene, size: f64) -> Vec<[f32; 3]> {
    let mut aim = Aim { rng: Rng::with_seed(seed), scene, size };
    let valid =
        |point: DVec3| point.as_vec3().to_array().map(|c| c.clamp(-MAX_COORDINATE, MAX_COORDINATE));
    (0..count).map_while(|_| aim.point(spot).map(valid)).collect()
}

/// Returns the size that is assumed for planes without edges: about that of the scene's bounded
/// geometries, or 1.
pub fn typical_size(scene: &Scene) -> f64 {
    let bounds = scene.bounded();
    let radius = if bounds.min.is_finite() { bounds.radius() } else { 0.0 };
    if radius > 0.0 { radius } else { 1.0 }
}

/// Aims at one shape after another.
struct Aim<'a> {
    rng: Rng,
    scene: &'a Scene,
    size: f64,
}

/// A shape to aim at.
struct Target {
    geometry_id: u32,
    primitive: Primitive,
    center: DVec3,
    radius: f64,
}

impl Aim<'_> {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.f64()
    }

    /// Returns an index below a length. Every machine draws it as 64 bits, because a shorter number
    /// uses other bits.
    fn index(&mut self, length: usize) -> usize {
        self.rng.u64(..length as u64) as usize
    }

    /// Returns a unit vector, uniform on the sphere.
    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.rng.f64(), self.rng.f64(), self.rng.f64()) * 2.0 - 1.0;
            if (1e-3..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    /// Chooses a primitive that has a closed form; `None` in a scene without primitives.
    fn target(&mut self) -> Option<Target> {
        if self.scene.primitive_count() == 0 {
            return None;
        }
        let (geometry_id, count) = loop {
            let geometry_id = self.rng.u32(..self.scene.geometry_count());
            let count = match self.scene.geometry(geometry_id)? {
                Geometry::Heightfield(field) => field.triangle_count(),
                geometry => geometry.primitive_count(),
            };
            if count > 0 {
                break (geometry_id, count);
            }
        };
        let primitive = self.scene.primitive(geometry_id, self.rng.u32(..count as u32))?;
        let radius = match primitive.radius() {
            0.0 => self.size,
            radius => radius,
        };
        // A heightfield's triangle is aimed at as a triangle; its bound is that of the whole field.
        let (center, radius) = match (primitive.shape(), primitive.placement()) {
            (Some(shape), None) if shape.bounding_radius() > 0.0 => {
                (shape.center(), shape.bounding_radius())
            }
            _ => (primitive.center(), radius),
        };
        Some(Target { geometry_id, primitive, center, radius })
    }

    fn near(&mut self, target: &Target, reach: f64) -> DVec3 {
        let distance = reach * target.radius * self.rng.f64();
        target.center + distance * self.direction()
    }

    fn ray(&mut self, family: Family) -> Option<(Ray, u32)> {
        let target = self.target()?;
        let to_ray = |origin: DVec3, way: DVec3| Ray::new(origin.as_vec3(), way.as_vec3());
        let ray = match family {
            Family::Aimed(sizes) => self.aimed_at(&target, sizes),
            Family::Inside => {
                let origin = self.near(&target, 0.5);
                let length = self.between(0.4, 2.5);
                to_ray(origin, length * self.direction())
            }
            Family::Along => {
                let ways = target.special_directions();
                let axis = ways[self.index(ways.len())].normalize();
                let axis = if self.rng.bool() { axis } else { -axis };
                let aside = axis.cross(self.direction()).normalize();
                let aside = aside * target.radius * self.between(0.0, 1.1);
                let nudge = 1.0 + f64::from(self.rng.i32(-2..3)) * 6e-8;
                to_ray(target.center - 4.0 * target.radius * axis + aside, axis * nudge)
            }
            Family::Cut => {
                let whole = self.aimed_at(&target, 6.0);
                self.cut(&target, whole)
            }
            Family::AnyLength => {
                let whole = self.aimed_at(&target, 12.0);
                let way = whole.line().direction.normalize();
                let length = libm::pow(10.0, self.between(-11.99, 11.99));
                to_ray(whole.line().origin, length * way)
            }
            Family::Afar(sizes) => {
                let distance = self.size * libm::pow(10.0, self.between(2.0, libm::log10(sizes)));
                self.aimed_from(&target, distance.min(0.5 * f64::from(MAX_COORDINATE)))
            }
        };
        Some((ray, target.geometry_id))
    }

    /// Aims near a shape from about this many of its sizes away.
    fn aimed_at(&mut self, target: &Target, sizes: f64) -> Ray {
        let distance = sizes * target.radius * self.between(0.6, 1.6);
        self.aimed_from(target, distance)
    }

    fn aimed_from(&mut self, target: &Target, distance: f64) -> Ray {
        let origin = (target.center + distance * self.direction()).as_vec3().as_dvec3();
        let length = libm::exp(self.between(-3.0, 3.0));
        let way = length * (self.near(target, 1.3) - origin).normalize();
        Ray::new(origin.as_vec3(), way.as_vec3())
    }

    /// Cuts a ray near a crossing of its target.
    fn cut(&mut self, target: &Target, whole: Ray) -> Ray {
        let crossings = target.primitive.crossings(&whole.line());
        let mut nudged = |index: usize| {
            let t = crossings.get(index).map_or(1.0, |crossing| crossing.t);
            (t * (1.0 + self.between(-2e-7, 2e-7))) as f32
        };
        let (first, second, third) = (nudged(0), nudged(1), nudged(2));
        match self.index(5) {
            0 => whole.within(first, f32::INFINITY),
            1 => whole.within(f32::NEG_INFINITY, first),
            2 => whole.within(first.min(second), second.max(first)),
            3 => whole.within(second, second),
            _ => whole.within(second.min(third), third.max(second)),
        }
    }

    fn point(&mut self, spot: Spot) -> Option<DVec3> {
        let target = self.target()?;
        let Target { center, radius, .. } = target;
        Some(match spot {
            Spot::Away(sizes) => {
                let distance = sizes * radius * self.between(0.6, 1.6);
                center + distance * self.direction()
            }
            Spot::Within => {
                let distance = radius * self.between(0.0, 1.1);
                center + distance * self.direction()
            }
            Spot::AtSurface => {
                let origin = center + 0.3 * radius * self.direction();
                let line = Line { origin, direction: self.direction() };
                let crossings = target.primitive.crossings(&line);
                let hair = if self.rng.bool() { 0.0 } else { 1e-3 * radius * self.rng.f64() };
                let on = crossings.first().map_or(center, |crossing| line.at(crossing.t));
                on + hair * self.direction()
            }
            Spot::Special => {
                let lines = target.special_lines();
                let [from, to] = lines[self.index(lines.len())];
                match self.index(4) {
                    0 => from,
                    1 => to,
                    2 => from + self.between(-1.0, 2.0) * (to - from),
                    _ => from + self.between(-1e3, 1e3) * (to - from),
                }
            }
        })
    }
}

impl Target {
    fn special_directions(&self) -> Vec<DVec3> {
        let ways =
            self.primitive.shape().map_or(DVec3::AXES.to_vec(), |shape| shape.special_directions());
        match self.primitive.placement() {
            None => ways,
            Some(place) => {
                ways.into_iter().map(|way| place.world_from_object().linear * way).collect()
            }
        }
    }

    fn special_lines(&self) -> Vec<[DVec3; 2]> {
        let to_center = || vec![[self.center, self.center + self.radius * DVec3::X]];
        let lines = self.primitive.shape().map_or_else(to_center, |shape| shape.special_lines());
        match self.primitive.placement() {
            None => lines,
            Some(place) => lines
                .into_iter()
                .map(|ends| ends.map(|at| place.world_from_object().point(at)))
                .collect(),
        }
    }
}
