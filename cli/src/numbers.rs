//! Numbers as you type them: several with commas in between, counts such as 1e6, and the tip for
//! numbers typed in another way.

use clap::Command;
use std::num::NonZeroUsize;

/// Reads `N` numbers that are separated by commas.
pub(super) fn comma_separated<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    numbers
        .ok()
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| format!("'{text}' must be {N} numbers separated by commas"))
}

/// Reads a count: 1000000, 1_000_000, 1e6 and 2.5e3 are counts, and 1.5 is not.
pub(super) fn count<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let wrong = || format!("'{text}' must be a whole number, such as 1000000 or 1e6");
    whole_number(text).and_then(|number| number.try_into().ok()).ok_or_else(wrong)
}

/// Reads a count of at least one.
pub(super) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    NonZeroUsize::new(count(text)?).ok_or_else(|| format!("'{text}' must be at least 1"))
}

/// Reads a whole number in decimal or scientific notation from its digits, without rounding.
fn whole_number(text: &str) -> Option<u64> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let zeros = exponent.parse::<i32>().ok()?.checked_sub_unsigned(fraction.len() as u32)?;
    let significant = digits.trim_start_matches('0');
    match zeros {
        _ if !is_number => None,
        _ if significant.is_empty() => Some(0),
        // A number that fits has no more zeros.
        0..=20 => format!("{significant}{}", "0".repeat(zeros as usize)).parse().ok(),
        ..0 => {
            let kept = significant.len().checked_sub(zeros.unsigned_abs() as usize)?;
            let (kept, cut) = significant.split_at(kept);
            if cut.bytes().all(|digit| digit == b'0') { kept.parse().ok() } else { None }
        }
        _ => None,
    }
}

/// Returns a tip for a flag with separate numbers, such as `--eye 1 2 3`: the flag with commas.
pub(super) fn tip_for_commas(words: &[String], program: &Command) -> Option<String> {
    let command = words.iter().find_map(|word| program.find_subcommand(word))?;
    words.iter().enumerate().find_map(|(index, flag)| {
        let number = |word: &&String| word.trim_end_matches(',').parse::<f64>().is_ok();
        let numbers: Vec<&str> = words[index + 1..]
            .iter()
            .take_while(number)
            .map(|word| word.trim_end_matches(','))
            .collect();
        let is_meant = numbers.len() > 1 && takes_commas(command, flag);
        is_meant.then(|| format!("separate the numbers with commas: {flag} {}", numbers.join(",")))
    })
}

/// Returns true if the values of a command's flag have commas in them.
fn takes_commas(command: &Command, flag: &str) -> bool {
    let has_comma = |name: &clap::builder::Str| name.contains(',');
    let named = |argument: &&clap::Arg| argument.get_long() == flag.strip_prefix("--");
    let argument = command.get_arguments().find(named);
    let names = argument.and_then(|argument| argument.get_value_names());
    names.is_some_and(|names| names.iter().any(has_comma))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_their_digits_and_fractions_are_refused() {
        for (text, number) in [
            ("1e6", 1_000_000),
            ("1E+6", 1_000_000),
            ("1_000", 1000),
            ("2.5e3", 2500),
            ("1200e-2", 12),
            ("0", 0),
            ("0.0e9", 0),
            ("1.0", 1),
            ("007", 7),
            ("18446744073709551615", u64::MAX),
            // Its nearest float64 number is another.
            ("9007199254740993e0", 9_007_199_254_740_993),
        ] {
            assert_eq!(count::<u64>(text), Ok(number), "{text}");
        }
        for text in [
            "1.5",
            "1.25e1",
            "-1",
            "1e-1",
            "",
            ".",
            "e6",
            "1e",
            "1e20",
            "1e999999999999",
            "inf",
            "nan",
            "0x10",
        ] {
            assert!(count::<u64>(text).is_err(), "{text}");
        }
        assert!(count::<u32>("1e10").is_err());
        let thousand = at_least_one("1e3").map(NonZeroUsize::get);
        assert_eq!((thousand, at_least_one("0").is_err()), (Ok(1000), true));
    }
}
