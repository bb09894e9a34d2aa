//! An answer file of whichever format, by its ending.

use super::is_parquet;
use super::numpy::NumpyAnswers;
#[cfg(feature = "parquet")]
use super::parquet::ParquetAnswers;
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
        Ok(Self { query, path: path.to_owned(), note: None, form })
    }

    /// A folder with an `.npy` for each array.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn folder(path: impl AsRef<Path>, query: Query) -> Result<Self, FileError> {
        let path = path.as_ref();
        let form = Form::Numpy(NumpyAnswers::new(path, query, false)?);
        Ok(Self { query, path: path.to_owned(), note: None, form })
    }

    /// Notes in the file, where [`note_of`](super::note_of) finds it, what the answers were made from; a folder has
    /// no place for that.
    pub fn with_note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
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
        match &mut self.form {
            Form::Numpy(arrays) => arrays.write(answers),
            #[cfg(feature = "parquet")]
            Form::Parquet(columns) => columns.write(answers),
        }
    }

    /// Puts the files into their places, and says which they are.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<Vec<PathBuf>, FileError> {
        let note = self.note.as_deref();
        match self.form {
            Form::Numpy(arrays) => arrays.finish(note),
            #[cfg(feature = "parquet")]
            Form::Parquet(columns) => columns.finish(note),
        }
    }
}
