//! Every fuzz target writes libFuzzer's bytes into a file, and reads it as the seeded mutation test does.
//!
//! `cargo +nightly fuzz run x3d` runs the target of one reader; `cargo run --manifest-path fuzz/Cargo.toml --bin seeds` first
//! writes the valid files from which it starts into `fuzz/corpus`.

#![allow(dead_code, reason = "the damage of files is for the seeded test")]

#[path = "../../formats/tests/it/columns.rs"]
mod columns;
#[path = "../../formats/tests/it/damage/mod.rs"]
pub mod damage;
#[path = "../../formats/tests/it/numpy.rs"]
mod numpy;

pub use libfuzzer_sys;

use damage::{READERS, Reader, is_read};
use std::sync::OnceLock;
use tempfile::TempDir;

/// Makes the fuzz target of the reader of this name.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::read($name, bytes));
    };
}

/// Reads these bytes as a file of the reader of this name. An error is as good as a scene; only a panic, a hang and too much
/// memory are faults.
pub fn read(name: &str, bytes: &[u8]) {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        // The folder lies in memory if the system has one there, because millions of files are written.
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        let folder = folder.expect("a folder for temporary files");
        Reader::prepare(folder.path());
        folder
    });
    let reader = READERS.iter().find(|reader| reader.name == name);
    is_read(reader.expect("a target has the name of a reader"), folder.path(), bytes);
}
