//! Point on line, ray and segment, and the closest point on each.

use super::axis::Axis;
use super::packing::{Form, Packing, TestParams};
use super::{ClosestPoint, Tolerance, Touches, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::math::vec4;
use crate::shapes::check_axis;
use glam::DVec3;

/// An infinite line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineTest(Axis);

/// A half-line from an origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayTest(Axis);

/// A line from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentTest {
    axis: Axis,
    end: DVec3,
    /// The height of the end, as [`Axis::height`] measures it.
    top: f64,
}

impl LineTest {
    /// Returns the test of the line through a point, with a direction of any length.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a direction of no length.
    pub fn new(point: DVec3, direction: DVec3) -> Result<Self, ShapeError> {
        check_point(point, || "point".to_owned())?;
        check_alone(FieldKind::Direction, &direction.to_array(), "direction")?;
        Ok(Self(Axis::new(point, direction)))
    }
}

impl RayTest {
    /// Returns the test of the half-line from an origin, with a direction of any length.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for a direction of no length.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Self, ShapeError> {
        check_point(origin, || "origin".to_owned())?;
        check_alone(FieldKind::Direction, &direction.to_array(), "direction")?;
        Ok(Self(Axis::new(origin, direction)))
    }
}

impl SegmentTest {
    /// Returns the test of the segment between two points.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for ends that are not apart.
    pub fn new(start: DVec3, end: DVec3) -> Result<Self, ShapeError> {
        check_point(start, || "start".to_owned())?;
        check_point(end, || "end".to_owned())?;
        check_axis(start, end)?;
        let axis = Axis::new(start, end - start);
        Ok(Self { axis, end, top: (end - start).dot(axis.direction) })
    }
}

impl Axis {
    /// Tests |p × a|² ≤ tolerance² |a|², with p the point relative to the start and a the
    /// direction.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool {
        self.aside_squared(point) <= tolerance.squared() * self.squared
    }

    /// The height is times |direction|, as [`Self::height`] returns it.
    fn at(&self, height: f64) -> DVec3 {
        self.start + height / self.squared * self.direction
    }
}

fn is_near(a: DVec3, b: DVec3, tolerance: Tolerance) -> bool {
    a.distance_squared(b) <= tolerance.squared()
}

impl Touches for LineTest {
    /// Tests |p × a|² ≤ tolerance² |a|², with p the point relative to one of the line and a the
    /// direction.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool {
        is_somewhere(point) && self.0.touches(point, tolerance)
    }
}

impl Touches for RayTest {
    /// Tests the distance from the line or, for a point behind the origin, the distance from the
    /// origin.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool {
        if !is_somewhere(point) {
            return false;
        }
        if self.0.height(point) < 0.0 {
            return is_near(point, self.0.start, tolerance);
        }
        self.0.touches(point, tolerance)
    }
}

impl Touches for SegmentTest {
    /// Tests the distance from the line or, for a point beyond an end, the distance from that end.
    fn touches(&self, point: DVec3, tolerance: Tolerance) -> bool {
        let height = self.axis.height(point);
        if !is_somewhere(point) {
            false
        } else if height < 0.0 {
            is_near(point, self.axis.start, tolerance)
        } else if height > self.top {
            is_near(point, self.end, tolerance)
        } else {
            self.axis.touches(point, tolerance)
        }
    }
}

impl ClosestPoint for LineTest {
    /// Returns q + a (p · a) / |a|², with p the point relative to a point q of the line and a the
    /// direction.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        self.0.at(self.0.height(point))
    }
}

impl ClosestPoint for RayTest {
    /// Returns the line's nearest point or, for a point behind the origin, the origin.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        self.0.at(self.0.height(point).max(0.0))
    }
}

impl ClosestPoint for SegmentTest {
    /// Returns the line's nearest point or, for a point beyond an end, that end.
    fn closest_point(&self, point: DVec3) -> DVec3 {
        if !is_somewhere(point) {
            return DVec3::NAN;
        }
        let height = self.axis.height(point);
        if height >= self.top { self.end } else { self.axis.at(height.max(0.0)) }
    }
}

/// The layout is start, 0 | direction, height of the end | |direction|², end's share, 0, the
/// tolerance squared, scaled. The end is `start + share * direction`; a line and a ray have no end,
/// and 0 for its height and share.
fn params(axis: &Axis, top: f64) -> TestParams {
    TestParams {
        first: vec4(axis.start, 0.0),
        second: vec4(axis.direction, top),
        third: vec4(DVec3::new(axis.squared, top / axis.squared, 0.0), 0.0),
    }
}

impl Packing for LineTest {
    const FORM: Form = Form::LineTest;

    fn params(&self) -> TestParams {
        params(&self.0, 0.0)
    }
}

impl Packing for RayTest {
    const FORM: Form = Form::RayTest;

    fn params(&self) -> TestParams {
        params(&self.0, 0.0)
    }
}

impl Packing for SegmentTest {
    const FORM: Form = Form::SegmentTest;

    fn params(&self) -> TestParams {
        params(&self.axis, self.top)
    }
}
