//! The mark that some editors put before the first character of a text.

/// Returns the bytes of a text without the byte-order mark of UTF-8 before it, if there is one.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}
