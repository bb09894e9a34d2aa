//! Archives of arrays that are opened for reading.

use crate::bytes::open_file::OpenFile;
use crate::{FileError, FileStore};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use zip::{ZipArchive, result::ZipError};

/// Opens an archive and reads its directory, but none of its arrays.
pub(crate) fn open_npz(store: &FileStore, path: &Path) -> Result<ZipArchive<OpenFile>, FileError> {
    let (file, _) = store.open(path)?;
    ZipArchive::new(file).map_err(|error| unreadable_archive(path, error))
}

/// Rejects an archive in which two entries have the same name, because its reader would skip the
/// first.
pub(super) fn refuse_namesakes(
    store: &FileStore,
    path: &Path,
    archive: &ZipArchive<OpenFile>,
) -> Result<(), FileError> {
    let (file, _) = store.open(path)?;
    let count = count_entries(file, archive.central_directory_start());
    match count.map_err(store.unreadable(path))? > archive.len() {
        true => {
            let reason = "has two arrays of one name: remove one of the two";
            Err(FileError::meaning(path, "", reason))
        }
        false => Ok(()),
    }
}

/// Counts the entries of an archive's central directory (APPNOTE.TXT of PKWARE, 4.3.12).
fn count_entries(mut file: OpenFile, directory: u64) -> io::Result<usize> {
    const BEGIN: &[u8] = b"PK\x01\x02";
    file.seek(SeekFrom::Start(directory))?;
    let mut count = 0;
    loop {
        let mut header = [0; 46];
        match file.read_exact(&mut header) {
            Ok(()) if header.starts_with(BEGIN) => {}
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error),
            _ => return Ok(count),
        }
        // The lengths of the name, the extra field and the comment, which follow.
        let length = |at: usize| i64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        file.seek_relative(length(28) + length(30) + length(32))?;
        count += 1;
    }
}

/// The error for an archive that cannot be read.
pub(super) fn unreadable_archive(path: &Path, error: ZipError) -> FileError {
    FileError::meaning(path, "", format!("is not a readable .npz: {error}"))
}

/// The name of the array in an entry of an archive.
pub(super) fn array_name(entry: &str) -> &str {
    entry.trim_end_matches(".npy")
}
