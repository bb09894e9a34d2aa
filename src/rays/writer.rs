//! An answer file of whichever format, by its ending.

use super::is_parquet;
use super::numpy::NumpyAnswers;
#[cfg(feature = "parquet")]
use super::parquet::ParquetAnswers;
use super::partial::{Kept, Partial};
use crate::files::FileError;
use crate::query::{Answers, Query};
use std::io;
use std::path::{Path, PathBuf};

/// Answer files that are written batch by batch. They appear once all is written, or not at all.
///
/// | of | arrays of an `.npz` or a folder | columns of a `.parquet` |
/// | --- | --- | --- |
/// | [`Query::Closest`] | `t_hit`, `geometry_ids`, `primitive_ids`, `primitive_normals` (N, 3), if asked `faces` | `t_hit geometry_id primitive_id nx ny nz`, `face` |
/// | [`Query::Any`] | `occluded`, bool | `occluded` |
/// | [`Query::Count`] | `intersections`, uint32 | `intersections` |
/// | [`Query::All`] | `ray_splits` (N + 1,), uint64, and of each crossing `ray_ids`, `t_hit`, `geometry_ids`, `primitive_ids` | lists `t_hit`, `geometry_id`, `primitive_id` |
#[derive(Debug)]
pub struct AnswerWriter {
    query: Query,
    path: PathBuf,
    note: Option<String>,
    form: Form,
    partial: Option<Partial>,
}

#[derive(Debug)]
enum Form {
    Numpy(NumpyAnswers),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetAnswers>),
}

#[cfg(feature = "parquet")]
fn parquet(path: &Path, query: Query) -> Result<Form, FileError> {
    Ok(Form::Parquet(Box::new(ParquetAnswers::new(path, query)?)))
}

#[cfg(not(feature = "parquet"))]
fn parquet(path: &Path, _: Query) -> Result<Form, FileError> {
    let reason = io::Error::other("raytwin was built without the feature parquet");
    Err(FileError::write(path)(reason))
}

impl AnswerWriter {
    /// One file: a `.parquet` by its ending, else an `.npz`, whose arrays lie beside it until it is finished, so
    /// that it needs twice its place for a while.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn file(path: impl AsRef<Path>, query: Query) -> Result<Self, FileError> {
        let path = path.as_ref();
        let form = match is_parquet(path) {
            true => parquet(path, query)?,
            false => Form::Numpy(NumpyAnswers::new(path, query, true)?),
        };
        Ok(Self { query, path: path.to_owned(), note: None, form, partial: None })
    }

    /// A folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, query: Query) -> Result<Self, FileError> {
        let path = path.as_ref();
        let form = Form::Numpy(NumpyAnswers::new(path, query, false)?);
        Ok(Self { query, path: path.to_owned(), note: None, form, partial: None })
    }

    /// Notes in the file, where [`note_of`](super::note_of) finds it, what the answers were made from; a folder has
    /// no place for that.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// Keeps what is written in a file of its own until [`Self::finish`], which removes it. Where this writer is
    /// dropped before that the file stays, and another of the same query that keeps its answers there goes on from it:
    /// see [`Self::kept`]. `made_from`, a line without its end, must change with all that answers depend on, as a
    /// [`Fingerprint`](crate::files::Fingerprint) does. The answers need twice their place while they are finished.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be written, another writer has it open, it says another `made_from`, or it is
    /// another file.
    pub fn keeping_in(
        self,
        path: impl AsRef<Path>,
        made_from: impl std::fmt::Display,
    ) -> Result<Self, FileError> {
        let partial = Partial::open(path.as_ref(), self.query, &made_from.to_string())?;
        Ok(Self { partial: Some(partial), ..self })
    }

    /// What writers before this one have kept, which is the beginning of the answers: an entry for each time that
    /// [`Self::write`] was called.
    pub fn kept(&self) -> &[Kept] {
        self.partial.as_ref().map_or(&[], Partial::kept)
    }

    /// Adds the answers to the next rays.
    ///
    /// # Errors
    /// [`FileError::Write`], also for answers to another query.
    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let is_of_query = matches!(
            (self.query, answers),
            (Query::Closest { .. }, Answers::Closest(_))
                | (Query::Any, Answers::Any(_))
                | (Query::Count, Answers::Count(_))
                | (Query::All, Answers::All(_))
        );
        if !is_of_query {
            let reason = format!("answers to another query than {}", self.query.name());
            return Err(FileError::write(&self.path)(io::Error::other(reason)));
        }
        match &mut self.partial {
            Some(partial) => partial.write(answers),
            None => self.form.write(answers),
        }
    }

    /// Puts the files into their places, and says which they are.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        let Self { note, mut form, partial, .. } = self;
        if let Some(partial) = &partial {
            partial.replay(|answers| form.write(answers))?;
        }
        let files = form.finish(note.as_deref())?;
        partial.map_or(Ok(()), Partial::remove)?;
        Ok(files)
    }
}

impl Form {
    fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        match self {
            Self::Numpy(arrays) => arrays.write(answers),
            #[cfg(feature = "parquet")]
            Self::Parquet(columns) => columns.write(answers),
        }
    }

    fn finish(self, note: Option<&str>) -> Result<Vec<PathBuf>, FileError> {
        match self {
            Self::Numpy(arrays) => arrays.finish(note),
            #[cfg(feature = "parquet")]
            Self::Parquet(columns) => columns.finish(note),
        }
    }
}
