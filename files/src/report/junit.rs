//! The outcome of a comparison as JUnit's XML, which continuous integration shows as tests.

use super::heading::ReportHeading;
use super::html::escaped;
use super::summary::{OutcomeSummary, WorstAnswer};
use raytwin::diff::Class;

/// The message and the text of a test that failed.
type Failure = (String, String);

/// Writes a test suite with a case for each part, and one for the limits of the whole.
pub(super) fn junit(heading: &ReportHeading<'_>, outcome: &OutcomeSummary) -> String {
    let mut cases: Vec<(&str, Option<Failure>)> = Vec::new();
    for part in &outcome.parts {
        let wrong = part.classes.mismatch;
        let is_allowed = wrong == 0 || outcome.mismatches <= outcome.allowed_mismatches;
        let is_wrong = |worst: &&WorstAnswer| worst.class == Class::Mismatch.name();
        let worst = outcome.worst.iter().filter(|worst| worst.part == part.title).filter(is_wrong);
        let failure = || {
            let lines: Vec<String> = worst.map(line).collect();
            (format!("{wrong} of {} answers are wrong", part.answers), lines.join("\n"))
        };
        cases.push((&part.title, (!is_allowed).then(failure)));
    }
    let failure =
        || (outcome.failures.first().cloned().unwrap_or_default(), outcome.failures.join("\n"));
    cases.push(("limits", (!outcome.sound).then(failure)));

    let failed = cases.iter().filter(|(_, failure)| failure.is_some()).count();
    let counts = format!(r#"tests="{}" failures="{failed}" errors="0""#, cases.len());
    let suite = xml(&format!("{} on {}", heading.scene, heading.device));
    let cases: String = cases.iter().map(|(name, failure)| case(name, failure.as_ref())).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="raytwin diff" {counts}>
    <testsuite name="{suite}" {counts}>
{cases}    </testsuite>
</testsuites>
"#
    )
}

fn case(name: &str, failure: Option<&Failure>) -> String {
    let failure = failure.map(|(message, text)| {
        format!("\n            <failure message=\"{}\">{}</failure>", xml(message), xml(text))
    });
    format!(
        "        <testcase name=\"{}\" classname=\"raytwin.diff\">{}\n        </testcase>\n",
        xml(name),
        failure.unwrap_or_default()
    )
}

/// Escapes a text. The control characters that XML forbids, also as references, are replaced.
fn xml(text: &str) -> String {
    let is_forbidden =
        |c: char| c < ' ' && !"\t\n\r".contains(c) || ['\u{fffe}', '\u{ffff}'].contains(&c);
    escaped(&text.replace(is_forbidden, "\u{fffd}"))
}

fn line(worst: &WorstAnswer) -> String {
    let asked = worst.asked();
    format!("{asked}  # {}: {}; exact {}", worst.class, worst.given, worst.exact)
}
