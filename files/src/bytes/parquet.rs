//! Parquet files as tables of columns. The sizes that a file declares are checked before the
//! parquet crate decodes its parts.

mod column_kind;
mod compact_bytes;
mod decompress;
mod footer;
mod page_header;
mod pages;
mod table;
pub(crate) mod writer;

pub use column_kind::ColumnKind;
pub(crate) use footer::read_metadata;
use pages::ColumnPages;
pub use table::{ROWS_AT_A_TIME, Table, TableColumn};

use super::decoder::catch_panic;
use ::parquet::errors::ParquetError;

/// Runs a decoder of the parquet crate and converts its panic into an error.
pub(crate) fn decode<T>(
    decoder: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    catch_panic(decoder).unwrap_or_else(|message| Err(ParquetError::General(message)))
}
