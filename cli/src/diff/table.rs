//! The verdicts of `raytwin diff` as a table.

use crate::pick::PickCommand;
use raytwin::diff::{Answer, Class, Report, Verdict};
use raytwin::ray::Hit;
use std::fmt::Write;

/// Writes the counts with one line for each type.
pub(super) fn table(report: &Report) -> String {
    let mut text = format!("{:<12}", "type");
    for class in Class::ALL {
        let _ = write!(text, " {:>10}", class.name());
    }
    text += "  worst t error / bound\n";
    for row in report.rows() {
        let _ = write!(text, "{:<12}", row.name);
        for count in row.counts {
            let _ = write!(text, " {count:>10}");
        }
        let _ = writeln!(text, "  {:>8.4}", row.worst_error);
    }
    text
}

/// Writes the worst rays as commands that begin with `pick`, the command and the flags that choose scene and device.
pub(super) fn worst_rays(report: &Report, pick: &PickCommand) -> String {
    let mut text = "\nworst rays:\n".to_owned();
    for worst in report.worst() {
        let Verdict { class, row, error, given, exact, .. } = &worst.verdict;
        let [given, exact] = [given, exact].map(Answer::hit);
        let _ = write!(text, "  {}  # ", pick.of(&worst.ray));
        let _ = write!(text, "ray {}, {row}, {}: ", worst.index, class.name());
        let _ = write!(text, "t {} id {}; ", given.t, id_text(&given));
        let _ = write!(text, "exact t {} id {}", exact.t, id_text(&exact));
        match error {
            Some(error) => text += &format!("; {error:.4} of the bound\n"),
            None => text.push('\n'),
        }
    }
    text
}

/// Formats the ids of a hit, such as `17`, or `17/3` for a primitive other than the first.
fn id_text(hit: &Hit) -> String {
    match (hit.is_hit(), hit.primitive_id) {
        (false, _) => "none".to_owned(),
        (true, 0) => hit.geometry_id.to_string(),
        (true, primitive_id) => format!("{}/{primitive_id}", hit.geometry_id),
    }
}
