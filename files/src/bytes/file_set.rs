//! Files of a folder that belong together. Each is replaced when its successor is complete.

use super::folder_lock::FolderLock;
use super::mixture::{self, Mixture};
use crate::FileError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a folder that form one output, such as the arrays of answers. Only one run at a
/// time writes them. While they may come from two runs, a note next to them states so: see
/// [`Mixture`].
#[derive(Debug)]
pub(crate) struct FileSet {
    folder: PathBuf,
    _lock: FolderLock,
}

impl FileSet {
    /// Locks the folder. Creates missing folders.
    ///
    /// # Errors
    /// [`FileError`], also if another run writes such files into it, and if a file with the name of
    /// the note is not a note.
    pub fn new(folder: &Path) -> Result<Self, FileError> {
        let set = Self { folder: folder.to_owned(), _lock: FolderLock::take(folder)? };
        Mixture::read(folder)?;
        Ok(set)
    }

    /// The folder, as it was named.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Notes that files of these names will be replaced, before the first one is.
    pub fn begin(&self, names: impl IntoIterator<Item = String>) -> Result<(), FileError> {
        let mut mixture = Mixture::read(&self.folder)?;
        mixture.being_replaced.extend(names);
        mixture.write(&self.folder)
    }

    /// Notes which files come from other runs, after all files that this run `wrote` are in place.
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
                "{}: kept {first}{more}, which this run did not write: see {}",
                self.folder.display(),
                mixture::NAME
            );
        }
        mixture.left_alone.extend(left.into_iter().cloned());
        mixture.write(&self.folder)
    }
}
