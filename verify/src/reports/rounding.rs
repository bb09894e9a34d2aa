//! Sizes as texts that are never smaller than the sizes.

/// Writes a size with three digits, rounded up.
pub(super) fn rounded_up(error: f64) -> String {
    if error == 0.0 {
        return "0".to_owned();
    }
    let nearest = format!("{error:.2e}");
    let exponent = nearest.split_once('e').map_or("0", |(_, exponent)| exponent);
    match (nearest.parse::<f64>(), format!("0.01e{exponent}").parse::<f64>()) {
        (Ok(rounded), Ok(digit)) if rounded < error => format!("{:.2e}", rounded + digit),
        _ => nearest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_no_smaller_than_its_number() {
        for (error, text) in [
            (0.0, "0"),
            (0.3, "3.00e-1"),
            (0.3001, "3.01e-1"),
            (9.991e-7, "1.00e-6"),
            (5.1249e-4, "5.13e-4"),
            (1.0001, "1.01e0"),
        ] {
            assert_eq!(rounded_up(error), text);
            assert!(rounded_up(error).parse::<f64>().unwrap() >= error);
        }
    }
}
