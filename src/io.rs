//! Files of rays, points, trajectories and answers, in NumPy's formats, as tables and as columns of
//! Parquet files; and what every module that reads or writes files shares: the error, and outputs
//! that appear whole or not at all.

mod answer_arrays;
pub mod clouds;
mod csv_file;
mod decoder;
mod draft;
mod error;
mod file_identity;
mod file_set;
mod file_store;
mod fingerprint;
mod folder_lock;
pub(crate) mod memory;
mod mixture;
pub(crate) mod npz;
mod open_file;
mod outputs;
pub(crate) mod parquet;
pub mod points;
mod pose_folder;
pub mod rays;
mod row_fault;
mod saved_answers;
mod spelling;
pub mod trajectories;

pub(crate) use csv_file::each_csv_row;
pub(crate) use decoder::catch_panic;
pub use decoder::panics_are_caught;
pub(crate) use draft::Draft;
pub use draft::{DRAFT_PREFIX, abandon_drafts};
pub use error::FileError;
pub use file_identity::first_equal_outputs;
pub use file_store::FileStore;
pub use fingerprint::Fingerprint;
pub(crate) use outputs::Outputs;
pub use outputs::probe_output;
pub use pose_folder::{PoseFolder, pose_files};
pub(crate) use row_fault::RowFault;
pub use saved_answers::SavedAnswers;
pub use spelling::nearest;
