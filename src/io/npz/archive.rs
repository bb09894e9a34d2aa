//! Archives of arrays that are opened to be read.

use crate::io::open_file::OpenFile;
use crate::io::{FileError, FileStore};
use std::path::Path;
use zip::{ZipArchive, result::ZipError};

/// Opens an archive and reads its directory, but none of its arrays.
///
/// # Errors
/// [`FileError`]: the file is unreadable or not an archive.
pub(in crate::io) fn open_npz(
    store: &FileStore,
    path: &Path,
) -> Result<ZipArchive<OpenFile>, FileError> {
    let (file, _) = store.open(path)?;
    ZipArchive::new(file).map_err(|error| unreadable_archive(path, error))
}

/// The error for an archive that cannot be read.
pub(super) fn unreadable_archive(path: &Path, error: ZipError) -> FileError {
    FileError::meaning(path, "", format!("is not a readable .npz: {error}"))
}

/// The name of the array that an archive's entry holds.
pub(super) fn array_name(entry: &str) -> &str {
    entry.trim_end_matches(".npy")
}
