//! Point in cylinder, after Greg James's `CylTest_CapsFirst` (flipCode, 2001). It uses the axis,
//! its length² and radius², and begins with the caps, because they need only one dot product.

use super::axis::Axis;
use super::packing::{Form, Packing, TestParams};
use super::{OUTSIDE, SquaredDistance, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::math::vec4;
use crate::shapes::{check_axis, check_hole, scale_near_one};
use glam::DVec3;

/// The points between two flat caps that are no farther from the axis than the radius and, for a
/// tube, no nearer than the radius of its hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderTest {
    axis: Axis,
    /// The height of the end cap, as [`Axis::height`] measures it.
    top: f64,
    radius: f64,
    radius_squared: f64,
    inner_radius_squared: f64,
}

impl CylinderTest {
    /// Returns the test of a cylinder without a hole, between the centres of its caps.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, and for ends that are not apart.
    pub fn solid(start: DVec3, end: DVec3, radius: f64) -> Result<Self, ShapeError> {
        Self::tube(start, end, radius, 0.0)
    }

    /// Returns the test of a cylinder with a hole along its axis. The hole's wall belongs to the
    /// tube, and an inner radius of 0 makes no hole.
    ///
    /// # Errors
    /// Those of [`Self::solid`], and a [`ShapeError`] for an inner radius that is not below the
    /// radius.
    pub fn tube(
        start: DVec3,
        end: DVec3,
        radius: f64,
        inner_radius: f64,
    ) -> Result<Self, ShapeError> {
        check_point(start, || "start".to_owned())?;
        check_point(end, || "end".to_owned())?;
        check_axis(start, end)?;
        check_alone(FieldKind::Length, &[radius], "radius")?;
        check_alone(FieldKind::LengthOrZero, &[inner_radius], "inner_radius")?;
        check_hole(inner_radius, radius)?;
        let axis = Axis::new(start, end - start);
        Ok(Self {
            axis,
            top: (end - start).dot(axis.direction),
            radius,
            radius_squared: radius * radius,
            inner_radius_squared: inner_radius * inner_radius,
        })
    }
}

impl SquaredDistance for CylinderTest {
    /// Returns the squared distance from the axis, in scene units squared. With p the point
    /// relative to the start and a the axis, the point is outside if p · a is below 0 or above its
    /// value at the end; else the distance |p × a|² / |a|² is compared with the squared radii.
    fn squared_distance(&self, point: DVec3) -> f64 {
        let is_between_caps = (0.0..=self.top).contains(&self.axis.height(point));
        if !is_between_caps || !is_somewhere(point) {
            return OUTSIDE;
        }
        let aside_squared = self.axis.aside_squared(point);
        let [hole, reach] = [self.inner_radius_squared, self.radius_squared]
            .map(|squared| squared * self.axis.squared);
        if aside_squared < hole || aside_squared > reach {
            return OUTSIDE;
        }
        aside_squared / self.axis.squared
    }
}

impl Packing for CylinderTest {
    const FORM: Form = Form::CylinderTest;

    /// The layout is start, scale | axis, height of the end cap | |axis|², radius² |axis|², inner
    /// radius² |axis|², 0. Lengths are times the scale, the power of two that brings the radius
    /// between 1 and 2.
    fn params(&self) -> TestParams {
        let scale = scale_near_one(self.radius);
        let reach = scale * scale * self.axis.squared;
        let third = DVec3::new(
            self.axis.squared,
            self.radius_squared * reach,
            self.inner_radius_squared * reach,
        );
        TestParams {
            first: vec4(self.axis.start, scale),
            second: vec4(self.axis.direction, self.top * scale),
            third: vec4(third, 0.0),
        }
    }
}
