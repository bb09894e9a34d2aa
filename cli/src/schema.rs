//! `raytwin schema`: prints the JSON Schema of scene files, or of what commands print with
//! `--json`.

use super::Failure;
use super::console::Console;
use super::summary::JsonOutput;
use clap::Args;
use raytwin_formats::json::schema;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Print the schema of the objects that commands print with --json.
    #[arg(long, help_heading = "Output")]
    summaries: bool,
}

const EXAMPLES: &str = "\
raytwin schema
raytwin schema --summaries";

pub(super) fn run(arguments: &Arguments, console: &Console) -> Result<ExitCode, Failure> {
    let schema = match arguments.summaries {
        true => schemars::schema_for!(JsonOutput).to_value(),
        false => schema(),
    };
    console.print(&format!("{schema:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}
