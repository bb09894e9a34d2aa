//! The text of a world's file, which may be compressed by gzip.

use crate::xml::{self, Lapses};
use flate2::read::MultiGzDecoder;
use raytwin_files::{FileError, FileStore};
use std::io::Read;
use std::path::Path;

/// How many times longer than its file a text may be, besides the bytes that any may have.
const MOST_PACKED: u64 = 64;
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// Memory is asked for before each piece of so many bytes.
const PIECE: u64 = 1 << 20;

/// Reads the text of a file. Old worlds are often in Latin-1 though VRML97 asks for UTF-8; a text
/// that is not UTF-8 is read so, which concerns names and comments alone.
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
            // A vector that grows may hold its bytes twice.
            store.take_memory(path, 2 * count as u64, || "its text needs, unpacked,".to_owned())?;
        }
        if unpacked.len() as u64 > most {
            let reason = format!(
                "unpacks to more than {most} bytes, {MOST_PACKED} times its length: unpack it before if it is a world"
            );
            return Err(FileError::meaning(path, "", reason));
        }
        bytes = unpacked;
    }
    xml::text_of(store, path, bytes, lapses)
}
