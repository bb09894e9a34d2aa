//! Reads damaged files of every format, and finds what brings a reader down.
//!
//! `cargo run --release --example mutate_inputs -- --count 200000 [--seed S] [--reader NAME]`
//!
//! A file that ends in a panic, that asks for more memory than a small file may need, or that is not done with in time
//! is kept, and its seed is told. Readers run in a process of their own, for an allocation that fails ends that.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "a check that cannot go on stops; it shares what it reads with the tests"
)]

#[path = "../tests/it/common/columns.rs"]
mod columns;
#[path = "../tests/it/common/damage/mod.rs"]
mod damage;
#[path = "../tests/it/common/numpy.rs"]
mod numpy;

use cap::Cap;
use clap::Parser;
use damage::{READERS, Reader, damaged, is_read};
use std::alloc::System;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// More than any of these small files may need; what asks for more ends its process.
const MOST_MEMORY: usize = 256 << 20;
/// More time than any of them may take.
const MOST_TIME: Duration = Duration::from_secs(20);
/// A reader that is brought down so often is left.
const MOST_FAULTS: usize = 20;
/// In a worker's folder, the number of the file that it reads.
const UNDER_WAY: &str = "under_way";

#[derive(Parser)]
struct Arguments {
    /// The number of damaged files that each reader reads.
    #[arg(long, default_value_t = 20_000)]
    count: u64,
    /// Another seed makes other files.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One reader instead of all.
    #[arg(long)]
    reader: Option<String>,
    /// The number of the first file.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Reads them in this process, in such a folder.
    #[arg(long, hide = true)]
    worker: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let asked =
        |reader: &&Reader| arguments.reader.as_deref().is_none_or(|name| name == reader.name);
    let readers: Vec<&Reader> = READERS.iter().filter(asked).collect();
    if readers.is_empty() {
        let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        eprintln!("--reader is one of {}", names.join(", "));
        return ExitCode::from(2);
    }
    if let Some(folder) = &arguments.worker {
        work(readers[0], &arguments, folder);
        return ExitCode::SUCCESS;
    }
    println!(
        "{:12} {:>9} {:>9} {:>7} {:>11}",
        "reader", "read", "refused", "faults", "slowest, ms"
    );
    let mut is_good = true;
    for reader in readers {
        let tally = try_out(reader, &arguments);
        let Tally { read, refused, faults, slowest } = tally;
        println!("{:12} {read:9} {refused:9} {faults:7} {slowest:11.1}", reader.name);
        // A run in which everything is refused proves little, and so does one in which everything is read.
        is_good &= faults == 0 && read > 0 && refused > 0;
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The numbers of files by what became of them.
#[derive(Default)]
struct Tally {
    read: u64,
    refused: u64,
    faults: usize,
    /// Milliseconds.
    slowest: f64,
}

/// The worker: reads the files, and prints what became of them since the last line.
fn work(reader: &Reader, arguments: &Arguments, folder: &Path) {
    const LINE: u64 = 1000;
    let seeds = (reader.seeds)();
    ALLOCATOR.set_limit(MOST_MEMORY).unwrap();
    let mut tally = Tally::default();
    let end = arguments.from + arguments.count;
    for iteration in arguments.from..end {
        fs::write(folder.join(UNDER_WAY), iteration.to_string()).unwrap();
        let bytes = damaged(&seeds, arguments.seed, iteration);
        let start = Instant::now();
        match is_read(reader, folder, &bytes) {
            true => tally.read += 1,
            false => tally.refused += 1,
        }
        tally.slowest = tally.slowest.max(start.elapsed().as_secs_f64() * 1e3);
        if (iteration + 1) % LINE == 0 || iteration + 1 == end {
            println!("{} {} {}", tally.read, tally.refused, tally.slowest);
            tally = Tally::default();
        }
    }
}

/// Runs workers until all files are read, a new one after each fault.
fn try_out(reader: &Reader, arguments: &Arguments) -> Tally {
    // In memory where that can be had as a folder: millions of files are written.
    let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    Reader::prepare(folder.path());
    let mut tally = Tally::default();
    let end = arguments.from + arguments.count;
    let mut from = arguments.from;
    while from < end && tally.faults < MOST_FAULTS {
        let ended = run_worker(reader, arguments, from..end, folder.path());
        tally.add_lines(&folder.path().join("lines"));
        let Err(why) = ended else { break };
        let at = fs::read_to_string(folder.path().join(UNDER_WAY)).unwrap_or_default();
        let at: u64 = at.parse().unwrap_or(from);
        let kept = std::env::temp_dir()
            .join(format!("{}-{}-{at}-{}", reader.name, arguments.seed, reader.file));
        fs::copy(folder.path().join(reader.file), &kept).unwrap();
        println!(
            "{}: --seed {} --from {at} --count 1: {why}: {}",
            reader.name,
            arguments.seed,
            kept.display()
        );
        tally.faults += 1;
        from = at + 1;
    }
    tally
}

impl Tally {
    fn add_lines(&mut self, lines: &Path) {
        for line in fs::read_to_string(lines).unwrap_or_default().lines() {
            if let [read, refused, slowest] = line.split(' ').collect::<Vec<_>>()[..] {
                self.read += read.parse().unwrap_or(0);
                self.refused += refused.parse().unwrap_or(0);
                self.slowest = self.slowest.max(slowest.parse().unwrap_or(0.0));
            }
        }
    }
}

/// A worker that reads these files; what ended it, unless it came to its end.
fn run_worker(
    reader: &Reader,
    arguments: &Arguments,
    files: std::ops::Range<u64>,
    folder: &Path,
) -> Result<(), String> {
    let output = |name| File::create(folder.join(name)).unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--reader", reader.name, "--worker"])
        .arg(folder)
        .args(["--seed", &arguments.seed.to_string(), "--from", &files.start.to_string()])
        .args(["--count", &(files.end - files.start).to_string()])
        .env("RUST_BACKTRACE", "0")
        .stdout(output("lines"))
        .stderr(output("errors"))
        .spawn()
        .unwrap();
    let mut last = (String::new(), Instant::now());
    loop {
        if let Some(status) = worker.try_wait().unwrap() {
            return if status.success() { Ok(()) } else { Err(said(status, folder)) };
        }
        let at = fs::read_to_string(folder.join(UNDER_WAY)).unwrap_or_default();
        if at != last.0 {
            last = (at, Instant::now());
        } else if last.1.elapsed() > MOST_TIME {
            worker.kill().unwrap();
            worker.wait().unwrap();
            return Err(format!("was not done after {MOST_TIME:?}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Tells how a process ended, and the last that it said.
fn said(status: ExitStatus, folder: &Path) -> String {
    let errors = fs::read(folder.join("errors")).unwrap_or_default();
    let errors = String::from_utf8_lossy(&errors);
    let lines: Vec<&str> = errors
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("note:"))
        .collect();
    let last = lines[lines.len().saturating_sub(2)..].join(" ");
    format!("{status}: {last}")
}
