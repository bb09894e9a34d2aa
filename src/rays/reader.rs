//! A ray file of whichever format, by its ending.

use super::numpy::NumpyRays;
#[cfg(feature = "parquet")]
use super::parquet::ParquetRays;
use super::{Rays, is_parquet};
use crate::files::FileError;
use std::path::Path;

/// A ray file that was opened.
///
/// - `.npy`: an array of shape (N, 6) or (N, 8) and type float32. Columns are the origin, the direction and, where
///   there are eight, `t_min` and `t_max`.
/// - `.npz`: such an array named `rays` and, for each ray if wanted, `ray_masks` and `ignore_ids`, (N,) uint32.
/// - `.parquet`: columns `ox oy oz dx dy dz` and, if wanted, `t_min t_max` of type float32, `ray_mask` and
///   `ignore_id` of type uint32, uncompressed or compressed by snappy or gzip.
///
/// Rays that cannot be cast are read as they are.
#[derive(Debug)]
pub struct RayReader {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Numpy(NumpyRays),
    #[cfg(feature = "parquet")]
    Parquet(ParquetRays),
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path) -> Result<Source, FileError> {
    ParquetRays::open(path).map(Source::Parquet)
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path) -> Result<Source, FileError> {
    let reason = "cannot be read: raytwin was built without the feature parquet";
    Err(FileError::meaning(path, "", reason))
}

impl RayReader {
    /// Opens a file and reads how many rays it has.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, of another shape, type or order, shorter than it says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let source = match is_parquet(path) {
            true => parquet(path)?,
            false => Source::Numpy(NumpyRays::open(path)?),
        };
        Ok(Self { source })
    }

    /// How many rays there are.
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Numpy(rays) => rays.len(),
            #[cfg(feature = "parquet")]
            Source::Parquet(rays) => rays.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the file calls the ids that its rays ignore, if it has such.
    pub fn ignored(&self) -> Option<&'static str> {
        match &self.source {
            Source::Numpy(rays) => rays.ignored(),
            #[cfg(feature = "parquet")]
            Source::Parquet(rays) => rays.ignored(),
        }
    }

    /// Reads all rays in their order and hands them over, at most `size` at a time, until there are no
    /// more or `take` fails.
    ///
    /// # Errors
    /// [`FileError`]: unreadable, truncated; and what `take` returns.
    pub fn batches<E: From<FileError>>(
        self,
        size: usize,
        take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.source {
            Source::Numpy(rays) => rays.batches(size.max(1), take),
            #[cfg(feature = "parquet")]
            Source::Parquet(rays) => rays.batches(size.max(1), take),
        }
    }
}
