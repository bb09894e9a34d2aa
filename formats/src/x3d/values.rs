//! Numbers, flags and texts as both encodings write them (X3D 3.3, part 1 of ISO/IEC 19776, section
//! 5, and part 2).

/// Returns true if a character stands between values. Commas are white space.
pub(super) fn is_space(character: char) -> bool {
    character.is_ascii_whitespace() || character == ','
}

/// A number; `None` for a text that is not a number, and for a number outside the range of float64.
pub(super) fn number(word: &str) -> Option<f64> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let magnitude =
            u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))?;
        return Some(if word.starts_with('-') { -f64::from(magnitude) } else { magnitude.into() });
    }
    // Rust also parses words such as inf and nan.
    let begins_as_number =
        unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let number = word.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| begins_as_number)
}

pub(super) fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(is_space).filter(|word| !word.is_empty()).map(number).collect()
}

/// True or false, in any case, because writers of both encodings mix them up.
pub(super) fn flag(word: &str) -> Option<bool> {
    match word {
        word if word.eq_ignore_ascii_case("true") => Some(true),
        word if word.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// All texts of an attribute, each in quotation marks. Some writers omit the marks of a single
/// text.
pub(super) fn strings(attribute: &str) -> Option<Vec<String>> {
    let mut rest = attribute.trim_start_matches(is_space);
    if !rest.is_empty() && !rest.starts_with('"') {
        return Some(vec![attribute.trim().to_owned()]);
    }
    let mut strings = Vec::new();
    while let Some(quoted) = rest.strip_prefix('"') {
        let (string, length) = quoted_string(quoted)?;
        strings.push(string);
        rest = quoted[length..].trim_start_matches(is_space);
    }
    rest.is_empty().then_some(strings)
}

/// The text up to a quotation mark, and the number of bytes of both. A backslash makes the next
/// character part of the text.
pub(super) fn quoted_string(rest: &str) -> Option<(String, usize)> {
    let mut string = String::new();
    let mut characters = rest.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((string, at + 1)),
            '\\' => string.push(characters.next()?.1),
            character => string.push(character),
        }
    }
    None
}

/// The integer of an integer field. A fraction has no meaning there, and a negative number means no
/// index.
pub(super) fn whole_number(number: f64) -> i64 {
    number as i64
}
