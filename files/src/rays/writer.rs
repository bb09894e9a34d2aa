//! The writer of answer files, whose format follows from their extension.

use super::csv::CsvAnswers;
use super::numpy::{self, NumpyAnswers};
use super::parquet::{self, ParquetAnswers, PassedColumns};
use super::partial::{AnswerCounts, PartialAnswers};
use crate::answers::AnswerLayout;
use crate::{FileError, Outputs, has_extension};
use raytwin::query::{Answers, Query, SolidPaths};
use raytwin::scene::Scene;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A writer of answer files, batch by batch. The files appear when all answers are written, or not
/// at all.
///
/// | query | arrays of an `.npz` or a folder | columns of a `.parquet` |
/// | --- | --- | --- |
/// | [`Query::Closest`] | those of its [`HitArrays`](raytwin::HitArrays): `t_hit`, `geometry_ids`, `primitive_ids`, `primitive_normals` (N, 3), `faces`, `instance_ids` and `label_ids` (uint16) | the same: `t_hit geometry_id primitive_id nx ny nz face instance_id label_id` |
/// | [`Query::Any`] | `occluded`, bool | `occluded` |
/// | [`Query::Count`] | `intersections`, uint32 | `intersections` |
/// | [`Query::All`] | `ray_splits` (N + 1,), uint64, and for each crossing `ray_ids`, `t_hit`, `geometry_ids`, `primitive_ids` | lists `t_hit`, `geometry_id`, `primitive_id`, which [`SavedAnswers`](crate::SavedAnswers) does not read |
/// | any, with [paths](AnswerLayout::has_paths) | also `path_splits` (N + 1,), uint64, and for each path `path_geometry_ids` and `path_lengths`, float64 | also lists `path_geometry_id`, `path_length` |
#[derive(Debug)]
pub struct AnswerWriter {
    layout: AnswerLayout,
    path: PathBuf,
    note: Option<String>,
    file: AnswerFile,
    partial: Option<PartialAnswers>,
}

#[derive(Debug)]
enum AnswerFile {
    Numpy(Box<NumpyAnswers>),
    Parquet(Box<ParquetAnswers>),
    Csv(Box<CsvAnswers>),
}

impl AnswerWriter {
    /// Begins one file: a `.parquet` if the path ends so, otherwise an `.npz`. The arrays of an
    /// `.npz` are next to it until it is finished, so it temporarily needs twice its size on disk.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn file(
        path: impl AsRef<Path>,
        layout: impl Into<AnswerLayout>,
    ) -> Result<Self, FileError> {
        let (path, layout) = (path.as_ref(), layout.into());
        let file = match has_extension(path, &["parquet"]) {
            true => AnswerFile::Parquet(Box::new(ParquetAnswers::new(path, layout, None)?)),
            false => AnswerFile::Numpy(Box::new(NumpyAnswers::archive(path, layout)?)),
        };
        Ok(Self { layout, path: path.to_owned(), note: None, file, partial: None })
    }

    /// Begins a `.parquet` in which columns of the rays' file follow the answers.
    ///
    /// # Errors
    /// [`FileError`], also if a column has the name of an answer.
    pub fn passing(
        path: impl AsRef<Path>,
        layout: impl Into<AnswerLayout>,
        columns: PassedColumns,
    ) -> Result<Self, FileError> {
        let (path, layout) = (path.as_ref(), layout.into());
        let file = ParquetAnswers::new(path, layout, Some(columns))?;
        let file = AnswerFile::Parquet(Box::new(file));
        Ok(Self { layout, path: path.to_owned(), note: None, file, partial: None })
    }

    /// Begins a `.csv` with a row for each ray of a file: the columns of that file, if it is a
    /// `.csv`, the columns of the answers as in a `.parquet`, and, if these include `geometry_id`,
    /// the `path` of that geometry. Cells are empty for a miss.
    ///
    /// # Errors
    /// [`FileError`], also for [`Query::All`] and for paths, and if a column of the rays has the
    /// name of an answer.
    pub fn csv(
        path: impl AsRef<Path>,
        layout: impl Into<AnswerLayout>,
        rays: impl AsRef<Path>,
        scene: Arc<Scene>,
    ) -> Result<Self, FileError> {
        let (path, layout) = (path.as_ref(), layout.into());
        let file = AnswerFile::Csv(Box::new(CsvAnswers::new(path, layout, rays.as_ref(), scene)?));
        Ok(Self { layout, path: path.to_owned(), note: None, file, partial: None })
    }

    /// Begins a folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(
        path: impl AsRef<Path>,
        layout: impl Into<AnswerLayout>,
    ) -> Result<Self, FileError> {
        let (path, layout) = (path.as_ref(), layout.into());
        let file = AnswerFile::Numpy(Box::new(NumpyAnswers::folder(path, layout)?));
        Ok(Self { layout, path: path.to_owned(), note: None, file, partial: None })
    }

    /// Gives the arrays of an `.npz` or a folder these extents in front, as
    /// [`RayReader::shape`](super::RayReader::shape) returns them, instead of the number of rays.
    /// It has no effect on a table or on [`Query::All`].
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn shaped(self, shape: &[usize]) -> Result<Self, FileError> {
        let file = match self.file {
            AnswerFile::Numpy(arrays) => {
                AnswerFile::Numpy(Box::new(arrays.shaped(self.layout.query, shape)?))
            }
            table => table,
        };
        Ok(Self { file, ..self })
    }

    /// Adds a note about what the answers are made from. [`note_of`] reads it. A folder and a
    /// `.csv` have no note.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// Keeps the answers in a separate file until [`Self::finish`], which removes it. If this
    /// writer is dropped before that, the file stays, and another writer for the same query that
    /// keeps its answers there continues it: see [`Self::kept`]. `made_from` is a line without its
    /// line end. It must change with everything that answers depend on, as a
    /// [`Fingerprint`](raytwin::Fingerprint) does. The answers need twice their size on disk while
    /// they are finished.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another writer has it open, it has another
    /// `made_from`, or it is not a file of partial answers. Also for answers with paths, which
    /// cannot be kept.
    pub fn keeping_in(
        self,
        path: impl AsRef<Path>,
        made_from: impl std::fmt::Display,
    ) -> Result<Self, FileError> {
        if self.layout.has_paths {
            let reason = "cannot have paths: write all answers at once";
            return Err(FileError::meaning(path.as_ref(), "", reason));
        }
        let query = self.layout.query;
        let partial = PartialAnswers::open(path.as_ref(), query, &made_from.to_string())?;
        Ok(Self { partial: Some(partial), ..self })
    }

    /// The answers that earlier writers have kept, which are the first ones: there is an entry for
    /// each call of [`Self::write`].
    pub fn kept(&self) -> &[AnswerCounts] {
        self.partial.as_ref().map_or(&[], PartialAnswers::kept)
    }

    /// Adds the answers to the next rays.
    ///
    /// # Errors
    /// [`FileError::Write`], also for answers to another query, and if paths are required.
    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        self.add(answers, None)
    }

    /// Does the same, with the lengths of these rays in solids.
    ///
    /// # Errors
    /// [`FileError::Write`], also for answers to another query, for paths of another number of
    /// rays, and if no paths are expected.
    pub fn write_with_paths(
        &mut self,
        answers: &Answers,
        paths: &SolidPaths,
    ) -> Result<(), FileError> {
        self.add(answers, Some(paths))
    }

    fn add(&mut self, answers: &Answers, paths: Option<&SolidPaths>) -> Result<(), FileError> {
        let AnswerLayout { query, has_paths } = self.layout;
        let refused = |reason: String| Err(FileError::write(&self.path)(io::Error::other(reason)));
        if answers.query() != query.kind() {
            let reason = format!("the answers do not belong to the query {}", query.name());
            return refused(reason);
        }
        let rays = has_paths.then_some(answers.rays());
        if paths.map(SolidPaths::ray_count) != rays {
            return refused("the paths do not belong to the same rays".to_owned());
        }
        match &mut self.partial {
            Some(partial) => partial.write(answers),
            None => self.file.write(answers, paths),
        }
    }

    /// Renames the drafts to their targets and returns the files.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        let (files, outputs) = self.complete()?;
        outputs.publish()?;
        Ok(files)
    }

    /// Completes the files, and returns them with the outputs, which may be published together with
    /// others.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn complete(self) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        let Self { note, mut file, partial, .. } = self;
        if let Some(partial) = &partial {
            partial.replay(|answers| file.write(answers, None))?;
        }
        let (files, mut outputs) = file.complete(note.as_deref())?;
        if let Some(partial) = partial {
            outputs.supersede(partial.into_file());
        }
        Ok((files, outputs))
    }
}

impl AnswerFile {
    fn write(&mut self, answers: &Answers, paths: Option<&SolidPaths>) -> Result<(), FileError> {
        match self {
            Self::Numpy(arrays) => arrays.write(answers, paths),
            Self::Parquet(columns) => columns.write(answers, paths),
            Self::Csv(rows) => rows.write(answers),
        }
    }

    fn complete(self, note: Option<&str>) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        match self {
            Self::Numpy(arrays) => arrays.complete(note),
            Self::Parquet(columns) => columns.complete(note),
            Self::Csv(rows) => rows.complete(),
        }
    }
}

/// Writes answers to one file with [`AnswerWriter::file`].
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

/// Returns the note that [`AnswerWriter::with_note`] left in a file; `None` if there is no note or
/// the file cannot be read.
pub fn note_of(path: impl AsRef<Path>) -> Option<String> {
    let path = path.as_ref();
    match has_extension(path, &["parquet"]) {
        true => parquet::note_of(path),
        false => numpy::note_of(path),
    }
}
