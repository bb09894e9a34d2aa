//! The tests of files that take a device.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod proof_reports;
