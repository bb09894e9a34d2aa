//! A grid that finds the atoms near an atom without examining all others.

use glam::DVec3;

/// Atoms sorted by the cubes that they lie in.
pub(super) struct Neighbors {
    size: f64,
    sorted: Vec<([i64; 3], u32)>,
}

impl Neighbors {
    /// Sorts points into cubes of this size, which is the largest requested distance.
    pub fn new(points: impl Iterator<Item = DVec3>, size: f64) -> Self {
        let cubes = points.map(|point| Self::cube(point, size)).zip(0..);
        let mut sorted: Vec<([i64; 3], u32)> = cubes.collect();
        sorted.sort_unstable();
        Self { size, sorted }
    }

    fn cube(point: DVec3, size: f64) -> [i64; 3] {
        (point / size).floor().to_array().map(|number| number as i64)
    }

    /// Returns the points in the cube of a point and in the 26 cubes around it, which include all
    /// that are close enough.
    pub fn around(&self, point: DVec3) -> impl Iterator<Item = u32> {
        let [x, y, z] = Self::cube(point, self.size);
        let columns = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| [x, y]));
        columns.flat_map(move |[x, y]| {
            // Cubes above each other are neighbors in the order of the list.
            let start = self.sorted.partition_point(|(cube, _)| *cube < [x, y, z - 1]);
            let end = self.sorted.partition_point(|(cube, _)| *cube <= [x, y, z + 1]);
            self.sorted[start..end].iter().map(|(_, index)| *index)
        })
    }
}
