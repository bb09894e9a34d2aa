//! Arguments that name a folder for outputs.

use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::{Path, PathBuf};

/// Returns a parser of the name of a folder for `what`. The name of a file is an error, because a
/// folder with such a name would be a surprise.
pub(super) fn folder_parser(what: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| match is_named_like_file(&path) {
        false => Ok(path),
        true => Err(format!(
            "{what} go to a folder, such as {}, and this is the name of a file: end the name of a folder with a slash",
            path.with_extension("").display()
        )),
    })
}

/// Returns true if a path is the name of a file and not of a folder: it has an extension, does not
/// end in a slash, and is not an existing folder.
pub(super) fn is_named_like_file(path: &Path) -> bool {
    let ends_in_slash = path.to_string_lossy().ends_with(std::path::is_separator);
    !ends_in_slash && path.extension().is_some() && !path.is_dir()
}
