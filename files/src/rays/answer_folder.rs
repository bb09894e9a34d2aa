//! A folder with a file of answers for each of several files of rays.

use crate::bytes::file_set::FileSet;
use crate::{FileError, Outputs};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A folder that gets a file of answers for each of several files of rays, one after the other.
/// Only one run at a time writes it. From its first file on until all are written, and permanently
/// if the program is killed, a note in the folder states that its files may come from two runs.
#[derive(Debug)]
pub struct AnswerFolder {
    set: FileSet,
    folder: PathBuf,
    /// The names of all files, relative to the folder.
    names: Vec<String>,
    /// The names of the files that this run has written or kept.
    done: BTreeSet<String>,
    is_begun: bool,
}

impl AnswerFolder {
    /// Locks a folder for these files in it. Creates the folder if it is missing.
    ///
    /// # Errors
    /// [`FileError::Write`], also if another run writes such files into the folder.
    pub fn new<'a>(
        folder: &Path,
        files: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self, FileError> {
        let names = files.into_iter().map(|file| name_in(folder, file)).collect();
        let (set, folder) = (FileSet::new(folder)?, folder.to_owned());
        Ok(Self { set, folder, names, done: BTreeSet::new(), is_begun: false })
    }

    /// Keeps a file of an earlier run that is identical to what this run would write.
    pub fn keep(&mut self, file: &Path) {
        self.done.insert(name_in(&self.folder, file));
    }

    /// Publishes the outputs of one of the files, and calls `then` as
    /// [`Outputs::publish_and`] does.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn publish(
        &mut self,
        file: &Path,
        outputs: Outputs,
        then: impl FnOnce(),
    ) -> Result<(), FileError> {
        if !self.is_begun {
            self.set.begin(self.names.iter().cloned())?;
            self.is_begun = true;
        }
        outputs.publish_and(then)?;
        self.keep(file);
        Ok(())
    }

    /// Notes which of the files this run did not write. If there are none, removes the note.
    ///
    /// # Errors
    /// [`FileError::Write`].
    pub fn finish(self) -> Result<(), FileError> {
        self.set.end(&self.done, &self.names)
    }
}

fn name_in(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::mixture::Mixture;
    use std::io::Write;

    #[test]
    fn files_of_answers_are_marked_until_all_are_of_one_run() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = &temporary.path().join("out");
        let files = ["a.npz", "sub/b.npz", "c.npz"].map(|name| folder.join(name));
        let begin = || AnswerFolder::new(folder, files.iter().map(PathBuf::as_path));
        let publish = |answers: &mut AnswerFolder, file: &Path, text: &str| {
            let mut outputs = Outputs::default();
            outputs.add(file, |file| file.write_all(text.as_bytes())).unwrap();
            answers.publish(file, outputs, || {}).unwrap();
        };
        let note = || Mixture::read(folder).unwrap();
        let mut answers = begin().unwrap();
        let second = begin().unwrap_err().to_string();
        assert!(second.contains("another run is writing its files"), "{second}");
        for file in &files {
            publish(&mut answers, file, "old");
            assert_eq!(note().being_replaced.len(), 3);
        }
        answers.finish().unwrap();
        assert_eq!(note(), Mixture::default());
        // A run that ends early leaves its note, as does a run that is killed.
        let mut answers = begin().unwrap();
        publish(&mut answers, &files[1], "new");
        drop(answers);
        assert!(note().being_replaced.contains("sub/b.npz"));
        // The next run need not write what is there already.
        let mut answers = begin().unwrap();
        answers.keep(&files[1]);
        publish(&mut answers, &files[0], "new");
        answers.finish().unwrap();
        assert!(note().being_replaced.is_empty());
        assert_eq!(note().left_alone, BTreeSet::from(["c.npz".to_owned()]));
    }
}
