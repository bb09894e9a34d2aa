//! Rays in memory, in one of two layouts.

use crate::ray::Ray;
use std::ops::Range;

/// The rays of a batch, in either of two layouts.
#[derive(Clone, Copy, Debug)]
pub enum RaySource<'a> {
    /// Rays with the interval of each.
    Rays(&'a [Ray]),
    /// The origin and the direction of each ray. Its interval of t is from 0 to infinity.
    Lines(&'a [[f32; 6]]),
}

impl<'a> RaySource<'a> {
    /// Returns how many rays there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        match self {
            Self::Rays(rays) => rays.len(),
            Self::Lines(lines) => lines.len(),
        }
    }

    /// Returns true if there are no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a ray by its index.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Ray {
        match self {
            Self::Rays(rays) => rays[index],
            Self::Lines(lines) => {
                let [x, y, z, dx, dy, dz] = lines[index];
                Ray::new([x, y, z], [dx, dy, dz])
            }
        }
    }

    /// Iterates over the rays.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Ray> + ExactSizeIterator + use<'a> {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// Returns some of the rays.
    pub fn slice(&self, rays: Range<usize>) -> Self {
        match self {
            Self::Rays(all) => Self::Rays(&all[rays]),
            Self::Lines(all) => Self::Lines(&all[rays]),
        }
    }
}
