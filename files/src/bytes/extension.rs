//! The extensions of files' names.

use std::path::Path;

/// Returns whether a path has one of these extensions, in upper or lower case.
pub fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|it| own.eq_ignore_ascii_case(it)))
}
