//! Images of a scene, one pixel per ray of a view, and the files that they are written to.

use crate::camera::{Projection, View};
use crate::query::Hits;
use crate::ray::Hit;
use crate::scene::Scene;
use rayon::prelude::*;

#[cfg(feature = "io")]
mod files;
#[cfg(feature = "io")]
pub(crate) use files::picture;
#[cfg(feature = "io")]
pub use files::write::{RenderWriter, Written};

/// A range of a view's pixels: each array has one entry per pixel, row by row from the top left.
#[derive(Clone, Debug)]
pub struct Image {
    /// The closest hits with their ids and normals.
    pub hits: Hits,
    /// Distances along the rays as the camera's [`Sensor`](crate::Sensor) reports them, +∞ for no return.
    pub distance: Vec<f32>,
    /// The same distances along the camera's axis, (hit − eye) · forward; +∞ for no return. They are negative behind a
    /// panoramic camera.
    pub z: Vec<f32>,
}

impl Image {
    /// Makes the image from the tracer's closest hits, one for each pixel of the view from `first_pixel` on.
    pub fn new(scene: &Scene, view: &View, first_pixel: usize, hits: &[Hit]) -> Self {
        let is_parallel = matches!(view.camera.projection, Projection::Orthographic { .. });
        let sensor = &view.camera.sensor;
        let distances = hits.par_iter().enumerate();
        let distances = distances.map(|(index, hit)| sensor.reported(first_pixel + index, hit.t));
        let distance: Vec<f32> = distances.collect();
        let z = |(index, &distance): (usize, &f32)| {
            // A miss keeps its infinite distance, because a product with the direction could give −∞ or NaN.
            if is_parallel || !distance.is_finite() {
                return distance;
            }
            let direction = view.line(first_pixel + index).direction;
            (f64::from(distance) * direction.dot(view.camera.forward)) as f32
        };
        Self {
            z: distance.par_iter().enumerate().map(z).collect(),
            distance,
            hits: Hits::of_image(scene, hits, |index| view.ray(first_pixel + index)),
        }
    }
}
