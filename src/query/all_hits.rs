//! All crossings of a batch of rays as arrays.

use crate::ray::Hit;

/// Every crossing of a batch of rays, ray by ray and sorted by `t`.
#[derive(Clone, Debug, PartialEq)]
pub struct AllHits {
    /// The index of each ray's first crossing in the other arrays. The last entry is the length of
    /// these arrays, so there is one entry more than there are rays.
    pub ray_splits: Vec<u64>,
    /// The index in the batch of each crossing's ray.
    pub ray_ids: Vec<u32>,
    /// The ray parameter of each crossing, in units of the direction's length.
    pub t_hit: Vec<f32>,
    /// The geometry that is crossed.
    pub geometry_ids: Vec<u32>,
    /// The primitive of that geometry, 0 for the analytic shapes.
    pub primitive_ids: Vec<u32>,
}

impl Default for AllHits {
    fn default() -> Self {
        Self {
            ray_splits: vec![0],
            ray_ids: Vec::new(),
            t_hit: Vec::new(),
            geometry_ids: Vec::new(),
            primitive_ids: Vec::new(),
        }
    }
}

impl AllHits {
    /// Allocates memory for this many rays and crossings; `None` if there is not enough.
    pub(crate) fn with_capacity(rays: usize, crossings: u64) -> Option<Self> {
        let crossings = usize::try_from(crossings).ok()?;
        let mut all = Self::default();
        all.ray_splits.try_reserve_exact(rays).ok()?;
        all.t_hit.try_reserve_exact(crossings).ok()?;
        for ids in [&mut all.ray_ids, &mut all.geometry_ids, &mut all.primitive_ids] {
            ids.try_reserve_exact(crossings).ok()?;
        }
        Some(all)
    }

    /// Returns how many bytes this many rays and crossings need.
    pub(crate) fn bytes(rays: usize, crossings: u64) -> u64 {
        8 * (rays as u64 + 1) + 16 * crossings
    }

    /// Returns how many crossings there are.
    pub fn len(&self) -> usize {
        self.t_hit.len()
    }

    /// Returns true if there are no crossings.
    pub fn is_empty(&self) -> bool {
        self.t_hit.is_empty()
    }

    /// Returns how many rays there are.
    pub fn ray_count(&self) -> usize {
        self.ray_splits.len() - 1
    }

    /// Returns how many rays cross something.
    pub fn hit_count(&self) -> usize {
        self.ray_splits.windows(2).filter(|ends| ends[0] < ends[1]).count()
    }

    /// Iterates over the crossings of one ray.
    pub fn of_ray(&self, ray: usize) -> impl ExactSizeIterator<Item = Hit> + '_ {
        let [from, to] = [ray, ray + 1].map(|index| self.ray_splits[index] as usize);
        (from..to).map(|index| Hit {
            t: self.t_hit[index],
            geometry_id: self.geometry_ids[index],
            primitive_id: self.primitive_ids[index],
        })
    }

    /// Appends the next ray's crossings, which are in order.
    pub fn push(&mut self, crossings: impl IntoIterator<Item = Hit>) {
        // A batch in memory has fewer than 2^32 rays.
        let ray = self.ray_count() as u32;
        for hit in crossings {
            self.ray_ids.push(ray);
            self.t_hit.push(hit.t);
            self.geometry_ids.push(hit.geometry_id);
            self.primitive_ids.push(hit.primitive_id);
        }
        self.ray_splits.push(self.t_hit.len() as u64);
    }
}
