//! The identity of files, because one file may have many names.

use std::path::Path;

/// A file or folder, whichever path leads to it: through links, or with another case if the file
/// system ignores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileIdentity(Identifier);

/// The device and the number of the file on it.
#[cfg(unix)]
type Identifier = (u64, u64);

/// The resolved path, which identifies all but hard links.
#[cfg(not(unix))]
type Identifier = std::path::PathBuf;

impl FileIdentity {
    /// Returns the identity of the target of a path; `None` if there is nothing, or nothing that is
    /// accessible.
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
