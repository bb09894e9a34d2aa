//! Point in sphere, and the closest point on it.

use super::packing::{Form, Packing, TestParams};
use super::{ClosestPoint, Contains, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::math::vec4;
use crate::shapes::scale_near_one;
use glam::DVec3;

/// All points within a radius of a centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereTest {
    center: DVec3,
    radius: f64,
    radius_squared: f64,
}

impl SphereTest {
    /// Returns the test of a ball.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range.
    pub fn new(center: DVec3, radius: f64) -> Result<Self, ShapeError> {
        check_point(center, || "center".to_owned())?;
        check_alone(FieldKind::Length, &[radius], "radius")?;
        Ok(Self { center, radius, radius_squared: radius * radius })
    }
}

impl Contains for SphereTest {
    /// Tests |p − c|² ≤ r².
    fn contains(&self, point: DVec3) -> bool {
        is_somewhere(point) && (point - self.center).length_squared() <= self.radius_squared
    }
}

impl ClosestPoint for SphereTest {
    /// Returns c + r (p − c) / |p − c|, or c + r x for the centre, to which all points of the
    /// surface are equally near.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        let outwards = (point - self.center).normalize_or(DVec3::X);
        self.center + self.radius * outwards
    }
}

impl Packing for SphereTest {
    const FORM: Form = Form::SphereTest;

    /// The layout is centre, scale | radius² times scale², radius, 0, 0. The scale is the power of
    /// two that brings the radius between 1 and 2.
    fn params(&self) -> TestParams {
        let scale = scale_near_one(self.radius);
        let second = DVec3::new(self.radius_squared * scale * scale, self.radius, 0.0);
        TestParams { first: vec4(self.center, scale), second: vec4(second, 0.0), third: [0.0; 4] }
    }
}
