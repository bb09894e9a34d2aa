//! The tests of files that take a device, or more of one format than the tests beside its writer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod las_files;
mod las_rules;
