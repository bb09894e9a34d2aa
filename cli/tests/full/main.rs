//! The tests of the program that take long. `.ci/full` runs them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]
#![allow(dead_code, unused_imports, reason = "some of what is shared serves the other tests alone")]

#[path = "../it/common/mod.rs"]
mod common;
#[path = "../it/faults.rs"]
mod faults;
mod pages;
mod proof;

/// A fault in each kind of shape.
const IS_FULL: bool = true;
