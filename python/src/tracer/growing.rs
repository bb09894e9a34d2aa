//! Arrays of answers that grow piece by piece.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use raytwin::image::Image;
use raytwin::{AllHits, Hits, SolidPaths};

/// Answers to rays or points, in the same order.
pub(super) trait Growing: Default + Send {
    /// Appends the answers to the next rays or points, of `total`.
    ///
    /// # Errors
    /// MemoryError.
    fn grow(&mut self, next: Self, total: usize) -> PyResult<()>;
}

impl<T: Send> Growing for Vec<T> {
    fn grow(&mut self, mut next: Self, total: usize) -> PyResult<()> {
        // The answers of a call with one piece are not copied.
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

/// Answers that consist of several arrays, each of which grows.
macro_rules! growing {
    ($answers:ident: $($array:ident),+) => {
        impl Growing for $answers {
            fn grow(&mut self, next: Self, total: usize) -> PyResult<()> {
                $(self.$array.grow(next.$array, total)?;)+
                Ok(())
            }
        }
    };
}

pub(super) use growing;

growing!(Hits: t_hit, geometry_ids, primitive_ids, primitive_normals, faces, instance_ids, label_ids);
growing!(Image: hits, distance, z);

impl Growing for AllHits {
    /// The number of crossings is not known in advance, so these arrays grow as vectors do.
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

impl Growing for SolidPaths {
    /// The number of solids is not known in advance, so these arrays grow as vectors do.
    fn grow(&mut self, mut next: Self, total: usize) -> PyResult<()> {
        if self.ray_count() == 0 && next.ray_count() >= total {
            *self = next;
            return Ok(());
        }
        let (before, more) = (self.path_lengths.len() as u64, next.path_lengths.len());
        self.path_splits.try_reserve(next.ray_count()).map_err(no_memory)?;
        self.path_geometry_ids.try_reserve(more).map_err(no_memory)?;
        self.path_lengths.try_reserve(more).map_err(no_memory)?;
        self.path_splits.extend(next.path_splits[1..].iter().map(|split| before + split));
        self.path_geometry_ids.append(&mut next.path_geometry_ids);
        self.path_lengths.append(&mut next.path_lengths);
        Ok(())
    }
}

pub(super) fn no_memory(error: std::collections::TryReserveError) -> PyErr {
    PyMemoryError::new_err(format!("there is no memory for the answers: {error}"))
}
