//! Pictures of geometries with a colour for each geometry or group, and the names of the largest.

use super::{MARGIN, Picture, TEXT_HEIGHT, text_width};
use crate::answers::{HitGroups, label_name};
use crate::image::color;
use crate::image::mapped_ids::mapped;
use crate::image::spilled::SpilledImage;
use raytwin::image::Background;
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

/// Draws each geometry in its own colour, or each group of geometries in the colour of its first
/// one. `ids` are all geometries that some pixel shows.
pub(in crate::image) fn geometry_ids(
    image: &mut SpilledImage,
    scene: &Scene,
    seen: impl Iterator<Item = u32>,
    groups: Option<&HitGroups>,
    background: Background,
) -> io::Result<Picture> {
    let Some(groups) = groups else {
        return picture(image, background, |id| id, color::of_id, |id| scene.path(id));
    };
    let mut firsts: HashMap<String, u32> = HashMap::new();
    let first = |id: u32| (id, *firsts.entry(groups.name_of(scene, id)).or_insert(id));
    let first_of: HashMap<u32, u32> = seen.map(first).collect();
    picture(image, background, |id| first_of[&id], color::of_id, |id| groups.name_of(scene, id))
}

pub(in crate::image) fn label_ids(
    image: &mut SpilledImage,
    scene: &Scene,
    background: Background,
) -> io::Result<Picture> {
    let label = |id: u32| u32::from(scene.label(id));
    let color = |label| color::of_number(label as i32);
    picture(image, background, label, color, |label| label_name(scene, label as u16))
}

/// Draws a number of each geometry in the colour of that number, with a legend at the right for the
/// numbers with the most pixels.
fn picture(
    image: &mut SpilledImage,
    background: Background,
    number: impl Fn(u32) -> u32,
    color: impl Fn(u32) -> [u8; 3],
    name: impl Fn(u32) -> String,
) -> io::Result<Picture> {
    let [width, height] = image.shown;
    let lines = (height as u32).saturating_sub(MARGIN) / LINE_HEIGHT;
    let legend: Vec<(u32, String)> = largest(image, &number, lines as usize)?
        .into_iter()
        .map(|number| (number, shortened(&name(number))))
        .collect();
    let letters = legend.iter().map(|(_, name)| name.chars().count()).max();
    let legend_width =
        letters.map_or(0, |letters| 3 * MARGIN + SWATCH + text_width(letters as u32));
    let mut sheet = Picture::empty([width + legend_width as usize, height], background)?;
    let colors = mapped(image.geometry_ids.entries()?, None, |id| Some(color(number(id))));
    sheet.paint(image.size, image.shown, colors)?;
    let left = width as u32 + MARGIN;
    for (line, (number, name)) in (0..).zip(&legend) {
        let top = MARGIN + line * LINE_HEIGHT;
        sheet.fill([left, top + 1], [SWATCH; 2], color(*number));
        sheet.write_text([left + SWATCH + MARGIN, top], name);
    }
    Ok(sheet)
}

/// The numbers of geometries with the most pixels, the largest first.
fn largest(
    image: &mut SpilledImage,
    number: impl Fn(u32) -> u32,
    count: usize,
) -> io::Result<Vec<u32>> {
    let mut of_ids: HashMap<u32, usize> = HashMap::new();
    for id in image.geometry_ids.entries()? {
        *of_ids.entry(id?).or_default() += 1;
    }
    of_ids.remove(&NONE);
    let mut pixels: HashMap<u32, usize> = HashMap::new();
    for (id, count) in of_ids {
        *pixels.entry(number(id)).or_default() += count;
    }
    let mut numbers: Vec<u32> = pixels.keys().copied().collect();
    numbers.sort_unstable_by_key(|number| (std::cmp::Reverse(pixels[number]), *number));
    numbers.truncate(count);
    Ok(numbers)
}

/// The last names of a path that is too long for the legend, because many paths share their
/// beginning; or the end of the last name.
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
