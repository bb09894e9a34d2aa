//! The files that a scene was read from, watched for changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The state of a file, which shows if it changed.
#[derive(Clone, Debug, PartialEq)]
enum Stamp {
    Absent,
    /// A folder. It changes when other files in it are written, so its time is not compared.
    Folder,
    /// A pipe or a device. Reading it is an error.
    Other,
    File {
        length: u64,
        modified: Option<SystemTime>,
    },
}

impl Stamp {
    fn of(path: &Path) -> Self {
        match path.metadata() {
            Err(_) => Self::Absent,
            Ok(metadata) if metadata.is_dir() => Self::Folder,
            Ok(metadata) if metadata.is_file() => {
                Self::File { length: metadata.len(), modified: metadata.modified().ok() }
            }
            Ok(_) => Self::Other,
        }
    }
}

/// The states of files at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSnapshot(BTreeMap<PathBuf, Stamp>);

impl FileSnapshot {
    pub fn now(files: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(files.into_iter().map(|file| (file.clone(), Stamp::of(&file))).collect())
    }

    /// Records the states of the same files.
    pub fn again(&self) -> Self {
        Self::now(self.0.keys().cloned())
    }

    /// Returns the states of these files. Files that are already recorded keep their recorded
    /// state, so that a change since then shows.
    pub fn of(&self, files: Vec<PathBuf>) -> Self {
        let state = |file: PathBuf| {
            let noted = self.0.get(&file).cloned();
            (file.clone(), noted.unwrap_or_else(|| Stamp::of(&file)))
        };
        Self(files.into_iter().map(state).collect())
    }

    /// Returns true if a file is gone that was there before. An editor may be about to replace it.
    pub fn lacks_any_of(&self, before: &Self) -> bool {
        let is_gone = |(file, stamp): (&PathBuf, &Stamp)| {
            *stamp == Stamp::Absent && before.0.get(file) != Some(&Stamp::Absent)
        };
        self.0.iter().any(is_gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn changes_of_files_show_and_those_beside_them_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let [there, later] = ["there", "later"].map(|name| folder.path().join(name));
        fs::write(&there, "a").unwrap();
        let files = vec![there.clone(), later.clone(), folder.path().to_owned()];
        let before = FileSnapshot::now(files.clone());
        assert_eq!(before.again(), before);
        fs::write(folder.path().join("other"), "b").unwrap();
        assert_eq!(before.again(), before);

        fs::write(&there, "ab").unwrap();
        assert_ne!(before.again(), before);
        assert_eq!(before.of(files.clone()), before);
        fs::write(&later, "c").unwrap();
        let all = before.again();
        assert!(all != before && !all.lacks_any_of(&before));

        fs::remove_file(&there).unwrap();
        assert!(before.again().lacks_any_of(&all));
        assert!(!before.again().lacks_any_of(&before.again()));
    }
}
