//! Moves a camera to where its subject fills the image.

use super::{Camera, CameraError, Projection};
use crate::math::radians;
use glam::DVec3;

/// The share of an image's width and height that stays free at each side.
pub(super) const MARGIN: f64 = 0.05;
/// How near to the middle of the image the subject is brought, as a share of the image's size.
const CENTERED: f64 = 1e-3;
/// The most chords by which the pyramid of sight is narrowed.
const MOST_CHORDS: usize = 12;

impl Camera {
    /// Returns the camera moved to where a subject fills an image of this size, except for a margin
    /// of a twentieth at each side.
    ///
    /// `least` describes the subject: it returns the least dot product of its points with a
    /// direction. A perspective camera keeps its direction, and its target has the depth of
    /// `middle`. An orthographic camera keeps its height, and moves aside until the subject is in
    /// the middle of the image. Any other camera stays where it is.
    ///
    /// # Errors
    /// Those of [`Self::look_at`], if the subject is so large that the eye would be out of range.
    pub fn framing(
        &self,
        least: impl Fn(DVec3) -> f64,
        middle: DVec3,
        [width, height]: [u32; 2],
    ) -> Result<Self, CameraError> {
        let Self { right, up, forward, .. } = *self;
        let fov_y_degrees = match self.projection {
            Projection::Perspective { fov_y_degrees } => fov_y_degrees,
            Projection::Orthographic { .. } => {
                let to_middle = |aside: DVec3| {
                    let middle = 0.5 * (least(aside) - least(-aside));
                    (middle - aside.dot(self.eye)) * aside
                };
                let offset = to_middle(right) + to_middle(up);
                return self.looking(self.eye + offset, self.eye + offset + self.reach() * forward);
            }
            _ => return Ok(self.clone()),
        };
        let slope_y = (1.0 - 2.0 * MARGIN) * libm::tan(radians(0.5 * fov_y_degrees));
        let slope_x = slope_y * f64::from(width.max(1)) / f64::from(height.max(1));
        // A point is in view if slope · depth ± offset is no less than that of the eye for both
        // signs. So the least values of the subject give the two planes of the pyramid of sight
        // that touch it: half their sum is slope · depth of the eye, and half their difference is
        // its offset.
        let touching = |slope: f64, aside: DVec3| {
            let [first, second] = [aside, -aside].map(|aside| least(slope * forward + aside));
            [0.5 * (first + second), 0.5 * (first - second)]
        };
        let depths = [(slope_x, right), (slope_y, up)]
            .map(|(slope, aside)| touching(slope, aside)[0] / slope);
        let depth = depths[0].min(depths[1]);
        // If there is room left between two planes, a narrower pyramid from the same depth has the
        // subject in the middle of the image.
        let centered = |slope: f64, aside: DVec3| {
            let room = |slope: f64| {
                let [sum, offset] = touching(slope, aside);
                [sum - slope * depth, offset]
            };
            let [lacking, _] = room(0.0);
            let mut narrow = slope;
            let [mut spare, mut offset] = room(slope);
            // The room is a concave function of the slope, so each chord leads nearer to the slope
            // without room, and never past it.
            for _ in 0..MOST_CHORDS {
                if spare <= -CENTERED * lacking {
                    break;
                }
                narrow *= lacking / (lacking - spare);
                [spare, offset] = room(narrow);
            }
            offset
        };
        let eye = centered(slope_x, right) * right + centered(slope_y, up) * up + depth * forward;
        let target = eye + (middle.dot(forward) - depth) * forward;
        self.looking(eye, target)
    }

    /// The distance of the target from the eye.
    fn reach(&self) -> f64 {
        (self.target - self.eye).length()
    }

    /// Returns the same camera at another place.
    fn looking(&self, eye: DVec3, target: DVec3) -> Result<Self, CameraError> {
        let (name, projection) = (self.name.clone(), self.projection.clone());
        let moved = Self::look_at(name, eye, target, self.requested_up, projection)?;
        let (sensor, carrier) = (self.sensor.clone(), self.carrier.clone());
        Ok(Self { sensor, carrier, is_fitted: self.is_fitted, ..moved })
    }
}
