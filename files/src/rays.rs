//! Files of rays and of the answers to rays. Files of any length are read and written piece by
//! piece.

mod answer_columns;
mod answer_folder;
mod columns;
mod csv;
mod numpy;
mod parquet;
mod partial;
mod reader;
mod writer;

pub use super::answers::{AnswerLayout, ray_answer_files};
pub use answer_folder::AnswerFolder;
pub use parquet::PassedColumns;
pub use partial::AnswerCounts;
pub use reader::{RayReader, read_rays};
pub use writer::{AnswerWriter, note_of, write_answers};
