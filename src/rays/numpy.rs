//! Rays and answers in NumPy's formats.

mod reader;
mod writer;

pub(super) use reader::NumpyRays;
pub use writer::answer_files;
pub(super) use writer::{NumpyAnswers, bytes_of, note_of, row_bytes};
