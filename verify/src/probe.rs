//! A ray with what it may hit, or a point: what one answer is about.

use raytwin::query::Batch;
use raytwin::ray::Ray;

/// A ray or a point that one answer is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    /// A ray.
    Ray {
        /// The ray itself.
        ray: Ray,
        /// The mask that decides which geometries it sees.
        mask: u32,
        /// The geometry that it passes through, [`NONE`](raytwin::NONE) for none.
        ignored: u32,
        /// The number of the world in which it is cast.
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
