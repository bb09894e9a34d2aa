//! The side from which a camera looks at what is shown.

use crate::numbers::comma_separated;
use raytwin::camera::{Camera, CameraError, Projection, UpAxis};
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
use std::str::FromStr;

const SIDES: [&str; 6] = ["front", "back", "left", "right", "top", "bottom"];

/// The side from which a camera looks at what is shown.
#[derive(Clone, Debug)]
pub(super) enum Side {
    /// One of six, by its place in [`SIDES`].
    Named(usize),
    /// The direction from what is shown to the camera.
    Direction(DVec3),
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(number) = SIDES.iter().position(|side| *side == text) {
            return Ok(Self::Named(number));
        }
        let direction =
            comma_separated(text).ok().map(|to| DVec3::from_array(to).normalize_or_zero());
        match direction.filter(|direction| *direction != DVec3::ZERO) {
            Some(direction) => Ok(Self::Direction(direction)),
            None => Err(format!(
                "'{text}' must be {} or bottom, or a direction such as 1,-1,0.5",
                SIDES[..5].join(", ")
            )),
        }
    }
}

impl Side {
    /// Returns a camera on this side, with an optional up direction and projection. The visible
    /// shapes fill an image of the given size except for a margin. With an orthographic projection,
    /// they are in the middle of the image.
    pub fn camera(
        &self,
        scene: &Scene,
        (up, projection): (Option<DVec3>, Option<Projection>),
        [width, height]: [u32; 2],
    ) -> Result<Camera, CameraError> {
        let all = scene.fit_camera(width, height)?;
        let [front, top] = match scene.up {
            UpAxis::Z => [DVec3::NEG_Y, DVec3::Z],
            UpAxis::Y => [DVec3::Z, DVec3::Y],
        };
        let right = front.cross(-top);
        let (name, toward_eye) = match *self {
            Self::Named(number) => {
                (SIDES[number], [front, -front, -right, right, top, -top][number])
            }
            Self::Direction(direction) => ("view", direction),
        };
        // From above and below, the front is at the lower edge of the image.
        let level = match toward_eye.cross(top).length() < 1e-6 {
            true => -front,
            false => top,
        };
        let eye = all.target + all.eye.distance(all.target) * toward_eye;
        let projection = projection.unwrap_or(all.projection);
        let camera = Camera::look_at(name, eye, all.target, up.unwrap_or(level), projection)?;
        scene.fitted(&Camera { is_fitted: true, ..camera }, width, height)
    }
}
