//! The colours that stand for a distance, an id or a normal.

/// Returns the colour of a distance, from dark at the first of the range to light at the last. What
/// lies beyond it has the colour of its end.
pub fn of_distance(distance: f64, [near, far]: [f64; 2]) -> [u8; 3] {
    let share = if far > near { (distance - near) / (far - near) } else { 0.0 };
    let color = colorous::PLASMA.eval_continuous(share.clamp(0.0, 1.0));
    [color.r, color.g, color.b]
}

/// Returns the colour of an id. Steps of the golden ratio put neighbouring ids far apart on the
/// colour circle; ids that are a Fibonacci number apart come near each other there, and have other
/// shades.
pub fn of_id(id: u32) -> [u8; 3] {
    const SHADES: [f64; 4] = [1.0, 0.62, 0.82, 0.42];
    let turn = (f64::from(id) * 0.618_033_988_749_895).fract();
    let color = colorous::RAINBOW.eval_continuous(turn);
    let shade = SHADES[id as usize % SHADES.len()];
    [color.r, color.g, color.b].map(|level| (f64::from(level) * shade) as u8)
}

/// Returns the colour of a normal: each component from −1..1 becomes 0..255.
pub fn of_normal(normal: [f32; 3]) -> [u8; 3] {
    normal.map(|component| (127.5 * (component + 1.0)).round() as u8)
}
