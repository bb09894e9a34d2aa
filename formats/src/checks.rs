//! Rules for the numbers of every format.

/// The reason to reject numbers if one is not finite. Parsers read the text of a number that is too
/// large as infinity.
pub(super) fn not_finite(numbers: &[f64]) -> Option<&'static str> {
    let number = numbers.iter().find(|number| !number.is_finite())?;
    Some(if number.is_nan() { "a number is NaN: it must be finite" } else { TOO_LARGE })
}

/// Does the same for the numbers in a text. Other texts have another fault.
pub(super) fn not_finite_in(text: &str) -> Option<&'static str> {
    let numbers: Result<Vec<f64>, _> = text.split_ascii_whitespace().map(str::parse).collect();
    let numbers = numbers.ok()?;
    let fault = not_finite(&numbers)?;
    let index = numbers.iter().position(|number| !number.is_finite())?;
    let word = text.split_ascii_whitespace().nth(index)?;
    // The word for infinity has no digits, and a number that is too large has some.
    let is_named = numbers[index].is_infinite() && !word.contains(|it: char| it.is_ascii_digit());
    Some(if is_named { "a number is infinite: it must be finite" } else { fault })
}

pub(super) const TOO_LARGE: &str = "a number is too large: the largest float64 is 1.8e308";

/// The colour of sRGB numbers from 0 to 1, or the rule that they violate.
pub(super) fn checked_color(numbers: [f64; 3]) -> Result<[f32; 3], &'static str> {
    let is_in_range = numbers.iter().all(|number| (0.0..=1.0).contains(number));
    is_in_range
        .then(|| numbers.map(|number| number as f32))
        .ok_or("red, green and blue must be from 0 to 1")
}
