//! A quick rejection test in float32, which never rejects a shape that the ray hits. A ray misses
//! most of the shapes whose boxes it meets.

use super::line_in_float32::LineInFloat32;
use crate::math::U;
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
    pub fn is_missed(&self, line: &LineInFloat32) -> bool {
        let [ox, oy, oz] = line.origin;
        let [dx, dy, dz] = line.direction;
        let [x, y, z] = [self.center[0] - ox, self.center[1] - oy, self.center[2] - oz];
        let [a, b, c] = [y * dz - z * dy, z * dx - x * dz, x * dy - y * dx];
        let reach = self.radius + 8.0 * U as f32 * (x.abs() + y.abs() + z.abs());
        a * a + b * b + c * c > reach * reach * line.length_squared
    }
}
