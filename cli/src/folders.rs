//! Arguments that name a folder for outputs.

use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::{Path, PathBuf};

/// Returns a parser of the name of a folder for `what`. It refuses the name of a file, for a folder of
/// that name would be a surprise.
pub(super) fn folder_parser(what: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| match is_named_like_file(&path) {
        false => Ok(path),
        true => Err(format!(
            "{what} go to a folder, such as {}, and this is the name of a file: end that of a folder in a slash",
            path.with_extension("").display()
        )),
    })
}

/// Returns true if a name is that of a file and no folder: it has an extension, does not end in a
/// slash, and leads to no folder.
pub(super) fn is_named_like_file(path: &Path) -> bool {
    let ends_in_slash = path.to_string_lossy().ends_with(std::path::is_separator);
    !ends_in_slash && path.extension().is_some() && !path.is_dir()
}
