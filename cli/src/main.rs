//! The program: flags, messages, exit codes. It uses nothing but the library.

mod bench;
mod cloud;
mod color_by;
mod command_flags;
mod compiling;
mod console;
mod convert;
mod device;
mod devices;
mod diff;
mod failure;
mod figure;
mod folders;
mod help;
mod hits_per;
mod info;
mod interrupt;
mod kinds;
mod label_text;
mod lidars;
mod manual;
mod numbers;
mod overlaps;
mod pick;
mod points;
mod query;
mod rays;
mod render;
mod sample;
mod scan;
mod schema;
mod shape_names;
mod shell_words;
mod source;
mod stages;
mod stdout;
mod summary;
mod view;
mod witness;

pub(crate) use command_flags::CommandFlags;
pub(crate) use console::Console;
pub(crate) use failure::Failure;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;
use summary::{ErrorObject, ErrorSummary};

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: raytwin_files::HugePages = raytwin_files::HugePages;

/// Casts rays at analytic shapes on any GPU or CPU, and checks answers against a float64 reference.
#[derive(Debug, Parser)]
#[command(name = "raytwin", version)]
#[command(after_help = "\
raytwin COMMAND -h prints a command's examples and main options. --help prints all options.

Exit codes: 0 done; 1 diff or witness found a wrong answer, diff exceeded a limit, overlaps found
a pair that is neither allowed nor known, or devices --check found imprecise arithmetic; 2 wrong
usage; 3 bad input, or an output that cannot be written; 4 no usable adapter; 5 the device failed,
or memory or threads ran out.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: Common,
}

/// The flags that every command accepts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
struct Common {
    /// Choose the device that casts rays.
    ///
    /// auto chooses a hardware GPU, or the CPU if there is none. gpu chooses any adapter, even a
    /// software one. NAME is any part of an adapter's name. In diff and witness, auto is the same
    /// as gpu. In diff, the value all chooses every adapter.
    #[arg(long, global = true, default_value = "auto", value_name = "auto|gpu|cpu|NAME")]
    #[arg(value_parser = device::flag, help_heading = "Device")]
    device: String,
    /// Print the result as one JSON object.
    #[arg(long, global = true)]
    json: bool,
    /// Print only errors and results.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print more messages; -vv prints even more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Render distance, id and normal images of a scene.
    Render(render::Arguments),
    /// Scan from many poses with a camera or lidar, and write point clouds or depth images.
    ///
    /// The sensor may be mounted on a moving robot.
    Scan(Box<scan::Arguments>),
    /// Cast rays that are generated from a seed, and add up their answers.
    ///
    /// raytwin counts hits, and adds up distances and path lengths through solids.
    Sample(sample::Arguments),
    /// Cast the rays of one or more files, and write what they hit.
    Query(query::Arguments),
    /// Find the solids that contain each point of a file, and the nearest surface.
    Points(points::Arguments),
    /// Print what one pixel shows or one ray hits.
    Pick(pick::Arguments),
    /// Find solids that overlap or are near each other, and a point in each overlap.
    Overlaps(overlaps::Arguments),
    /// Check every answer of a device or file against the float64 reference.
    Diff(diff::Arguments),
    /// Run test cases based on known complaints about ray casters, and check the answers.
    Witness(witness::Arguments),
    /// Show a scene in a browser.
    ///
    /// You can turn the scene, point at its shapes, and move its joints. raytwin rereads the scene
    /// when its files change.
    View(view::Arguments),
    /// Print what a scene contains.
    Info(info::Arguments),
    /// Write a scene to another format.
    Convert(convert::Arguments),
    /// List the devices that can cast rays, and check their arithmetic.
    Devices(devices::Arguments),
    /// Measure how fast a device casts rays, with built-in workloads or your own files.
    Bench(bench::Arguments),
    /// Print the JSON Schema of scene files, or of what commands print with --json.
    Schema(schema::Arguments),
    /// Print a completion script for a shell.
    Completions(manual::CompletionArguments),
    /// Write manual pages to a folder.
    Man(manual::ManualArguments),
}

/// The commands that print no result without `--json`.
const WRITING: [&str; 6] = ["render", "scan", "query", "points", "convert", "man"];

/// Returns the description of all flags, with the help of all commands.
fn program() -> clap::Command {
    help::described(Cli::command())
}

fn main() -> ExitCode {
    let without_memory = interrupt::end_without_memory();
    let matches = program().try_get_matches();
    let read = matches.and_then(|matches| {
        let name = matches.subcommand_name().unwrap_or_default().to_owned();
        Ok((Cli::from_arg_matches(&matches)?, name))
    });
    let (cli, name) = match read {
        Ok(read) => read,
        Err(error) => return refuse_flags(&error),
    };
    let Common { device, json, quiet, verbose } = cli.common;
    let level = match (quiet, verbose) {
        (true, _) => log::LevelFilter::Error,
        (_, 0) => log::LevelFilter::Warn,
        (_, 1) => log::LevelFilter::Info,
        _ => log::LevelFilter::Debug,
    };
    // The graphics libraries log a lot, which helps only when you look for a fault.
    let level_of_libraries =
        if verbose > 1 { log::LevelFilter::Info } else { log::LevelFilter::Off };
    env_logger::Builder::new()
        .filter_level(level_of_libraries)
        .filter_module("raytwin", level)
        .parse_default_env()
        .format_timestamp(None)
        .format_target(false)
        .init();
    silence_caught_panics();
    let console = Console::new(&name, CommandFlags::of(program, &name), json, quiet);
    if let Err(error) = without_memory.and_then(|()| interrupt::watch(console.clone())) {
        log::warn!(
            "signals will end the program without a message, because they cannot be caught: {error}"
        );
    }
    // Without stdout, nobody can read the result.
    if (json || !WRITING.contains(&&*name))
        && let Err(failure) = stdout::refuse_closed()
    {
        console.fail(&failure);
        return ExitCode::from(failure.code);
    }
    // Nothing is read or cast without threads. The pool would start them when it needs them, and
    // panic if it cannot.
    if let Err(error) = rayon::ThreadPoolBuilder::new().build_global() {
        let failure = stages::no_thread(error);
        console.fail(&failure);
        return ExitCode::from(failure.code);
    }
    let done = match cli.command {
        Command::Render(arguments) => render::run(arguments, &device, &console),
        Command::Scan(arguments) => scan::run(&arguments, &device, &console),
        Command::Sample(arguments) => sample::run(&arguments, &device, &console),
        Command::Query(arguments) => query::run(arguments, &device, &console),
        Command::Points(arguments) => points::run(arguments, &device, &console),
        Command::Pick(arguments) => pick::run(arguments, &device, &console),
        Command::Overlaps(arguments) => overlaps::run(&arguments, &console),
        Command::Diff(arguments) => diff::run(arguments, &device, &console),
        Command::Witness(arguments) => witness::run(&arguments, &device, &console),
        Command::View(arguments) => view::run(arguments, &device, &console),
        Command::Info(arguments) => info::run(&arguments, &console),
        Command::Convert(arguments) => convert::run(&arguments, &console),
        Command::Devices(arguments) => devices::run(&arguments, &device, &console),
        Command::Bench(arguments) => bench::run(arguments, &device, &console),
        Command::Schema(arguments) => schema::run(&arguments, &console),
        Command::Completions(arguments) => manual::completions(&arguments, program(), &console),
        Command::Man(arguments) => manual::pages(&arguments, program(), &console),
    };
    match done {
        Ok(code) => code,
        Err(failure) => {
            console.fail(&failure);
            ExitCode::from(failure.code)
        }
    }
}

/// Prints clap's error or help. With `--json`, the error is an object on stdout, as all errors are.
fn refuse_flags(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help and the version are results too.
        return match stdout::write(|_| error.print()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                Console::new("help", CommandFlags::default(), false, false).fail(&failure);
                ExitCode::from(failure.code)
            }
        };
    }
    let words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let cli = program();
    let tip = numbers::tip_for_commas(&words, &cli);
    let tip = tip.map_or_else(String::new, |tip| format!("\n\n  tip: {tip}"));
    if words.iter().any(|word| word == "--json") {
        let message = error.render().to_string();
        let message = message.trim().strip_prefix("error: ").unwrap_or(&message);
        let error = ErrorObject { message: format!("{message}{tip}"), code: 2 };
        let named = words.iter().find_map(|word| cli.find_subcommand(word));
        let command = named.map(|command| command.get_name().to_owned());
        let text = serde_json::to_string(&ErrorSummary { command, error });
        if text.is_ok_and(|text| stdout::write(|stdout| writeln!(stdout, "{text}")).is_ok()) {
            return ExitCode::from(2);
        }
    }
    let _ = error.print();
    if !tip.is_empty() {
        let _ = writeln!(std::io::stderr(), "{}", tip.trim_start_matches('\n'));
    }
    ExitCode::from(2)
}

/// Prints nothing for a panic that the library catches, because the library returns an error that
/// names the damaged file.
fn silence_caught_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !raytwin_files::panics_are_caught() {
            usual(panic);
        }
    }));
}
