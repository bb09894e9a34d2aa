//! Rays and answers in NumPy's formats.

mod reader;
mod writer;

pub(super) use reader::NumpyRays;
pub(super) use writer::{NumpyAnswers, bytes_of, note_of, row_bytes};
