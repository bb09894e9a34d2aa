//! Files: what can go wrong with one, and how outputs are written.

mod decoder;
mod draft;
mod fingerprint;
mod outputs;

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

pub use decoder::panics_are_caught;
#[cfg(feature = "parquet")]
pub(crate) use decoder::unless_it_panics;
pub(crate) use draft::Draft;
pub use draft::abandon_drafts;
pub use fingerprint::Fingerprint;
pub(crate) use outputs::Outputs;
pub use outputs::probe_output;

/// What is wrong with a file, where in it, and what to do.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It, or the folder that it belongs in, cannot be written.
    #[error("{}: cannot be written: {source}; choose another place", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It breaks the rules of its format.
    #[error("{}:{line}:{column}: {reason}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What stands there and what should.
        reason: String,
    },
    /// It says something that cannot be.
    #[error("{}: {}{reason}", path.display(), if place.is_empty() { String::new() } else { format!("{place}: ") })]
    Meaning {
        /// The file.
        path: PathBuf,
        /// The way to it inside the file, such as `shapes[17].radius`.
        place: String,
        /// What is wrong and what it should be.
        reason: String,
    },
}

impl FileError {
    /// Something inside `path` that cannot be.
    pub(crate) fn meaning(
        path: &Path,
        place: impl Into<String>,
        reason: impl std::fmt::Display,
    ) -> Self {
        Self::Meaning { path: path.to_owned(), place: place.into(), reason: reason.to_string() }
    }

    /// What a parser of text says, which ends with the position that is told apart from it.
    pub(crate) fn parser(
        path: &Path,
        [line, column]: [usize; 2],
        error: impl std::fmt::Display,
    ) -> Self {
        let message = error.to_string();
        let end = message.rfind(" at ").unwrap_or(message.len());
        Self::Syntax { path: path.to_owned(), line, column, reason: message[..end].to_owned() }
    }

    /// For `map_err`, where `path` was being read.
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Read { path: path.to_owned(), source }
    }

    /// For `map_err`, where `path` was being written.
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Write { path: path.to_owned(), source }
    }
}

/// The known word that is closest to a misspelt one.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> &'a str {
    // The distance takes as much memory as both lengths times each other, and no known word is so long.
    let start: String = word.chars().take(64).collect();
    known
        .iter()
        .min_by_key(|known| strsim::damerau_levenshtein(&start, known))
        .copied()
        .unwrap_or_default()
}

/// The whole text of a file.
///
/// # Errors
/// [`FileError::Read`], also for text that is not UTF-8.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path).map_err(FileError::read(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_any_length_has_a_nearest_one() {
        assert_eq!(nearest("raduis", &["center", "radius"]), "radius");
        let long = "radius".repeat(1 << 20);
        assert_eq!(nearest(&long, &["center", "radius", &long]), "radius");
    }
}
