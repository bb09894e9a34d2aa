//! Outputs that appear as a whole or not at all, including outputs of several files and outputs
//! that are written piece by piece.

use super::draft::{Draft, remove_ownerless_drafts, replaced_by, sync_folder};
use super::file_set::FileSet;
use super::links::{folder_of, followed};
use super::live_drafts::LiveDrafts;
use super::partial::PartialFile;
use crate::FileError;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Files that appear together. Each is written as a [`Draft`] next to its target. When all are
/// complete and written through to the disk, all are renamed, so each name always leads to an old
/// file or to a new one. If outputs are dropped before [`Outputs::publish`], nothing changes:
/// folders that were made for them are also removed.
#[derive(Debug, Default)]
pub struct Outputs {
    whole: Vec<Draft>,
    /// The sets that files of a folder belong to, each with the names of all files that it may
    /// have.
    sets: Vec<(FileSet, Vec<String>)>,
    /// The files with partial work for the outputs, which are removed after the outputs have
    /// appeared.
    kept_work: Vec<PartialFile>,
    /// The folder from which drafts of killed runs were last removed.
    tidied_folder: PathBuf,
}

/// Fails if one of these files could not be written, so that a program knows this before it does
/// the work.
///
/// # Errors
/// [`FileError::Write`].
pub fn probe_outputs(paths: &[PathBuf]) -> Result<(), FileError> {
    let mut outputs = Outputs::default();
    let mut probed = BTreeSet::new();
    for path in paths {
        replaced_by(path)?;
        let folder = followed(path).ok().map(|target| folder_of(&target).to_owned());
        if folder.is_none_or(|folder| probed.insert(folder)) {
            outputs.draft(path)?;
        }
    }
    Ok(())
}

impl Outputs {
    /// Returns outputs for files that form one output in a folder. The folder is locked until they
    /// are published or dropped. `names` are all names that files of such an output may have; files
    /// that are not written stay as they are.
    ///
    /// # Errors
    /// [`FileError::Write`], also if another run writes such files into the folder.
    pub fn set(
        folder: &Path,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, FileError> {
        let names = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        Ok(Self { sets: vec![(FileSet::new(folder)?, names)], ..Self::default() })
    }

    /// Writes one file as a draft. Creates its folder if it is missing.
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

    /// Begins a draft that is written piece by piece. Creates its folder if it is missing, and
    /// removes the drafts of killed runs from it.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn draft(&mut self, path: &Path) -> Result<Draft, FileError> {
        let draft = Draft::begin(path)?;
        if self.tidied_folder != draft.folder() {
            self.tidied_folder = draft.folder().to_owned();
            remove_ownerless_drafts(&self.tidied_folder);
        }
        Ok(draft)
    }

    /// Adds a complete draft.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn keep(&mut self, mut draft: Draft) -> Result<(), FileError> {
        draft.sync()?;
        self.whole.push(draft);
        Ok(())
    }

    /// Registers a file with partial work, which is removed after the outputs have appeared.
    pub(crate) fn supersede(&mut self, kept_work: PartialFile) {
        self.kept_work.push(kept_work);
    }

    /// Adds other outputs, which appear with these.
    pub fn join(&mut self, other: Self) {
        let Self { whole, sets, kept_work, tidied_folder: _ } = other;
        self.whole.extend(whole);
        self.sets.extend(sets);
        self.kept_work.extend(kept_work);
    }

    /// Renames every draft to its target. Meanwhile, and permanently if the program is killed, a
    /// note next to the files of a set tells readers that they come from two runs.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish(self) -> Result<(), FileError> {
        self.publish_and(|| {})
    }

    /// Publishes the outputs as [`Self::publish`] does, and calls `then` before
    /// [`abandon_drafts`](crate::abandon_drafts), which waits meanwhile, can run.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish_and(mut self, then: impl FnOnce()) -> Result<(), FileError> {
        let mut live_drafts = LiveDrafts::lock();
        for (set, _) in &self.sets {
            set.begin(self.names_in(set.folder()))?;
        }
        self.whole.iter_mut().try_for_each(|draft| draft.move_to_target(&mut live_drafts))?;
        let folders: BTreeSet<&Path> = self.whole.iter().map(Draft::folder).collect();
        for folder in folders {
            sync_folder(folder).map_err(FileError::write(folder))?;
        }
        for (set, names) in &self.sets {
            set.end(&self.names_in(set.folder()).collect(), names)?;
        }
        std::mem::take(&mut self.kept_work).into_iter().try_for_each(PartialFile::remove)?;
        then();
        // The locks of folders are dropped without it.
        drop(live_drafts);
        Ok(())
    }

    fn names_in(&self, folder: &Path) -> impl Iterator<Item = String> {
        let in_folder = self.whole.iter().filter(move |it| it.path().parent() == Some(folder));
        let name =
            |draft: &Draft| draft.path().file_name().map(|name| name.to_string_lossy().into());
        in_folder.filter_map(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::mixture::{self, Mixture};
    use std::fs;
    use std::io::Write;

    #[test]
    fn an_output_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/answers.txt");
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"first")).unwrap();
        assert!(!path.exists());
        drop(outputs);
        assert!(!path.parent().unwrap().exists(), "the folder was made for nothing");
        probe_outputs(std::slice::from_ref(&path)).unwrap();
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

    #[cfg(unix)]
    #[test]
    fn who_may_read_a_file_may_read_what_replaces_it_and_nobody_else() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private.txt");
        fs::write(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let mut outputs = Outputs::default();
        outputs.add(&path, |file| file.write_all(b"second")).unwrap();
        outputs.publish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn each_file_of_a_set_is_old_or_new_and_a_note_tells_which_are_of_other_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let note = || Mixture::read(folder.path()).unwrap();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let old = ["t", "ids", "only of another kind", "of somebody else"];
        for name in old {
            fs::write(path(name), "old").unwrap();
        }
        let mut outputs = Outputs::set(folder.path(), old[..3].iter().copied()).unwrap();
        let second = Outputs::set(folder.path(), old[..3].iter().copied()).unwrap_err().to_string();
        assert!(second.contains("another run is writing"), "{second}");
        for name in ["ids", "t"] {
            outputs.add(&path(name), |file| file.write_all(b"new")).unwrap();
            assert!(old.iter().all(|name| fs::read(path(name)).unwrap() == b"old"));
        }
        // If one file cannot be renamed, as when the program is killed before, those are of two
        // runs.
        fs::remove_file(path("t")).unwrap();
        fs::create_dir(path("t")).unwrap();
        outputs.publish().unwrap_err();
        assert_eq!(fs::read(path("ids")).unwrap(), b"new");
        assert_eq!(fs::read(path("only of another kind")).unwrap(), b"old");
        assert_eq!(note().being_replaced, names(&["ids", "t"]));
        fs::remove_dir(path("t")).unwrap();
        // Another run without the file of the first one makes a set that is whole, beside which
        // others stay.
        let mut outputs = Outputs::set(folder.path(), old[..3].iter().copied()).unwrap();
        outputs.add(&path("t"), |file| file.write_all(b"new")).unwrap();
        outputs.publish().unwrap();
        assert_eq!(fs::read(path("t")).unwrap(), b"new");
        assert_eq!(fs::read(path("of somebody else")).unwrap(), b"old");
        assert_eq!(note().being_replaced, names(&[]));
        assert_eq!(note().left_alone, names(&["ids", "only of another kind"]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
        // Nothing is to be noted once all are of one run.
        let mut outputs = Outputs::set(folder.path(), old[..3].iter().copied()).unwrap();
        for name in &old[..3] {
            outputs.add(&path(name), |file| file.write_all(b"last")).unwrap();
        }
        outputs.publish().unwrap();
        assert!(!path(mixture::NAME).exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_file_that_has_the_name_of_the_note_and_is_none_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(mixture::NAME);
        for text in [r#"{ "raytwin": 1, "shapes": [] }"#, "a text", "[]"] {
            fs::write(&path, text).unwrap();
            let error = Outputs::set(folder.path(), ["t"]).unwrap_err().to_string();
            assert!(error.contains("is not a note of raytwin"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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
