//! The outcome of a comparison as JUnit's XML, which continuous integration shows as tests.

use super::heading::ReportHeading;
use super::html::escaped;
use super::summary::{OutcomeSummary, PartSummary};
use super::worst_answer::WorstAnswer;

/// The message and the text of a test that failed.
type Failure = (String, String);

const NOT_JUDGED: &str = r#"<skipped message="not judged"/>"#;

/// Writes a test suite: a case for each part, which fails if answers are wrong; one for all other
/// limits; and a skipped one for each thing that was not judged.
pub(super) fn junit(heading: &ReportHeading<'_>, outcome: &OutcomeSummary) -> String {
    let mut cases: Vec<(&str, Option<Failure>)> = Vec::new();
    for part in &outcome.parts {
        let wrong = part.classes.mismatch;
        let is_allowed = wrong == 0 || outcome.mismatches <= outcome.allowed_mismatches;
        let message = format!("{wrong} of {} answers are wrong", part.answers);
        let failure = (!is_allowed).then(|| (message, wrong_answers(part, outcome)));
        cases.push((&part.title, failure));
    }
    // The first reason is the number of wrong answers, for which their parts have failed.
    let is_reported = outcome.mismatches > outcome.allowed_mismatches;
    let others = outcome.failures.get(usize::from(is_reported)..).unwrap_or_default();
    let failure = others.first().map(|first| (first.clone(), others.join("\n")));
    cases.push(("limits", failure));

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

/// Writes a case, which passes if it has no result.
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

/// Escapes a text. Replaces the control characters that XML forbids even as references.
fn xml(text: &str) -> String {
    let is_forbidden =
        |c: char| c < ' ' && !"\t\n\r".contains(c) || ['\u{fffe}', '\u{ffff}'].contains(&c);
    escaped(&text.replace(is_forbidden, "\u{fffd}"))
}

/// Lists the wrong answers of a part, one per line, and the number of further ones.
fn wrong_answers(part: &PartSummary, outcome: &OutcomeSummary) -> String {
    let listed = outcome.wrong.iter().filter(|wrong| wrong.part == part.title);
    let mut lines: Vec<String> = listed.map(line).collect();
    let more = part.classes.mismatch - lines.len() as u64;
    if more > 0 {
        lines.push(format!("and {more} more: mismatches.npz contains the numbers of all"));
    }
    lines.join("\n")
}

fn line(wrong: &WorstAnswer) -> String {
    let WorstAnswer { class, index, given, exact, .. } = wrong;
    let of = match (wrong.pixel, &wrong.ray) {
        (Some([column, row]), _) => format!("pixel {column},{row}, ray"),
        (None, Some(_)) => "ray".to_owned(),
        (None, None) => "point".to_owned(),
    };
    format!("{}  # {class} of {of} {index}: {given}; exact {exact}", wrong.asked())
}
