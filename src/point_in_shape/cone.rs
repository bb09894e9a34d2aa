//! Point in cone and in tapered cylinder: the cylinder's test with a radius that runs evenly along the axis.

use super::axis::Axis;
use super::packing::{Form, Packing, TestParams};
use super::{OUTSIDE, SquaredDistance, is_somewhere};
use crate::fields::{FieldKind, ShapeError, check_alone, check_point};
use crate::shapes::{check_axis, check_tips, scale_near_one, vec4};
use glam::DVec3;

/// The points between two flat caps that are no farther from the axis than a radius that runs evenly from the one at
/// the start to the one at the end: a tapered cylinder, and a cone where one of them is 0.
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
    /// By the middles of its caps and their radii, one of which may be 0 for a tip.
    ///
    /// # Errors
    /// A [`ShapeError`] of a number that is out of range, of ends that are not apart, and of two tips.
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
    /// The squared distance from the axis, in scene units squared: for p from the start and the axis a, outside where
    /// h = p · a lies beyond 0 or the end's, H; else |p × a|² / |a|², held against the square of the radius there,
    /// start + (end − start) h / H. Both are taken times |a|² H², so that whole numbers stay exact.
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

    /// middle of the narrow cap, scale | axis from there, height of the other cap | narrow radius times run, rise,
    /// run², |axis|²: lengths times the scale, a power of two that brings the wide radius between 1 and 2; run and
    /// rise are that height and the gain of radius, times the power of two that brings run between 1/2 and 1.
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
