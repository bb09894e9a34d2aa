//! The choice between NumPy's formats and Parquet.

use std::path::Path;

/// Returns whether a file is a Parquet file, by its extension.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"))
}
