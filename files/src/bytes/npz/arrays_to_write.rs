//! Arrays that are written piece by piece, as one `.npz` or as one `.npy` each.

use super::header::write_header;
use super::writer::NpzWriter;
use crate::{Draft, FileError, Outputs};
use std::borrow::Cow;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

/// The arrays of one archive or folder, which appear once all are written, or not at all.
#[derive(Debug)]
pub(crate) struct ArraysToWrite {
    arrays: Vec<ArrayDraft>,
    outputs: Outputs,
    path: PathBuf,
    is_archive: bool,
}

/// An array whose length is known only after it is written.
#[derive(Debug)]
struct ArrayDraft {
    layout: ArrayLayout,
    draft: Draft,
    rows: usize,
    /// The extents of the axes that count the rows, if there are several.
    leading_shape: Option<Vec<usize>>,
}

/// The name and type of an array and the length of its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayLayout {
    pub name: &'static str,
    /// NumPy's letter and width of the numbers.
    pub descr: &'static str,
    /// The number of numbers in a row; `None` for an array of one dimension.
    pub columns: Option<usize>,
}

impl ArrayLayout {
    /// An array of one dimension.
    pub const fn new(name: &'static str, descr: &'static str) -> Self {
        Self { name, descr, columns: None }
    }

    /// The name of the array's file in a folder.
    pub fn file_name(&self) -> String {
        format!("{}.npy", self.name)
    }

    fn shape(&self, leading: &[usize]) -> Vec<usize> {
        leading.iter().copied().chain(self.columns).collect()
    }

    pub fn row_bytes(&self) -> usize {
        let width = usize::from(self.descr.as_bytes()[1] - b'0');
        width * self.columns.unwrap_or(1)
    }
}

impl ArraysToWrite {
    /// Begins an `.npz`. Its arrays are drafts next to it until it is finished.
    pub fn archive(path: &Path, layouts: &[ArrayLayout]) -> Result<Self, FileError> {
        Self::begin(path, layouts, Outputs::default(), true)
    }

    /// Begins a folder with an `.npy` for each array. Such a folder may have files with all these
    /// names.
    pub fn folder(
        path: &Path,
        layouts: &[ArrayLayout],
        file_names: impl IntoIterator<Item = String>,
    ) -> Result<Self, FileError> {
        Self::begin(path, layouts, Outputs::set(path, file_names)?, false)
    }

    /// Begins a draft for each array, with a header that is written again at the end.
    fn begin(
        path: &Path,
        layouts: &[ArrayLayout],
        mut outputs: Outputs,
        is_archive: bool,
    ) -> Result<Self, FileError> {
        let mut arrays = Vec::new();
        for &layout in layouts {
            let file = path.join(layout.file_name());
            let draft = outputs.draft(if is_archive { path } else { &file })?;
            let mut array = ArrayDraft { layout, draft, rows: 0, leading_shape: None };
            array.write_header(&[0])?;
            arrays.push(array);
        }
        Ok(Self { arrays, outputs, path: path.to_owned(), is_archive })
    }

    /// The archive or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the first arrays, before anything is added to them, these extents instead of the
    /// number of rows.
    pub fn shaped(mut self, arrays: usize, leading_shape: &[usize]) -> Result<Self, FileError> {
        for array in self.arrays.iter_mut().take(arrays) {
            array.leading_shape = Some(leading_shape.to_vec());
            // The header's length depends on all extents but the first.
            let begun: Vec<usize> =
                [0].into_iter().chain(leading_shape.iter().skip(1).copied()).collect();
            array.write_header(&begun)?;
        }
        Ok(self)
    }

    /// Appends bytes to each array, in the order of their layouts.
    pub fn add<'a>(
        &mut self,
        bytes: impl IntoIterator<Item = Cow<'a, [u8]>>,
    ) -> Result<(), FileError> {
        for (array, bytes) in self.arrays.iter_mut().zip(bytes) {
            array.add(&bytes)?;
        }
        Ok(())
    }

    /// Completes the files, and returns them with the outputs, which are not published yet; an
    /// archive gets the note as its comment.
    pub fn complete(self, note: Option<&str>) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        let Self { mut arrays, mut outputs, path, is_archive } = self;
        for array in &mut arrays {
            array.write_length()?;
        }
        let files = if is_archive {
            outputs.add(&path, |file| {
                let mut archive = NpzWriter::new(file);
                for array in &mut arrays {
                    archive.npy(array.layout.name, array.draft.read_back()?)?;
                }
                note.map_or(Ok(()), |note| archive.comment(note))?;
                archive.finish()
            })?;
            vec![path]
        } else {
            let files = arrays.iter().map(|array| path.join(array.layout.file_name())).collect();
            for array in arrays {
                outputs.keep(array.draft)?;
            }
            files
        };
        Ok((files, outputs))
    }
}

impl ArrayDraft {
    fn add(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.rows += bytes.len() / self.layout.row_bytes();
        self.draft.add(|file| file.write_all(bytes))
    }

    /// Writes the header again, with the length that is now known.
    fn write_length(&mut self) -> Result<(), FileError> {
        let leading_shape = self.leading_shape.take();
        let is_whole = |shape: &Vec<usize>| shape.iter().product::<usize>() == self.rows;
        let shape = leading_shape.filter(is_whole).unwrap_or_else(|| vec![self.rows]);
        self.write_header(&shape)
    }

    /// Writes the header at the array's beginning.
    fn write_header(&mut self, leading_shape: &[usize]) -> Result<(), FileError> {
        let shape = self.layout.shape(leading_shape);
        self.draft.add(|file| {
            file.rewind()?;
            write_header(file, self.layout.descr, &shape)
        })
    }
}
