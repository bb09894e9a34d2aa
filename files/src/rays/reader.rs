//! The reader of ray files, whose format follows from their extension.

use super::csv::CsvRays;
use super::numpy::NumpyRays;
use super::parquet::ParquetRays;
use crate::{FileError, has_extension};
use glam::DVec3;
use raytwin::query::Rays;
use std::path::Path;

/// A ray file that has been opened.
///
/// - `.npy`: an array of shape (N, 6) or (N, 8), or with more axes in front, of type float32 or
///   float64, in either order. The columns are the origin, the direction and, if there are eight,
///   `t_min` and `t_max`. A single row is one ray.
/// - `.npz`: such an array named `rays` and optionally, for each ray, `ray_masks`, `ignore_ids` and
///   `world_ids`, which are integers.
/// - `.parquet`: columns `ox oy oz dx dy dz` and optionally `t_min t_max` of type float32 or
///   float64, and optionally `ray_mask`, `ignore_id` and `world_id` of any integer type. A null
///   `t_min` or `t_max` is its default, and a null elsewhere makes the ray invalid. Other columns
///   are ignored; [`PassedColumns`](super::PassedColumns) passes them on.
/// - `.csv`: the same columns as text, read as a whole. An empty cell stands for the default, if
///   there is one. [`AnswerWriter::csv`](super::AnswerWriter::csv) passes all columns on.
///
/// Numbers of float64 are rounded once to float32.
///
/// Rays that no query accepts are read as they are.
#[derive(Debug)]
pub struct RayReader {
    file: RayFile,
    origin: DVec3,
}

#[derive(Debug)]
enum RayFile {
    Numpy(Box<NumpyRays>),
    Parquet(Box<ParquetRays>),
    Csv(Box<CsvRays>),
}

/// Adds the formats of rays to an error about a file that is read as an array, because its
/// extension is not that of a ray file.
fn with_formats(error: FileError) -> FileError {
    match error {
        FileError::Meaning { path, location, reason } if !has_extension(&path, &["npy", "npz"]) => {
            let reason = format!("{reason}; rays must be an .npy, .npz, .parquet or .csv file");
            FileError::Meaning { path, location, reason }
        }
        error => error,
    }
}

impl RayReader {
    /// Opens a file and reads how many rays it has.
    ///
    /// # Errors
    /// [`FileError`]: the file is unreadable or shorter than its header declares, or its rays have
    /// another shape or type.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = if has_extension(path, &["parquet"]) {
            RayFile::Parquet(Box::new(ParquetRays::open(path)?))
        } else if has_extension(path, &["csv"]) {
            RayFile::Csv(Box::new(CsvRays::open(path)?))
        } else {
            RayFile::Numpy(Box::new(NumpyRays::open(path).map_err(with_formats)?))
        };
        Ok(Self { file, origin: DVec3::ZERO })
    }

    /// Rejects rays of a table of text that start far from zero, at positions with decimals.
    ///
    /// # Errors
    /// [`FileError::Meaning`], which names the first of them.
    pub fn refuse_coarse(&self) -> Result<(), FileError> {
        match &self.file {
            RayFile::Csv(rays) => rays.refuse_coarse(),
            RayFile::Numpy(_) | RayFile::Parquet(_) => Ok(()),
        }
    }

    /// Subtracts an origin in float64 from the origin of each ray before it is rounded to float32.
    pub fn relative_to(self, origin: DVec3) -> Self {
        Self { origin, ..self }
    }

    /// The count of rays.
    pub fn len(&self) -> usize {
        match &self.file {
            RayFile::Numpy(rays) => rays.len(),
            RayFile::Parquet(rays) => rays.len(),
            RayFile::Csv(rays) => rays.len(),
        }
    }

    /// Returns whether the file has no rays.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The extents of an array's axes except the last, or the number of rays of any other file.
    /// Arrays of answers have the same extents: see
    /// [`AnswerWriter::shaped`](super::AnswerWriter::shaped).
    pub fn shape(&self) -> Vec<usize> {
        match &self.file {
            RayFile::Numpy(rays) => rays.shape().to_vec(),
            RayFile::Parquet(rays) => vec![rays.len()],
            RayFile::Csv(rays) => vec![rays.len()],
        }
    }

    /// The file's name for the array or column of ids that its rays ignore, if it has one.
    pub fn ignored(&self) -> Option<&'static str> {
        match &self.file {
            RayFile::Numpy(rays) => rays.ignored(),
            RayFile::Parquet(rays) => rays.ignored(),
            RayFile::Csv(rays) => rays.ignored(),
        }
    }

    /// Reads all rays in their order and passes them to `take`, at most `size` at a time, until all
    /// are read or `take` fails.
    ///
    /// # Errors
    /// [`FileError`], if the file is unreadable or truncated, and the errors of `take`.
    pub fn batches<E: From<FileError>>(
        self,
        size: usize,
        take: impl FnMut(Rays) -> Result<(), E>,
    ) -> Result<(), E> {
        let (origin, size) = (self.origin.to_array(), size.max(1));
        match self.file {
            RayFile::Numpy(rays) => rays.batches(origin, size, take),
            RayFile::Parquet(rays) => rays.batches(origin, size, take),
            RayFile::Csv(rays) => rays.batches(origin, size, take),
        }
    }

    /// Reads all rays.
    ///
    /// # Errors
    /// [`FileError`], if the file is unreadable or truncated.
    pub fn read_all(self) -> Result<Rays, FileError> {
        const PIECE: usize = 1 << 20;
        let mut all = Rays::default();
        self.batches(PIECE, |rays| {
            all.append(rays);
            Ok::<(), FileError>(())
        })?;
        Ok(all)
    }
}

/// Reads all rays of a file with a [`RayReader`].
///
/// # Errors
/// [`FileError`]: the file is unreadable or truncated, or its rays have another shape or type.
pub fn read_rays(path: impl AsRef<Path>) -> Result<Rays, FileError> {
    RayReader::open(path)?.read_all()
}
