//! `raytwin schema`: the JSON Schema of scene files.

use super::Failure;
use super::report::Report;
use raytwin::import::json::schema;
use std::process::ExitCode;

pub(super) fn run(report: &Report) -> Result<ExitCode, Failure> {
    report.print(&format!("{:#}\n", schema()))?;
    Ok(ExitCode::SUCCESS)
}
