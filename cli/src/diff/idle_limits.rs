//! Errors for limits that check nothing, because answers with only misses would pass.

use super::Arguments;
use crate::Failure;
use raytwin::question::{Question, QuestionKind};
use raytwin_verify::{Judge, Misses, SurfaceTolerance};

/// Returns an error for a tolerance, or a percentage of wrong answers, that is so large that misses
/// in place of all hits of one kind would pass. The error names the largest useful value. If
/// nothing is hit, misses are right.
pub(super) fn refuse<'a>(
    arguments: &Arguments,
    asked: impl Iterator<Item = (&'a Judge, &'a Question)> + Clone,
) -> Result<(), Failure> {
    let answers = asked.clone().map(|(_, question)| question.len()).sum();
    let mut idle_tolerance: Option<(f64, QuestionKind)> = None;
    for kind in QuestionKind::ALL {
        let of_kind = asked.clone().filter(|(_, question)| question.kind() == kind);
        let misses = Misses::new(of_kind);
        if arguments.tolerance() != SurfaceTolerance::default()
            && let Some(share) = misses.judging_share()?
            && share < idle_tolerance.map_or(1.0, |(least, _)| least)
        {
            idle_tolerance = Some((share, kind));
        }
        refuse_percentage(arguments, &misses, kind, answers)?;
    }
    let Some((share, kind)) = idle_tolerance else {
        return Ok(());
    };
    let tolerance = arguments.tolerance();
    let SurfaceTolerance { absolute, relative } = tolerance;
    let [absolute, relative] = [absolute, relative].map(|part| rounded_down(share * part));
    let advice = match flags(SurfaceTolerance { absolute, relative }) {
        flags if flags.is_empty() => "leave it out".to_owned(),
        flags => format!("give at most {flags}"),
    };
    Err(Failure::input(format!(
        "{} checks nothing in answers of kind {kind}: there are hits, but answers with only misses would pass: {advice}",
        flags(tolerance),
        kind = kind.name()
    )))
}

/// Returns an error for a percentage of all answers that covers the misses of one kind.
fn refuse_percentage(
    arguments: &Arguments,
    misses: &Misses,
    kind: QuestionKind,
    answers: usize,
) -> Result<(), Failure> {
    let limits = arguments.limits();
    let allowed = limits.allowed_mismatches(answers);
    if allowed == 0 {
        return Ok(());
    }
    let wrong = misses.count_wrong(allowed)?;
    match wrong > 0 && wrong <= allowed {
        true => Err(Failure::input(format!(
            "--fail-percent {} checks nothing in answers of kind {}: answers with only misses would pass, with {wrong} of all {answers} answers wrong: give less than {}",
            limits.fail_percent,
            kind.name(),
            rounded_down(100.0 * wrong as f64 / answers as f64)
        ))),
        false => Ok(()),
    }
}

/// Writes a tolerance as you type it.
fn flags(SurfaceTolerance { absolute, relative }: SurfaceTolerance) -> String {
    let parts = [("--tolerance-abs", absolute), ("--tolerance-rel", relative)];
    let given = parts.into_iter().filter(|(_, part)| *part > 0.0);
    given.map(|(flag, part)| format!("{flag} {part}")).collect::<Vec<_>>().join(" ")
}

/// Rounds a number above 0 down to three digits.
fn rounded_down(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powi(2 - number.log10().floor() as i32);
    (number * scale).floor() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_rounded_down_to_three_digits() {
        for (number, rounded) in [
            (0.0, 0.0),
            (0.243_99, 0.243),
            (1.0, 1.0),
            (12_399.9, 12_300.0),
            (9.999e-7, 9.99e-7),
            (1e9, 1e9),
        ] {
            assert_eq!(rounded_down(number), rounded, "{number}");
        }
    }
}
