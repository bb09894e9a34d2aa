//! The geometries that an image shows, and their places.

use raytwin::ray::NONE;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The pixels that show a geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SeenPixels {
    pub count: u64,
    /// The sums of twice their columns and rows, each to its middle, so that the sums are integers.
    sums: [u64; 2],
}

impl SeenPixels {
    /// Returns their mean position, in pixels from the top left corner of the image.
    pub fn middle(&self) -> [f64; 2] {
        self.sums.map(|sum| sum as f64 / (2 * self.count.max(1)) as f64)
    }
}

/// The geometries that some pixel of an image shows. The pixels come row by row.
#[derive(Debug)]
pub(super) struct SeenGeometries {
    width: u64,
    next_pixel: u64,
    pixels: BTreeMap<u32, SeenPixels>,
}

impl SeenGeometries {
    pub fn new(width: u32) -> Self {
        Self { width: width.into(), next_pixel: 0, pixels: BTreeMap::new() }
    }

    /// Adds the geometries of the next pixels.
    pub fn add(&mut self, geometry_ids: &[u32]) {
        // Neighbours mostly show the same geometry.
        for run in geometry_ids.chunk_by(|first, second| first == second) {
            let first = self.next_pixel;
            self.next_pixel += run.len() as u64;
            if run[0] == NONE {
                continue;
            }
            let seen = self.pixels.entry(run[0]).or_default();
            seen.count += run.len() as u64;
            for pixel in first..self.next_pixel {
                let place = [pixel % self.width, pixel / self.width];
                seen.sums = std::array::from_fn(|axis| seen.sums[axis] + 2 * place[axis] + 1);
            }
        }
    }

    /// Returns them in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (u32, SeenPixels)> {
        self.pixels.iter().map(|(&id, &pixels)| (id, pixels))
    }

    /// Returns the ids of the geometries in some of these ranges.
    pub fn among(&self, ids: &[Range<u32>]) -> BTreeSet<u32> {
        let seen = ids.iter().flat_map(|range| self.pixels.range(range.clone()));
        seen.map(|(&id, _)| id).collect()
    }

    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.pixels.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_what_is_seen_is_that_of_its_pixels_in_whatever_pieces_they_come() {
        let ids = [NONE, 7, 7, NONE, NONE, 7, 7, 3];
        for size in [1, 3, 8] {
            let mut seen = SeenGeometries::new(4);
            ids.chunks(size).for_each(|piece| seen.add(piece));
            let found: Vec<_> = seen.iter().map(|(id, it)| (id, it.count, it.middle())).collect();
            assert_eq!(found, [(3, 1, [3.5, 1.5]), (7, 4, [2.0, 1.0])]);
        }
    }
}
