//! Files of rays, points and answers, in NumPy's formats and as columns of Parquet files; and what every module that reads
//! or writes files shares: the error, and outputs that appear whole or not at all.

mod answer_arrays;
pub mod clouds;
mod decoder;
mod draft;
mod error;
mod fingerprint;
mod input;
pub(crate) mod npz;
mod outputs;
pub(crate) mod parquet;
pub mod points;
pub mod rays;
mod spelling;

pub use answer_arrays::answer_files;
pub use decoder::panics_are_caught;
pub(crate) use draft::Draft;
pub use draft::abandon_drafts;
pub use error::FileError;
pub use fingerprint::Fingerprint;
pub(crate) use input::read_text;
pub(crate) use outputs::Outputs;
pub use outputs::probe_output;
pub(crate) use spelling::nearest;
