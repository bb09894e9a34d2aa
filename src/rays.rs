//! Ray files and answer files, of any length: both are read and written piece by piece.

mod numpy;
#[cfg(feature = "parquet")]
mod parquet;
mod partial;
mod reader;
mod writer;

pub use numpy::answer_files;
pub use partial::Kept;
pub use reader::RayReader;
pub use writer::AnswerWriter;

use crate::files::FileError;
use crate::query::{Answers, Query};
use crate::query::{Batch, BatchError};
use crate::ray::Ray;
use std::path::Path;

/// Rays of a file, with what it says of each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rays {
    /// The rays.
    pub rays: Vec<Ray>,
    /// With which mask each sees the geometries, where the file says so.
    pub masks: Option<Vec<u32>>,
    /// Which geometry each passes through, [`NONE`](crate::NONE) for none, where the file says so.
    pub ignored: Option<Vec<u32>>,
}

impl Rays {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rays.is_empty()
    }

    /// The batch that they are cast as.
    ///
    /// # Errors
    /// [`BatchError::Count`], which a file's own rays never give.
    pub fn batch(&self) -> Result<Batch<'_>, BatchError> {
        let mut batch = Batch::new(&self.rays);
        if let Some(masks) = &self.masks {
            batch = batch.with_masks(masks)?;
        }
        if let Some(ignored) = &self.ignored {
            batch = batch.ignoring(ignored)?;
        }
        Ok(batch)
    }

    /// Adds those that follow in the same file.
    fn append(&mut self, mut next: Self) {
        let join = |own: &mut Option<Vec<u32>>, next: Option<Vec<u32>>| match own {
            Some(own) => own.extend(next.into_iter().flatten()),
            None => *own = next,
        };
        join(&mut self.masks, next.masks);
        join(&mut self.ignored, next.ignored);
        self.rays.append(&mut next.rays);
    }
}

/// Reads all rays of a file, as [`RayReader`] reads them.
///
/// # Errors
/// [`FileError`]: unreadable, of another shape, type or order, truncated.
pub fn read_rays(path: impl AsRef<Path>) -> Result<Rays, FileError> {
    const PIECE: usize = 1 << 20;
    let mut all = Rays::default();
    RayReader::open(path)?.batches(PIECE, |rays| {
        all.append(rays);
        Ok::<(), FileError>(())
    })?;
    Ok(all)
}

/// Whether a file is one of Parquet, by its ending.
fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Writes answers as one file, as [`AnswerWriter::file`] writes them.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_answers(
    path: impl AsRef<Path>,
    query: Query,
    answers: &Answers,
) -> Result<(), FileError> {
    let mut writer = AnswerWriter::file(path, query)?;
    writer.write(answers)?;
    writer.finish().map(drop)
}

/// What [`AnswerWriter::with_note`] noted in a file; `None` where there is no such note, and of a file that cannot
/// be read.
pub fn note_of(path: impl AsRef<Path>) -> Option<String> {
    let path = path.as_ref();
    if is_parquet(path) { parquet_note(path) } else { numpy::note_of(path) }
}

#[cfg(feature = "parquet")]
fn parquet_note(path: &Path) -> Option<String> {
    parquet::note_of(path)
}

#[cfg(not(feature = "parquet"))]
fn parquet_note(_: &Path) -> Option<String> {
    None
}
