//! Coordinates of atoms, as text.

use glam::DVec3;

/// Returns the point of three coordinates in ångström; `None` if they are not numbers, or outside
/// the range of a scene.
pub(super) fn position(coordinates: [&str; 3]) -> Option<DVec3> {
    let [x, y, z] = coordinates.map(number);
    let point = DVec3::new(x?, y?, z?);
    (point.abs().max_element() <= 1e9).then_some(point)
}

/// Returns a finite number, which may end in its uncertainty in parentheses, as in `1.234(5)`, and
/// may have a Fortran exponent.
pub(super) fn number(text: &str) -> Option<f64> {
    let digits = text.split_once('(').map_or(text, |(digits, _)| digits);
    let number = digits.parse().or_else(|_| digits.replace(['d', 'D'], "e").parse());
    number.ok().filter(|number: &f64| number.is_finite())
}
