//! The tests of what reads files, a module for each subject.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod bits;
#[expect(dead_code, reason = "the tests of the program write more kinds of columns")]
mod columns;
mod damage;
mod damaged_inputs;
mod examples;
mod file_stores;
mod memory;
mod numpy;
