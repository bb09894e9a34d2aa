//! Damaged files of every format that is read: what is wrong with them is told, in little memory.
//! `examples/mutate_inputs.rs` tries more of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod common;

use cap::Cap;
use common::damage::{READERS, Reader, damaged, is_read};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// More than all readers of these small files may have at a time.
const MOST_MEMORY: usize = 256 << 20;

#[test]
fn every_reader_tells_good_files_from_damaged_ones_in_little_memory() {
    const FILES: u64 = 500;
    let folder = tempfile::tempdir().unwrap();
    Reader::prepare(folder.path());
    for reader in &READERS {
        let seeds = (reader.seeds)();
        for (place, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.path().join(reader.file), seed.file()).unwrap();
            let read = (reader.read)(folder.path());
            assert!(read.is_ok(), "{} {place}: {}", reader.name, read.unwrap_err());
        }
        let mut counts = [0, 0];
        for iteration in 0..FILES {
            let bytes = damaged(&seeds, 7, iteration);
            let read = std::panic::catch_unwind(|| is_read(reader, folder.path(), &bytes));
            let is_read = read.unwrap_or_else(|_| {
                panic!("{}: file {iteration} of seed 7 ends in a panic: {bytes:?}", reader.name)
            });
            counts[usize::from(is_read)] += 1;
            let most = ALLOCATOR.max_allocated();
            assert!(
                most < MOST_MEMORY,
                "{}: file {iteration} of seed 7 takes {most} bytes",
                reader.name
            );
        }
        assert!(counts.iter().all(|&count| count > FILES / 50), "{}: {counts:?}", reader.name);
    }
}
