//! Answers: the names of their arrays, files with saved answers, and counts of them.

mod arrays;
mod hit_groups;
mod pick;
mod saved;
mod tally;

pub use arrays::{AnswerLayout, point_answer_files, ray_answer_files};
pub(crate) use arrays::{
    answer_files, path_bytes, point_answer_arrays, ray_answer_arrays, ray_answer_bytes,
};
pub(crate) use hit_groups::label_name;
pub use hit_groups::{HitCounts, HitGroup, HitGroups};
pub use pick::{Pick, ray_text};
pub use saved::SavedAnswers;
pub use tally::{read_tally, write_tally};
