//! The lengths of rays in solids, as arrays.

/// The solids for which a length counts if several solids share a stretch of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathRule {
    /// The length counts for each of them.
    Each,
    /// The length counts for the solid of least volume; of equal ones, for the lower `geometry_id`.
    /// The lengths of a ray then add up to its length in all solids together.
    Innermost,
}

/// The lengths of a batch of rays in the solids that they cross.
///
/// They are listed ray by ray, in the order in which the ray enters the solids. Of two at one
/// place, the lower `geometry_id` is first. A solid has one length for each ray, however often the
/// ray crosses it. A length of zero is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidPaths {
    /// The index of each ray's first solid in the other arrays. The last entry is the length of
    /// these arrays, so there is one entry more than there are rays.
    pub path_splits: Vec<u64>,
    /// The solid.
    pub path_geometry_ids: Vec<u32>,
    /// The length in the solid, in scene units.
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
