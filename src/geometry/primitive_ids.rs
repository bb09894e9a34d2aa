//! The numbering of all primitives of a scene, sorted by `geometry_id` and then by `primitive_id`.
//! The GPU returns these numbers.

use super::Geometry;
use std::ops::Range;

/// A geometry that is not a single shape.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
    geometry_id: u32,
}

impl Run {
    /// Returns the first primitive of the next geometry.
    fn end(&self) -> u32 {
        self.first + self.count
    }
}

/// The numbering of a scene. Single shapes take no memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrimitiveIds {
    runs: Vec<Run>,
    geometries: u32,
    total: u32,
}

impl PrimitiveIds {
    /// Appends a geometry and returns its id; `None` if no numbers are left.
    pub fn push(&mut self, geometry: &Geometry) -> Option<u32> {
        let is_shape = matches!(geometry, Geometry::Shape(_));
        self.push_run(geometry.primitive_count(), is_shape)
    }

    fn push_run(&mut self, primitive_count: usize, is_shape: bool) -> Option<u32> {
        let geometry_id = self.geometries;
        // The largest number means "no primitive".
        let count = u32::try_from(primitive_count).ok()?;
        let total = self.total.checked_add(count).filter(|&total| total != u32::MAX)?;
        if !is_shape {
            self.runs.push(Run { first: self.total, count, geometry_id });
        }
        self.total = total;
        self.geometries += 1;
        Some(geometry_id)
    }

    /// Returns the ids of the geometries that are not single shapes.
    pub fn compounds(&self) -> impl Iterator<Item = u32> {
        self.runs.iter().map(|run| run.geometry_id)
    }

    /// Returns a geometry's first primitive.
    pub fn first(&self, geometry_id: u32) -> u32 {
        match self.runs.partition_point(|run| run.geometry_id <= geometry_id) {
            0 => geometry_id,
            after => {
                let run = &self.runs[after - 1];
                match geometry_id - run.geometry_id {
                    0 => run.first,
                    beyond => run.end() + beyond - 1,
                }
            }
        }
    }

    pub fn of_geometry(&self, geometry_id: u32) -> Range<u32> {
        let beyond = geometry_id + 1;
        let end = if beyond < self.geometries { self.first(beyond) } else { self.total };
        self.first(geometry_id)..end
    }

    /// Returns the number of primitives.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Returns the `geometry_id` and the `primitive_id` of a primitive.
    pub fn ids(&self, primitive: u32) -> [u32; 2] {
        match self.runs.partition_point(|run| run.first <= primitive) {
            0 => [primitive, 0],
            after => {
                let run = &self.runs[after - 1];
                if primitive < run.end() {
                    [run.geometry_id, primitive - run.first]
                } else {
                    [run.geometry_id + 1 + (primitive - run.end()), 0]
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_is_found_again() {
        let counts = [1, 1, 5, 1, 3, 2, 1, 1, 7, 1];
        let mut primitive_ids = PrimitiveIds::default();
        for (id, &count) in (0..).zip(&counts) {
            // The last geometry is not a shape, but has one primitive.
            let is_shape = count == 1 && id != 9;
            assert_eq!(primitive_ids.push_run(count, is_shape), Some(id));
        }
        assert_eq!(primitive_ids.compounds().collect::<Vec<_>>(), [2, 4, 5, 8, 9]);
        let mut primitive = 0;
        for (geometry_id, &count) in (0..).zip(&counts) {
            assert_eq!(primitive_ids.first(geometry_id), primitive);
            assert_eq!(primitive_ids.of_geometry(geometry_id), primitive..primitive + count as u32);
            for primitive_id in 0..count as u32 {
                assert_eq!(primitive_ids.ids(primitive), [geometry_id, primitive_id]);
                primitive += 1;
            }
        }
    }

    #[test]
    fn numbers_that_run_out_are_refused_and_nothing_changes() {
        let mut primitive_ids = PrimitiveIds::default();
        assert_eq!(primitive_ids.push_run(u32::MAX as usize - 2, false), Some(0));
        assert_eq!(primitive_ids.push_run(2, false), None);
        assert_eq!(primitive_ids.push_run(1, true), Some(1));
        assert_eq!(primitive_ids.push_run(1, true), None);
        assert_eq!(primitive_ids.ids(u32::MAX - 2), [1, 0]);
    }
}
