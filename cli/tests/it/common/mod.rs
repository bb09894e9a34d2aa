//! Helpers to run the program and to make and read its files.

#[path = "../../../../formats/tests/it/columns.rs"]
pub mod columns;
pub mod documentation;
#[path = "../../../../files/tests/it/las_rules.rs"]
pub mod las_rules;
pub mod library_answers;
#[path = "../../../../formats/tests/it/numpy.rs"]
mod numpy;
pub mod parquet_files;
pub mod running;
pub mod served;
pub mod workspace;

use raytwin::gpu::{AdapterChoice, Gpu};

/// Opens any adapter, even a software one. Without one the test fails, and the message says what to install.
pub fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"))
}
