//! The lengths of rays in solids as arrays.

/// Which of the solids that hold a place of a ray its length counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRule {
    /// Each of them.
    Each,
    /// The one of least volume, of equal ones that of the lower `geometry_id`: then the lengths of
    /// a ray add up to that in any solid.
    Innermost,
}

/// The lengths of a batch of rays in the solids that they cross, ray by ray and in the order in
/// which each enters them; of two at one place the lower `geometry_id` comes first. A solid has one
/// length for each ray, however often the ray crosses it, and none where that is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidPaths {
    /// The index of each ray's first solid in the other arrays, and at the end their length: one
    /// more than there are rays.
    pub path_splits: Vec<u64>,
    /// The solid.
    pub path_geometry_ids: Vec<u32>,
    /// The length in it, in the scene's units.
    pub path_lengths: Vec<f64>,
}

impl Default for SolidPaths {
    fn default() -> Self {
        Self { path_splits: vec![0], path_geometry_ids: Vec::new(), path_lengths: Vec::new() }
    }
}

impl SolidPaths {
    /// Returns how many rays there are.
    pub fn ray_count(&self) -> usize {
        self.path_splits.len() - 1
    }

    /// Iterates over the solids that one ray crosses, with its length in each.
    pub fn of_ray(&self, ray: usize) -> impl ExactSizeIterator<Item = (u32, f64)> + '_ {
        let [from, to] = [ray, ray + 1].map(|index| self.path_splits[index] as usize);
        (from..to).map(|index| (self.path_geometry_ids[index], self.path_lengths[index]))
    }

    /// Appends the next ray's solids, which are in order.
    pub(crate) fn push(&mut self, solids: impl IntoIterator<Item = (u32, f64)>) {
        for (geometry_id, length) in solids {
            self.path_geometry_ids.push(geometry_id);
            self.path_lengths.push(length);
        }
        self.path_splits.push(self.path_lengths.len() as u64);
    }
}
