//! Rays from tables of text, and tables of text with the answers and the paths of shapes.

mod reader;
mod writer;

pub(super) use reader::CsvRays;
pub(super) use writer::CsvAnswers;
