//! An output appears whole or not at all, also one of several files, and one that is written piece by piece.

use super::FileError;
use super::draft::{Draft, UnderWay, remove_ownerless_drafts};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files that appear together: each is written beside its place, and renamed into it once all are
/// whole. Dropped before [`Outputs::publish`], nothing has changed: folders that were made for them go
/// too.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    whole: Vec<Draft>,
    /// Of files that are one output together, all that such an output may have: none that is old is there any more
    /// when the first new one appears.
    set: Option<Vec<PathBuf>>,
    /// The folder where nothing is left of runs that were killed.
    tidied: PathBuf,
    made: Vec<PathBuf>,
}

/// Fails where a file could not be written, before much work is done for it.
///
/// # Errors
/// [`FileError::Write`].
pub fn probe_output(path: &Path) -> Result<(), FileError> {
    Outputs::default().draft(path).map(drop)
}

impl Outputs {
    /// Files that are one output in a folder, with all names that such an output may have there: those that are not
    /// written this time are removed with the old ones.
    pub fn set(folder: &Path, names: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        let mut outputs = Self::default();
        outputs.set = Some(names.into_iter().map(|name| folder.join(name)).collect());
        outputs
    }

    /// Writes one file beside its place; its folder is made where it is missing.
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

    /// Begins a file beside its place, to be written piece by piece; its folder is made where it is missing, and rid of
    /// what runs that were killed left there.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn draft(&mut self, path: &Path) -> Result<Draft, FileError> {
        let draft = Draft::begin(path, &mut self.made)?;
        if self.tidied != draft.folder() {
            self.tidied = draft.folder().to_owned();
            remove_ownerless_drafts(&self.tidied);
        }
        Ok(draft)
    }

    /// Takes a file that is whole.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn keep(&mut self, mut draft: Draft) -> Result<(), FileError> {
        draft.add(|file| file.flush())?;
        self.whole.push(draft);
        Ok(())
    }

    /// Puts every file into its place. A reader who comes in between sees the old set, none or a part of the new one.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish(mut self) -> Result<(), FileError> {
        self.put_into_place()
    }

    fn put_into_place(&mut self) -> Result<(), FileError> {
        let mut under_way = UnderWay::lock();
        if let Some(files) = &self.set {
            for draft in &self.whole {
                remove_file(draft.place())?;
            }
            let is_written = |file: &&PathBuf| self.whole.iter().any(|draft| draft.path() == *file);
            for file in files.iter().filter(|file| !is_written(file)) {
                remove_file(file)?;
            }
        }
        self.whole.iter_mut().try_for_each(|draft| draft.put_into_place(&mut under_way))
    }
}

/// Removes a file or a link, if there is one; a folder is none of ours.
fn remove_file(path: &Path) -> Result<(), FileError> {
    match fs::symlink_metadata(path) {
        Ok(there) if !there.is_dir() => match fs::remove_file(path) {
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
        let mut under_way = UnderWay::lock();
        // Deepest first, as they were found.
        for folder in &self.made {
            under_way.give_up_folder(folder);
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
    fn of_a_set_no_old_file_is_there_beside_a_new_one() {
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
        // One that cannot be put into its place: the old ones are gone, and no new one stands beside an old one.
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
