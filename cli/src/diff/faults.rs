//! The faults that `--mutate` plants in the engine.

use super::Failure;
use crate::console::Console;
use crate::source::Loaded;
use crate::summary::{FaultList, FaultSummary, Summary};
use raytwin::diff::faults::{self, Fault, Need, Question};
use std::process::ExitCode;

pub(super) fn named_fault(name: &str) -> Result<&'static Fault, Failure> {
    faults::named(name).ok_or_else(|| {
        let known: Vec<_> = faults::all().map(|fault| fault.name).collect();
        Failure::usage(format!(
            "--mutate {name}: there is no such fault: give one of {}",
            known.join(", ")
        ))
    })
}

/// Returns an error if the scene lacks what the fault needs to show, or if the answers to these questions do not show it.
pub(super) fn refuse_unused_fault(
    fault: &Fault,
    loaded: &Loaded,
    questions: &[Question],
) -> Result<(), Failure> {
    if !questions.iter().any(|&question| fault.shows_in(question)) {
        let mut asked: Vec<&str> = questions.iter().map(|question| question.name()).collect();
        asked.dedup();
        return Err(Failure::usage(format!(
            "--mutate {} does not show in {}, but in {}: ask for that, or let --self-test show it",
            fault.name,
            asked.join(", "),
            shown_by(fault)
        )));
    }
    let Some(need) = fault.all_needs().find(|need| !need.is_met_by(&loaded.packed)) else {
        return Ok(());
    };
    let advice = match need {
        Need::Tree(_) => "choose that tree with --tree",
        Need::Motion | Need::FacesInPlanes | Need::Worlds => "--self-test has such a scene",
        _ => "choose a scene that has it",
    };
    Err(Failure::input(format!(
        "{}: --mutate {} needs {need}, which the scene does not have: {advice}",
        loaded.name, fault.name
    )))
}

/// Prints the faults, each with what the scene must have for it to show, what must be asked, and what it does.
pub(super) fn list(console: &Console) -> Result<ExitCode, Failure> {
    let width = faults::all().map(|fault| fault.name.len()).max().unwrap_or(0);
    let line = |fault: &Fault| {
        let (needs, shown_by) = (needed(fault), shown_by(fault));
        format!("{:width$}  {} It shows in {shown_by}, with {needs}.\n", fault.name, fault.about)
    };
    let table: String = faults::all().map(line).collect();
    let summary = |fault: &'static Fault| FaultSummary {
        name: fault.name,
        about: fault.about,
        needs: needed(fault),
        shown_by: fault.shown_by.iter().map(|question| question.name()).collect(),
    };
    let faults = faults::all().map(summary).collect();
    console.result(Summary::Faults(FaultList { faults }), &table)?;
    Ok(ExitCode::SUCCESS)
}

/// Says what a scene must have for a fault to show.
pub(super) fn needed(fault: &Fault) -> String {
    let needs: Vec<String> = fault.all_needs().map(|need| need.to_string()).collect();
    if needs.is_empty() { "any shape".to_owned() } else { needs.join(" and ") }
}

/// Names the questions that show a fault.
fn shown_by(fault: &Fault) -> String {
    let names: Vec<_> = fault.shown_by.iter().map(|question| question.name()).collect();
    names.join(", ")
}
