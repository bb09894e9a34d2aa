//! The faults that `--mutate` puts into the shader.

use super::Failure;
use crate::console::Console;
use crate::source::Loaded;
use crate::summary::{FaultList, FaultSummary, Summary};
use raytwin::bvh::Layout;
use raytwin::gpu::{FAULTS, Fault};
use raytwin::shapes::PrimitiveKind;
use std::process::ExitCode;

pub(super) fn named_fault(name: &str) -> Result<&'static Fault, Failure> {
    Fault::named(name).ok_or_else(|| {
        let known: Vec<_> = FAULTS.iter().map(|fault| fault.name).collect();
        Failure::usage(format!(
            "--mutate {name}: there is no such fault: give one of {}",
            known.join(", ")
        ))
    })
}

/// Returns an error if the scene does not run the code that the fault changes: it has no such shape, or its tree has
/// the other layout.
pub(super) fn refuse_unused_fault(fault: &Fault, loaded: &Loaded) -> Result<(), Failure> {
    if fault.layout().is_some_and(|layout| layout != loaded.packed.tree().layout()) {
        return Err(Failure::input(format!(
            "--mutate {} changes the traversal of a tree of the other layout: choose that with --tree",
            fault.name
        )));
    }
    let is_read = |kind: &PrimitiveKind| {
        loaded.packed.primitive_kinds().iter().any(|in_scene| in_scene.reading() == *kind)
    };
    match fault.kind.filter(|kind| !is_read(kind)) {
        Some(_) => Err(Failure::input(format!(
            "{}: --mutate {} changes a type of shape that the scene does not have: choose a scene that has it",
            loaded.name, fault.name
        ))),
        None => Ok(()),
    }
}

/// Prints the faults, each with what the scene must have for it to show.
pub(super) fn list(console: &Console) -> Result<ExitCode, Failure> {
    let width = FAULTS.iter().map(|fault| fault.name.len()).max().unwrap_or(0);
    let line = |fault: &Fault| format!("{:width$}  {}\n", fault.name, needed(fault));
    let table: String = FAULTS.iter().map(line).collect();
    let summary = |fault: &Fault| FaultSummary { name: fault.name, needs: needed(fault) };
    let faults = FAULTS.iter().map(summary).collect();
    console.result(Summary::Faults(FaultList { faults }), &table)?;
    Ok(ExitCode::SUCCESS)
}

/// Says what a scene must have for a fault to show.
fn needed(fault: &Fault) -> String {
    match (fault.kind, fault.layout()) {
        (Some(PrimitiveKind::Tube), _) => "a cylinder with an inner_radius".to_owned(),
        (Some(PrimitiveKind::Triangle), _) => "a triangle or a mesh".to_owned(),
        (Some(PrimitiveKind::Capsule), _) => "a capsule or lines".to_owned(),
        (Some(PrimitiveKind::Ellipsoid), _) => "an ellipsoid".to_owned(),
        (Some(PrimitiveKind::Instance), _) => {
            "a group that is used, or a stretched shape".to_owned()
        }
        (Some(kind), _) => format!("a {}", kind.name()),
        (None, Some(Layout::Binary)) => "several shapes, and --tree binary".to_owned(),
        (None, Some(_)) => "several shapes, and --tree wide (the default)".to_owned(),
        (None, None) => "any shape".to_owned(),
    }
}
