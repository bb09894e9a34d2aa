//! Tells files apart by what they are, because one file may have many names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file or folder, whichever path leads to it: through links, or in other letters where the file
/// system takes them for equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileIdentity(Identifier);

/// The device and the number of the file on it.
#[cfg(unix)]
type Identifier = (u64, u64);

/// The resolved path, which tells all but hard links.
#[cfg(not(unix))]
type Identifier = PathBuf;

impl FileIdentity {
    /// Returns the identity of what a path leads to; `None` if there is nothing, or nothing that
    /// can be seen.
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of_metadata)
    }

    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Self> {
        path.canonicalize().ok().map(Self)
    }

    #[cfg(unix)]
    pub fn of_metadata(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((metadata.dev(), metadata.ino()))
    }
}

/// Returns the first two of these outputs that lead to one file, in whatever spelling, though it
/// need not be there yet.
pub fn first_equal_outputs(outputs: &[PathBuf]) -> Option<[&Path; 2]> {
    let mut known: HashMap<PathBuf, &Path> = HashMap::new();
    outputs.iter().find_map(|output| {
        let before = known.insert(settled(output), output)?;
        Some([before, output.as_path()])
    })
}

/// Returns the path that will lead to a file without links and without `..`, as far as its folders
/// are there already.
fn settled(path: &Path) -> PathBuf {
    if let Ok(there) = path.canonicalize() {
        return there;
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.as_os_str().is_empty() => {
            settled(Path::new(".")).join(name)
        }
        (Some(folder), Some(name)) => settled(folder).join(name),
        (Some(folder), None) => {
            let mut above = settled(folder);
            above.pop();
            above
        }
        (None, _) => path.to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_equal_in_any_spelling_before_they_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("there")).unwrap();
        std::os::unix::fs::symlink(root.join("there"), root.join("link")).unwrap();
        let outputs = |other: &str| ["there/t.npy", other].map(|name| root.join(name));
        for other in ["there/./t.npy", "link/t.npy", "absent/../there/t.npy", "link/../there/t.npy"]
        {
            assert!(first_equal_outputs(&outputs(other)).is_some(), "{other}");
        }
        for other in ["there/u.npy", "absent/t.npy", "t.npy"] {
            assert_eq!(first_equal_outputs(&outputs(other)), None, "{other}");
        }
    }
}
