//! The faults that `--mutate` plants in the engine.

use super::comparison_scene::ComparisonScene;
use super::live::Device;
use crate::Failure;
use crate::console::Console;
use crate::summary::{FaultList, FaultSummary, Summary};
use raytwin_verify::faults::{self, Fault, Need};
use raytwin_verify::{Class, Limits};
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

/// Returns an error if no question shows the fault in its scene.
pub(super) fn refuse_unused_fault(
    fault: &Fault,
    scene_name: &str,
    scenes: &[ComparisonScene],
) -> Result<(), Failure> {
    let asked =
        || scenes.iter().flat_map(|scene| scene.traits().map(move |traits| (scene, traits)));
    let mut showing = asked().filter(|(_, traits)| fault.shows_in(*traits)).peekable();
    if showing.peek().is_none() {
        let mut names: Vec<String> = asked().map(|(_, traits)| traits.to_string()).collect();
        names.dedup();
        return Err(Failure::usage(format!(
            "--mutate {} does not show in {}, but in {}: ask one of these, or use --self-test",
            fault.name,
            names.join(", "),
            shown_by(fault)
        )));
    }
    let lacking: Option<Vec<Need>> = showing.map(|(scene, _)| scene.lacks(fault)).collect();
    let Some(need) = lacking.and_then(|lacking| lacking.first().copied()) else {
        return Ok(());
    };
    Err(Failure::input(format!(
        "{scene_name}: --mutate {} needs {need}, which the scene does not have: choose a scene that has it",
        fault.name
    )))
}

/// Returns an error if a fault made no answer of a device wrong, because then nothing shows that
/// the comparison detects it.
pub(super) fn refuse_unshown_fault(
    fault: &Fault,
    devices: &[Device],
    limits: &Limits,
) -> Result<(), Failure> {
    let shows_none = |device: &&Device| {
        device.outcome.total().count(Class::Mismatch) == 0
            && device.outcome.failures(limits).is_empty()
    };
    match devices.iter().find(shows_none) {
        None => Ok(()),
        Some(device) => Err(Failure::input(format!(
            "--mutate {}: no answer was wrong on {}, so the fault was not tested; it needs {}: cast more rays, or use --self-test",
            fault.name,
            device.tracer.device(),
            needed(fault)
        ))),
    }
}

/// Prints the faults, each with what the scene must have for it to show, the questions that show
/// it, and what it does.
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
        shown_by: fault.traits().map(|traits| traits.to_string()).collect(),
    };
    let faults = faults::all().map(summary).collect();
    console.result(Summary::Faults(FaultList { faults }), &table)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what a scene must have for a fault to show.
pub(super) fn needed(fault: &Fault) -> String {
    let needs: Vec<String> = fault.needs.iter().map(|need| need.to_string()).collect();
    if needs.is_empty() { "any shape".to_owned() } else { needs.join(" and ") }
}

/// Returns the questions that show a fault.
fn shown_by(fault: &Fault) -> String {
    let names: Vec<String> = fault.traits().map(|traits| traits.to_string()).collect();
    names.join("; ")
}
