//! Files of a folder that belong together, of which each is replaced when its successor is whole.

use super::folder_lock::FolderLock;
use super::mixture::{self, Mixture};
use crate::FileError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a folder that are one output together, such as the arrays of answers. One run at a
/// time writes them, and while they may be of two runs, a note beside them says so: see
/// [`Mixture`].
#[derive(Debug)]
pub(crate) struct FileSet {
    folder: PathBuf,
    _lock: FolderLock,
}

impl FileSet {
    /// Locks the folder. Missing folders are made.
    ///
    /// # Errors
    /// [`FileError`], also while another run writes such files into it, and if a file that has the
    /// name of the note is none.
    pub fn new(folder: &Path) -> Result<Self, FileError> {
        let set = Self { folder: folder.to_owned(), _lock: FolderLock::take(folder)? };
        Mixture::read(folder)?;
        Ok(set)
    }

    /// The folder, as it was named.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Notes that files of these names are being replaced, before the first of them is.
    pub fn begin(&self, names: impl IntoIterator<Item = String>) -> Result<(), FileError> {
        let mut mixture = Mixture::read(&self.folder)?;
        mixture.being_replaced.extend(names);
        mixture.write(&self.folder)
    }

    /// Notes which files are of other runs, after all that this run `wrote` are in their places.
    /// The set may have files of all names in `members`.
    pub fn end(&self, wrote: &BTreeSet<String>, members: &[String]) -> Result<(), FileError> {
        let mut mixture = Mixture::read(&self.folder)?;
        for name in wrote.iter().chain(members) {
            mixture.being_replaced.remove(name);
            mixture.left_alone.remove(name);
        }
        let is_left = |name: &&String| !wrote.contains(*name) && self.folder.join(name).exists();
        // Several kinds of answers share names.
        let left: BTreeSet<&String> = members.iter().filter(is_left).collect();
        if let Some(first) = left.first() {
            let more = if left.len() > 1 {
                format!(" and {} more", left.len() - 1)
            } else {
                String::new()
            };
            log::warn!(
                "{}: {first}{more} stayed, which this run did not write: see {}",
                self.folder.display(),
                mixture::NAME
            );
        }
        mixture.left_alone.extend(left.into_iter().cloned());
        mixture.write(&self.folder)
    }
}
