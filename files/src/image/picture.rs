//! Pictures for people: a canvas for pixels and text.

mod distance;
mod ids;
mod names;
mod normals;

pub use distance::DistanceRange;
pub(super) use distance::distance;
pub(super) use ids::{geometry_ids, label_ids};
pub(super) use names::{PlacedText, short_names};
pub(super) use normals::normals;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use noto_sans_mono_bitmap::{
    FontWeight, RasterHeight, RasterizedChar, get_raster, get_raster_width,
};
use raytwin::image::{Background, Shading};
use std::io;

/// The colour of a pixel whose ray hit nothing, if the picture has its own background.
const NOTHING: [u8; 3] = [24, 26, 32];
/// The colours of text on a dark background, on a light one, and on an unknown one.
const LIGHT_INK: [u8; 3] = [225; 3];
const DARK_INK: [u8; 3] = [40; 3];
const MIDDLE_INK: [u8; 3] = [128; 3];

const FONT: (FontWeight, RasterHeight) = (FontWeight::Regular, RasterHeight::Size16);
const TEXT_HEIGHT: u32 = 16;
const MARGIN: u32 = 12;

/// A picture in colours, ready to be written. If its background is transparent, its pixels have a
/// fourth byte for their opacity.
pub(crate) struct Picture {
    size: [u32; 2],
    channels: usize,
    bytes: Vec<u8>,
    ink: [u8; 3],
}

impl Picture {
    /// Writes the picture as PNG. Unless the picture is huge, it is compressed with an effort that
    /// makes the file of a shaded picture a third as large.
    pub fn write(&self, file: impl io::Write) -> io::Result<()> {
        const HUGE: u32 = 1 << 24;
        let [width, height] = self.size;
        let (compression, filter) = match width.saturating_mul(height) {
            ..HUGE => (CompressionType::Default, FilterType::Sub),
            _ => (CompressionType::Fast, FilterType::Adaptive),
        };
        let color = match self.channels {
            4 => ExtendedColorType::Rgba8,
            _ => ExtendedColorType::Rgb8,
        };
        PngEncoder::new_with_quality(file, compression, filter)
            .write_image(&self.bytes, width, height, color)
            .map_err(io::Error::other)
    }

    /// Makes a picture from the bytes of its pixels: red, green and blue of each.
    pub fn of_bytes([width, height]: [usize; 2], bytes: Vec<u8>) -> io::Result<Self> {
        if bytes.len() != 3 * width * height {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Self { size: [width as u32, height as u32], channels: 3, bytes, ink: LIGHT_INK })
    }

    pub fn of_shading(shading: Shading<'_>) -> io::Result<Self> {
        let size = shading.size();
        let (pixels, alpha) = shading.into_pixels_with_alpha();
        let Some(alpha) = alpha else {
            return Self::of_bytes(size, pixels.into_flattened());
        };
        let mut picture = Self::empty(size, Background::Transparent)?;
        let places = picture.bytes.as_chunks_mut::<4>().0.iter_mut();
        for (place, ([red, green, blue], alpha)) in places.zip(pixels.into_iter().zip(alpha)) {
            *place = [red, green, blue, alpha];
        }
        Ok(picture)
    }

    /// Makes a picture that has only a background.
    fn empty([width, height]: [usize; 2], background: Background) -> io::Result<Self> {
        let (pixel, ink) = match background {
            Background::Own => (&NOTHING[..], LIGHT_INK),
            Background::Color(ref color) => {
                let [red, green, blue] = color.map(u32::from);
                let is_light = 2 * red + 5 * green + blue > 8 * 128;
                (&color[..], if is_light { DARK_INK } else { LIGHT_INK })
            }
            Background::Transparent => (&[0; 4][..], MIDDLE_INK),
        };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(pixel.len() * width * height)?;
        (0..width * height).for_each(|_| bytes.extend_from_slice(pixel));
        Ok(Self { size: [width as u32, height as u32], channels: pixel.len(), bytes, ink })
    }

    fn height(&self) -> u32 {
        self.size[1]
    }

    /// Returns the bytes of a pixel if it is in the picture.
    fn pixel_mut(&mut self, x: u32, y: u32) -> Option<&mut [u8]> {
        let [width, height] = self.size;
        let index = y as usize * width as usize + x as usize;
        (x < width && y < height).then(|| &mut self.bytes[self.channels * index..][..self.channels])
    }

    /// Paints an image over the top left of the picture, enlarged by whole factors to `shown`
    /// pixels. The background stays if there is no colour.
    fn paint(
        &mut self,
        [width, height]: [usize; 2],
        shown: [usize; 2],
        colors: impl Iterator<Item = io::Result<Option<[u8; 3]>>>,
    ) -> io::Result<()> {
        let [across, down] = [shown[0] / width, shown[1] / height];
        for (pixel, color) in colors.enumerate() {
            let (left, top) = (pixel % width * across, pixel / width * down);
            if let Some(color) = color? {
                self.fill(
                    [left, top].map(|at| at as u32),
                    [across, down].map(|it| it as u32),
                    color,
                );
            }
        }
        Ok(())
    }

    /// Fills the part of a rectangle that is in the picture.
    fn fill(&mut self, [left, top]: [u32; 2], [width, height]: [u32; 2], color: [u8; 3]) {
        for (y, x) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x))) {
            if let Some(pixel) = self.pixel_mut(x, y) {
                pixel[..3].copy_from_slice(&color);
                pixel[3..].fill(255);
            }
        }
    }

    fn write_text(&mut self, [left, top]: [u32; 2], text: &str) {
        self.write_letters([left, top].map(i64::from), &letters(text, FONT.0, FONT.1), self.ink);
    }

    /// Writes the parts of letters that are in the picture.
    fn write_letters(
        &mut self,
        [mut left, top]: [i64; 2],
        letters: &[RasterizedChar],
        ink: [u8; 3],
    ) {
        for letter in letters {
            for (y, row) in (top..).zip(letter.rows()) {
                for (x, &strength) in (left..).zip(row.iter()) {
                    if let (Ok(x), Ok(y)) = (x.try_into(), y.try_into()) {
                        self.blend([x, y], ink, strength);
                    }
                }
            }
            left += letter.width() as i64;
        }
    }

    /// Blends a pixel with an ink of a strength from 0 to 255, if it is in the picture.
    fn blend(&mut self, [x, y]: [u32; 2], ink: [u8; 3], strength: u8) {
        let Some(pixel) = self.pixel_mut(x, y) else { return };
        if let [red, green, blue, alpha @ 0] = pixel {
            ([*red, *green, *blue], *alpha) = (ink, strength);
            return;
        }
        let share = f64::from(strength) / 255.0;
        let toward = |from: &mut u8, to: u8| {
            let before = f64::from(*from);
            *from = (before + share * (f64::from(to) - before)).round() as u8;
        };
        pixel.iter_mut().zip(ink).for_each(|(from, to)| toward(from, to));
        // A pixel that is half transparent becomes as opaque as the ink on it.
        pixel[3..].iter_mut().for_each(|alpha| toward(alpha, 255));
    }
}

/// Returns a picture as the bytes of a PNG file, given red, green and blue of each pixel.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for a wrong number of bytes, and the errors of the encoder.
pub fn png_of_rgb(size: [usize; 2], rgb: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Picture::of_bytes(size, rgb)?.write(&mut bytes)?;
    Ok(bytes)
}

/// Returns a shaded picture as the bytes of a PNG file.
///
/// # Errors
/// The errors of the encoder.
pub fn png(shading: Shading<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Picture::of_shading(shading)?.write(&mut bytes)?;
    Ok(bytes)
}

/// The letters of a text. A question mark stands for one that the font lacks.
fn letters(text: &str, weight: FontWeight, height: RasterHeight) -> Vec<RasterizedChar> {
    let raster = |letter| get_raster(letter, weight, height);
    text.chars().filter_map(|letter| raster(letter).or_else(|| raster('?'))).collect()
}

fn text_width(letters: u32) -> u32 {
    letters * get_raster_width(FONT.0, FONT.1) as u32
}
