//! Outputs that appear whole or not at all, also those of several files, and those that are written piece by piece.

use super::FileError;
use super::draft::{Draft, LiveDrafts, remove_ownerless_drafts};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files that appear together: each is written as a [`Draft`] beside its target, and all are renamed once all are whole.
/// If outputs are dropped before [`Outputs::publish`], nothing has changed: folders that were made for them are removed
/// too.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    whole: Vec<Draft>,
    /// All files that an output of several files may have, if this is one: no old file of these is left when the first
    /// new one appears.
    set: Option<Vec<PathBuf>>,
    /// The folder that was last rid of the drafts of killed runs.
    tidied_folder: PathBuf,
    /// The folders that were made for the outputs, the deepest first.
    made_folders: Vec<PathBuf>,
}

/// Fails if a file could not be written, so that a program can tell before it does the work.
///
/// # Errors
/// [`FileError::Write`].
pub fn probe_output(path: &Path) -> Result<(), FileError> {
    Outputs::default().draft(path).map(drop)
}

impl Outputs {
    /// Returns outputs for files that together are one output in a folder. `names` are all names that such an output may
    /// have there: old files of these names are removed even if no new one replaces them.
    pub fn set(folder: &Path, names: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let mut outputs = Self::default();
        outputs.set = Some(names.into_iter().map(|name| folder.join(name)).collect());
        outputs
    }

    /// Writes one file as a draft; its folder is made if it is missing.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        let mut draft = self.draft(path)?;
        draft.add(fill)?;
        self.keep(draft)
    }

    /// Begins a draft that is written piece by piece; its folder is made if it is missing, and rid of the drafts of killed
    /// runs.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn draft(&mut self, path: &Path) -> Result<Draft, FileError> {
        let draft = Draft::begin(path, &mut self.made_folders)?;
        if self.tidied_folder != draft.folder() {
            self.tidied_folder = draft.folder().to_owned();
            remove_ownerless_drafts(&self.tidied_folder);
        }
        Ok(draft)
    }

    /// Takes a draft that is whole.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn keep(&mut self, mut draft: Draft) -> Result<(), FileError> {
        draft.add(|file| file.flush())?;
        self.whole.push(draft);
        Ok(())
    }

    /// Renames every draft to its target. Meanwhile, a reader sees the old set of files, no file, or some of the new ones.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish(mut self) -> Result<(), FileError> {
        self.move_to_targets()
    }

    fn move_to_targets(&mut self) -> Result<(), FileError> {
        let mut live_drafts = LiveDrafts::lock();
        if let Some(files) = &self.set {
            for draft in &self.whole {
                remove_file(draft.target())?;
            }
            let is_written = |file: &&PathBuf| self.whole.iter().any(|draft| draft.path() == *file);
            for file in files.iter().filter(|file| !is_written(file)) {
                remove_file(file)?;
            }
        }
        self.whole.iter_mut().try_for_each(|draft| draft.move_to_target(&mut live_drafts))
    }
}

/// Removes a file or a link, if there is one; a folder is left, because no output is one.
fn remove_file(path: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_dir() => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::write(path)(error))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        self.whole.clear();
        let mut live_drafts = LiveDrafts::lock();
        for folder in &self.made_folders {
            live_drafts.remove_folder(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/answers.txt");
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"first")).unwrap();
        assert!(!path.exists());
        drop(outputs);
        assert!(!path.parent().unwrap().exists(), "the folder was made for nothing");
        probe_output(&path).unwrap();
        assert!(!path.parent().unwrap().exists(), "a probe leaves nothing");
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"first")).unwrap();
        outputs.publish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");

        let mut outputs = Outputs::default();
        let broken = outputs.add(&path, |file| {
            file.write_all(b"half of the sec")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(matches!(broken, Err(FileError::Write { .. })));
        drop(outputs);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "nothing half-written lies about");
    }

    #[test]
    fn no_old_file_of_a_set_stays_beside_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let old = ["t", "ids", "only of another kind", "of somebody else"];
        for name in old {
            fs::write(path(name), "old").unwrap();
        }
        let mut outputs = Outputs::set(folder.path(), &old[..3]);
        for name in ["t", "ids"] {
            outputs.add(&path(name), |file| file.write_all(b"new")).unwrap();
            assert!(old.iter().all(|name| fs::read(path(name)).unwrap() == b"old"));
        }
        // If one file cannot be renamed, the old ones are gone, and no new one is left beside an old one.
        fs::remove_file(path("t")).unwrap();
        fs::create_dir(path("t")).unwrap();
        fs::write(path("t/file"), "").unwrap();
        outputs.publish().unwrap_err();
        assert!(!path("ids").exists() && !path("only of another kind").exists());
        fs::remove_dir_all(path("t")).unwrap();
        let mut outputs = Outputs::set(folder.path(), &old[..3]);
        outputs.add(&path("t"), |file| file.write_all(b"new")).unwrap();
        outputs.publish().unwrap();
        assert_eq!(fs::read(path("t")).unwrap(), b"new");
        assert_eq!(fs::read(path("of somebody else")).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn an_output_that_cannot_be_made_says_which() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let mut outputs = Outputs::default();
        let error = outputs.add(&file.join("inside/a file"), |_| Ok(())).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: ", file.display())), "{error}");
        let onto_a_folder = outputs.add(folder.path(), |_| Ok(())).unwrap_err();
        assert!(matches!(onto_a_folder, FileError::Write { .. }));
    }
}
