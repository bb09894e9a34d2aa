//! The examples of shared devices run to their end: each checks its own answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

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
