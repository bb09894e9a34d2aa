//! Decodes the bytes of an XML file: UTF-8, UTF-16 behind a byte-order mark, or windows-1252, which
//! holds all of Latin-1.

use raytwin_files::without_mark;

/// How much of a file is searched for its declaration, which comes first.
const HEAD_BYTES: usize = 256;

/// The names of encodings, without case and hyphens, whose letters are those of windows-1252.
const LATIN: [&str; 5] = ["iso88591", "latin1", "windows1252", "cp1252", "usascii"];

/// The letters of the bytes from 0x80 to 0x9f in windows-1252. Those that it leaves out are the
/// control characters of Latin-1.
const WINDOWS_LETTERS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of a file.
pub(super) struct DecodedText {
    pub text: String,
    /// True if the bytes are not UTF-8 and the file does not declare how they are to be read.
    pub is_guessed: bool,
}

/// Decodes a file. Bytes that are UTF-8 are read so whatever the file declares: editors save files
/// anew and leave their declaration as it was.
pub(super) fn decoded(mut bytes: Vec<u8>) -> DecodedText {
    let known = |text| DecodedText { text, is_guessed: false };
    match &bytes[..] {
        [0xff, 0xfe, rest @ ..] => return known(utf_16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => return known(utf_16(rest, u16::from_be_bytes)),
        _ => {}
    }
    bytes.drain(..bytes.len() - without_mark(&bytes).len());
    match String::from_utf8(bytes) {
        Ok(text) => known(text),
        Err(error) => {
            let bytes = error.into_bytes();
            let is_guessed = !declares_latin(&bytes);
            DecodedText { text: bytes.into_iter().map(latin_letter).collect(), is_guessed }
        }
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    let replaced = |letter: Result<char, _>| letter.unwrap_or(char::REPLACEMENT_CHARACTER);
    char::decode_utf16(units).map(replaced).collect()
}

fn latin_letter(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_LETTERS[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
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
