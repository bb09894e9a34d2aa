//! The outcome of a comparison as JUnit's XML, which continuous integration shows as tests.

use super::heading::ReportHeading;
use super::summary::{OutcomeSummary, WorstAnswer};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use raytwin::diff::Class;

/// Writes a test suite with a case for each part, and one for the limits of the whole.
pub(super) fn junit(
    heading: &ReportHeading<'_>,
    outcome: &OutcomeSummary,
) -> Result<String, quick_junit::SerializeError> {
    let mut suite = TestSuite::new(format!("{} on {}", heading.scene, heading.device));
    for part in &outcome.parts {
        let wrong = part.classes.mismatch;
        let is_allowed = wrong == 0 || outcome.mismatches <= outcome.allowed_mismatches;
        let is_wrong = |worst: &&WorstAnswer| worst.class == Class::Mismatch.name();
        let worst = outcome.worst.iter().filter(|worst| worst.part == part.title).filter(is_wrong);
        suite.add_test_case(case(&part.title, is_allowed, || {
            let lines: Vec<String> = worst.map(line).collect();
            (format!("{wrong} of {} answers are wrong", part.answers), lines.join("\n"))
        }));
    }
    suite.add_test_case(case("limits", outcome.sound, || {
        (outcome.failures.first().cloned().unwrap_or_default(), outcome.failures.join("\n"))
    }));
    let mut report = Report::new("raytwin diff");
    report.add_test_suite(suite);
    report.to_string()
}

fn case(name: &str, is_sound: bool, failure: impl FnOnce() -> (String, String)) -> TestCase {
    let mut status = TestCaseStatus::success();
    if !is_sound {
        let (message, description) = failure();
        status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(message).set_description(description);
    }
    let mut case = TestCase::new(name, status);
    case.set_classname("raytwin.diff");
    case
}

fn line(worst: &WorstAnswer) -> String {
    let asked = worst.asked();
    format!("{asked}  # {}: {}; exact {}", worst.class, worst.given, worst.exact)
}
