//! Coordinates of rays and points. In files they are float64; after reading they are float32
//! relative to an origin.

mod rounding;
mod rows_to_read;

pub use rounding::needs_origin;
pub(crate) use rows_to_read::RowsToRead;
