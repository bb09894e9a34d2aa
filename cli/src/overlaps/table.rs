//! The table of overlaps for people.

use crate::figure::figure;
use crate::summary::OverlapsSummary;
use raytwin_files::overlaps::OverlapPair;
use std::fmt::Write;

/// The most pairs in the table. Files and `--json` have all pairs.
const SHOWN: usize = 40;

/// Returns a line for each of the first pairs.
pub(super) fn lines(pairs: &[OverlapPair]) -> String {
    let mut text = String::new();
    if !pairs.is_empty() {
        let _ = writeln!(text, "{:<10} {:>12} {:>12}  pair", "kind", "depth", "gap");
    }
    for pair in pairs.iter().take(SHOWN) {
        let number = |number: Option<f64>| number.map(figure).unwrap_or_default();
        let place = pair.points()[0].map(|coordinate| coordinate.to_string()).join(",");
        let notes = [
            (pair.inner == Some(pair.a.geometry_id)).then_some("the first in the second"),
            (pair.inner == Some(pair.b.geometry_id)).then_some("the second in the first"),
            (!pair.proved).then_some("not proved"),
            pair.known.then_some("known"),
        ];
        let notes: Vec<&str> = notes.into_iter().flatten().collect();
        let notes =
            if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
        let (depth, gap) = (number(pair.depth), number(pair.gap));
        let (kind, a, b) = (pair.kind, &pair.a.path, &pair.b.path);
        let _ = writeln!(text, "{kind:<10} {depth:>12} {gap:>12}  {a} | {b} at {place}{notes}");
    }
    if let Some(more @ 1..) = pairs.len().checked_sub(SHOWN) {
        let _ = writeln!(text, "{more} more pairs: -o and --json list all");
    }
    text
}

/// Returns the lines with the numbers of examined pairs, and of pairs that make the command fail.
pub(super) fn conclusion(summary: &OverlapsSummary, known_before: usize) -> String {
    let OverlapsSummary { solids, looked_at, adjacent, apart_proved, apart_by_lines, .. } = summary;
    let mut text = format!("solids: {solids}");
    if summary.without_inside > 0 {
        let _ = write!(text, " ({} other shapes have no inside)", summary.without_inside);
    }
    let _ = writeln!(
        text,
        "; pairs whose boxes meet: {looked_at}, of which {} pierce, {} inside, {} touching, {} near, \
         {apart_proved} proved apart, {adjacent} left out as adjacent",
        summary.pierces, summary.inside, summary.touching, summary.near
    );
    if let Some(spacing) = summary.spacing {
        let (lines, spacing) = (summary.lines, figure(spacing));
        let _ = writeln!(
            text,
            "in {apart_by_lines} pairs, {lines} lines each, at most {spacing} apart, found no overlap, which is no proof"
        );
    }
    if known_before > 0 {
        let _ = writeln!(text, "{} of the {known_before} known pairs were found", summary.known);
    }
    let _ = writeln!(text, "pairs neither near, nor allowed, nor known: {}", summary.refused);
    text
}
