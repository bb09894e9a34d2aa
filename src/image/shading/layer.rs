//! One layer of a tile: the hits of the rays through one point of each pixel, and the light that
//! reaches them.

use crate::ray::NONE;
use glam::Vec3;

/// The least cosine of the angle between normals within one smooth surface.
const SMOOTH: f32 = 0.85;

/// The surface that a ray met, seen from the camera.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// The geometry's id, the floor's, or [`NONE`].
    pub id: u32,
    pub distance: f32,
    /// The size of a pixel at that distance.
    pub pixel: f32,
    /// The position from the eye.
    pub position: Vec3,
    /// The unit normal on the side of the camera.
    pub normal: Vec3,
    /// The cosine of the angle between the normal and the direction to the camera.
    pub cosine: f32,
    /// The shares of the sun and of the sky that are seen.
    pub light: [f32; 2],
}

impl Sample {
    pub const NOTHING: Self = Self {
        id: NONE,
        distance: f32::INFINITY,
        pixel: 0.0,
        position: Vec3::ZERO,
        normal: Vec3::ZERO,
        cosine: 0.0,
        light: [1.0; 2],
    };

    /// The distance of another sample from the plane that touches this one, in pixels.
    fn plane_distance(&self, other: &Self) -> f32 {
        self.normal.dot(other.position - self.position).abs() / self.pixel
    }

    /// Returns true if another sample near this one lies on the same smooth surface.
    fn continues_to(&self, other: &Self) -> bool {
        self.id == other.id
            && self.normal.dot(other.normal) > SMOOTH
            && self.plane_distance(other) < 3.0
    }
}

/// The samples of a tile and of a halo around it, row by row.
pub(super) struct Layer {
    pub width: usize,
    /// The width of the halo in pixels: as far as an average of light reaches, or 0.
    pub halo: usize,
    pub samples: Vec<Sample>,
}

impl Layer {
    /// Returns the shares of the sun and of the sky that reach a sample, averaged over the smooth
    /// surface around it. Pixels at the rim of the square count by half, so that each direction of
    /// the pattern counts once.
    pub fn light(&self, index: usize) -> [f32; 2] {
        let middle = &self.samples[index];
        let mut sum = [0.0; 3];
        let halo = self.halo;
        let weight =
            |position: usize| if position == 0 || position == 2 * halo { 0.5 } else { 1.0 };
        for row in 0..=2 * halo {
            let start = index + row * self.width - halo * self.width - halo;
            let across = &self.samples[start..=start + 2 * halo];
            for (column, sample) in across.iter().enumerate() {
                if middle.continues_to(sample) {
                    let weight = weight(row) * weight(column);
                    sum[0] += weight * sample.light[0];
                    sum[1] += weight * sample.light[1];
                    sum[2] += weight;
                }
            }
        }
        [sum[0] / sum[2], sum[1] / sum[2]]
    }

    /// Returns the strength of the line at a sample, from 0 to 1. Lines follow the silhouettes of
    /// surfaces that are far in front of others, and more weakly creases and the places where
    /// geometries touch.
    pub fn line(&self, index: usize) -> f32 {
        const SILHOUETTE: f32 = 0.55;
        const CREASE: f32 = 0.28;
        let sample = &self.samples[index];
        if sample.id == NONE || self.halo == 0 {
            return 0.0;
        }
        let strength = |neighbour: usize| {
            let other = &self.samples[neighbour];
            let is_behind = other.distance > sample.distance;
            let is_far = other.id == NONE || sample.plane_distance(other) > 8.0;
            match (is_far, is_behind) {
                (true, true) => SILHOUETTE,
                (true, false) => 0.0,
                _ if sample.id != other.id || sample.normal.dot(other.normal) < 0.8 => CREASE,
                _ => 0.0,
            }
        };
        [index - self.width, index - 1, index + 1, index + self.width]
            .into_iter()
            .map(strength)
            .fold(0.0, f32::max)
    }
}
