//! Point in cone and in tapered cylinder: the cylinder's test with a radius that changes linearly
//! along the axis.

use super::axis::Axis;
use super::packing::{Form, Packing, TestParams};
use super::{OUTSIDE, SquaredDistance, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::math::vec4;
use crate::shapes::{check_axis, check_tips, scale_near_one};
use glam::DVec3;

/// The points between two flat caps that are no farther from the axis than a radius that changes
/// linearly from the one at the start to the one at the end: a tapered cylinder, or a cone if one
/// of them is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeTest {
    axis: Axis,
    end: DVec3,
    /// The height of the end cap, as [`Axis::height`] measures it.
    top: f64,
    start_radius: f64,
    end_radius: f64,
}

impl ConeTest {
    /// Returns the test of a cone between the centres of its caps, with their radii; one of these
    /// may be 0 for a tip.
    ///
    /// # Errors
    /// A [`ShapeError`] for a number out of range, for ends that are not apart, and for two tips.
    pub fn new(
        start: DVec3,
        end: DVec3,
        start_radius: f64,
        end_radius: f64,
    ) -> Result<Self, ShapeError> {
        check_point(start, || "start".to_owned())?;
        check_point(end, || "end".to_owned())?;
        check_axis(start, end)?;
        check_alone(FieldKind::LengthOrZero, &[start_radius], "start_radius")?;
        check_alone(FieldKind::LengthOrZero, &[end_radius], "end_radius")?;
        check_tips(start_radius, end_radius)?;
        let axis = Axis::new(start, end - start);
        let top = (end - start).dot(axis.direction);
        Ok(Self { axis, end, top, start_radius, end_radius })
    }
}

impl SquaredDistance for ConeTest {
    /// Returns the squared distance from the axis, in scene units squared. With p the point
    /// relative to the start, a the axis and H the height of the end, the point is outside if h = p
    /// · a is below 0 or above H; else the distance |p × a|² / |a|² is compared with the squared
    /// radius there, start + (end − start) h / H. Both sides are times |a|² H², so that whole
    /// numbers stay exact.
    fn squared_distance(&self, point: DVec3) -> f64 {
        let height = self.axis.height(point);
        if !(0.0..=self.top).contains(&height) || !is_somewhere(point) {
            return OUTSIDE;
        }
        let aside_squared = self.axis.aside_squared(point);
        let radius = self.start_radius * self.top + (self.end_radius - self.start_radius) * height;
        if aside_squared * self.top * self.top > radius * radius * self.axis.squared {
            return OUTSIDE;
        }
        aside_squared / self.axis.squared
    }
}

impl Packing for ConeTest {
    const FORM: Form = Form::ConeTest;

    /// The layout is centre of the narrow cap, scale | axis from there, height of the other cap |
    /// narrow radius times run, rise, run², |axis|². Lengths are times the scale, the power of two
    /// that brings the wide radius between 1 and 2. Run and rise are that height and the gain of
    /// radius, times the power of two that brings run between 1/2 and 1.
    fn params(&self) -> TestParams {
        let is_turned = self.end_radius < self.start_radius;
        let start = if is_turned { self.end } else { self.axis.start };
        let direction = if is_turned { -self.axis.direction } else { self.axis.direction };
        let narrow = self.start_radius.min(self.end_radius);
        let wide = self.start_radius.max(self.end_radius);
        let scale = scale_near_one(wide);
        let top = self.top * scale;
        let slope_scale = 0.5 * scale_near_one(top);
        let run = top * slope_scale;
        let rise = (wide - narrow) * scale * slope_scale;
        TestParams {
            first: vec4(start, scale),
            second: vec4(direction, top),
            third: vec4(DVec3::new(narrow * scale * run, rise, run * run), self.axis.squared),
        }
    }
}
