//! The tests of the program, a module for each subject. `cargo test --release --test it outputs::` runs one module.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

#[cfg(unix)]
mod action;
mod bad_input;
mod bags;
mod bench;
mod book;
mod clouds;
mod column_types;
mod common;
mod convert;
mod faults;
mod flags;
mod gate;
mod gate_limits;
mod help;
mod info;
mod instances;
#[cfg(unix)]
mod instruments;
mod interrupts;
mod judged;
mod judged_parts;
mod kinds;
mod labels;
mod las_files;
mod limits;
mod messages;
mod mounted_scans;
mod outputs;
mod overlaps;
mod own_inputs;
mod parquet;
#[cfg(unix)]
mod partial;
mod patterns;
mod pictures;
mod point_clouds;
mod point_files;
mod point_tables;
mod posed_robots;
mod program;
#[cfg(unix)]
mod results;

mod carried_scans;
mod ray_tables;
mod resume;
#[cfg(unix)]
mod resumed_scans;
mod returns;
mod robot_scans;
mod samples;
mod scans;
mod sensors;
mod skipped_shapes;
mod standing_scans;
mod streams;
mod summaries;
mod surveys;
mod text_clouds;
mod view;
mod visitors;
mod witness;
mod worlds;
mod wrong_answers;

/// A part of the faults: the target `full` has every one.
const IS_FULL: bool = false;
