//! The unfinished drafts, locks and folders of this process.

use crate::FileError;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The drafts and locks of this process, and the folders that were made for them. A program that
/// ends early removes them.
#[derive(Debug)]
pub(crate) struct LiveDrafts {
    files: Vec<PathBuf>,
    /// The folders in which nothing has appeared yet.
    folders: BTreeSet<PathBuf>,
}

static LIVE_DRAFTS: Mutex<LiveDrafts> =
    Mutex::new(LiveDrafts { files: Vec::new(), folders: BTreeSet::new() });

impl LiveDrafts {
    pub fn lock() -> MutexGuard<'static, Self> {
        LIVE_DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a file to be removed if the program ends early.
    pub fn add(&mut self, file: &Path) {
        self.files.push(file.to_owned());
    }

    /// Leaves a file to its owner, and returns whether it was registered.
    pub fn forget(&mut self, file: &Path) -> bool {
        let count = self.files.len();
        self.files.retain(|other| other != file);
        self.files.len() < count
    }

    /// Makes a folder and its missing parent folders.
    pub fn make_folder(&mut self, folder: &Path) -> Result<(), FileError> {
        let nearest_existing = folder.ancestors().find(|above| above.exists());
        if let Some(file) = nearest_existing.filter(|above| !above.is_dir()) {
            let reason = "it is not a folder, and the output needs a folder of this name";
            return Err(FileError::write(file)(io::Error::other(reason)));
        }
        let missing =
            folder.ancestors().take_while(|above| !above.as_os_str().is_empty() && !above.exists());
        self.folders.extend(missing.map(Path::to_owned));
        fs::create_dir_all(folder).map_err(FileError::write(folder))
    }

    /// Keeps the folders of a file that has appeared.
    pub fn leave_folders_of(&mut self, file: &Path) {
        self.folders.retain(|folder| !file.starts_with(folder));
    }

    /// Removes the folders that were made for drafts, if they are empty.
    pub fn remove_folders(&mut self) {
        let mut filled: Option<PathBuf> = None;
        // In this order, a folder comes before its parents.
        for folder in std::mem::take(&mut self.folders).into_iter().rev() {
            let is_filled = filled.as_ref().is_some_and(|filled| filled.starts_with(&folder));
            if is_filled || fs::remove_dir(&folder).is_err() && folder.exists() {
                self.folders.insert(folder.clone());
                filled = Some(folder);
            }
        }
    }
}

/// Removes all drafts of this process and the folders that were made for them, for a program that
/// ends before its outputs are complete. While the returned guard exists, no draft begins and none
/// is moved to its target.
pub fn abandon_drafts() -> impl Sized {
    let mut live_drafts = LiveDrafts::lock();
    for draft in live_drafts.files.drain(..) {
        let _ = fs::remove_file(draft);
    }
    live_drafts.remove_folders();
    live_drafts
}
