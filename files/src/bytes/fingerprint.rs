//! The fingerprint of everything that answers depend on, including a file.

use crate::{FileError, FileStore};
use raytwin::Fingerprint;
use std::io::Read;
use std::path::Path;

/// Adds the bytes of a file, which is read piece by piece, to a fingerprint.
///
/// # Errors
/// [`FileError::Read`].
pub fn fingerprint_with_file(
    fingerprint: Fingerprint,
    path: &Path,
) -> Result<Fingerprint, FileError> {
    let (file, length) = FileStore::disk().open(path)?;
    // A file that the system makes up may never end; its reader reports this.
    fingerprint.with_bytes(file.take(length), length).map_err(FileError::read(path))
}
