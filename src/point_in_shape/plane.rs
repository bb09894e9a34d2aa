//! Point on plane and in half-space, and the closest point on the plane.

use super::packing::{Form, Packing, TestParams, near_unit_axis};
use super::{ClosestPoint, Contains, Tolerance, Touches, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::math::vec4;
use glam::DVec3;

/// An infinite plane, which touches points, and the half-space behind it, which contains them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneTest {
    point: DVec3,
    /// The normal, of near unit length.
    normal: DVec3,
    /// The square of the normal's length, |normal|².
    normal_squared: f64,
}

impl PlaneTest {
    /// Returns the test of the plane through a point, with a normal of any length that points out
    /// of the half-space.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a normal of no length.
    pub fn new(point: DVec3, normal: DVec3) -> Result<Self, ShapeError> {
        check_point(point, || "point".to_owned())?;
        check_alone(FieldKind::Direction, &normal.to_array(), "normal")?;
        let normal = near_unit_axis(normal);
        Ok(Self { point, normal, normal_squared: normal.length_squared() })
    }

    /// Returns the signed distance from the plane times |normal|.
    fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }
}

impl Contains for PlaneTest {
    /// Tests (p − q) · n ≤ 0 for a point q of the plane. The plane itself belongs to the
    /// half-space.
    fn contains(&self, point: DVec3) -> bool {
        is_somewhere(point) && self.height(point) <= 0.0
    }
}

impl Touches for PlaneTest {
    /// Tests ((p − q) · n)² ≤ tolerance² |n|².
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool {
        let height = self.height(point);
        is_somewhere(point) && height * height <= tolerance.squared() * self.normal_squared
    }
}

impl ClosestPoint for PlaneTest {
    /// Returns p − n ((p − q) · n) / |n|².
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        point - self.height(point) / self.normal_squared * self.normal
    }
}

impl Packing for PlaneTest {
    const FORM: Form = Form::PlaneTest;

    /// The layout is point, 0 | normal, |normal|² | 0, 0, 0, the tolerance squared, scaled.
    fn params(&self) -> TestParams {
        TestParams {
            first: vec4(self.point, 0.0),
            second: vec4(self.normal, self.normal_squared),
            third: [0.0; 4],
        }
    }
}
