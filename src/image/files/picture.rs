//! Draws an image in false colours, for people to look at; the data is in the other files.

use super::spilled::{SpilledArray, SpilledImage};
use crate::ray::NONE;
use image::{ImageFormat, Rgb, RgbImage};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use std::io;

/// The colour of a pixel whose ray hit nothing.
const NOTHING: Rgb<u8> = Rgb([24, 26, 32]);
const INK: Rgb<u8> = Rgb([225, 225, 225]);

/// An RGB picture, ready to be written.
pub(crate) struct Picture(RgbImage);

impl Picture {
    /// Writes the picture as PNG.
    pub fn write(&self, file: impl io::Write + io::Seek) -> io::Result<()> {
        let mut file = file;
        self.0.write_to(&mut file, ImageFormat::Png).map_err(io::Error::other)
    }

    /// Makes a picture from one colour for each pixel of a view.
    pub fn of_pixels(
        size: [usize; 2],
        colors: impl Iterator<Item = io::Result<Rgb<u8>>>,
    ) -> io::Result<Self> {
        let mut picture = Self::empty(size)?;
        picture.paint(size[0], colors)?;
        Ok(picture)
    }

    fn empty([width, height]: [usize; 2]) -> io::Result<Self> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(3 * width * height)?;
        (0..width * height).for_each(|_| bytes.extend(NOTHING.0));
        let picture = RgbImage::from_vec(width as u32, height as u32, bytes);
        Ok(Self(picture.ok_or(io::ErrorKind::InvalidInput)?))
    }

    /// Paints an image of this width over the top left of the picture.
    fn paint(
        &mut self,
        width: usize,
        colors: impl Iterator<Item = io::Result<Rgb<u8>>>,
    ) -> io::Result<()> {
        for (pixel, color) in colors.enumerate() {
            self.0.put_pixel((pixel % width) as u32, (pixel / width) as u32, color?);
        }
        Ok(())
    }
}

/// Draws distances by colour, the near ones dark, with a legend of their range at the right.
pub(super) fn distance(image: &mut SpilledImage) -> io::Result<Picture> {
    let [near, far] = range(&mut image.distance)?;
    let span = f64::from(far) - f64::from(near);
    let color = |t: f32| {
        if !t.is_finite() {
            return NOTHING;
        }
        let fraction = if span > 0.0 { (f64::from(t) - f64::from(near)) / span } else { 0.0 };
        gradient(fraction)
    };
    let [width, height] = image.size;
    let mut sheet =
        Picture::empty([width + legend_width() as usize, height.max(8 * TEXT_HEIGHT as usize)])?;
    sheet.paint(width, image.distance.entries()?.map(|t| t.map(color)))?;
    draw_legend(&mut sheet.0, width as u32, near, far);
    Ok(sheet)
}

/// The least and the largest distance; +∞ and −∞ if nothing was hit.
fn range(distances: &mut SpilledArray) -> io::Result<[f32; 2]> {
    distances.entries()?.try_fold([f32::INFINITY, f32::NEG_INFINITY], |[near, far], t| {
        let t: f32 = t?;
        Ok(if t.is_finite() { [near.min(t), far.max(t)] } else { [near, far] })
    })
}

/// Draws each geometry in its own colour.
pub(super) fn geometry_ids(image: &mut SpilledImage) -> io::Result<Picture> {
    let color = |id| match id {
        NONE => NOTHING,
        id => color_of(id),
    };
    Picture::of_pixels(image.size, image.geometry_ids.entries()?.map(|id| id.map(color)))
}

/// Draws normals by colour: each component from −1..1 becomes 0..255.
pub(super) fn normals(image: &mut SpilledImage) -> io::Result<Picture> {
    let color = |(id, normal): (io::Result<u32>, io::Result<[f32; 3]>)| {
        let (id, normal) = (id?, normal?);
        if id == NONE {
            return Ok(NOTHING);
        }
        Ok(Rgb(normal.map(|n| (127.5 * (n + 1.0)).round() as u8)))
    };
    let pixels = image.geometry_ids.entries()?.zip(image.normals.entries()?);
    Picture::of_pixels(image.size, pixels.map(color))
}

fn gradient(fraction: f64) -> Rgb<u8> {
    let color = colorous::PLASMA.eval_continuous(fraction.clamp(0.0, 1.0));
    Rgb([color.r, color.g, color.b])
}

/// The colour of an id. Steps of the golden ratio put neighbouring ids far apart on the colour circle.
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

fn legend_width() -> u32 {
    3 * MARGIN + BAR_WIDTH + LABEL_LENGTH * get_raster_width(FONT.0, FONT.1) as u32
}

/// Draws a bar of colours with their distances, to the right of an image of this width.
fn draw_legend(sheet: &mut RgbImage, width: u32, near: f32, far: f32) {
    let height = sheet.height();
    let left = width + MARGIN;
    write_text(sheet, left, MARGIN / 2, "distance");
    if near > far {
        return write_text(sheet, left, 3 * TEXT_HEIGHT, "no hit");
    }
    let top = MARGIN + 2 * TEXT_HEIGHT;
    let length = height - top - MARGIN - TEXT_HEIGHT;
    for y in 0..length {
        let fraction = f64::from(y) / f64::from(length - 1);
        for x in 0..BAR_WIDTH {
            sheet.put_pixel(left + x, top + y, gradient(fraction));
        }
    }
    let ticks = if length > 10 * TEXT_HEIGHT { 4 } else { 2 };
    for tick in 0..=ticks {
        let fraction = f64::from(tick) / f64::from(ticks);
        let value = f64::from(near) + fraction * (f64::from(far) - f64::from(near));
        let y = top + (fraction * f64::from(length - 1)).round() as u32;
        let label = readable(value);
        write_text(sheet, left + BAR_WIDTH + MARGIN / 2, y - TEXT_HEIGHT / 2, &label);
    }
}

/// Formats a number in at most [`LABEL_LENGTH`] characters.
fn readable(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        let digits = 4_usize.saturating_sub(value.abs().max(1.0).log10() as usize);
        return format!("{value:.digits$}");
    }
    format!("{value:.2e}")
}

fn write_text(sheet: &mut RgbImage, left: u32, top: u32, text: &str) {
    let advance = get_raster_width(FONT.0, FONT.1) as u32;
    for (index, letter) in (0_u32..).zip(text.chars()) {
        let Some(raster) = get_raster(letter, FONT.0, FONT.1) else {
            continue;
        };
        for (y, row) in (0_u32..).zip(raster.rows()) {
            for (x, &strength) in (0_u32..).zip(row.iter()) {
                let (x, y) = (left + index * advance + x, top + y);
                if let Some(pixel) = sheet.get_pixel_mut_checked(x, y) {
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
