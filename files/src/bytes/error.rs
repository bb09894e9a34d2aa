//! The error of everything that reads or writes files.

use super::spelling::files_near;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A fault of a file. The message states what is wrong, where it is in the file, and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}{}", path.display(), meant(near))]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
        /// The names of files in the same folder that resemble the missing file's name.
        near: Vec<String>,
    },
    /// The file, or its folder, cannot be written.
    #[error("{}: cannot be written: {source}; choose another place", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file's contents would need more memory than is allowed.
    #[error("{}: {needs}, but only {allowed} is allowed: use a smaller file, free memory, or allow more", path.display())]
    Memory {
        /// The file.
        path: PathBuf,
        /// The contents and how much they need, such as `its 3 shapes need 2.4 GB of memory`.
        needs: String,
        /// The memory that is allowed, such as `1.2 GB`.
        allowed: String,
    },
    /// The file violates the grammar of its format.
    #[error("{}:{line}:{column}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Lines are counted from 1.
        line: usize,
        /// Columns are counted from 1.
        column: usize,
        /// The reason: what was found, and what is expected.
        reason: String,
    },
    /// The file can be parsed, but a value in it is not allowed.
    #[error("{}: {}{reason}", path.display(), if location.is_empty() { String::new() } else { format!("{location}: ") })]
    Meaning {
        /// The file.
        path: PathBuf,
        /// The path of the value inside the file, such as `shapes[17].radius`; empty for the file
        /// as a whole.
        location: String,
        /// The reason: what is wrong, and what is expected.
        reason: String,
    },
}

impl FileError {
    /// A [`FileError::Meaning`] at a location inside `path`.
    pub fn meaning(
        path: &Path,
        location: impl Into<String>,
        reason: impl std::fmt::Display,
    ) -> Self {
        Self::Meaning {
            path: path.to_owned(),
            location: location.into(),
            reason: reason.to_string(),
        }
    }

    /// A text parser's error. The position at the end of its message is removed, because the line
    /// and column are already in front of the message.
    pub fn parser(path: &Path, [line, column]: [usize; 2], error: impl std::fmt::Display) -> Self {
        let message = error.to_string();
        let end = message.rfind(" at ").unwrap_or(message.len());
        Self::Syntax { path: path.to_owned(), line, column, reason: message[..end].to_owned() }
    }

    /// Converts the errors of reading `path`, for `map_err`.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| {
            if source.kind() != io::ErrorKind::NotFound {
                return Self::Read { path: path.to_owned(), source, near: Vec::new() };
            }
            let near = files_near(path);
            let source = path.read_link().map_or(source, |target| {
                let reason = format!("it is a link to {}, which is not there", target.display());
                io::Error::new(io::ErrorKind::NotFound, reason)
            });
            Self::Read { path: path.to_owned(), source, near }
        }
    }

    /// Converts the errors of writing `path`, for `map_err`.
    pub fn write<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + '_ {
        |error| Self::Write { path: path.to_owned(), source: error.into() }
    }
}

/// Asks whether one of these files was intended.
fn meant(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}
