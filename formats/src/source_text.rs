//! The text of a file, in which messages give places by line and column.

use raytwin_files::{FileError, in_utf_8};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A file's text, which its readers can share.
#[derive(Debug)]
pub(super) struct SourceText {
    pub path: PathBuf,
    pub text: String,
}

impl SourceText {
    /// A syntax error at the line and column of an offset in bytes.
    pub fn refuse(&self, offset: usize, reason: impl Into<String>) -> FileError {
        refuse(&self.path, &self.text, offset, reason)
    }
}

/// The text of a file that is read line by line: in UTF-8 except for letters of other encodings,
/// without the zeros that pad a block after it, and with newlines if each line ends in only a
/// carriage return.
pub(super) fn plain_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = in_utf_8(bytes);
    let length = unpadded(&text).len();
    match &mut text {
        Cow::Borrowed(text) => *text = &text[..length],
        Cow::Owned(text) => text.truncate(length),
    }
    if text.contains(&b'\r') && !text.contains(&b'\n') {
        end_by_newlines(text.to_mut());
    }
    text
}

/// A text without the zeros that pad a block after it.
pub(super) fn unpadded(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &text[..length]
}

/// Replaces carriage returns by newlines.
pub(super) fn end_by_newlines(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

/// A syntax error at the line and column of an offset in bytes.
pub(super) fn refuse(
    path: &Path,
    text: &str,
    offset: usize,
    reason: impl Into<String>,
) -> FileError {
    let [line, column] = position(text, offset);
    FileError::Syntax { path: path.to_owned(), line, column, reason: reason.into() }
}

/// Returns the line and the column of an offset in bytes, both counted from 1. They are computed
/// only when a message needs them.
pub(super) fn position(text: &str, offset: usize) -> [usize; 2] {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    [before.matches('\n').count() + 1, line.chars().count() + 1]
}
