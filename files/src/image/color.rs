//! The colours that show a distance, an id or a normal.

pub use raytwin::image::color::of_id;

/// The colour of a pixel without a number.
const UNNUMBERED: [u8; 3] = [96, 98, 104];

/// Returns the colour of a label or of another number that distinguishes things; 0 stands for none.
pub fn of_number(number: i32) -> [u8; 3] {
    if number == 0 { UNNUMBERED } else { of_id(number as u32) }
}

/// Returns the colour of a distance or a height, from dark at the beginning of the range to light
/// at its end. A number outside the range has the colour of the nearer end.
pub fn of_distance(distance: f64, [near, far]: [f64; 2]) -> [u8; 3] {
    let share = if far > near { (distance - near) / (far - near) } else { 0.0 };
    let color = colorous::PLASMA.eval_continuous(share.clamp(0.0, 1.0));
    [color.r, color.g, color.b]
}

/// Returns the colour of a normal: each component from −1..1 becomes 0..255.
pub fn of_normal(normal: [f32; 3]) -> [u8; 3] {
    normal.map(|component| (127.5 * (component + 1.0)).round() as u8)
}
