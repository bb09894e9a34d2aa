//! The line of a ray, prepared for the tests in float32 that reject what it surely misses.

use crate::math::U;
use crate::ray::{Line, Ray};

/// A line prepared for tests in float32.
#[derive(Clone, Copy)]
pub(super) struct LineInFloat32 {
    pub origin: [f32; 3],
    /// The direction, scaled so that its largest component lies in [1, 2).
    pub direction: [f32; 3],
    /// The direction's squared length, rounded up.
    pub length_squared: f32,
}

impl LineInFloat32 {
    #[inline(always)]
    pub fn of(ray: &Ray) -> Self {
        let (direction, _) = ray.near_unit_direction();
        Self::new(ray.origin, direction)
    }

    /// Prepares a line in the space of an object. Rounding its numbers to float32 moves it by at
    /// most 2 u of the sum of the distance to a sphere and the centre's coordinates, which the
    /// sphere's growth and the reach cover.
    #[inline(always)]
    pub fn of_line(line: &Line) -> Self {
        let (direction, _) = line.near_unit_direction();
        Self::new(line.origin.as_vec3().to_array(), direction)
    }

    /// Prepares a ray whose direction is scaled already.
    #[inline(always)]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Self {
        let [x, y, z] = direction;
        let length_squared = (x * x + y * y + z * z) * (1.0 + 8.0 * U as f32);
        Self { origin, direction, length_squared }
    }
}
