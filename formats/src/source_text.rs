//! The text of a file, in which messages tell places by line and column.

use raytwin_files::FileError;
use std::path::PathBuf;

/// A file's text, which what is read from it may share.
#[derive(Debug)]
pub(super) struct SourceText {
    pub path: PathBuf,
    pub text: String,
}

impl SourceText {
    /// A syntax error at the line and column of an offset in bytes.
    pub fn refuse(&self, offset: usize, reason: impl Into<String>) -> FileError {
        let before = &self.text[..offset];
        let line = before.rsplit('\n').next().unwrap_or_default();
        FileError::Syntax {
            path: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            reason: reason.into(),
        }
    }
}
