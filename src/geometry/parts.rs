//! One number for each part of each geometry, in the order of ids: the lower of two is the lower
//! `geometry_id`, and within it the lower `primitive_id`. It is what a GPU answers with.

use std::ops::Range;

/// A geometry of more than one part.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    count: u32,
    geometry_id: u32,
}

impl Run {
    /// The number that the next geometry's first part has.
    fn end(&self) -> u32 {
        self.first + self.count
    }
}

/// How the parts of a scene are numbered. Only geometries of many parts take memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    runs: Vec<Run>,
    geometries: u32,
    total: u32,
}

impl Parts {
    /// Appends a geometry and returns its id; `None` where numbers would run out.
    pub fn push(&mut self, part_count: usize) -> Option<u32> {
        let geometry_id = self.geometries;
        // The largest number stands for none.
        let count = u32::try_from(part_count).ok()?;
        let total = self.total.checked_add(count).filter(|&total| total != u32::MAX)?;
        if count != 1 {
            self.runs.push(Run { first: self.total, count, geometry_id });
        }
        self.total = total;
        self.geometries += 1;
        Some(geometry_id)
    }

    /// The number of a geometry's first part.
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

    /// The numbers of all parts of a geometry.
    pub fn of_geometry(&self, geometry_id: u32) -> Range<u32> {
        let beyond = geometry_id + 1;
        let end = if beyond < self.geometries { self.first(beyond) } else { self.total };
        self.first(geometry_id)..end
    }

    /// How many geometries there are.
    pub fn geometries(&self) -> u32 {
        self.geometries
    }

    /// The `geometry_id` and `primitive_id` of a part.
    pub fn ids(&self, part: u32) -> [u32; 2] {
        match self.runs.partition_point(|run| run.first <= part) {
            0 => [part, 0],
            after => {
                let run = &self.runs[after - 1];
                if part < run.end() {
                    [run.geometry_id, part - run.first]
                } else {
                    [run.geometry_id + 1 + (part - run.end()), 0]
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_found_again() {
        let counts = [1, 1, 5, 1, 3, 2, 1, 1, 7];
        let mut parts = Parts::default();
        for (id, &count) in (0..).zip(&counts) {
            assert_eq!(parts.push(count), Some(id));
        }
        let mut part = 0;
        for (geometry_id, &count) in (0..).zip(&counts) {
            assert_eq!(parts.first(geometry_id), part);
            assert_eq!(parts.of_geometry(geometry_id), part..part + count as u32);
            for primitive_id in 0..count as u32 {
                assert_eq!(parts.ids(part), [geometry_id, primitive_id]);
                part += 1;
            }
        }
    }

    #[test]
    fn numbers_that_run_out_are_refused_and_nothing_changes() {
        let mut parts = Parts::default();
        assert_eq!(parts.push(u32::MAX as usize - 2), Some(0));
        assert_eq!(parts.push(2), None);
        assert_eq!(parts.push(1), Some(1));
        assert_eq!(parts.push(1), None);
        assert_eq!(parts.ids(u32::MAX - 2), [1, 0]);
    }
}
