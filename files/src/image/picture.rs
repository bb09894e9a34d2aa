//! Pictures for people to look at: a canvas that pixels and text are drawn on.

mod distance;
mod ids;
mod normals;

pub use distance::DistanceRange;
pub(super) use distance::distance;
pub(super) use ids::{geometry_ids, label_ids};
pub(super) use normals::normals;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use raytwin::image::Shading;
use std::io;

/// The colour of a pixel whose ray hit nothing.
const NOTHING: Rgb<u8> = Rgb([24, 26, 32]);
const INK: Rgb<u8> = Rgb([225, 225, 225]);

const FONT: (FontWeight, RasterHeight) = (FontWeight::Regular, RasterHeight::Size16);
const TEXT_HEIGHT: u32 = 16;
const MARGIN: u32 = 12;

/// An RGB picture, ready to be written.
pub(crate) struct Picture(RgbImage);

impl Picture {
    /// Writes the picture as PNG, unless it is huge with an effort that makes the file of a shaded
    /// picture a third as large.
    pub fn write(&self, file: impl io::Write) -> io::Result<()> {
        const HUGE: u32 = 1 << 24;
        let (width, height) = self.0.dimensions();
        let (compression, filter) = match width.saturating_mul(height) {
            ..HUGE => (CompressionType::Default, FilterType::Sub),
            _ => (CompressionType::Fast, FilterType::Adaptive),
        };
        PngEncoder::new_with_quality(file, compression, filter)
            .write_image(self.0.as_raw(), width, height, ExtendedColorType::Rgb8)
            .map_err(io::Error::other)
    }

    /// Makes a picture from one colour for each of its pixels.
    pub fn of_pixels(
        size: [usize; 2],
        colors: impl Iterator<Item = io::Result<Rgb<u8>>>,
    ) -> io::Result<Self> {
        let mut picture = Self::empty(size)?;
        picture.paint(size, size, colors)?;
        Ok(picture)
    }

    /// Makes a picture from the bytes of its pixels: red, green and blue of each.
    pub fn of_bytes([width, height]: [usize; 2], bytes: Vec<u8>) -> io::Result<Self> {
        let picture = RgbImage::from_vec(width as u32, height as u32, bytes);
        Ok(Self(picture.ok_or(io::ErrorKind::InvalidInput)?))
    }

    fn empty([width, height]: [usize; 2]) -> io::Result<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(3 * width * height)?;
        (0..width * height).for_each(|_| bytes.extend(NOTHING.0));
        Self::of_bytes([width, height], bytes)
    }

    /// Paints an image over the top left of the picture, enlarged by whole factors to `shown`
    /// pixels.
    fn paint(
        &mut self,
        [width, height]: [usize; 2],
        shown: [usize; 2],
        colors: impl Iterator<Item = io::Result<Rgb<u8>>>,
    ) -> io::Result<()> {
        let [across, down] = [shown[0] / width, shown[1] / height];
        for (pixel, color) in colors.enumerate() {
            let (color, left, top) = (color?, pixel % width * across, pixel / width * down);
            for y in top..top + down {
                (left..left + across).for_each(|x| self.0.put_pixel(x as u32, y as u32, color));
            }
        }
        Ok(())
    }

    /// Fills a rectangle, or what of it lies in the picture.
    fn fill(&mut self, [left, top]: [u32; 2], [width, height]: [u32; 2], color: Rgb<u8>) {
        for (y, x) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x))) {
            if let Some(pixel) = self.0.get_pixel_mut_checked(x, y) {
                *pixel = color;
            }
        }
    }

    /// Writes a line of text. A question mark stands for a letter that the font lacks.
    fn write_text(&mut self, [left, top]: [u32; 2], text: &str) {
        for (index, letter) in (0_u32..).zip(text.chars()) {
            let raster =
                get_raster(letter, FONT.0, FONT.1).or_else(|| get_raster('?', FONT.0, FONT.1));
            for (y, row) in (top..).zip(raster.iter().flat_map(|raster| raster.rows())) {
                for (x, &strength) in (left + text_width(index)..).zip(row.iter()) {
                    if let Some(pixel) = self.0.get_pixel_mut_checked(x, y) {
                        let mix = |from: u8, to: u8| {
                            let (from, to) = (f64::from(from), f64::from(to));
                            (from + f64::from(strength) / 255.0 * (to - from)).round() as u8
                        };
                        *pixel = Rgb([0, 1, 2].map(|c| mix(pixel[c], INK[c])));
                    }
                }
            }
        }
    }
}

/// Returns a shaded picture as the bytes of a PNG file.
///
/// # Errors
/// Those of the encoder.
pub fn png(shading: Shading<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let picture = Picture::of_bytes(shading.size(), shading.into_pixels().into_flattened())?;
    picture.write(&mut bytes)?;
    Ok(bytes)
}

/// The width of so many letters.
fn text_width(letters: u32) -> u32 {
    letters * get_raster_width(FONT.0, FONT.1) as u32
}
