//! The colours of pictures for people: the conversion to sRGB, and the colours of geometries.

use glam::Vec3;
use std::f32::consts::TAU;

/// Returns the linear light of an sRGB colour with components from 0 to 1.
pub(super) fn linear(color: [f32; 3]) -> Vec3 {
    let channel = |value: f32| match value {
        dark if dark <= 0.040_45 => dark / 12.92,
        bright => libm::powf((bright + 0.055) / 1.055, 2.4),
    };
    Vec3::from(color.map(channel))
}

/// Returns linear light as sRGB bytes, for a display. They are rounded at a threshold from 0 to 1.
/// A soft gradient shows no bands if neighbouring pixels have different thresholds.
pub fn bytes(light: Vec3, threshold: f32) -> [u8; 3] {
    let channel = |value: f32| match value {
        dark if dark <= 0.003_130_8 => 12.92 * dark,
        bright => 1.055 * libm::powf(bright, 1.0 / 2.4) - 0.055,
    };
    light.to_array().map(|value| (255.0 * channel(value.clamp(0.0, 1.0)) + threshold) as u8)
}

/// Compresses light that is brighter than a display's white to below it. Darker light keeps its
/// colour.
pub fn toned(light: Vec3) -> Vec3 {
    const KNEE: f32 = 0.75;
    let channel = |value: f32| match value - KNEE {
        excess if excess > 0.0 => KNEE + (1.0 - KNEE) * excess / (excess + 1.0 - KNEE),
        _ => value,
    };
    Vec3::from(light.to_array().map(channel))
}

/// Returns the sRGB colour of a text such as `#ff8000`.
pub fn of_hex(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#')?;
    let are_digits = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| are_digits)?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some([red, green, blue])
}

/// The colours of geometries without a colour. With 89 of them, steps of the golden angle close the
/// circle of hues.
pub(super) struct Palette([Vec3; 89]);

impl Palette {
    pub fn new() -> Self {
        Self(std::array::from_fn(|index| {
            // A light grey is first, because a scene's first shape is often its ground, and it also
            // suits a single mesh. A blue is next.
            if index == 0 {
                return oklch(0.84, 0.006, 0.2);
            }
            let hue = (0.69 + (index - 1) as f32 * 0.381_966).fract();
            let lightness = [0.70, 0.79, 0.65][index % 3];
            oklch(lightness, 0.1, hue)
        }))
    }

    /// Returns the linear colour of an id. Colours of successive ids differ.
    pub fn color(&self, id: u32) -> Vec3 {
        self.0[id as usize % self.0.len()]
    }
}

/// Returns the sRGB colour of an id. All colours look about equally light, so that none stands out.
/// Steps of the golden ratio put neighbouring ids far apart on the circle of hues. Ids that differ
/// by a Fibonacci number are close together there, so they also differ a little in lightness and
/// chroma.
pub fn of_id(id: u32) -> [u8; 3] {
    const SHADES: [[f32; 2]; 4] = [[0.72, 0.13], [0.66, 0.10], [0.76, 0.09], [0.69, 0.15]];
    let turn = (f64::from(id) * 0.618_033_988_749_895).fract();
    let [lightness, chroma] = SHADES[id as usize % SHADES.len()];
    bytes(oklch(lightness, chroma, turn as f32), 0.5)
}

/// Returns the linear colour for a lightness, a chroma and a hue in turns, in Ottosson's OKLab
/// (2020), in which colours of equal lightness look equally light.
fn oklch(lightness: f32, chroma: f32, hue: f32) -> Vec3 {
    let (a, b) = (chroma * libm::cosf(TAU * hue), chroma * libm::sinf(TAU * hue));
    let cone = |part: f32| part * part * part;
    let long = cone(lightness + 0.396_337_78 * a + 0.215_803_76 * b);
    let medium = cone(lightness - 0.105_561_346 * a - 0.063_854_17 * b);
    let short = cone(lightness - 0.089_484_18 * a - 1.291_485_5 * b);
    let light = Vec3::new(
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    );
    light.clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_that_is_made_linear_is_written_as_it_was_read() {
        for byte in 0..=255_u8 {
            let value = f32::from(byte) / 255.0;
            assert_eq!(bytes(linear([value; 3]), 0.5), [byte; 3]);
        }
    }

    #[test]
    fn light_is_toned_without_a_step_and_never_beyond_white() {
        let tone = |value: f32| toned(Vec3::splat(value)).x;
        assert_eq!(tone(0.5), 0.5);
        let mut before = 0.0;
        for step in 0..1000 {
            let now = tone(0.01 * step as f32);
            assert!(now - before <= 0.0101 && now >= before && now < 1.0);
            before = now;
        }
    }

    #[test]
    fn ids_have_colours_that_differ_and_are_equally_light() {
        let light = |[r, g, b]: [u8; 3]| {
            let linear = linear([r, g, b].map(|level| f32::from(level) / 255.0));
            linear.dot(Vec3::new(0.2126, 0.7152, 0.0722))
        };
        for id in 0..2000 {
            assert!((0.22..0.52).contains(&light(of_id(id))), "{id}: {}", light(of_id(id)));
            for step in 1..20 {
                let [one, other] = [id, id + step].map(|id| Vec3::from(of_id(id).map(f32::from)));
                assert!((one - other).length() > 8.0, "{id} {step}");
            }
        }
    }

    #[test]
    fn neighbours_in_the_palette_differ() {
        let palette = Palette::new();
        for id in 0..200 {
            for step in 1..3 {
                let difference = palette.color(id) - palette.color(id + step);
                assert!(difference.length() > 0.1, "{id}");
            }
        }
    }
}
