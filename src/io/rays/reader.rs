//! The reader of ray files, whose format is told by their extension.

use super::format::is_parquet;
use super::numpy::NumpyRays;
use super::parquet::ParquetRays;
use super::ray_list::Rays;
use crate::io::FileError;
use std::path::Path;

/// A ray file that has been opened.
///
/// - `.npy`: an array of shape (N, 6) or (N, 8) and type float32. Columns are the origin, the direction and, where
///   there are eight, `t_min` and `t_max`.
/// - `.npz`: such an array named `rays` and optionally, for each ray, `ray_masks` and `ignore_ids`, (N,) uint32.
/// - `.parquet`: columns `ox oy oz dx dy dz` and optionally `t_min t_max` of type float32, and optionally `ray_mask` and
///   `ignore_id` of type uint32, uncompressed or compressed by snappy or gzip.
///
/// Rays that no query accepts are read as they are.
#[derive(Debug)]
pub struct RayReader {
    file: RayFile,
}

#[derive(Debug)]
enum RayFile {
    Numpy(NumpyRays),
    Parquet(ParquetRays),
}

fn open_parquet(path: &Path) -> Result<RayFile, FileError> {
    ParquetRays::open(path).map(RayFile::Parquet)
}

impl RayReader {
    /// Opens a file and reads how many rays it has.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable or shorter than it claims, or its rays are of another shape, type or order.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = match is_parquet(path) {
            true => open_parquet(path)?,
            false => RayFile::Numpy(NumpyRays::open(path)?),
        };
        Ok(Self { file })
    }

    /// The count of rays.
    pub fn len(&self) -> usize {
        match &self.file {
            RayFile::Numpy(rays) => rays.len(),
            RayFile::Parquet(rays) => rays.len(),
        }
    }

    /// Returns whether the file holds no ray.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The file's name for the array or column of ids that its rays ignore, if it has one.
    pub fn ignored(&self) -> Option<&'static str> {
        match &self.file {
            RayFile::Numpy(rays) => rays.ignored(),
            RayFile::Parquet(rays) => rays.ignored(),
        }
    }

    /// Reads all rays in their order and gives them to `take`, at most `size` at a time, until all are read or `take`
    /// fails.
    ///
    /// # Errors
    /// [`FileError`], if the file is unreadable or truncated, and the errors of `take`.
    pub fn batches<E: From<FileError>>(
        self,
        size: usize,
        take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.file {
            RayFile::Numpy(rays) => rays.batches(size.max(1), take),
            RayFile::Parquet(rays) => rays.batches(size.max(1), take),
        }
    }
}

/// Reads all rays of a file with a [`RayReader`].
///
/// # Errors
/// [`FileError`]: the file is unreadable or truncated, or its rays are of another shape, type or order.
pub fn read_rays(path: impl AsRef<Path>) -> Result<Rays, FileError> {
    const PIECE: usize = 1 << 20;
    let mut all = Rays::default();
    RayReader::open(path)?.batches(PIECE, |rays| {
        all.append(rays);
        Ok::<(), FileError>(())
    })?;
    Ok(all)
}
