//! The position of a point about an axis, which the tests of cylinders, cones and lines share.

use super::packing::near_unit_axis;
use glam::DVec3;

/// An axis from a point, with its precomputed numbers. Its direction is scaled to near unit length
/// without rounding, or to exactly unit length along a world axis, where heights and distances are
/// then exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub start: DVec3,
    /// The direction, of near unit length.
    pub direction: DVec3,
    /// The square of the direction's length, |direction|².
    pub squared: f64,
}

impl Axis {
    pub fn new(start: DVec3, along: DVec3) -> Self {
        let direction = near_unit_axis(along);
        Self { start, direction, squared: direction.length_squared() }
    }

    /// Returns the position of a point along the axis, times |direction|.
    pub fn height(&self, point: DVec3) -> f64 {
        (point - self.start).dot(self.direction)
    }

    /// Returns the squared distance of a point from the axis, times |direction|². It comes from the
    /// cross product p × a, because the equal |p|² |a|² − (p · a)² (Lagrange's identity) cancels
    /// far along the axis.
    pub fn aside_squared(&self, point: DVec3) -> f64 {
        (point - self.start).cross(self.direction).length_squared()
    }
}
