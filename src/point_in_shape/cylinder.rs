//! Point in cylinder, caps first: after Greg James's `CylTest_CapsFirst` (flipCode, 2001), which takes the
//! axis, its length² and radius² and begins with the caps, because they need but one product.

use super::axis::Axis;
use super::packing::{Form, Packing, TestParams};
use super::{OUTSIDE, SquaredDistance, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::shapes::{check_axis, check_hole, scale_near_one, vec4};
use glam::DVec3;

/// The points between two flat caps that are no farther from the axis than the radius and, of a tube, no nearer than
/// the radius of its hole.
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
    /// A cylinder without a hole, by the middles of its caps.
    ///
    /// # Errors
    /// A [`ShapeError`] of a number that is out of range, and of ends that are not apart.
    pub fn solid(start: DVec3, end: DVec3, radius: f64) -> Result<Self, ShapeError> {
        Self::tube(start, end, radius, 0.0)
    }

    /// A cylinder with a hole along its axis; the hole's wall belongs to the tube, and an inner radius of 0 makes no
    /// hole.
    ///
    /// # Errors
    /// As [`Self::solid`], and a [`ShapeError`] of an inner radius that is not below the radius.
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
    /// The squared distance from the axis, in scene units squared: for p from the start and the axis a, outside where
    /// p · a lies beyond 0 or the end's, else |p × a|² / |a|², held against the radii squared.
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

    /// start, scale | axis, height of the end cap | |axis|², radius² |axis|², inner radius² |axis|², 0: lengths times
    /// the scale, a power of two that brings the radius between 1 and 2.
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
