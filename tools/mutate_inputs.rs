//! Reads damaged files of every format, to find files that make a reader fail.
//!
//! `target/release/mutate_inputs --count 200000 [--seed S] [--reader NAME]`
//!
//! The program keeps a file, and prints its seed, if a reader panics, requests more memory than a small file may need, or
//! does not end in time. Readers run in a process of their own, because a failed allocation ends the process.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "a check that cannot go on stops; it shares what it reads with the tests"
)]

#[path = "../formats/tests/it/columns.rs"]
mod columns;
#[path = "../formats/tests/it/damage/mod.rs"]
mod damage;
#[path = "../formats/tests/it/numpy.rs"]
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

/// The most bytes that a reader may allocate for a file of that many bytes. A request for more ends its process.
fn max_memory(length: usize) -> usize {
    (64 << 20) + 100 * length
}
/// The longest time that a reader may take for a file, if the machine does nothing else.
const MAX_TIME: Duration = Duration::from_secs(1);
/// The time after which a worker that still reads the same file is ended.
const MAX_WAIT: Duration = Duration::from_secs(20);
/// The number of faults after which a reader is given up.
const MAX_FAULTS: usize = 20;
/// The file in a worker's folder that holds the number of the damaged file that it reads.
const CURRENT: &str = "current";

#[derive(Parser)]
struct Arguments {
    /// The number of damaged files that each reader reads.
    #[arg(long, default_value_t = 20_000)]
    count: u64,
    /// The seed of the damage.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The name of one reader to run instead of all.
    #[arg(long)]
    reader: Option<String>,
    /// The number of the first file.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// The folder of a worker, which reads the files in this process.
    #[arg(long, hide = true)]
    worker: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let is_chosen =
        |reader: &&Reader| arguments.reader.as_deref().is_none_or(|name| name == reader.name);
    let readers: Vec<&Reader> = READERS.iter().filter(is_chosen).collect();
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
        let tally = run_workers(reader, &arguments);
        let Tally { read, refused, faults, slowest } = tally;
        println!("{:12} {read:9} {refused:9} {faults:7} {slowest:11.1}", reader.name);
        // A run in which everything is refused proves little, and so does one in which everything is read.
        is_good &= faults == 0 && read > 0 && refused > 0;
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The numbers of files by outcome.
#[derive(Default)]
struct Tally {
    read: u64,
    refused: u64,
    faults: usize,
    /// Milliseconds.
    slowest: f64,
}

/// Reads the files as a worker, and prints a tally of each thousand.
fn work(reader: &Reader, arguments: &Arguments, folder: &Path) {
    const LINE: u64 = 1000;
    let seeds = (reader.seeds)();
    let mut tally = Tally::default();
    let end = arguments.from + arguments.count;
    for iteration in arguments.from..end {
        fs::write(folder.join(CURRENT), iteration.to_string()).unwrap();
        let bytes = damaged(&seeds, arguments.seed, iteration);
        ALLOCATOR.set_limit(ALLOCATOR.allocated() + max_memory(bytes.len())).unwrap();
        let (is_good, time) = timed(|| is_read(reader, folder, &bytes));
        match is_good {
            true => tally.read += 1,
            false => tally.refused += 1,
        }
        tally.slowest = tally.slowest.max(time.as_secs_f64() * 1e3);
        if (iteration + 1) % LINE == 0 || iteration + 1 == end {
            println!("{} {} {}", tally.read, tally.refused, tally.slowest);
            tally = Tally::default();
        }
    }
}

/// Returns what an action returns, and its shortest time: one that seems too slow is done again, because another process may
/// have been in its way.
fn timed(action: impl Fn() -> bool) -> (bool, Duration) {
    let once = || {
        let start = Instant::now();
        (action(), start.elapsed())
    };
    let (outcome, mut time) = once();
    for _ in 0..2 {
        if time > MAX_TIME {
            time = time.min(once().1);
        }
    }
    assert!(time <= MAX_TIME, "took {time:?}");
    (outcome, time)
}

/// Runs workers until all files are read, and starts a new one after each fault.
fn run_workers(reader: &Reader, arguments: &Arguments) -> Tally {
    // The folder lies in memory if the system has one there, because millions of files are written.
    let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).unwrap();
    Reader::prepare(folder.path());
    let mut tally = Tally::default();
    let end = arguments.from + arguments.count;
    let mut from = arguments.from;
    while from < end && tally.faults < MAX_FAULTS {
        let ended = run_worker(reader, arguments, from..end, folder.path());
        tally.add_lines(&folder.path().join("lines"));
        let Err(reason) = ended else { break };
        let at = fs::read_to_string(folder.path().join(CURRENT)).unwrap_or_default();
        let at: u64 = at.parse().unwrap_or(from);
        let kept = std::env::temp_dir()
            .join(format!("{}-{}-{at}-{}", reader.name, arguments.seed, reader.file));
        fs::copy(folder.path().join(reader.file), &kept).unwrap();
        println!(
            "{}: --seed {} --from {at} --count 1: {reason}: {}",
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

/// Runs a worker over these files. The error says what ended it early.
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
            return if status.success() { Ok(()) } else { Err(last_words(status, folder)) };
        }
        let at = fs::read_to_string(folder.join(CURRENT)).unwrap_or_default();
        if at != last.0 {
            last = (at, Instant::now());
        } else if last.1.elapsed() > MAX_WAIT {
            worker.kill().unwrap();
            worker.wait().unwrap();
            return Err(format!("did not end within {MAX_WAIT:?}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The exit status of a process and the last two lines of its errors.
fn last_words(status: ExitStatus, folder: &Path) -> String {
    let errors = fs::read(folder.join("errors")).unwrap_or_default();
    let errors = String::from_utf8_lossy(&errors);
    let lines: Vec<&str> = errors
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("note:"))
        .collect();
    let last = lines[lines.len().saturating_sub(2)..].join(" ");
    format!("{status}: {last}")
}
