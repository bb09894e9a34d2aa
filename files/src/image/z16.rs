//! Writes distances along the camera's axis as 16-bit integers, as depth cameras do.

use super::spilled::SpilledImage;
use image::{ImageBuffer, ImageFormat, Luma};
use std::io;

/// Writes round(z · scale) of each pixel as a grey 16-bit PNG, with 0 for a miss. Returns the
/// number of pixels that were outside 1..65535 and were clamped to it.
pub(super) fn write(
    image: &mut SpilledImage,
    scale: f64,
    mut file: impl io::Write + io::Seek,
) -> io::Result<usize> {
    let [width, height] = image.size;
    let mut levels = Vec::new();
    levels.try_reserve_exact(width * height)?;
    let mut saturated = 0;
    for z in image.z.entries()? {
        let (level, is_clamped) = level(z?, scale);
        levels.push(level);
        saturated += usize::from(is_clamped);
    }
    let picture: Option<ImageBuffer<Luma<u16>, _>> =
        ImageBuffer::from_vec(width as u32, height as u32, levels);
    let picture = picture.ok_or(io::ErrorKind::UnexpectedEof)?;
    picture.write_to(&mut file, ImageFormat::Png).map_err(io::Error::other)?;
    Ok(saturated)
}

/// The level of one pixel, and whether it was clamped.
fn level(z: f32, scale: f64) -> (u16, bool) {
    if !z.is_finite() {
        return (0, false);
    }
    let exact = (f64::from(z) * scale).round();
    let level = exact.clamp(1.0, 65535.0);
    (level as u16, level != exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_rounded_and_clamped_and_nothing_is_zero() {
        let zs = [f32::INFINITY, 1.2344, 1.2346, 1e-5, 70.0, 65.535];
        assert_eq!(zs.map(|z| level(z, 1000.0).0), [0, 1234, 1235, 1, 65535, 65535]);
        assert_eq!(zs.map(|z| level(z, 1000.0).1), [false, false, false, true, true, false]);
    }
}
