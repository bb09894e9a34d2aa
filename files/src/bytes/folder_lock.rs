//! The lock of a folder whose files only one run at a time may replace.

use super::links::followed;
use super::live_drafts::LiveDrafts;
use crate::FileError;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The file that is locked. Its name is the same on all hosts, because a host may see the locks of
/// another.
const NAME: &str = ".raytwin-lock";

/// The lock of a folder. It ends when its process ends, however it ends: a file that a killed
/// process left is not locked.
#[derive(Debug)]
pub(crate) struct FolderLock {
    path: PathBuf,
    /// The system unlocks the file when it is closed.
    _file: File,
}

impl FolderLock {
    /// Locks a folder, if its file system has locks. Creates missing folders.
    ///
    /// # Errors
    /// [`FileError::Write`], also if another run has the lock.
    pub fn take(folder: &Path) -> Result<Self, FileError> {
        let fail = FileError::write(folder);
        let folder = followed(folder).map_err(&fail)?;
        let mut live_drafts = LiveDrafts::lock();
        live_drafts.make_folder(&folder)?;
        let path = folder.join(NAME);
        loop {
            // Opening a pipe for writing would wait for its reader.
            if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
                let reason =
                    "is not a regular file, and raytwin needs a lock file of this name: remove it";
                return Err(FileError::write(&path)(io::Error::other(reason)));
            }
            let file = File::options().write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(&fail)?;
            if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(fail(io::Error::other("another run is writing its files")));
            }
            // The run that had the lock before may have removed the file after it was opened.
            if is_file_of(&path, &file) {
                live_drafts.add(&path);
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // The file is removed while it is locked, so that no other run's lock is removed.
        let mut live_drafts = LiveDrafts::lock();
        if live_drafts.forget(&self.path) {
            let _ = fs::remove_file(&self.path);
            live_drafts.remove_folders();
        }
    }
}

/// Returns true if a path still leads to an open file.
#[cfg(unix)]
fn is_file_of(path: &Path, file: &File) -> bool {
    use super::file_identity::FileIdentity;
    let opened = file.metadata().ok().map(|metadata| FileIdentity::of_metadata(&metadata));
    opened == FileIdentity::of(path)
}

#[cfg(not(unix))]
fn is_file_of(path: &Path, _: &File) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_lock_which_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        // A killed run leaves the file.
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join(NAME), "").unwrap();
        let take = || FolderLock::take(&inner);
        let lock = take().unwrap();
        let error = take().unwrap_err().to_string();
        let begin = format!("{}: cannot be written: another run", inner.display());
        assert!(error.starts_with(&begin), "{error}");
        drop(lock);
        drop(take().unwrap());
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_in_place_of_the_lock_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join(NAME);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let error = FolderLock::take(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not a regular file"), "{error}");
        assert!(pipe.exists());
    }
}
