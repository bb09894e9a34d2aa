//! The tests of the engine that sweep over many rays or plant faults, with all rays and every fault. `.ci/full` runs them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]
#![allow(dead_code, unused_imports, reason = "some of what is shared serves the other tests alone")]

#[path = "../it/beam_mutants.rs"]
mod beam_mutants;
#[path = "../it/beams.rs"]
mod beams;
#[path = "../it/canonical.rs"]
mod canonical;
#[path = "../it/common/mod.rs"]
mod common;
#[path = "../it/device_beams.rs"]
mod device_beams;
#[path = "../it/device_points.rs"]
mod device_points;
#[path = "../it/far_rays.rs"]
mod far_rays;
#[path = "../it/gpu.rs"]
mod gpu;
#[path = "../it/instances.rs"]
mod instances;
mod judged_forms;
#[path = "../it/judged_kinds.rs"]
mod judged_kinds;
#[path = "../it/layouts.rs"]
mod layouts;
#[path = "../it/long_traversals.rs"]
mod long_traversals;
#[path = "../it/moving.rs"]
mod moving;
#[path = "../it/mutants.rs"]
mod mutants;
#[path = "../it/overlaps.rs"]
mod overlaps;
#[path = "../it/placed.rs"]
mod placed;
#[path = "../it/placed_queries.rs"]
mod placed_queries;
#[path = "../it/point_in_shape.rs"]
mod point_in_shape;
#[path = "../it/proof.rs"]
mod proof;
mod proofs;
#[path = "../it/queries.rs"]
mod queries;
#[path = "../it/query_mutants.rs"]
mod query_mutants;
#[path = "../it/reference.rs"]
mod reference;
#[path = "../it/sample_mutants.rs"]
mod sample_mutants;
#[path = "../it/sampling.rs"]
mod sampling;
#[path = "../it/scales.rs"]
mod scales;
#[path = "../it/self_test.rs"]
mod self_test;
#[path = "../it/shapes.rs"]
mod shapes;
#[path = "../it/solids.rs"]
mod solids;
#[path = "../it/views.rs"]
mod views;
#[path = "../it/watertight.rs"]
mod watertight;
#[path = "../it/worlds.rs"]
mod worlds;

/// All rays of each sweep, and every fault.
const IS_FULL: bool = true;
