//! The backdrop of a scene.

use crate::image::color::linear;
use glam::Vec3;

/// The sky behind a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backdrop {
    /// The sRGB colours at the top and at the bottom of the picture.
    pub colors: [[f32; 3]; 2],
    /// The share of the day's light that reaches the scene.
    pub brightness: f32,
}

impl Backdrop {
    /// A bright sky.
    pub const DAY: Self =
        Self { colors: [[0.74, 0.80, 0.87], [0.95, 0.955, 0.96]], brightness: 1.0 };
    /// The sky an hour after the sun has set, for dark rooms.
    pub const NIGHT: Self =
        Self { colors: [[0.055, 0.07, 0.115], [0.20, 0.225, 0.28]], brightness: 0.62 };

    /// A black backdrop, with the light of the day.
    pub(super) const BLACK: Self = Self { colors: [[0.0; 3]; 2], brightness: 1.0 };

    /// Returns its light at a height of the picture, from 0 at its top to 1 at its bottom.
    pub(super) fn light(&self, height: f32) -> Vec3 {
        let [top, bottom] = self.colors.map(linear);
        top.lerp(bottom, height)
    }
}
