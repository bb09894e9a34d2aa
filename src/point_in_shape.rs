//! The classic single tests: one point against one shape, in float64. Does a solid hold the point, does a
//! plane or a line touch it, and which of their points is the nearest?
//!
//! A test is a small value in which what can be known beforehand is worked out, such as the squares of lengths and
//! radii. The same tests run on a GPU, for many points at once: `gpu::PointTester`.
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
//! A boundary belongs to its shape, and a tolerance to what it allows. Coordinates reach up to 1e9, and lengths
//! from 1e-9 to 1e9, as in scenes; what is not so, or has no extent, is refused when a test is made. A *point* that
//! has a coordinate which is no number or lies beyond 1e9 is nowhere: outside, not touched, and near to NaN.

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

#[cfg(feature = "gpu")]
pub(crate) use packing::{Form, Packing, TestParams};

use crate::fields::{FieldKind, MAX_COORDINATE, ShapeError, check_alone};
use glam::DVec3;

/// What [`SquaredDistance`] tells of a point that is outside.
pub const OUTSIDE: f64 = -1.0;

/// A solid that tells how far from its middle a point inside of it is.
pub trait SquaredDistance: packing::Packing {
    /// The square of a distance from the middle, [`OUTSIDE`] where the point is not inside. Of what it is the
    /// distance, and in which units, each test says.
    fn squared_distance(&self, point: DVec3) -> f64;
}

/// A solid that holds points or does not.
pub trait Contains: packing::Packing {
    /// Whether the point is in the solid or on its surface.
    fn contains(&self, point: DVec3) -> bool;
}

/// What is too thin to hold a point without a tolerance.
pub trait Touches: packing::Packing {
    /// Whether its nearest point is no farther from this one than the tolerance.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool;
}

/// What has a nearest point.
pub trait ClosestPoint: packing::Packing {
    /// The nearest point of its surface, of a solid also from inside; of several that are equally near, the one that
    /// the test names. NaN for a point that is nowhere.
    fn closest_point(&self, point: DVec3) -> DVec3;
}

/// A distance up to which a thing counts as touched, in scene units, itself included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    squared: f64,
}

impl Tolerance {
    /// None at all: only what lies exactly on a thing is touched, which is of use where numbers are whole.
    pub const ZERO: Self = Self { squared: 0.0 };

    /// A tolerance of that many scene units.
    ///
    /// # Errors
    /// A [`ShapeError`] of what is neither 0 nor between 1e-9 and 1e9.
    pub fn new(distance: f64) -> Result<Self, ShapeError> {
        check_alone(FieldKind::LengthOrZero, &[distance], "tolerance")?;
        Ok(Self { squared: distance * distance })
    }

    /// Its square.
    pub(crate) fn squared(self) -> f64 {
        self.squared
    }
}

/// Whether a point is one: NaN is in no range.
fn is_somewhere(point: DVec3) -> bool {
    point.abs().cmple(DVec3::splat(MAX_COORDINATE)).all()
}
