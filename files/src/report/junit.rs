//! The outcome of a comparison as JUnit's XML, which continuous integration shows as tests.

use super::heading::ReportHeading;
use super::html::escaped;
use super::summary::{OutcomeSummary, WorstAnswer};
use raytwin::diff::Class;

/// The message and the text of a test that failed.
type Failure = (String, String);

const NOT_JUDGED: &str = r#"<skipped message="not judged"/>"#;

/// Writes a test suite with a case for each part, one for the limits of the whole, and a skipped one
/// for all that was not judged.
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
    let skipped = heading.not_judged.len();
    let tests = cases.len() + skipped;
    let counts = format!(r#"tests="{tests}" failures="{failed}" errors="0" skipped="{skipped}""#);
    let suite = xml(&format!("{} on {}", heading.scene, heading.device));
    let judged = cases.iter().map(|(name, failure)| case(name, failure.as_ref().map(failed_by)));
    let not_judged = heading.not_judged.iter().map(|what| case(what, Some(NOT_JUDGED.to_owned())));
    let cases: String = judged.chain(not_judged).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="raytwin diff" {counts}>
    <testsuite name="{suite}" {counts}>
{cases}    </testsuite>
</testsuites>
"#
    )
}

/// Writes a case, which passed if it has no result.
fn case(name: &str, result: Option<String>) -> String {
    let result = result.map(|result| format!("\n            {result}"));
    format!(
        "        <testcase name=\"{}\" classname=\"raytwin.diff\">{}\n        </testcase>\n",
        xml(name),
        result.unwrap_or_default()
    )
}

fn failed_by((message, text): &Failure) -> String {
    format!("<failure message=\"{}\">{}</failure>", xml(message), xml(text))
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
