//! The classic tests of one point against one shape, in float64. They decide whether a solid
//! contains the point, whether a plane or a line touches it, and which point of the shape is the
//! nearest.
//!
//! A test is a small value with precomputed numbers, such as the squares of lengths and radii. The
//! same tests run on a GPU for many points at once: `gpu::PointTester`.
//!
//! ```
//! use raytwin::glam::DVec3;
//! use raytwin::point_in_shape::{ClosestPoint, CylinderTest, OUTSIDE, SegmentTest, SquaredDistance};
//! use raytwin::point_in_shape::{Tolerance, Touches};
//!
//! let can = CylinderTest::solid(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0), 0.5)?;
//! assert_eq!(can.squared_distance(DVec3::new(0.25, 0.0, 1.0)), 0.0625);
//! assert_eq!(can.squared_distance(DVec3::new(0.25, 0.0, 3.0)), OUTSIDE);
//!
//! let edge = SegmentTest::new(DVec3::ZERO, DVec3::X)?;
//! let point = DVec3::new(1.0, 0.01, 0.0);
//! assert!(edge.touches(point, Tolerance::new(0.01)?));
//! assert_eq!(edge.closest_point(point), DVec3::X);
//! # Ok::<(), raytwin::ShapeError>(())
//! ```
//!
//! A boundary belongs to its shape, and a distance equal to a tolerance is within it. As in scenes,
//! coordinates may be up to 1e9, and lengths from 1e-9 to 1e9. The constructors return an error for
//! all other numbers, and for shapes without extent. An invalid *point*, with a coordinate that is
//! NaN or above 1e9, is outside and not touched, and its nearest point is NaN.

mod axis;
mod boxes;
mod cone;
mod cylinder;
mod ellipsoid;
mod line;
mod packing;
mod plane;
mod sphere;

pub use boxes::{AlignedBoxTest, OrientedBoxTest};
pub use cone::ConeTest;
pub use cylinder::CylinderTest;
pub use ellipsoid::EllipsoidTest;
pub use line::{LineTest, RayTest, SegmentTest};
pub use plane::PlaneTest;
pub use sphere::SphereTest;

pub(crate) use packing::{Form, Packing, TestParams};

use crate::fields::{FieldKind, MAX_COORDINATE, ShapeError, check_alone};
use glam::DVec3;

/// The answer of [`SquaredDistance`] for a point outside.
pub const OUTSIDE: f64 = -1.0;

/// A solid that measures the distance of a point inside from its middle.
pub trait SquaredDistance: packing::Packing {
    /// Returns the square of the point's distance from the middle, or [`OUTSIDE`] for a point that
    /// is not inside. Each test documents what its middle is and the unit of the distance.
    fn squared_distance(&self, point: DVec3) -> f64;
}

/// A solid that can contain points.
pub trait Contains: packing::Packing {
    /// Returns true if the point is in the solid or on its surface.
    fn contains(&self, point: DVec3) -> bool;
}

/// A shape without volume, which touches a point within a tolerance.
pub trait Touches: packing::Packing {
    /// Returns true if the shape's nearest point is no farther from this one than the tolerance.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool;
}

/// A shape that has a nearest point.
pub trait ClosestPoint: packing::Packing {
    /// Returns the nearest point of its surface, also for a point inside a solid. If several are
    /// equally near, each test documents which one it returns. It is NaN for an invalid point.
    fn closest_point(&self, point: DVec3) -> DVec3;
}

/// The largest distance, in scene units and inclusive, at which a shape touches a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    squared: f64,
}

impl Tolerance {
    /// A tolerance of zero: only a point exactly on a shape touches it. This is useful for whole
    /// numbers.
    pub const ZERO: Self = Self { squared: 0.0 };

    /// Returns a tolerance in scene units.
    ///
    /// # Errors
    /// A [`ShapeError`] for a distance that is neither 0 nor between 1e-9 and 1e9.
    pub fn new(distance: f64) -> Result<Self, ShapeError> {
        check_alone(FieldKind::LengthOrZero, &[distance], "tolerance")?;
        Ok(Self { squared: distance * distance })
    }

    pub(crate) fn squared(self) -> f64 {
        self.squared
    }
}

/// Returns true if a point is valid; comparisons with NaN are false.
fn is_somewhere(point: DVec3) -> bool {
    point.abs().cmple(DVec3::splat(MAX_COORDINATE)).all()
}
