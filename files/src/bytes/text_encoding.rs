//! The encodings of texts: UTF-8, UTF-16 with a byte-order mark, and windows-1252, which includes
//! all of Latin-1.

use std::borrow::Cow;

/// The letters of the bytes from 0x80 to 0x9f in windows-1252. The bytes without a letter are the
/// control characters of Latin-1.
const WINDOWS_LETTERS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A text, and how it was decoded.
#[derive(Debug)]
pub struct DecodedText<'a> {
    /// The text, without a byte-order mark.
    pub text: Cow<'a, str>,
    /// True if the bytes are not UTF-8 and were read as windows-1252.
    pub is_guessed: bool,
}

/// Returns the bytes of a text without the byte-order mark of UTF-8 that some editors put at its
/// beginning.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Returns a text in UTF-8 without a byte-order mark. A mark identifies a text in UTF-16; all other
/// bytes stay as they are.
pub fn in_utf_8(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes).into_bytes().into(),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes).into_bytes().into(),
        _ => without_mark(bytes).into(),
    }
}

/// Decodes a text. Bytes that are not UTF-8 are read as windows-1252, in which the letters of
/// ASCII, and so all numbers, are the same.
pub fn decoded_text(bytes: &[u8]) -> DecodedText<'_> {
    let decoded = match in_utf_8(bytes) {
        Cow::Borrowed(bytes) => str::from_utf8(bytes).map(Cow::from).map_err(|_| bytes),
        Cow::Owned(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned().into()),
    };
    match decoded {
        Ok(text) => DecodedText { text, is_guessed: false },
        Err(bytes) => {
            let text = bytes.iter().copied().map(latin_letter).collect::<String>().into();
            DecodedText { text, is_guessed: true }
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
