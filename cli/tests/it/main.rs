//! The tests of the program, a module for each subject. `cargo test --release --test it outputs::` runs one module.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod bad_input;
mod bench;
mod clouds;
mod common;
mod convert;
mod faults;
mod gate;
mod info;
mod instances;
#[cfg(unix)]
mod interrupts;
mod kinds;
mod outputs;
mod pages;
mod parquet;
#[cfg(unix)]
mod partial;
mod point_files;
mod program;
mod proof;
mod resume;
mod robot_scans;
mod samples;
mod scans;
mod sensors;
mod streams;
mod summaries;
mod view;
mod visitors;
mod witness;
mod worlds;
