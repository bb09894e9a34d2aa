//! Rays in memory with their filters, as files have them.

use super::batch::Batch;
use super::batch_error::BatchError;
use crate::ray::Ray;

/// Rays, optionally with a mask, an ignored geometry and a world for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rays {
    /// The rays.
    pub rays: Vec<Ray>,
    /// The mask of each ray, if there are masks. A ray hits only geometries whose mask has a bit in
    /// common with it.
    pub masks: Option<Vec<u32>>,
    /// The geometry that each ray passes through, or [`NONE`](crate::NONE), if there are ids to
    /// ignore.
    pub ignored: Option<Vec<u32>>,
    /// The number of the world in which each ray is cast, if there are such numbers.
    pub worlds: Option<Vec<u32>>,
}

impl Rays {
    /// Returns the number of rays.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Returns true if there are no rays.
    pub fn is_empty(&self) -> bool {
        self.rays.is_empty()
    }

    /// Returns the batch that casts these rays.
    ///
    /// # Errors
    /// [`BatchError::Count`], if an array has another length than the rays. Arrays from a file
    /// always have the same length.
    pub fn batch(&self) -> Result<Batch<'_>, BatchError> {
        let mut batch = Batch::new(&self.rays);
        if let Some(masks) = &self.masks {
            batch = batch.with_masks(masks)?;
        }
        if let Some(ignored) = &self.ignored {
            batch = batch.ignoring(ignored)?;
        }
        if let Some(worlds) = &self.worlds {
            batch = batch.in_worlds(worlds)?;
        }
        Ok(batch)
    }

    /// Appends the rays that follow in the same file.
    pub fn append(&mut self, mut next: Self) {
        let join = |ids: &mut Option<Vec<u32>>, next: Option<Vec<u32>>| match ids {
            Some(ids) => ids.extend(next.into_iter().flatten()),
            None => *ids = next,
        };
        join(&mut self.masks, next.masks);
        join(&mut self.ignored, next.ignored);
        join(&mut self.worlds, next.worlds);
        self.rays.append(&mut next.rays);
    }
}
