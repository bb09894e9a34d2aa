//! Measures the memory of a test, in a process in which no other test runs.

use cap::Cap;
use std::alloc::System;
use std::process::Command;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The variable that names the test for which a process was started.
const ALONE: &str = "RAYTWIN_TEST_ALONE";

/// The most bytes that this process allocated at once.
pub fn most_allocated() -> usize {
    ALLOCATOR.max_allocated()
}

/// Runs the body of the test of this name, such as `streams::a_test`, in a process without other tests.
pub fn alone(test: &str, body: impl FnOnce()) {
    if std::env::var(ALONE).is_ok_and(|started_for| started_for == test) {
        return body();
    }
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, test)
        .output()
        .unwrap();
    let summary =
        [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(run.status.success() && summary[0].contains("1 passed"), "{}", summary.concat());
}
