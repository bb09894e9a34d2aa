//! The program: flags, messages, exit codes. It uses nothing but the library.

mod bench;
mod device;
mod devices;
mod diff;
mod failure;
mod interrupt;
mod pick;
mod points;
mod query;
mod rays;
mod render;
mod report;
mod schema;
mod source;
mod stages;

use clap::{Args, Parser, Subcommand};
use failure::Failure;
use report::Report;
use std::process::ExitCode;

/// Casts rays at analytic shapes on any GPU, and proves each answer against a float64 twin on the CPU.
#[derive(Debug, Parser)]
#[command(name = "raytwin", version)]
#[command(
    after_help = "Exit codes: 0 done; 1 diff found a mismatch; 2 usage; 3 bad input, or an output that cannot be written; 4 no usable adapter; 5 the device failed."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// Flags of every command.
#[derive(Debug, Args)]
struct Common {
    /// Where to cast: auto (a hardware GPU, else the CPU; for diff, any GPU), gpu (any adapter, a software
    /// one too), cpu, or a part of an adapter's name.
    #[arg(long, global = true, default_value = "auto", value_name = "auto|gpu|cpu|NAME",
          value_parser = device::flag)]
    device: String,
    /// Print the result as one JSON object.
    #[arg(long, global = true)]
    json: bool,
    /// Say nothing but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more; twice, much more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Distance, id and normal images of a scene.
    Render(render::Arguments),
    /// What the rays of a file meet, or of several.
    Query(query::Arguments),
    /// What holds each point of a file, and which surface is nearest.
    Points(points::Arguments),
    /// What one pixel or one ray meets.
    Pick(pick::Arguments),
    /// Hold each answer of the GPU against the float64 reference.
    Diff(diff::Arguments),
    /// What can be cast on.
    Devices,
    /// How fast a device casts: two known workloads, or files.
    Bench(bench::Arguments),
    /// The JSON Schema of scene files.
    Schema,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let Common { device, json, quiet, verbose } = cli.common;
    let own = match (quiet, verbose) {
        (true, _) => log::LevelFilter::Error,
        (_, 0) => log::LevelFilter::Warn,
        (_, 1) => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    // What the graphics libraries remark is for those who ask.
    let others = if verbose > 1 { log::LevelFilter::Info } else { log::LevelFilter::Off };
    env_logger::Builder::new()
        .filter_level(others)
        .filter_module("raytwin", own)
        .parse_default_env()
        .format_timestamp(None)
        .format_target(false)
        .init();
    say_nothing_of_bad_files();
    let report = Report::new(json, quiet);
    if let Err(error) = interrupt::watch(report.clone()) {
        log::warn!("signals will end the program without a word: {error}");
    }
    let done = match cli.command {
        Command::Render(arguments) => render::run(arguments, &device, &report),
        Command::Query(arguments) => query::run(arguments, &device, &report),
        Command::Points(arguments) => points::run(arguments, &device, &report),
        Command::Pick(arguments) => pick::run(arguments, &device, &report),
        Command::Diff(arguments) => diff::run(arguments, &device, &report),
        Command::Devices => devices::run(&device, &report),
        Command::Bench(arguments) => bench::run(arguments, &device, &report),
        Command::Schema => schema::run(&report),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            report.error(&failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// Leaves panics that are caught as faults of a file to the message that names it.
fn say_nothing_of_bad_files() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !raytwin::io::panics_are_caught() {
            usual(panic);
        }
    }));
}

/// Numbers separated by commas, `N` of them.
fn comma_separated<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    numbers
        .ok()
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("'{text}' must be {N} numbers separated by commas"))
}
