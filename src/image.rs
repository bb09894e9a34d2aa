//! The images that a view of a scene gives, and the files that they are written to.

use crate::camera::{Projection, View};
use crate::query::Hits;
use crate::ray::Hit;
use crate::scene::Scene;
use rayon::prelude::*;

#[cfg(feature = "images")]
mod openexr;
#[cfg(feature = "images")]
pub(crate) mod picture;
#[cfg(feature = "images")]
mod spilled;
#[cfg(feature = "images")]
mod write;
#[cfg(feature = "images")]
mod z16;
#[cfg(feature = "images")]
pub use write::{RenderWriter, Written};

/// What a view sees through some of its pixels: one entry of each array for each of them, row by row from
/// the top left.
#[derive(Clone, Debug)]
pub struct Image {
    /// Distances along the rays, identities and normals; `t_hit` is the distance.
    pub hits: Hits,
    /// Distances along the camera's axis, (hit − eye) · forward; +∞ for a miss. What lies behind a
    /// panoramic camera has a negative one.
    pub z: Vec<f32>,
}

impl Image {
    /// The image of the hits that a tracer found, a hit for each pixel of the view from `first_pixel` on.
    pub fn new(scene: &Scene, view: &View, first_pixel: usize, hits: &[Hit]) -> Self {
        let parallel = matches!(view.camera.projection, Projection::Orthographic { .. });
        let z = |(place, hit): (usize, &Hit)| {
            // Of a miss the distance is infinite, whichever way its ray goes.
            if parallel || !hit.is_hit() {
                return hit.t;
            }
            let direction = view.line(first_pixel + place).direction;
            (f64::from(hit.t) * direction.dot(view.camera.forward)) as f32
        };
        Self {
            z: hits.par_iter().enumerate().map(z).collect(),
            hits: Hits::of_image(scene, hits, |place| view.ray(first_pixel + place)),
        }
    }

    /// Distances along the rays, +∞ for a miss.
    pub fn distance(&self) -> &[f32] {
        &self.hits.t_hit
    }
}
