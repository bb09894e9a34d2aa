//! Numbers as texts.

/// The shortest text that is read as this float32 number, also if it is first read as float64.
pub(super) fn number_text(number: f64) -> String {
    let short = format!("{:?}", number as f32);
    let is_exact = short.parse().is_ok_and(|read: f64| read as f32 == number as f32);
    if is_exact { short } else { format!("{number:?}") }
}
