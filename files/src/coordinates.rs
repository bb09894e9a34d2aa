//! Coordinates of rays and points in files, which are float64 there and float32 about an origin once
//! they are read.

mod rounding;
mod rows_to_read;

pub use rounding::needs_origin;
pub(crate) use rows_to_read::RowsToRead;
