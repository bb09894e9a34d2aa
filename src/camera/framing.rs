//! Moves a camera to where what it is to show fills its image.

use super::{Camera, CameraError, Projection};
use crate::math::radians;
use glam::DVec3;

/// The part of an image's width and height that stays free at each side.
const MARGIN: f64 = 0.05;

impl Camera {
    /// Returns a perspective camera that looks the same way, from where what it is to show fills an
    /// image of this size, but for a margin of a twentieth at each side. `least` tells the least
    /// product of one of its points with a direction, and the target lies as deep as `middle`. Any
    /// other camera stays where it is.
    ///
    /// # Errors
    /// Those of [`Self::look_at`], for what is so large that the eye would be out of range.
    pub fn framing(
        &self,
        least: impl Fn(DVec3) -> f64,
        middle: DVec3,
        [width, height]: [u32; 2],
    ) -> Result<Self, CameraError> {
        let Self { right, up, forward, .. } = *self;
        let Projection::Perspective { fov_y_degrees } = self.projection else {
            return Ok(self.clone());
        };
        let slope_y = (1.0 - 2.0 * MARGIN) * libm::tan(radians(0.5 * fov_y_degrees));
        let slope_x = slope_y * f64::from(width.max(1)) / f64::from(height.max(1));
        // A point is in view if slope · depth ± offset is no less than that of the eye for both
        // signs. Two opposite planes of the pyramid of sight that touch what is shown tell the
        // depth of the eye and where it lies between them; the other two may need it farther away.
        let between = |slope: f64, aside: DVec3| {
            let [first, second] = [aside, -aside].map(|aside| least(slope * forward + aside));
            [0.5 * (first + second) / slope, 0.5 * (first - second)]
        };
        let [depth_x, x] = between(slope_x, right);
        let [depth_y, y] = between(slope_y, up);
        let depth = depth_x.min(depth_y);
        let eye = x * right + y * up + depth * forward;
        let target = eye + (middle.dot(forward) - depth) * forward;
        let moved = Self::look_at(
            self.name.clone(),
            eye,
            target,
            self.requested_up,
            self.projection.clone(),
        )?;
        Ok(Self { sensor: self.sensor.clone(), is_fitted: self.is_fitted, ..moved })
    }
}
