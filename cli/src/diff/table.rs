//! The verdicts of `raytwin diff` as tables.

use crate::summary::{DeviceDifference, DiffSummary};
use raytwin_verify::reports::{ClassCounts, OutcomeSummary, WorstAnswer};
use raytwin_verify::{CAMERA, Class};
use std::fmt::Write;

/// Writes the tables of all devices, and the differences between them.
pub(super) fn table(devices: &[DiffSummary], differences: &[DeviceDifference]) -> String {
    let mut text = String::new();
    for device in devices {
        if devices.len() > 1 {
            let _ = writeln!(text, "{}", device.device);
        }
        add_outcome(&mut text, &device.outcome);
        if !device.not_judged.is_empty() {
            let _ = writeln!(text, "\nnot judged: {}", device.not_judged.join(", "));
        }
        if devices.len() > 1 {
            text.push('\n');
        }
    }
    for DeviceDifference { devices: [a, b], answers, unequal, otherwise_unequal } in differences {
        let _ = writeln!(
            text,
            "{a} and {b}: {unequal} of {answers} answers differ, {otherwise_unequal} of them in more than t"
        );
    }
    text
}

fn add_outcome(text: &mut String, outcome: &OutcomeSummary) {
    if let Some(tolerance) = &outcome.tolerance {
        let _ = writeln!(text, "{tolerance}\n");
    }
    add_header(text, "part", "");
    for part in &outcome.parts {
        add_row(text, &part.title, &part.classes);
        text.push('\n');
    }
    text.push('\n');
    add_header(text, "type", "  worst t error / bound  largest error  99 % at most");
    for row in &outcome.types {
        add_row(text, row.name, &row.classes);
        let [largest, most] = row.distance_error.map_or_else(Default::default, |it| it.texts());
        let sizes = format!("  {:>21}  {largest:>13}  {most:>12}", row.worst_text());
        let _ = writeln!(text, "{}", sizes.trim_end());
    }
    if let Some(errors) = &outcome.distance_error {
        let _ = writeln!(text, "\n{errors}");
    }
    for clue in &outcome.clues {
        let _ = writeln!(text, "\n{clue}");
    }
    if let Some(needed) = &outcome.needed_tolerance {
        let _ = writeln!(text, "\n{needed}");
    }
    for sentence in &outcome.judged_in_part {
        let _ = writeln!(text, "\n{sentence}");
    }
    if let Some(error) = outcome.camera_error_u {
        let _ = writeln!(
            text,
            "\ncamera rays: the worst component is off by {error:.2} u of {CAMERA} u allowed"
        );
    }
    if !outcome.sound {
        *text += "\nworst answers:\n";
        outcome.worst_wrong().take(5).for_each(|worst| add_worst(text, worst));
    }
}

fn add_header(text: &mut String, of: &str, after: &str) {
    let _ = write!(text, "{of:<28}");
    for class in Class::ALL {
        let _ = write!(text, " {:>10}", class.name());
    }
    let _ = writeln!(text, "{after}");
}

fn add_row(text: &mut String, name: &str, classes: &ClassCounts) {
    let _ = write!(text, "{name:<28}");
    for count in classes.in_order() {
        let _ = write!(text, " {count:>10}");
    }
}

/// Writes an answer as the command that casts its ray again, with the given answer.
fn add_worst(text: &mut String, worst: &WorstAnswer) {
    let asked = worst.asked();
    let numbered = worst.numbered();
    let WorstAnswer { type_name, class, given, exact, .. } = worst;
    let _ = write!(text, "  {asked}  # {numbered}, {type_name}, {class}: {given}; exact {exact}");
    if let Some(error) = worst.error {
        *text += &format!("; {error:.4} of the bound");
    }
    if let Some(distance) = worst.distance_error {
        *text += &format!(", {distance:.2e} away");
    }
    text.push('\n');
}
