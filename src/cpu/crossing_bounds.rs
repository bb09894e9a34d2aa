//! Bounds in float32 on where each ray of a packet first crosses a shape. The float64 tests decide
//! which crossing is the first one; the bounds only spare most of them.
//!
//! A shape that is grown by a margin holds the shape and all that rounding may do to it, and a
//! shape that is shrunk by the same margin is held by it. A ray enters the grown shape before the
//! shape, and the shape before the shrunk one. With n the distance from a ray's origin to the
//! shape's centre, summed over the axes, and R the shape's size, the sums and products below
//! displace a ray by at most 18 u n + 12 u R near the shape, and each t by what the ray takes for
//! at most 9 u n + 9 u R. Rounding the shape's own numbers displaces it by at most u n + u R; a
//! column's centre moves by u times its coordinates. In the space of an object the rays are rounded
//! too, their directions by u n + u R in all. The float64 tests err by far less. The margin is 32 u
//! (n + R) and covers the sum of all; n counts the rounding of origins.

use super::bounding_sphere::BoundingSphere;
use crate::bvh::{OfRays, RayPacket};
use crate::lanes::{Floats, Lanes};
use crate::math::{Bounds, U};
use crate::shapes::{Convex, Shape};
use glam::DVec3;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) enum RoughShape {
    /// See [`Convex`], whose forms these are.
    Ball {
        center: [f32; 3],
        radius: f32,
    },
    Block {
        center: [f32; 3],
        axes: [[f32; 3]; 3],
        half_extents: [f32; 3],
    },
    Column {
        center: [f32; 3],
        axes: [[f32; 3]; 3],
        radius: f32,
        half_length: f32,
    },
    /// Any other shape, in a ball and in a box whose sides are across the world's axes.
    Bounded {
        center: [f32; 3],
        radius: f32,
        low: [f32; 3],
        high: [f32; 3],
    },
}

/// Bounds on the first crossing of each ray in its interval.
pub(super) struct CrossingBounds {
    /// A bit for each ray that may cross the shape at or before its `reach`.
    pub met: u32,
    /// A bit for each of these rays that certainly crosses the shape, though perhaps after its
    /// `reach`.
    pub certain: u32,
    /// The bounds on the t of each crossing that is certain: at least `low`, which is NaN for the
    /// other rays, and at most `high`, which is infinity for these.
    pub low: OfRays,
    pub high: OfRays,
}

impl CrossingBounds {
    /// Removes a ray.
    #[inline(always)]
    pub fn remove(&mut self, lane: usize) {
        self.met &= !(1 << lane);
        self.certain &= !(1 << lane);
        (self.low[lane], self.high[lane]) = (f32::NAN, f32::INFINITY);
    }
}

/// The margin by which shapes grow and shrink, relative to their distance and size.
const MARGIN: f32 = 32.0 * U as f32;

/// The components of a direction along a block's axes are at least this large, so that their
/// inverses stay finite.
const LEAST_SPEED: f32 = 1e-18;

/// If the squared speed of a ray across a column's axis is below this, it is parallel to the axis:
/// its crossings with the wall are not computed.
const LEAST_SPEED_ACROSS_SQUARED: f32 = 1e-6;

/// The t at which each ray enters and leaves a convex shape; it misses if it leaves first.
#[derive(Clone, Copy)]
struct Span<L: Lanes> {
    enter: Floats<L>,
    leave: Floats<L>,
}

impl<L: Lanes> Span<L> {
    #[inline(always)]
    fn around(middle: Floats<L>, half: Floats<L>) -> Self {
        Self { enter: middle - half, leave: middle + half }
    }

    #[inline(always)]
    fn meet(self, other: Self) -> Self {
        Self { enter: self.enter.max(other.enter), leave: self.leave.min(other.leave) }
    }
}

/// A packet, and the instructions to compute with its rays.
#[derive(Clone, Copy)]
struct Rays<'a, L> {
    lanes: L,
    packet: &'a RayPacket,
}

impl<L: Lanes> Rays<'_, L> {
    #[inline(always)]
    fn splat(self, value: f32) -> Floats<L> {
        Floats::splat(self.lanes, value)
    }

    #[inline(always)]
    fn direction(self) -> [Floats<L>; 3] {
        let [x, y, z] = &self.packet.direction;
        [Floats::new(self.lanes, x), Floats::new(self.lanes, y), Floats::new(self.lanes, z)]
    }

    /// Returns the distance along an axis from the rays' origins to a plane.
    #[inline(always)]
    fn to_plane(self, axis: usize, coordinate: f32) -> Floats<L> {
        self.splat(coordinate) - Floats::new(self.lanes, &self.packet.origin[axis])
    }

    /// Returns the vectors from the rays' origins to a point.
    #[inline(always)]
    fn to(self, [x, y, z]: [f32; 3]) -> [Floats<L>; 3] {
        [self.to_plane(0, x), self.to_plane(1, y), self.to_plane(2, z)]
    }

    /// Returns the span in a box whose sides are across the world's axes.
    #[inline(always)]
    fn through_box(self, low: [f32; 3], high: [f32; 3], margin: f32) -> Span<L> {
        let mut span =
            Span { enter: self.splat(f32::NEG_INFINITY), leave: self.splat(f32::INFINITY) };
        for axis in 0..3 {
            let inverse = Floats::new(self.lanes, &self.packet.inverse[axis]);
            let a = self.to_plane(axis, low[axis] - margin) * inverse;
            let b = self.to_plane(axis, high[axis] + margin) * inverse;
            span = span.meet(Span { enter: a.min(b), leave: a.max(b) });
        }
        span
    }

    #[inline(always)]
    fn dot(self, [a, b, c]: [Floats<L>; 3], [x, y, z]: [f32; 3]) -> Floats<L> {
        c.multiply_add(self.splat(z), b.multiply_add(self.splat(y), a * self.splat(x)))
    }

    /// Returns half the chord of a circle or ball by its squared radius, in t, for lines that pass
    /// its centre at `area / speed`; −∞ for a line that misses.
    #[inline(always)]
    fn half_chord(
        self,
        radius_squared: f32,
        speed_squared: Floats<L>,
        area_squared: Floats<L>,
        inverse: Floats<L>,
    ) -> Floats<L> {
        let square = self.splat(radius_squared) * speed_squared - area_squared;
        let is_hit = self.splat(0.0).at_most(square);
        is_hit.select(square.sqrt(), self.splat(f32::NEG_INFINITY)) * inverse
    }

    #[inline(always)]
    fn through_balls(self, center: [f32; 3], radii_squared: [f32; 2]) -> [Span<L>; 2] {
        let [x, y, z] = self.to(center);
        let [dx, dy, dz] = self.direction();
        let speed_squared = dx.multiply_add(dx, dy.multiply_add(dy, dz * dz));
        let inverse = speed_squared.inverse();
        let middle = x.multiply_add(dx, y.multiply_add(dy, z * dz)) * inverse;
        let [a, b, c] = [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
        let area_squared = a.multiply_add(a, b.multiply_add(b, c * c));
        let [grown, shrunk] = radii_squared;
        let grown = self.half_chord(grown, speed_squared, area_squared, inverse);
        let shrunk = self.half_chord(shrunk, speed_squared, area_squared, inverse);
        [Span::around(middle, grown), Span::around(middle, shrunk)]
    }

    /// Returns the spans between two parallel planes at several distances from their middle, for
    /// rays with a coordinate and a speed across them.
    #[inline(always)]
    fn through_slabs(
        self,
        to_middle: Floats<L>,
        speed: Floats<L>,
        [grown, shrunk]: [f32; 2],
    ) -> [Span<L>; 2] {
        let least = self.splat(LEAST_SPEED);
        let inverse = least.at_most(speed.abs()).select(speed, least).inverse();
        let (middle, per_length) = (to_middle * inverse, inverse.abs());
        let [grown, shrunk] = [self.splat(grown) * per_length, self.splat(shrunk) * per_length];
        [Span::around(middle, grown), Span::around(middle, shrunk)]
    }

    #[inline(always)]
    fn through_blocks(
        self,
        center: [f32; 3],
        axes: &[[f32; 3]; 3],
        half_extents: [f32; 3],
        margin: f32,
    ) -> [Span<L>; 2] {
        let (to_center, direction) = (self.to(center), self.direction());
        let unbounded = Span::around(self.splat(0.0), self.splat(f32::INFINITY));
        let mut spans = [unbounded; 2];
        for (axis, half) in axes.iter().zip(half_extents) {
            let to_middle = self.dot(to_center, *axis);
            let speed = self.dot(direction, *axis);
            let slabs = self.through_slabs(to_middle, speed, [half + margin, half - margin]);
            spans = [spans[0].meet(slabs[0]), spans[1].meet(slabs[1])];
        }
        spans
    }

    #[inline(always)]
    fn through_columns(
        self,
        center: [f32; 3],
        [e, f, axis]: &[[f32; 3]; 3],
        [grown, shrunk]: [f32; 2],
        halves: [f32; 2],
    ) -> [Span<L>; 2] {
        let (to_center, direction) = (self.to(center), self.direction());
        let [x, y] = [self.dot(to_center, *e), self.dot(to_center, *f)];
        let [dx, dy] = [self.dot(direction, *e), self.dot(direction, *f)];
        let speed_squared = dx.multiply_add(dx, dy * dy);
        let least = self.splat(LEAST_SPEED_ACROSS_SQUARED);
        let is_across = least.at_most(speed_squared);
        let speed_squared = speed_squared.max(least);
        let inverse = speed_squared.inverse();
        let middle = x.multiply_add(dx, y * dy) * inverse;
        let area = x * dy - y * dx;
        let grown = self.half_chord(grown, speed_squared, area * area, inverse);
        let shrunk = self.half_chord(shrunk, speed_squared, area * area, inverse);
        let grown = is_across.select(grown, self.splat(f32::INFINITY));
        let shrunk = is_across.select(shrunk, self.splat(f32::NEG_INFINITY));
        let (z, dz) = (self.dot(to_center, *axis), self.dot(direction, *axis));
        let caps = self.through_slabs(z, dz, halves);
        [Span::around(middle, grown).meet(caps[0]), Span::around(middle, shrunk).meet(caps[1])]
    }
}

/// Returns the squares of a radius that has grown and shrunk by a margin; −1 for one of which
/// nothing is left.
#[inline(always)]
fn squares(radius: f32, margin: f32) -> [f32; 2] {
    let [grown, shrunk] = [radius + margin, radius - margin];
    [grown * grown, if shrunk > 0.0 { shrunk * shrunk } else { -1.0 }]
}

#[inline(always)]
fn margin(packet: &RayPacket, center: [f32; 3], size: f32) -> f32 {
    MARGIN * (packet.farthest(center) + size)
}

impl RoughShape {
    /// The stand-in for an item that is never tested with a packet.
    pub const NOTHING: Self =
        Self::Bounded { center: [0.0; 3], radius: 0.0, low: [0.0; 3], high: [0.0; 3] };

    /// Returns a shape in float32; `sphere` is one around it.
    pub fn new(shape: &Shape, sphere: &BoundingSphere) -> Self {
        let round = |v: DVec3| v.as_vec3().to_array();
        match shape.convex() {
            Some(Convex::Ball { center, radius }) => {
                Self::Ball { center: round(center), radius: radius as f32 }
            }
            Some(Convex::Block { center, axes, half_extents }) => Self::Block {
                center: round(center),
                axes: axes.map(round),
                half_extents: round(half_extents),
            },
            Some(Convex::Column { center, axes, radius, half_length }) => Self::Column {
                center: round(center),
                axes: axes.map(round),
                radius: radius as f32,
                half_length: half_length as f32,
            },
            // Only an unbounded shape has no bounds.
            None => shape.bounds().map_or(Self::NOTHING, |bounds| Self::bounded(sphere, &bounds)),
        }
    }

    /// Returns any item in float32 by a sphere and a box around it.
    pub fn bounded(sphere: &BoundingSphere, bounds: &Bounds) -> Self {
        let [low, high] = [bounds.min, bounds.max].map(|corner| corner.as_vec3().to_array());
        Self::Bounded { center: sphere.center(), radius: sphere.radius(), low, high }
    }

    /// Bounds the first crossing of each ray of a packet with this shape.
    #[inline(always)]
    pub fn crossing_bounds<L: Lanes>(
        &self,
        lanes: L,
        packet: &RayPacket,
        reach: &OfRays,
    ) -> CrossingBounds {
        let rays = Rays { lanes, packet };
        let [grown, shrunk] = match *self {
            Self::Ball { center, radius } => {
                rays.through_balls(center, squares(radius, margin(packet, center, radius)))
            }
            Self::Block { center, ref axes, half_extents } => {
                let [x, y, z] = half_extents;
                rays.through_blocks(center, axes, half_extents, margin(packet, center, x + y + z))
            }
            Self::Column { center, ref axes, radius, half_length } => {
                let [x, y, z] = center;
                let margin = margin(packet, center, radius + half_length)
                    + MARGIN * (x.abs() + y.abs() + z.abs());
                let halves = [half_length + margin, half_length - margin];
                rays.through_columns(center, axes, squares(radius, margin), halves)
            }
            Self::Bounded { center, radius, low, high } => {
                let [x, y, z] = center;
                let margin =
                    margin(packet, center, radius) + MARGIN * (x.abs() + y.abs() + z.abs());
                let [grown, shrunk] =
                    rays.through_balls(center, [squares(radius, margin)[0], -1.0]);
                [grown.meet(rays.through_box(low, high, margin)), shrunk]
            }
        };
        let t_min = Floats::new(lanes, &packet.t_min[0]);
        let above_t_min = Floats::new(lanes, &packet.t_min[1]);
        let is_met = grown.enter.at_most(grown.leave.min(Floats::new(lanes, reach)));
        let is_met = is_met.and(t_min.at_most(grown.leave));
        // The crossing at which a ray enters is the first in its interval only if the ray starts
        // before it.
        let is_certain = is_met.and(shrunk.enter.at_most(shrunk.leave));
        let is_certain = is_certain.and(above_t_min.at_most(grown.enter));
        CrossingBounds {
            met: is_met.bits(),
            certain: is_certain.bits(),
            low: is_certain.select(grown.enter, rays.splat(f32::NAN)).to_array(),
            high: is_certain.select(shrunk.enter, rays.splat(f32::INFINITY)).to_array(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{PACKET, RayLanes};
    use crate::crossings::Crossing;
    use crate::ray::Ray;
    use crate::shapes::{Cuboid, Cylinder, Sphere};
    use fastrand::Rng;
    use glam::{DMat3, DQuat, DVec3};
    use pulp::Scalar512b;

    fn vector(rng: &mut Rng) -> DVec3 {
        DVec3::from([0.0; 3].map(|_| 2.0 * f64::from(rng.f32()) - 1.0))
    }

    /// Returns a shape about a point, and points on it at which rays graze it or turn from one face
    /// to another.
    fn shape(rng: &mut Rng, center: DVec3, size: f64) -> (Shape, Vec<DVec3>) {
        let center = center.as_vec3().as_dvec3();
        let length = |rng: &mut Rng| f64::from((size * (0.01 + rng.f64())) as f32);
        match rng.usize(..3) {
            0 => {
                let radius = length(rng);
                let points = (0..8).map(|_| center + radius * vector(rng).normalize()).collect();
                (Sphere { center, radius }.into(), points)
            }
            1 => {
                let half_extents = DVec3::from([0.0; 3].map(|_| length(rng)));
                let [x, y, z] = vector(rng).to_array();
                let whole = if rng.bool() { 0.0 } else { 1.0 };
                let rotation = DQuat::from_xyzw(whole * x, whole * y, whole * z, 1.0);
                let axes = DMat3::from_quat(rotation.normalize());
                let on_it = |signs: DVec3| center + axes * (signs * half_extents);
                let points = (0..8).map(|_| on_it(vector(rng).signum() * vector(rng).round()));
                let points = points.collect();
                (Cuboid { center, half_extents, rotation }.into(), points)
            }
            _ => {
                let along = length(rng) * if rng.bool() { DVec3::Z } else { vector(rng) };
                let end = (center + along).as_vec3().as_dvec3();
                let radius = length(rng);
                let (e, f) = (end - center).normalize_or(DVec3::Z).any_orthonormal_pair();
                let rim = |rng: &mut Rng| {
                    let [u, v, _] = vector(rng).to_array();
                    radius * (u * e + v * f).normalize_or(e)
                };
                let points =
                    (0..8).map(|turn| center.lerp(end, f64::from(turn % 3) / 2.0) + rim(rng));
                let points = points.collect();
                (Cylinder::solid(center, end, radius).into(), points)
            }
        }
    }

    #[test]
    fn the_crossing_lies_between_its_bounds_at_any_scale() {
        let rng = &mut Rng::with_seed(11);
        let [mut certain, mut crossed] = [0; 2];
        for _ in 0..40_000 {
            let scale = 10_f64.powi(rng.i32(-8..7));
            let center = scale * vector(rng) * 10_f64.powi(rng.i32(-1..3));
            let size = scale * 10_f64.powi(rng.i32(-1..1));
            let (shape, points) = shape(rng, center, size);
            if shape.check().is_err() || shape.smallest_size() < 1e-9 {
                continue;
            }
            let eye = center + size * (1.0 + 99.0 * rng.f64()) * vector(rng);
            let toward = points[rng.usize(..8)] - eye;
            // Some rays graze the shape, and some run along an axis of the world.
            let graze = [0.0, 1e-9, 1e-7, 1e-6, 1e-3][rng.usize(..5)];
            let rays = [0; PACKET].map(|_| {
                let mut direction = toward + graze * toward.length() * vector(rng);
                direction = direction.as_vec3().as_dvec3();
                if rng.usize(..8) == 0 {
                    direction[rng.usize(..3)] = 0.0;
                }
                Ray::new(eye.as_vec3(), direction.as_vec3())
            });
            let is_packet = |ray: &Ray| {
                let same = |(a, b): (&f32, &f32)| a.is_sign_negative() == b.is_sign_negative();
                ray.is_valid() && ray.direction.iter().zip(&rays[0].direction).all(same)
            };
            if !rays.iter().all(is_packet) {
                continue;
            }
            let (packet, reach) = RayPacket::new(Scalar512b, &RayLanes::new(&rays));
            let bounds = BoundingSphere::new(shape.center(), shape.bounding_radius());
            let bounds =
                RoughShape::new(&shape, &bounds).crossing_bounds(Scalar512b, &packet, &reach);
            for (lane, ray) in rays.iter().enumerate() {
                let first = shape.crossings(&ray.line()).first_from(0.0);
                let is_set = |bits: u32| bits >> lane & 1 == 1;
                assert!(is_set(bounds.met) || first.is_none(), "{shape:?} {ray:?}");
                crossed += u32::from(first.is_some());
                if is_set(bounds.certain) {
                    let Crossing { t, .. } = first.unwrap();
                    let t = t * f64::from(ray.near_unit_direction().1);
                    let [low, high] = [bounds.low[lane], bounds.high[lane]].map(f64::from);
                    assert!(low <= t && t <= high, "{low} {t} {high} {shape:?} {ray:?}");
                    certain += 1;
                }
            }
        }
        assert!(certain > 50_000 && crossed > certain, "{certain} of {crossed}");
    }
}
