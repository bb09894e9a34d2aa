//! The text of a world's file, which may be compressed by gzip.

use crate::xml::{self, Lapses};
use flate2::read::MultiGzDecoder;
use raytwin_files::{FileError, FileStore};
use std::io::Read;
use std::path::Path;

/// The largest ratio of a text's length to its file's, in addition to the bytes that any file may
/// have.
const MOST_PACKED: u64 = 64;
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// The number of bytes for which memory is requested at a time.
const PIECE: u64 = 1 << 20;

/// Reads the text of a file. Old worlds are often in Latin-1 although VRML97 requires UTF-8. A text
/// that is not UTF-8 is read as Latin-1, which affects only names and comments.
pub(super) fn read_text(
    store: &FileStore,
    path: &Path,
    lapses: &mut Lapses,
) -> Result<String, FileError> {
    let fail = store.unreadable(path);
    let mut bytes = store.read(path)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let most = MOST_PACKED * bytes.len() as u64 + ALWAYS_ALLOWED;
        let mut unpacked = Vec::new();
        let mut decoder = MultiGzDecoder::new(&bytes[..]).take(most + 1);
        loop {
            let count = decoder.by_ref().take(PIECE).read_to_end(&mut unpacked).map_err(&fail)?;
            if count == 0 {
                break;
            }
            // A vector that grows may briefly need twice its bytes.
            store.take_memory(path, 2 * count as u64, || "its unpacked text needs".to_owned())?;
        }
        if unpacked.len() as u64 > most {
            let reason = format!(
                "unpacks to more than {most} bytes, {MOST_PACKED} times its length: if it is a world, unpack it first"
            );
            return Err(FileError::meaning(path, "", reason));
        }
        bytes = unpacked;
    }
    xml::text_of(store, path, bytes, lapses)
}
