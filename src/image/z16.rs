//! Distances along the axis as 16-bit integers, as depth cameras give them.

use super::Image;
use image::{ImageFormat, Luma};
use std::io;

/// round(z · scale) of each pixel, 0 where nothing was hit.
pub(super) struct Z16 {
    size: [u32; 2],
    levels: Vec<u16>,
    /// How many pixels lay beyond 1..65535 and were clamped to it.
    pub saturated: usize,
}

impl Z16 {
    pub fn new(image: &Image, scale: f64) -> Self {
        let mut saturated = 0;
        let level = |z: &f32| {
            if !z.is_finite() {
                return 0;
            }
            let exact = (f64::from(*z) * scale).round();
            let level = exact.clamp(1.0, 65535.0);
            saturated += usize::from(level != exact);
            level as u16
        };
        let levels = image.z.iter().map(level).collect();
        Self { size: [image.width, image.height], levels, saturated }
    }

    /// As a grey PNG of 16 bits.
    pub fn write(&self, mut file: impl io::Write + io::Seek) -> io::Result<()> {
        let [width, height] = self.size;
        let level = |x, y| Luma([self.levels[y as usize * width as usize + x as usize]]);
        image::ImageBuffer::from_fn(width, height, level)
            .write_to(&mut file, ImageFormat::Png)
            .map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::Hits;

    #[test]
    fn levels_are_rounded_and_clamped_and_nothing_is_zero() {
        let z = vec![f32::INFINITY, 1.2344, 1.2346, 1e-5, 70.0, 65.535];
        let image = Image { width: 6, height: 1, hits: Hits::default(), z };
        let z16 = Z16::new(&image, 1000.0);
        assert_eq!(z16.levels, [0, 1234, 1235, 1, 65535, 65535]);
        assert_eq!(z16.saturated, 2);
    }
}
