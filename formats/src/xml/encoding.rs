//! Decodes the bytes of an XML file, whose declaration may say that they are Latin-1.

use raytwin_files::{DecodedText, decoded_text};

/// The number of bytes of a file that are searched for its declaration, which comes first.
const HEAD_BYTES: usize = 256;

/// The names of encodings, without case and hyphens, that are read as windows-1252.
const LATIN: [&str; 5] = ["iso88591", "latin1", "windows1252", "cp1252", "usascii"];

/// Decodes a file, and returns whether its encoding is guessed because it is not declared. Valid
/// UTF-8 is read as UTF-8 whatever the file declares, because editors save files in UTF-8 and leave
/// the old declaration.
pub(super) fn decoded(bytes: &[u8]) -> DecodedText<'_> {
    let DecodedText { text, is_guessed } = decoded_text(bytes);
    DecodedText { text, is_guessed: is_guessed && !declares_latin(bytes) }
}

/// Returns true if the declaration `<?xml encoding="..."?>` of a file names Latin-1 or the like.
fn declares_latin(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let declaration = head.split_once("<?xml").and_then(|(_, after)| after.split_once("?>"));
    let encoding = declaration.and_then(|(declaration, _)| declaration.split_once("encoding"));
    let name = encoding.and_then(|(_, value)| value.split(['"', '\'']).nth(1));
    name.is_some_and(|name| {
        let name = name.trim().to_ascii_lowercase().replace(['-', '_'], "");
        LATIN.contains(&&*name)
    })
}
