//! Arrays of answers that grow piece by piece.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use raytwin::{AllHits, Hits};

/// Answers to rays or points in their order.
pub(super) trait Growing: Default + Send {
    /// Appends the answers to the next rays or points, of `total`.
    ///
    /// # Errors
    /// MemoryError.
    fn grow(&mut self, next: Self, total: usize) -> PyResult<()>;
}

impl<T: Send> Growing for Vec<T> {
    fn grow(&mut self, mut next: Self, total: usize) -> PyResult<()> {
        // The answers to a call of one piece are not copied.
        if self.is_empty() && next.len() >= total {
            *self = next;
            return Ok(());
        }
        let missing = total.saturating_sub(self.len()).max(next.len());
        if self.capacity() - self.len() < next.len() {
            self.try_reserve_exact(missing).map_err(no_memory)?;
        }
        self.append(&mut next);
        Ok(())
    }
}

impl Growing for Hits {
    fn grow(&mut self, next: Self, total: usize) -> PyResult<()> {
        self.t_hit.grow(next.t_hit, total)?;
        self.geometry_ids.grow(next.geometry_ids, total)?;
        self.primitive_ids.grow(next.primitive_ids, total)?;
        self.primitive_normals.grow(next.primitive_normals, total)?;
        self.faces.grow(next.faces, total)?;
        self.instance_ids.grow(next.instance_ids, total)?;
        self.label_ids.grow(next.label_ids, total)
    }
}

impl Growing for AllHits {
    /// The number of crossings is not known before, so these arrays grow as vectors do.
    fn grow(&mut self, mut next: Self, total: usize) -> PyResult<()> {
        if self.ray_count() == 0 && next.ray_count() >= total {
            *self = next;
            return Ok(());
        }
        let (rays, crossings) = (self.ray_count() as u32, self.len() as u64);
        let room = |vector: &mut Vec<u32>| vector.try_reserve(next.t_hit.len()).map_err(no_memory);
        self.ray_splits.try_reserve(next.ray_count()).map_err(no_memory)?;
        self.t_hit.try_reserve(next.t_hit.len()).map_err(no_memory)?;
        room(&mut self.ray_ids)?;
        room(&mut self.geometry_ids)?;
        room(&mut self.primitive_ids)?;
        self.ray_splits.extend(next.ray_splits[1..].iter().map(|split| crossings + split));
        self.ray_ids.extend(next.ray_ids.iter().map(|ray| rays + ray));
        self.t_hit.append(&mut next.t_hit);
        self.geometry_ids.append(&mut next.geometry_ids);
        self.primitive_ids.append(&mut next.primitive_ids);
        Ok(())
    }
}

pub(super) fn no_memory(error: std::collections::TryReserveError) -> PyErr {
    PyMemoryError::new_err(format!("there is no memory for the answers: {error}"))
}
