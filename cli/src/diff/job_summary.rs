//! The job summary that GitHub shows: Markdown in the file that an environment variable names.

use crate::Failure;
use raytwin_verify::reports::{OutcomeSummary, ReportHeading, markdown};
use std::fs::OpenOptions;
use std::io::Write;

/// The most bytes that GitHub accepts from a step.
const LIMIT: u64 = 1 << 20;

/// Appends an outcome to the summary of the step, if there is one.
pub(super) fn add(heading: &ReportHeading<'_>, outcome: &OutcomeSummary) -> Result<(), Failure> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let append = || {
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let left = LIMIT.saturating_sub(file.metadata()?.len());
        file.write_all(markdown(heading, outcome, left as usize).as_bytes())
    };
    append().map_err(|error| {
        let path = path.display();
        Failure::input(format!("{path}: the summary of the job cannot be written: {error}"))
    })
}
