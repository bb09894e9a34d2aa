//! Pictures for eyes: false colours, not data.

use super::spilled::{SpilledArray, SpilledImage};
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

    /// Lays an image of that width over the top left.
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

/// Distances by colour, near is dark, with a legend of their range at the right.
pub(super) fn distance(image: &mut SpilledImage) -> io::Result<Picture> {
    let [near, far] = range(&mut image.distance)?;
    let span = f64::from(far) - f64::from(near);
    let color = |t: f32| {
        if !t.is_finite() {
            return NOTHING;
        }
        let part = if span > 0.0 { (f64::from(t) - f64::from(near)) / span } else { 0.0 };
        gradient(part)
    };
    let [width, height] = image.size;
    let mut sheet =
        Picture::empty([width + legend_width() as usize, height.max(8 * TEXT_HEIGHT as usize)])?;
    sheet.paint(width, image.distance.entries()?.map(|t| t.map(color)))?;
    draw_legend(&mut sheet.0, width as u32, near, far);
    Ok(sheet)
}

/// The least and the largest distance; the other way round where nothing was hit.
fn range(distances: &mut SpilledArray) -> io::Result<[f32; 2]> {
    distances.entries()?.try_fold([f32::INFINITY, f32::NEG_INFINITY], |[near, far], t| {
        let t: f32 = t?;
        Ok(if t.is_finite() { [near.min(t), far.max(t)] } else { [near, far] })
    })
}

/// A colour of its own for each geometry.
pub(super) fn geometry_ids(image: &mut SpilledImage) -> io::Result<Picture> {
    let color = |id| match id {
        NONE => NOTHING,
        id => color_of(id),
    };
    Picture::of_pixels(image.size, image.geometry_ids.entries()?.map(|id| id.map(color)))
}

/// Normals, each component from −1..1 to 0..255.
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

fn legend_width() -> u32 {
    3 * MARGIN + BAR_WIDTH + LABEL_LENGTH * get_raster_width(FONT.0, FONT.1) as u32
}

/// Draws a bar of colours and their distances, to the right of an image of that width.
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
        write_text(sheet, left + BAR_WIDTH + MARGIN / 2, y - TEXT_HEIGHT / 2, &label);
    }
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
