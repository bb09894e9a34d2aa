//! Arrays that are written piece by piece, as an `.npz` or as an `.npy` each.

use super::{NpzWriter, write_header};
use crate::files::{Draft, FileError, Outputs};
use crate::rays::answer_files;
use std::borrow::Cow;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

/// Arrays of one file or folder, which appear once all are written, or not at all.
#[derive(Debug)]
pub(crate) struct ArraysToWrite {
    // Dropped before the outputs, which remove a folder that was made for nothing once it is empty.
    arrays: Vec<Array>,
    outputs: Outputs,
    path: PathBuf,
    is_archive: bool,
}

/// An array of a length that is known at the end.
#[derive(Debug)]
struct Array {
    layout: ArrayLayout,
    draft: Draft,
    rows: usize,
}

/// What an array is, and how many numbers a row of it has, if not one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayLayout {
    pub name: &'static str,
    pub descr: &'static str,
    pub columns: Option<usize>,
}

impl ArrayLayout {
    /// Of one number a row.
    pub const fn new(name: &'static str, descr: &'static str) -> Self {
        Self { name, descr, columns: None }
    }

    /// What the array's file is called in a folder.
    pub fn file_name(&self) -> String {
        format!("{}.npy", self.name)
    }

    fn shape(&self, rows: usize) -> Vec<usize> {
        [rows].into_iter().chain(self.columns).collect()
    }

    /// How many bytes a row of it has.
    pub fn row_bytes(&self) -> usize {
        let width = usize::from(self.descr.as_bytes()[1] - b'0');
        width * self.columns.unwrap_or(1)
    }
}

impl ArraysToWrite {
    /// An `.npz`, beside which its arrays lie until it is finished, or a folder.
    pub fn new(path: &Path, layouts: &[ArrayLayout], is_archive: bool) -> Result<Self, FileError> {
        let mut outputs = match is_archive {
            true => Outputs::default(),
            false => Outputs::set(path, answer_files()),
        };
        let begin = |&layout: &ArrayLayout| {
            let place = if is_archive { path.to_owned() } else { path.join(layout.file_name()) };
            let mut draft = outputs.draft(&place)?;
            draft.add(|file| write_header(file, layout.descr, &layout.shape(0)))?;
            Ok(Array { layout, draft, rows: 0 })
        };
        let arrays = layouts.iter().map(begin).collect::<Result<Vec<Array>, FileError>>()?;
        Ok(Self { arrays, outputs, path: path.to_owned(), is_archive })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds to each array, in their order.
    pub fn add<'a>(
        &mut self,
        bytes: impl IntoIterator<Item = Cow<'a, [u8]>>,
    ) -> Result<(), FileError> {
        for (array, bytes) in self.arrays.iter_mut().zip(bytes) {
            array.add(&bytes)?;
        }
        Ok(())
    }

    /// Puts all into their places, an archive with a note if there is one, and says which files they are.
    pub fn finish(self, note: Option<&str>) -> Result<Vec<PathBuf>, FileError> {
        let Self { mut arrays, mut outputs, path, is_archive } = self;
        for array in &mut arrays {
            array.tell_length()?;
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
        outputs.publish()?;
        Ok(files)
    }
}

impl Array {
    fn add(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.rows += bytes.len() / self.layout.row_bytes();
        self.draft.add(|file| file.write_all(bytes))
    }

    /// Writes the header again.
    fn tell_length(&mut self) -> Result<(), FileError> {
        let shape = self.layout.shape(self.rows);
        self.draft.add(|file| {
            file.rewind()?;
            write_header(file, self.layout.descr, &shape)
        })
    }
}
