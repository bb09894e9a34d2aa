//! Rays and answers as columns of a Parquet file, by the format's own readers and writers: a ray is eight numbers,
//! which needs no table in memory.

mod footer;
mod packed;
mod pages;
mod reader;
mod writer;

pub(super) use reader::ParquetRays;
pub(super) use writer::{ParquetAnswers, note_of};

use crate::files::unless_it_panics;
use ::parquet::errors::ParquetError;

/// What the parquet crate returns; a panic of it is an error, too.
fn decoded<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    unless_it_panics(decode).unwrap_or_else(|said| Err(ParquetError::General(said)))
}
