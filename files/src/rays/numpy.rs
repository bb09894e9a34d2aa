//! Rays and answers in NumPy's formats.

mod reader;
mod writer;

pub(super) use reader::NumpyRays;
pub(super) use writer::{NumpyAnswers, note_of, row_bytes};
