//! Runs of the program, and the files that go in and come out.

pub mod asked;
#[path = "../../../../tests/it/common/columns.rs"]
pub mod columns;
#[path = "../../../../tests/it/common/numpy.rs"]
mod numpy;
pub mod parquet_files;
pub mod place;
pub mod running;

use raytwin::gpu::{AdapterChoice, Gpu};

/// Any adapter, a software one too. Without one the test fails, and the message says what to install.
pub fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"))
}
