//! Numbers that are too large for their columns.

/// Returns a number with a fixed number of columns. After the largest decimal number, it continues
/// in base 36, first with upper and then with lower case letters (R. W. Grosse-Kunstleve's
/// hybrid-36).
pub(super) fn hybrid36(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let is_upper = text.bytes().all(|digit| digit.is_ascii_digit() || digit.is_ascii_uppercase());
    let is_lower = text.bytes().all(|digit| digit.is_ascii_digit() || digit.is_ascii_lowercase());
    if text.is_empty() || text.len() > 5 || !(is_upper || is_lower) {
        return None;
    }
    let block = 36_i64.pow(text.len() as u32 - 1);
    let beyond = i64::from_str_radix(text, 36).ok()? - 10 * block;
    let lower = if is_lower { 26 * block } else { 0 };
    // A number that begins with a decimal digit is below the first block.
    (beyond >= 0).then_some(10_i64.pow(text.len() as u32) + lower + beyond)
}
