//! Rays and answers as columns of a Parquet file, with the column readers and writers of the
//! parquet crate: a ray is eight numbers and needs no table in memory.

mod passed_columns;
mod reader;
mod writer;

pub use passed_columns::PassedColumns;
pub(super) use reader::ParquetRays;
pub(super) use writer::{ParquetAnswers, note_of};
