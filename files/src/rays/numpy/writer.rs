//! Answers as NumPy's arrays.

use crate::answers::{AnswerLayout, answer_files, path_bytes, ray_answer_arrays, ray_answer_bytes};
use crate::bytes::npz::{ArrayLayout, ArraysToWrite, open_npz};
use crate::{FileError, FileStore, Outputs};
use raytwin::query::{Answers, Query, SolidPaths};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// A writer of answers, batch by batch, as one `.npz` or as one `.npy` for each array.
#[derive(Debug)]
pub(in crate::rays) struct NumpyAnswers {
    arrays: ArraysToWrite,
    query: Query,
    /// The counts of rays and crossings that are already written.
    written: [u64; 2],
    /// The count of paths that are.
    paths: u64,
}

/// The sizes in bytes of the rows of a query's arrays for a ray and for a crossing.
pub(in crate::rays) fn row_bytes(query: Query) -> (usize, usize) {
    let bytes = |arrays: &[ArrayLayout]| arrays.iter().map(ArrayLayout::row_bytes).sum();
    let arrays = ray_answer_arrays(query);
    match query {
        Query::All => (bytes(&arrays[..1]), bytes(&arrays[1..])),
        _ => (bytes(&arrays), 0),
    }
}

impl NumpyAnswers {
    pub fn archive(path: &Path, layout: AnswerLayout) -> Result<Self, FileError> {
        Self::begin(ArraysToWrite::archive(path, &layout.arrays())?, layout)
    }

    pub fn folder(path: &Path, layout: AnswerLayout) -> Result<Self, FileError> {
        Self::begin(ArraysToWrite::folder(path, &layout.arrays(), answer_files())?, layout)
    }

    fn begin(mut arrays: ArraysToWrite, layout: AnswerLayout) -> Result<Self, FileError> {
        // The crossings of the first ray begin at 0, and so do its paths.
        arrays.add(layout.arrays().iter().map(|array| match array.name {
            "ray_splits" | "path_splits" => Cow::from(bytemuck::bytes_of(&0_u64)),
            _ => Cow::default(),
        }))?;
        Ok(Self { arrays, query: layout.query, written: [0; 2], paths: 0 })
    }

    /// Gives the arrays with an entry for each ray these extents instead of the number of rays.
    pub fn shaped(self, query: Query, shape: &[usize]) -> Result<Self, FileError> {
        match query {
            Query::All => Ok(self),
            _ => {
                let of_rays = ray_answer_arrays(query).len();
                Ok(Self { arrays: self.arrays.shaped(of_rays, shape)?, ..self })
            }
        }
    }

    pub fn write(
        &mut self,
        answers: &Answers,
        paths: Option<&SolidPaths>,
    ) -> Result<(), FileError> {
        let [rays, crossings] = self.written;
        let all_rays = rays + answers.rays() as u64;
        if self.query == Query::All && all_rays > u32::MAX.into() {
            let reason = "there are more rays than the uint32 ray_ids can number: split the file";
            return Err(FileError::write(self.arrays.path())(io::Error::other(reason)));
        }
        let bytes = ray_answer_bytes(answers, self.query, self.written);
        let of_paths = paths.map(|paths| path_bytes(paths, self.paths)).into_iter().flatten();
        self.arrays.add(bytes.into_iter().map(|(_, bytes)| bytes).chain(of_paths))?;
        self.paths += paths.map_or(0, |paths| paths.path_lengths.len() as u64);
        self.written = [all_rays, crossings + answers.crossings().unwrap_or(0)];
        Ok(())
    }

    pub fn complete(self, note: Option<&str>) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        self.arrays.complete(note)
    }
}

/// It is `None` if the archive cannot be read, or has no comment.
pub(in crate::rays) fn note_of(path: &Path) -> Option<String> {
    let archive = open_npz(&FileStore::disk(), path).ok()?;
    String::from_utf8(archive.comment().to_vec()).ok().filter(|note| !note.is_empty())
}
