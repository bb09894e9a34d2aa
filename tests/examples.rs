//! Examples run to their end; those of shared devices check their own answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../examples/moving_instances.rs"]
#[expect(dead_code, reason = "the test calls what main calls")]
mod moving_instances;
#[path = "../examples/resident_buffers.rs"]
mod resident_buffers;
#[path = "../examples/shared_device.rs"]
mod shared_device;

#[test]
fn scenes_share_the_callers_device() {
    shared_device::main().unwrap();
}

#[test]
fn rays_and_hits_stay_in_the_callers_buffers() {
    resident_buffers::main().unwrap();
}

#[test]
fn ten_thousand_instances_move() {
    moving_instances::run(4).unwrap();
}
