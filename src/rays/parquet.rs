//! Rays and answers as columns of a Parquet file, by the format's own readers and writers: a ray is eight numbers,
//! which needs no table in memory.

mod footer;
mod packed;
mod pages;
mod reader;
mod writer;

pub(super) use reader::ParquetRays;
pub(super) use writer::{ParquetAnswers, note_of};
