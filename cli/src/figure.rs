//! Numbers in tables for people.

/// Returns a number with about five digits.
pub(super) fn figure(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        0.001..1e6 => {
            let digits = (4.0 - number.abs().log10().floor()).clamp(0.0, 8.0) as usize;
            format!("{number:.digits$}")
        }
        _ => format!("{number:.4e}"),
    }
}
