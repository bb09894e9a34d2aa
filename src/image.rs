//! The images that a view of a scene gives, and the files that they are written to.

use crate::answers::Hits;
use crate::camera::{Projection, View};
use crate::ray::Hit;
use crate::scene::Scene;
use rayon::prelude::*;

#[cfg(feature = "images")]
mod openexr;
#[cfg(feature = "images")]
pub(crate) mod picture;
#[cfg(feature = "images")]
mod write;
#[cfg(feature = "images")]
mod z16;
#[cfg(feature = "images")]
pub use write::{Written, write_render};

/// What a view sees: one entry of each array for each pixel, row by row from the top left.
#[derive(Clone, Debug)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Distances along the rays, identities and normals; `t_hit` is the distance.
    pub hits: Hits,
    /// Distances along the camera's axis, (hit − eye) · forward; +∞ for a miss. What lies behind a
    /// panoramic camera has a negative one.
    pub z: Vec<f32>,
}

impl Image {
    /// The image of the hits that a tracer found, a hit for each pixel of the view.
    pub fn new(scene: &Scene, view: &View, hits: &[Hit]) -> Self {
        let parallel = matches!(view.camera.projection, Projection::Orthographic { .. });
        let z = |(pixel, hit): (usize, &Hit)| {
            // Of a miss the distance is infinite, whichever way its ray goes.
            if parallel || !hit.is_hit() {
                return hit.t;
            }
            (f64::from(hit.t) * view.line(pixel).direction.dot(view.camera.forward)) as f32
        };
        Self {
            width: view.width,
            height: view.height,
            z: hits.par_iter().enumerate().map(z).collect(),
            hits: Hits::of_image(scene, hits, |pixel| view.ray(pixel)),
        }
    }

    /// Distances along the rays, +∞ for a miss.
    pub fn distance(&self) -> &[f32] {
        &self.hits.t_hit
    }
}
