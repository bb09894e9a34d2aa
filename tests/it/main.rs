//! The tests of the engine, a module for each subject. `cargo test --release --test it queries::` runs one module.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod answers_on_device;
mod batches;
mod beam_mutants;
mod beams;
mod canonical;
mod circles;
mod common;
mod device_beams;
mod device_points;
mod edges;
mod far_rays;
mod gpu;
mod heightfields;
mod house;
mod instances;
mod judged_kinds;
mod layouts;
mod limits;
mod long_traversals;
mod moving;
mod moving_worlds;
mod mutants;
mod other_edges;
mod overlap_cases;
mod overlaps;
mod placed;
mod placed_queries;
mod point_edges;
mod point_in_shape;
mod points;
mod proof;
mod proof_reports;
mod queries;
mod query_mutants;
mod reference;
mod returns;
mod sample_mutants;
mod sampling;
mod scales;
mod self_test;
mod shapes;
mod slivers;
mod solid_paths;
mod solids;
mod views;
mod watertight;
mod worlds;

/// The target `full` sets this to true.
const IS_FULL: bool = false;
