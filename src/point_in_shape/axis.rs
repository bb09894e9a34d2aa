//! Where a point is about an axis: what tests of cylinders, cones and lines share.

use super::packing::near_unit_axis;
use glam::DVec3;

/// An axis from a point on, with what is worked out beforehand. Its direction is scaled to near unit length
/// without rounding, along a world axis to unit length: there heights and distances are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub start: DVec3,
    /// Of near unit length.
    pub direction: DVec3,
    /// |direction|²
    pub squared: f64,
}

impl Axis {
    pub fn new(start: DVec3, along: DVec3) -> Self {
        let direction = near_unit_axis(along);
        Self { start, direction, squared: direction.length_squared() }
    }

    /// How far along the axis a point is, times |direction|.
    pub fn height(&self, point: DVec3) -> f64 {
        (point - self.start).dot(self.direction)
    }

    /// How far from the axis a point is, squared, times |direction|². By the cross product: by Lagrange's identity it
    /// is |p|² |a|² − (p · a)², which far along the axis is the small difference of large numbers.
    pub fn aside_squared(&self, point: DVec3) -> f64 {
        (point - self.start).cross(self.direction).length_squared()
    }
}
