//! The choice between NumPy's formats, Parquet and tables of text.

use std::path::Path;

/// Returns whether a file is a Parquet file, by its extension.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}

/// Returns whether a file is a table of text, by its extension.
pub(super) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}
