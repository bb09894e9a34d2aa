//! The text of a file, in which messages tell places by line and column.

use raytwin_files::FileError;
use std::path::{Path, PathBuf};

/// A file's text, which what is read from it may share.
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

/// Returns the line and the column of an offset in bytes, both counted from 1. They are found only
/// when a message needs them.
pub(super) fn position(text: &str, offset: usize) -> [usize; 2] {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    [before.matches('\n').count() + 1, line.chars().count() + 1]
}
