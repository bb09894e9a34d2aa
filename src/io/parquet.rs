//! The parts of a Parquet file, which are checked before the parquet crate decodes them.

mod decompress;
mod footer;
mod pages;

pub(super) use decompress::is_supported;
pub(super) use footer::read_metadata;
pub(super) use pages::CheckedPages;

use super::decoder::catch_panic;
use ::parquet::errors::ParquetError;

/// Runs a decoder of the parquet crate and turns its panic, too, into an error.
pub(super) fn decode<T>(
    decoder: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, ParquetError> {
    catch_panic(decoder).unwrap_or_else(|message| Err(ParquetError::General(message)))
}
