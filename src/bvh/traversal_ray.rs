//! A ray as the traversal of a tree sees it: in float32, with margins that lose no box that the ray
//! meets. The margin of a test is relative to the t at which the ray reaches the box, so something
//! far away makes no test wider.

use super::planes::PlaneRow;
use crate::math::U;
use crate::ray::{Line, Ray};

/// A ray prepared for box tests. Its direction is scaled by a power of two so that the largest
/// component lies in [1, 2); t is scaled the other way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TraversalRay {
    /// The origin along each axis, and a 0 that fills a vector of four; `inverse` and `pad` are
    /// filled alike.
    pub origin: [f32; 4],
    /// One over each component of the direction.
    pub inverse: [f32; 4],
    /// How much t it takes to cross the distance by which the caller grows each box.
    pub pad: [f32; 4],
    /// For each axis the t at which the ray would reach the origin's plane of the space, less and
    /// more a margin that covers `pad` and the rounding of the origin: what is added to a plane's
    /// t where the ray enters a box, and where it leaves it.
    pub offsets: [[f32; 2]; 3],
    /// For each axis the rows of planes through which the ray enters boxes and leaves them.
    pub rows: [[PlaneRow; 2]; 3],
    /// A bit for each negative component of the direction: 4 for x, 2 for y, 1 for z.
    pub octant: u32,
    pub t_min: f32,
    /// The factor from the ray's own t to the t of this ray.
    pub scale: f64,
}

/// A component of a direction below this counts as this, so that its inverse stays finite.
pub(super) const MIN_SPEED: f32 = 1.0 / (1_u64 << 60) as f32;

/// The relative margin of a box test. A side is reached at (side − origin) · inverse; three
/// roundings move that by at most 3 u of itself, and the sums and products that lead to the side by
/// at most 2 u of their largest term.
pub(super) const MARGIN: f32 = 8.0 * U as f32;

impl TraversalRay {
    /// Prepares a valid ray for boxes that are each grown by `pad`.
    #[inline(always)]
    pub fn new(ray: &Ray, pad: f64) -> Self {
        let (direction, scale) = ray.near_unit_direction();
        Self::prepare(ray.origin, direction, scale.into(), ray.t_min.into(), pad)
    }

    /// Prepares a line from `t_min` on, in the space of an object. The origin and the direction are
    /// rounded to float32, each by u of itself, which the margins of box tests and the growth of
    /// boxes cover.
    #[inline(always)]
    pub fn of_line(line: &Line, t_min: f64, pad: f64) -> Self {
        let (direction, scale) = line.near_unit_direction();
        Self::prepare(line.origin.as_vec3().to_array(), direction, scale, t_min, pad)
    }

    #[inline(always)]
    fn prepare(origin: [f32; 3], direction: [f32; 3], scale: f64, t_min: f64, pad: f64) -> Self {
        let inverse = direction.map(|speed| {
            1.0 / if speed.abs() < MIN_SPEED { MIN_SPEED.copysign(speed) } else { speed }
        });
        let pad = above(pad);
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        let octant = inverse.into_iter().fold(0, |bits, speed| bits << 1 | u32::from(speed < 0.0));
        let mut ray = Self {
            origin: four(origin),
            inverse: four(inverse),
            pad: four(inverse.map(|inverse| pad * inverse.abs())),
            offsets: [[0.0; 2]; 3],
            rows: PlaneRow::of_octant(octant),
            octant,
            t_min: -above(-t_min * scale),
            scale,
        };
        ray.set_offsets();
        ray
    }

    /// Computes the offsets from the other numbers.
    #[inline(always)]
    pub(super) fn set_offsets(&mut self) {
        for axis in 0..3 {
            let to_origin = 0.0 - self.origin[axis] * self.inverse[axis];
            let slack = MARGIN * to_origin.abs() + self.pad[axis];
            self.offsets[axis] = [to_origin - slack, to_origin + slack];
        }
    }

    /// Converts a t of the original ray to this ray's t, rounded up.
    #[inline(always)]
    pub fn reach(&self, t: f64) -> f32 {
        above(t * self.scale)
    }
}

/// Returns a float32 number that is not below `exact`, and zero for zero. It is never subnormal,
/// because processors take a hundred times as long for subnormal numbers.
#[inline(always)]
pub(super) fn above(exact: f64) -> f32 {
    let near = (exact as f32).max(f32::MIN);
    let up = near + near.abs() * (2.0 * U as f32);
    if up.abs() >= f32::MIN_POSITIVE {
        up
    } else if exact > 0.0 {
        f32::MIN_POSITIVE
    } else {
        0.0
    }
}
