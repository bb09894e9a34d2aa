//! The examples of shared devices run to their end: each checks its own answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

#[path = "../examples/resident_buffers.rs"]
mod resident_buffers;
#[path = "../examples/shared_device.rs"]
mod shared_device;

#[test]
fn scenes_share_a_device_of_the_callers() {
    shared_device::main().unwrap();
}

#[test]
fn rays_and_hits_stay_in_buffers_of_the_callers() {
    resident_buffers::main().unwrap();
}
