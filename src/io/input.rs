//! Files that are opened to be read.

use super::FileError;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Opens a regular file and returns its length in bytes.
///
/// # Errors
/// [`FileError::Read`], also for a folder, a pipe, a socket or a device.
pub(super) fn open(path: &Path) -> Result<(BufReader<File>, u64), FileError> {
    let fail = FileError::read(path);
    // The type is checked before the file is opened, because opening a pipe waits for its writer.
    let metadata = std::fs::metadata(path).map_err(&fail)?;
    if metadata.is_dir() {
        return Err(fail(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        let reason = "it is a pipe, a socket or a device, and its parts are not read in order: save it as a file first";
        return Err(fail(io::Error::other(reason)));
    }
    let file = File::open(path).map_err(&fail)?;
    Ok((BufReader::with_capacity(1 << 20, file), metadata.len()))
}

/// Reads the whole text of a file.
///
/// # Errors
/// [`FileError::Read`], also for text that is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path).map_err(FileError::read(path))
}
