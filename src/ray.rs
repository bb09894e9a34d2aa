//! The ray that a caller gives, the float64 line along which the CPU casts, and the hit.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

/// The number that means "no geometry" and "no primitive" in every answer.
pub const NONE: u32 = u32::MAX;

/// The largest coordinate of an origin, in scene units.
pub const MAX_COORDINATE: f32 = 1e9;
/// The length of the shortest valid direction.
pub const MIN_LENGTH: f32 = 1e-12;
/// The length of the longest valid direction.
pub const MAX_LENGTH: f32 = 1e12;

/// A ray: the points `origin + t * direction` with `t_min <= t <= t_max`.
///
/// The direction is not normalised, and `t` is in units of its length. A ray is eight float32
/// numbers, in the order of a ray file's columns and of the GPU's ray buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Ray {
    /// The point at `t = 0`.
    pub origin: [f32; 3],
    /// The direction of growing `t`, of any length from 1e-12 to 1e12.
    pub direction: [f32; 3],
    /// The smallest `t` of the ray, inclusive; may be −∞.
    pub t_min: f32,
    /// The largest `t` of the ray, inclusive; may be +∞.
    pub t_max: f32,
}

/// Writes its eight numbers, separated by commas. They read back to the same bits.
impl std::fmt::Display for Ray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [ox, oy, oz] = self.origin;
        let [dx, dy, dz] = self.direction;
        let Self { t_min, t_max, .. } = self;
        write!(f, "{ox:?},{oy:?},{oz:?},{dx:?},{dy:?},{dz:?},{t_min:?},{t_max:?}")
    }
}

impl Ray {
    /// Returns the ray from `origin` along `direction`, with `t` from 0 to +∞.
    pub fn new(origin: impl Into<Vec3>, direction: impl Into<Vec3>) -> Self {
        Self {
            origin: origin.into().to_array(),
            direction: direction.into().to_array(),
            t_min: 0.0,
            t_max: f32::INFINITY,
        }
    }

    /// Returns the ray along a line, whose numbers are rounded once.
    pub(crate) fn along(line: &Line) -> Self {
        Self::new(line.origin.as_vec3(), line.direction.as_vec3())
    }

    /// Returns the ray from a point along +z.
    pub fn upwards(point: [f32; 3]) -> Self {
        Self::new(point, [0.0, 0.0, 1.0])
    }

    /// Returns the same ray with another interval of `t`.
    pub fn within(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// The rule that [`Self::is_valid`] checks, for messages.
    pub const RULE: &str = "a ray must be finite, with coordinates up to 1e9, a length from 1e-12 to 1e12, and t_min <= t_max";

    /// Returns true if the ray can be cast.
    ///
    /// Its numbers must be finite, except `t_min` and `t_max`, its direction must have a length
    /// from 1e-12 to 1e12, its coordinates must be at most 1e9, and its interval must contain at
    /// least one number. The answer to any other ray has a `t` of NaN.
    #[inline]
    pub fn is_valid(&self) -> bool {
        let length_squared = self.line().direction.length_squared();
        let limits = [MIN_LENGTH, MAX_LENGTH].map(|length| f64::from(length) * f64::from(length));
        let reach = self.origin.iter().all(|c| c.abs() <= MAX_COORDINATE);
        // A comparison with NaN is false, so these lines also reject every NaN.
        reach
            && length_squared >= limits[0]
            && length_squared <= limits[1]
            && self.t_min <= self.t_max
            && self.t_min < f32::INFINITY
            && self.t_max > f32::NEG_INFINITY
    }

    /// Divides a valid ray's direction by a power of two, which rounds nothing, so that its largest
    /// component lies in [1, 2). Returns the quotient and that power.
    #[inline(always)]
    pub(crate) fn near_unit_direction(&self) -> ([f32; 3], f32) {
        let [x, y, z] = self.direction.map(f32::abs);
        let scale = f32::from_bits(x.max(y).max(z).to_bits() & 0x7f80_0000);
        // One over a power of two is exact, and a product is faster than a quotient.
        let inverse = 1.0 / scale;
        (self.direction.map(|component| component * inverse), scale)
    }

    /// Returns the ray's line in float64, which is exact.
    pub fn line(&self) -> Line {
        Line {
            origin: Vec3::from(self.origin).as_dvec3(),
            direction: Vec3::from(self.direction).as_dvec3(),
        }
    }
}

/// A line in float64, `origin + t * direction`, in any space.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The point at `t = 0`.
    pub origin: DVec3,
    /// The direction, not normalised.
    pub direction: DVec3,
}

impl Line {
    /// Returns the line through a point along +z.
    pub(crate) fn upwards(point: DVec3) -> Self {
        Self { origin: point, direction: DVec3::Z }
    }

    /// Returns the point at `t`, in units of the direction's length.
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }

    /// Divides the direction by a power of two, so that its largest component lies in [1, 2) before
    /// it is rounded to float32. Returns the quotient and that power.
    #[inline(always)]
    pub(crate) fn near_unit_direction(&self) -> ([f32; 3], f64) {
        let (scale, inverse) = power_of_two_below(self.direction.abs().max_element());
        ((self.direction * inverse).as_vec3().to_array(), scale)
    }

    /// Returns the same line with its origin moved near a point, and the t by which it moved. That
    /// step has 26 significant bits, so that small integers stay exact.
    pub(crate) fn near(&self, point: DVec3) -> (Self, f64) {
        let closest = (point - self.origin).dot(self.direction) / self.direction.length_squared();
        let step = f64::from_bits(closest.to_bits() & !((1 << 27) - 1));
        (Self { origin: self.at(step), ..*self }, step)
    }
}

/// Returns the largest power of two that is not above a positive number, and one over it, without a
/// division: the exponents of the two add up to twice the bias. The number is far from the limits
/// of float64.
#[inline(always)]
pub(crate) fn power_of_two_below(number: f64) -> (f64, f64) {
    let exponent = number.to_bits() & 0x7ff0_0000_0000_0000;
    (f64::from_bits(exponent), f64::from_bits(0x7fe0_0000_0000_0000_u64.wrapping_sub(exponent)))
}

/// The answer to one ray.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Hit {
    /// The position along the ray, in units of its direction's length; +∞ for a miss, NaN for an
    /// invalid ray.
    pub t: f32,
    /// The geometry's id, or [`NONE`].
    pub geometry_id: u32,
    /// The primitive's id in its geometry, 0 for the closed-form shapes, or [`NONE`].
    pub primitive_id: u32,
}

impl Hit {
    /// The answer to a ray that hits nothing in its interval.
    pub const MISS: Self = Self { t: f32::INFINITY, geometry_id: NONE, primitive_id: NONE };
    /// The answer to a ray that cannot be cast.
    pub const INVALID: Self = Self { t: f32::NAN, geometry_id: NONE, primitive_id: NONE };

    /// Returns true if the ray hit something.
    pub fn is_hit(&self) -> bool {
        self.geometry_id != NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_valid_ray_are_themselves_valid() {
        let ray = Ray::new([1e9, -1e9, 0.0], [MIN_LENGTH, 0.0, 0.0]);
        assert!(ray.is_valid());
        assert!(Ray::new([0.0; 3], [0.0, MAX_LENGTH, 0.0]).is_valid());
        assert!(ray.within(f32::NEG_INFINITY, f32::INFINITY).is_valid());
        assert!(ray.within(2.0, 2.0).is_valid());
    }

    #[test]
    fn every_other_ray_is_refused() {
        let good = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
        for bad in [
            Ray::new([0.0; 3], [0.0; 3]),
            Ray::new([0.0; 3], [1e-13, 0.0, 0.0]),
            Ray::new([0.0; 3], [1e13, 0.0, 0.0]),
            Ray::new([0.0; 3], [f32::NAN, 0.0, 1.0]),
            Ray::new([0.0; 3], [f32::INFINITY, 0.0, 1.0]),
            Ray::new([2e9, 0.0, 0.0], [1.0, 0.0, 0.0]),
            Ray::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]),
            good.within(f32::NAN, 1.0),
            good.within(0.0, f32::NAN),
            good.within(1.0, 0.5),
            good.within(f32::INFINITY, f32::INFINITY),
            good.within(f32::NEG_INFINITY, f32::NEG_INFINITY),
        ] {
            assert!(!bad.is_valid(), "{bad:?}");
        }
    }
}
