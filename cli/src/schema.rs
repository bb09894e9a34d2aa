//! `raytwin schema`: prints the JSON Schema of scene files.

use super::Failure;
use super::console::Console;
use raytwin::import::json::schema;
use std::process::ExitCode;

pub(super) fn run(console: &Console) -> Result<ExitCode, Failure> {
    console.print(&format!("{:#}\n", schema()))?;
    Ok(ExitCode::SUCCESS)
}
