//! A quick rejection test in float32, which never rejects a shape that the ray hits. A ray misses
//! most of the shapes whose boxes it meets.

use crate::math::U;
use crate::ray::{Line, Ray};
use glam::{DVec3, Vec3};

/// A bounding sphere around a shape. In float32 it takes few bytes, and its test few instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundingSphere {
    center: [f32; 3],
    radius: f32,
}

impl BoundingSphere {
    /// Contains all of space, for an unbounded shape.
    pub const EVERYWHERE: Self = Self { center: [0.0; 3], radius: f32::INFINITY };

    pub fn new(center: DVec3, radius: f64) -> Self {
        // The radius grows by its own rounding, and by as much as the centre's rounding moves the
        // sphere.
        let radius = radius * (1.0 + 4.0 * U) + 4.0 * U * center.length();
        Self { center: center.as_vec3().to_array(), radius: radius as f32 }
    }

    pub fn center(&self) -> [f32; 3] {
        self.center
    }

    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// Returns a lower bound on the squared distance from a point to the sphere.
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        let to_center = Vec3::from(self.center).as_dvec3().distance(point);
        let distance = (to_center * (1.0 - 1e-15) - f64::from(self.radius)).max(0.0);
        distance * distance
    }

    /// Returns true if the ray's line certainly misses the sphere. The rounding of each product is
    /// at most 8 u of the distance to the centre times |direction|.
    #[inline(always)]
    pub fn is_missed(&self, sphere_test_ray: &SphereTestRay) -> bool {
        let [ox, oy, oz] = sphere_test_ray.origin;
        let [dx, dy, dz] = sphere_test_ray.direction;
        let [x, y, z] = [self.center[0] - ox, self.center[1] - oy, self.center[2] - oz];
        let [a, b, c] = [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
        let reach = self.radius + 8.0 * U as f32 * (x.abs() + y.abs() + z.abs());
        a * a + b * b + c * c > reach * reach * sphere_test_ray.length_squared
    }
}

/// A ray prepared for tests with bounding spheres.
#[derive(Clone, Copy)]
pub(super) struct SphereTestRay {
    origin: [f32; 3],
    /// The direction, scaled so that its largest component lies in [1, 2).
    direction: [f32; 3],
    /// The direction's squared length, rounded up.
    length_squared: f32,
}

impl SphereTestRay {
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
