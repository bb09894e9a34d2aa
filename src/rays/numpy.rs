//! Rays and answers in NumPy's formats.

mod reader;
mod writer;

pub(super) use reader::NumpyRays;
#[cfg(feature = "cli")]
pub(crate) use writer::array_names;
pub(super) use writer::{NumpyAnswers, note_of};
