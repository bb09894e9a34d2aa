//! The conclusion of a comparison: its report, its messages, and the exit code.

use super::job_summary;
use super::table::table;
use crate::shell_words::shell_quoted;
use crate::summary::{DeviceDifference, DiffSummary, DiffsSummary, Summary};
use crate::{Console, Failure};
use raytwin::cpu::CpuTracer;
use raytwin_files::Outputs;
use raytwin_verify::reports::ArithmeticSummary;
use raytwin_verify::reports::{OutcomeSummary, ReportHeading, write_report};
use raytwin_verify::{Outcome, Worst};
use std::path::Path;
use std::process::ExitCode;

/// The verdicts on one device, or on one file of answers.
pub(super) struct Conclusion<'a> {
    pub summary: DiffSummary,
    pub outcome: &'a Outcome,
    /// The facts that a report states in addition to the verdicts.
    pub facts: Vec<(&'static str, String)>,
}

impl Conclusion<'_> {
    /// Writes the report to a folder, if one is given, and prints the conclusion. The report
    /// appears with these outputs. `reference` finds the tracer that explains an answer on a page.
    pub fn conclude<'t>(
        self,
        (folder, outputs): (Option<&Path>, &mut Outputs),
        reference: &dyn Fn(&Worst) -> Option<&'t CpuTracer>,
        console: &Console,
    ) -> Result<DiffSummary, Failure> {
        let Self { summary, outcome, facts } = self;
        let heading = ReportHeading {
            scene: &summary.scene,
            device: &summary.device,
            arithmetic: summary.arithmetic.iter().flat_map(ArithmeticSummary::lines).collect(),
            command: typed_command(),
            fault: summary.mutate,
            facts,
            not_judged: &summary.not_judged,
        };
        if let Some(folder) = folder {
            let printed = Summary::Diff(Box::new(summary.clone()));
            let judged = (outcome, &summary.outcome);
            outputs.join(write_report(folder, &heading, &printed, judged, reference)?);
            if let Some(cut) = summary.outcome.cut() {
                console.say(&format!("{}: {cut}", folder.display()));
            }
        }
        job_summary::add(&heading, &summary.outcome)?;
        for what in &summary.not_judged {
            console.warn(&format!("{}: not judged: {what}", summary.device));
        }
        for fault in &summary.outcome.failures {
            console.error(&format!("{}: {fault}", summary.device));
        }
        let OutcomeSummary { sound, tolerance, judged_in_part, .. } = &summary.outcome;
        if *sound || tolerance.is_some() || !judged_in_part.is_empty() {
            console.say(&summary.outcome.conclusion());
        }
        Ok(summary)
    }
}

/// Prints the result, and returns the exit code. The list of differences is given for several
/// devices, even if it is empty.
pub(super) fn exit(
    mut summaries: Vec<DiffSummary>,
    differences: Option<Vec<DeviceDifference>>,
    is_strict: bool,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let left_out = summaries.iter().flat_map(|summary| &summary.not_judged).next();
    let refused = left_out
        .filter(|_| is_strict)
        .map(|what| Failure::input(format!("--strict: not all answers were judged: {what}")));
    let is_sound = summaries.iter().all(|summary| summary.outcome.sound);
    let text = table(&summaries, differences.as_deref().unwrap_or_default());
    let summary = match (differences, summaries.pop()) {
        (None, Some(only)) => Summary::Diff(Box::new(only)),
        (differences, last) => {
            summaries.extend(last);
            let differences = differences.unwrap_or_default();
            Summary::Diffs(DiffsSummary { sound: is_sound, devices: summaries, differences })
        }
    };
    console.result(summary, &text)?;
    if is_sound && let Some(refused) = refused {
        return Err(refused);
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the command of this run, as you type it in a shell.
fn typed_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell_quoted(&word.to_string_lossy()));
    ["raytwin".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}
