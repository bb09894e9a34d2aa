//! The outcome of a comparison as Markdown, for the summary of a job.

use super::heading::ReportHeading;
use super::summary::{ClassCounts, OutcomeSummary};
use crate::Class;
use std::fmt::Write;

/// Writes the outcome in at most `limit` bytes. If it is longer, the worst answers at its end are
/// omitted.
pub fn markdown(heading: &ReportHeading<'_>, outcome: &OutcomeSummary, limit: usize) -> String {
    let mut text = format!(
        "## {} {} on {}\n\n",
        if outcome.sound { "✅" } else { "❌" },
        escaped(heading.scene),
        escaped(heading.device)
    );
    match &outcome.failures[..] {
        [] => {
            let _ = writeln!(text, "{}.\n", escaped(&outcome.conclusion()));
        }
        failures => {
            for failure in failures {
                let _ = writeln!(text, "- **{}**", escaped(failure));
            }
            let _ = writeln!(text, "\n{}.", escaped(&outcome.conclusion()));
        }
    }
    if let Some(fault) = heading.fault {
        let _ = writeln!(text, "\nThe fault `{fault}` was planted on purpose.");
    }
    if !heading.not_judged.is_empty() {
        let _ = writeln!(text, "\nNot judged: {}.", escaped(&heading.not_judged.join(", ")));
    }
    let classes: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    let _ = writeln!(text, "\n| | {} |\n| --- |{}", classes.join(" | "), " ---: |".repeat(6));
    for part in &outcome.parts {
        let _ = writeln!(text, "| {} | {} |", escaped(&part.title), cells(&part.classes));
    }
    text += "\n| type | worst t error / bound | largest error | 99 % at most |\n| --- | ---: | ---: | ---: |\n";
    for row in &outcome.types {
        let [largest, most] = row.distance_error.map_or_else(Default::default, |it| it.texts());
        let _ = writeln!(text, "| {} | {} | {largest} | {most} |", row.name, row.worst_text());
    }
    if let Some(errors) = &outcome.distance_error {
        let _ = writeln!(text, "\n{errors}.");
    }
    for clue in &outcome.clues {
        let _ = writeln!(text, "\n{}.", escaped(clue));
    }
    if let Some(needed) = &outcome.needed_tolerance {
        let _ = writeln!(text, "\n{needed}.");
    }
    if outcome.sound || outcome.worst.is_empty() {
        return cut(text, limit);
    }
    text += "\nThe worst answers:\n";
    for worst in outcome.worst_wrong() {
        let answers = format!("{}; exact {}", worst.given, worst.exact);
        let (asked, answers) = (escaped(&worst.numbered()), escaped(&answers));
        let mut entry = format!("\n- {asked}, {}: {answers}", worst.class);
        let _ = write!(entry, "\n  ```sh\n  {}\n  ```", worst.asked());
        if text.len() + entry.len() > limit {
            break;
        }
        text += &entry;
    }
    text.push('\n');
    cut(text, limit)
}

/// Cuts a text after the last line that fits.
fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = (0..=limit).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
        text.truncate(end);
    }
    text
}

fn cells(classes: &ClassCounts) -> String {
    classes.in_order().map(|count| count.to_string()).join(" | ")
}

/// Escapes a text for Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        if "\\`*_[]<>|#".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(if letter.is_control() { ' ' } else { letter });
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_after_a_line() {
        assert_eq!(cut("one\ntwo\nthree\n".to_owned(), 9), "one\ntwo\n");
        assert_eq!(cut("é".repeat(9), 5), "éé");
        assert_eq!(cut("short\n".to_owned(), 100), "short\n");
    }

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("a|b*<i>"), r"a\|b\*\<i\>");
        assert_eq!(escaped("a\nb"), "a b");
    }
}
