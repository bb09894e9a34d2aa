//! The tests of shared memory, a module for each subject. They need a driver of Vulkan that exports
//! memory, and a stand-in for CUDA's driver: `.ci/cuda_stand_in.sh` runs them where there are both.
//! Python is held by the test program, and NumPy is the other library that makes and takes tensors.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unsafe_code,
    reason = "a test that cannot go on stops, and the stand-in's interface is one of C"
)]

mod arrays;
mod common;
mod copies;
mod errors;
mod ownership;
mod sharing;
mod tensors;
