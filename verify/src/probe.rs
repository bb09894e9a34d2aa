//! A ray with its filters, or a point: the subject of one answer.

use raytwin::query::Batch;
use raytwin::ray::Ray;

/// A ray or a point, the subject of one answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    /// A ray.
    Ray {
        /// The ray itself.
        ray: Ray,
        /// The mask that decides which geometries the ray sees.
        mask: u32,
        /// The geometry that the ray ignores; [`NONE`](raytwin::NONE) if there is none.
        ignored: u32,
        /// The number of the ray's world.
        world: u32,
    },
    /// A point.
    Point([f32; 3]),
}

impl Probe {
    /// Returns a ray of a batch.
    pub fn ray_of(batch: &Batch<'_>, index: usize) -> Self {
        Self::Ray {
            ray: batch.ray(index),
            mask: batch.mask(index),
            ignored: batch.ignored(index),
            world: batch.world(index),
        }
    }

    /// Returns the ray; `None` for a point.
    pub fn ray(&self) -> Option<&Ray> {
        match self {
            Self::Ray { ray, .. } => Some(ray),
            Self::Point(_) => None,
        }
    }
}
