//! The loss of coordinates of tables when they are rounded to float32.

/// The largest loss, in units of the scene, that rounding may cause to a coordinate of a table.
/// Users who have coordinates of a map expect its millimetres.
const MOST_LOST: f64 = 1e-3;

/// Returns why a coordinate needs an origin near it; `None` if it needs none.
pub fn needs_origin(coordinate: f64) -> Option<String> {
    let lost = (coordinate - f64::from(coordinate as f32)).abs();
    let is_coarse = lost.is_finite() && lost > MOST_LOST;
    is_coarse.then(|| {
        format!(
            "is {coordinate}, and rounding it to float32 loses {lost:.4}: set an origin near it"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_loses_more_than_a_thousandth_needs_an_origin() {
        for (coordinate, needs) in [
            (503_214.01, true),
            (503_214.0, false),
            (5_648_120.25, true),
            (-16_777_217.0, true),
            (1234.567, false),
            (f64::NAN, false),
            (1e300, false),
        ] {
            assert_eq!(needs_origin(coordinate).is_some(), needs, "{coordinate}");
        }
    }
}
