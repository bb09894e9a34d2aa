//! Pictures for eyes: false colours, not data.

use super::Image;
use crate::ray::NONE;
use image::{ImageFormat, Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use std::io;

/// Where nothing was hit.
const NOTHING: Rgb<u8> = Rgb([24, 26, 32]);
const INK: Rgb<u8> = Rgb([225, 225, 225]);

/// An RGB picture, ready to be written.
pub(crate) struct Picture(RgbImage);

impl Picture {
    /// As PNG.
    pub fn write(&self, file: impl io::Write + io::Seek) -> io::Result<()> {
        let mut file = file;
        self.0.write_to(&mut file, ImageFormat::Png).map_err(io::Error::other)
    }

    /// One colour for each pixel of a view.
    pub fn by_pixel(width: u32, height: u32, color: impl Fn(usize) -> Rgb<u8>) -> Self {
        Self(RgbImage::from_fn(width, height, |x, y| {
            color(y as usize * width as usize + x as usize)
        }))
    }
}

/// Distances by colour, near is dark, with a legend of their range at the right.
pub(super) fn distance(image: &Image) -> Picture {
    let seen = image.distance().iter().copied().filter(|t| t.is_finite());
    let (near, far) =
        seen.fold((f32::INFINITY, f32::NEG_INFINITY), |(near, far), t| (near.min(t), far.max(t)));
    let span = f64::from(far) - f64::from(near);
    let plain = Picture::by_pixel(image.width, image.height, |pixel| {
        let t = image.distance()[pixel];
        if !t.is_finite() {
            return NOTHING;
        }
        let part = if span > 0.0 { (f64::from(t) - f64::from(near)) / span } else { 0.0 };
        gradient(part)
    });
    with_legend(plain.0, near, far)
}

/// A colour of its own for each geometry.
pub(super) fn geometry_ids(image: &Image) -> Picture {
    Picture::by_pixel(image.width, image.height, |pixel| match image.hits.geometry_ids[pixel] {
        NONE => NOTHING,
        id => color_of(id),
    })
}

/// Normals, each component from −1..1 to 0..255.
pub(super) fn normals(image: &Image) -> Picture {
    Picture::by_pixel(image.width, image.height, |pixel| {
        if image.hits.geometry_ids[pixel] == NONE {
            return NOTHING;
        }
        Rgb(image.hits.primitive_normals[pixel].map(|n| (127.5 * (n + 1.0)).round() as u8))
    })
}

fn gradient(part: f64) -> Rgb<u8> {
    let color = colorous::PLASMA.eval_continuous(part.clamp(0.0, 1.0));
    Rgb([color.r, color.g, color.b])
}

/// Neighbouring ids are far apart on the colour circle: by the golden ratio.
fn color_of(id: u32) -> Rgb<u8> {
    let turn = (f64::from(id) * 0.618_033_988_749_895).fract();
    let color = colorous::RAINBOW.eval_continuous(turn);
    Rgb([color.r, color.g, color.b])
}

const FONT: (FontWeight, RasterHeight) = (FontWeight::Regular, RasterHeight::Size16);
const TEXT_HEIGHT: u32 = 16;
const MARGIN: u32 = 12;
const BAR_WIDTH: u32 = 18;
const LABEL_LENGTH: u32 = 9;

/// The picture with a bar of colours and their distances at its right.
fn with_legend(plain: RgbImage, near: f32, far: f32) -> Picture {
    let text_width = get_raster_width(FONT.0, FONT.1) as u32;
    let legend_width = 3 * MARGIN + BAR_WIDTH + LABEL_LENGTH * text_width;
    let height = plain.height().max(8 * TEXT_HEIGHT);
    let mut sheet = RgbImage::from_pixel(plain.width() + legend_width, height, NOTHING);
    image::imageops::replace(&mut sheet, &plain, 0, 0);

    let left = plain.width() + MARGIN;
    write_text(&mut sheet, left, MARGIN / 2, "distance");
    if near > far {
        write_text(&mut sheet, left, 3 * TEXT_HEIGHT, "no hit");
        return Picture(sheet);
    }
    let top = MARGIN + 2 * TEXT_HEIGHT;
    let length = height - top - MARGIN - TEXT_HEIGHT;
    for y in 0..length {
        let part = f64::from(y) / f64::from(length - 1);
        for x in 0..BAR_WIDTH {
            sheet.put_pixel(left + x, top + y, gradient(part));
        }
    }
    let ticks = if length > 10 * TEXT_HEIGHT { 4 } else { 2 };
    for tick in 0..=ticks {
        let part = f64::from(tick) / f64::from(ticks);
        let value = f64::from(near) + part * (f64::from(far) - f64::from(near));
        let y = top + (part * f64::from(length - 1)).round() as u32;
        let label = readable(value);
        write_text(&mut sheet, left + BAR_WIDTH + MARGIN / 2, y - TEXT_HEIGHT / 2, &label);
    }
    Picture(sheet)
}

/// A number in at most [`LABEL_LENGTH`] characters.
fn readable(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let digits = 4_usize.saturating_sub(value.abs().max(1.0).log10() as usize);
        return format!("{value:.digits$}");
    }
    format!("{value:.2e}")
}

fn write_text(sheet: &mut RgbImage, left: u32, top: u32, text: &str) {
    let advance = get_raster_width(FONT.0, FONT.1) as u32;
    for (place, letter) in (0_u32..).zip(text.chars()) {
        let Some(raster) = get_raster(letter, FONT.0, FONT.1) else {
            continue;
        };
        for (y, row) in (0_u32..).zip(raster.rows()) {
            for (x, &strength) in (0_u32..).zip(row.iter()) {
                let at = (left + place * advance + x, top + y);
                if let Some(pixel) = sheet.get_pixel_mut_checked(at.0, at.1) {
                    let mix = |from: u8, to: u8| {
                        let (from, to, part) =
                            (f64::from(from), f64::from(to), f64::from(strength) / 255.0);
                        (from + part * (to - from)).round() as u8
                    };
                    *pixel = Rgb([0, 1, 2].map(|c| mix(pixel[c], INK[c])));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fit_their_place() {
        for value in [0.0, 1.0, 0.001, 12.345_678, 999_999.9, 1e-9, 123_456.7, 1.5e30, 9.9999e-4] {
            let label = readable(value);
            assert!(label.len() <= LABEL_LENGTH as usize, "{label}");
        }
        assert_eq!(readable(12.345_678), "12.346");
    }
}
