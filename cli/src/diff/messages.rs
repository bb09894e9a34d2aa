//! What is said of a comparison besides its table.

use super::job_summary;
use crate::source::shell_quoted;
use crate::summary::DiffSummary;
use crate::{Console, Failure};
use raytwin::diff::ReportHeading;

/// Says what an outcome amounts to.
pub(super) fn say(
    summary: &DiffSummary,
    heading: &ReportHeading<'_>,
    console: &Console,
) -> Result<(), Failure> {
    job_summary::add(heading, &summary.outcome)?;
    for what in &summary.not_judged {
        console.warn(&format!("{}: not judged: {what}", summary.device));
    }
    for fault in &summary.outcome.failures {
        console.error(&format!("{}: {fault}", summary.device));
    }
    if summary.outcome.sound || summary.outcome.tolerance.is_some() {
        console.say(&summary.outcome.conclusion());
    }
    Ok(())
}

/// Returns the command of this run, as it is typed in a shell.
pub(super) fn typed_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_quoted(&word.to_string_lossy()));
    ["raytwin".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
