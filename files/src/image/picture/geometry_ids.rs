//! The picture of geometries, each in its own colour, with the names of the largest.

use super::{MARGIN, NOTHING, Picture, TEXT_HEIGHT, text_width};
use crate::image::color;
use crate::image::spilled::SpilledImage;
use image::Rgb;
use raytwin::ray::NONE;
use raytwin::scene::Scene;
use std::collections::HashMap;
use std::io;

/// The distance from one line of the legend to the next.
const LINE_HEIGHT: u32 = TEXT_HEIGHT + 6;
/// The side of the square of colour before a name.
const SWATCH: u32 = 14;
/// The longest name that is shown whole, in letters.
const LONGEST: usize = 28;

/// Draws each geometry in its own colour, with a legend of the largest, in pixels, at the right.
pub(in crate::image) fn geometry_ids(
    image: &mut SpilledImage,
    scene: &Scene,
) -> io::Result<Picture> {
    let color = |id| match id {
        NONE => NOTHING,
        id => Rgb(color::of_id(id)),
    };
    let [width, height] = image.shown;
    let lines = (height as u32).saturating_sub(MARGIN) / LINE_HEIGHT;
    let legend: Vec<(u32, String)> = largest(image, lines as usize)?
        .into_iter()
        .map(|id| (id, shortened(&scene.path(id))))
        .collect();
    let letters = legend.iter().map(|(_, name)| name.chars().count()).max();
    let legend_width =
        letters.map_or(0, |letters| 3 * MARGIN + SWATCH + text_width(letters as u32));
    let mut sheet = Picture::empty([width + legend_width as usize, height])?;
    sheet.paint(image.size, image.shown, image.geometry_ids.entries()?.map(|id| id.map(color)))?;
    let left = width as u32 + MARGIN;
    for (line, (id, name)) in (0..).zip(&legend) {
        let top = MARGIN + line * LINE_HEIGHT;
        sheet.fill([left, top + 1], [SWATCH; 2], Rgb(color::of_id(*id)));
        sheet.write_text([left + SWATCH + MARGIN, top], name);
    }
    Ok(sheet)
}

/// The ids of the geometries with the most pixels, the largest first.
fn largest(image: &mut SpilledImage, count: usize) -> io::Result<Vec<u32>> {
    let mut pixels: HashMap<u32, usize> = HashMap::new();
    for id in image.geometry_ids.entries()? {
        *pixels.entry(id?).or_default() += 1;
    }
    pixels.remove(&NONE);
    let mut ids: Vec<u32> = pixels.keys().copied().collect();
    ids.sort_unstable_by_key(|id| (std::cmp::Reverse(pixels[id]), *id));
    ids.truncate(count);
    Ok(ids)
}

/// The last names of a path that is too long for the legend, because many share its beginning; or
/// the end of the last name.
fn shortened(path: &str) -> String {
    const ELLIPSIS: &str = "...";
    let letters = path.chars().count();
    if letters <= LONGEST {
        return path.to_owned();
    }
    let cut = letters - (LONGEST - ELLIPSIS.len());
    let end: String = path.chars().skip(cut).collect();
    let whole_names = end.find('/').map_or(&*end, |slash| &end[slash..]);
    format!("{ELLIPSIS}{whole_names}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_end() {
        assert_eq!(shortened("robot/arm"), "robot/arm");
        let whole = shortened(&format!("{}upper/élbow", "robot/".repeat(9)));
        assert_eq!(whole, ".../robot/robot/upper/élbow");
        let cut = shortened(&"é".repeat(99));
        assert_eq!(cut, format!("...{}", "é".repeat(LONGEST - 3)));
    }
}
