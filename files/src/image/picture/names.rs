//! The names of shapes, written over a picture of them.

use super::{DARK_INK, Picture, letters};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, RasterizedChar};
use std::collections::HashMap;

/// The background around letters, which keeps them legible everywhere.
const HALO: [u8; 3] = [255; 3];

/// A text, and the point in the picture at its centre.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::image) struct PlacedText {
    pub text: String,
    pub middle: [f64; 2],
}

/// The rectangle of a text: its left, right, top and bottom.
type Area = [i64; 4];

impl Picture {
    /// Writes the texts that do not overlap an earlier one. Returns how many were written.
    pub(in crate::image) fn write_names(&mut self, names: &[PlacedText]) -> usize {
        let font = font(self.height());
        let mut taken: Vec<Area> = Vec::new();
        for name in names {
            let letters = letters(&name.text, FontWeight::Bold, font);
            let area = self.area(&letters, name.middle);
            let is_apart = |[left, right, top, bottom]: &Area| {
                area[1] <= *left || *right <= area[0] || area[3] <= *top || *bottom <= area[2]
            };
            if !letters.is_empty() && taken.iter().all(is_apart) {
                self.write_over(&letters, area);
                taken.push(area);
            }
        }
        taken.len()
    }

    /// The rectangle of letters around a point, moved into the picture if possible.
    fn area(&self, letters: &[RasterizedChar], middle: [f64; 2]) -> Area {
        let width: usize = letters.iter().map(RasterizedChar::width).sum();
        let height = letters.first().map_or(0, RasterizedChar::height);
        let begin = |axis: usize, length: usize| {
            let length = length as f64;
            let most = f64::from(self.size[axis]) - length;
            (middle[axis] - 0.5 * length).min(most).max(0.0).round() as i64
        };
        let [left, top] = [begin(0, width), begin(1, height)];
        [left, left + width as i64, top, top + height as i64]
    }

    /// Writes letters into a rectangle: first a halo of a pixel around each, then the letters.
    fn write_over(&mut self, letters: &[RasterizedChar], [left, _, top, _]: Area) {
        let around = (-1..=1).flat_map(|y| (-1..=1).map(move |x| [x, y]));
        let layers = around.map(|offset| (offset, HALO)).chain([([0, 0], DARK_INK)]);
        for ([aside, down], ink) in layers {
            self.write_letters([left + aside, top + down], letters, ink);
        }
    }
}

fn font(height: u32) -> RasterHeight {
    match height {
        ..800 => RasterHeight::Size16,
        800..1600 => RasterHeight::Size24,
        _ => RasterHeight::Size32,
    }
}

/// Returns the last names of each path that distinguish it from the others: `N1` for `A/CFF1/N1`,
/// or `ALA2/CA` if another residue also has a `CA`.
pub(in crate::image) fn short_names(paths: &[String]) -> Vec<&str> {
    let mut short = vec![""; paths.len()];
    let mut open: Vec<usize> = (0..paths.len()).collect();
    for parts in 1.. {
        let end = |index: usize| -> &str {
            let path: &str = &paths[index];
            path.rmatch_indices('/').nth(parts - 1).map_or(path, |(at, _)| &path[at + 1..])
        };
        let mut counts: HashMap<&str, usize> = HashMap::new();
        open.iter().for_each(|&index| *counts.entry(end(index)).or_default() += 1);
        open.iter().for_each(|&index| short[index] = end(index));
        // Equal paths stay equal.
        open.retain(|&index| counts[end(index)] > 1 && end(index).len() < paths[index].len());
        if open.is_empty() {
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::image::Background;

    #[test]
    fn a_name_is_as_much_of_a_path_as_tells_it_apart() {
        let paths = ["A/CFF1/N1", "A/ALA2/CA", "A/ALA3/CA", "B/ALA3/CA", "X", "X", ""];
        let paths = paths.map(str::to_owned);
        let short = ["N1", "ALA2/CA", "A/ALA3/CA", "B/ALA3/CA", "X", "X", ""];
        assert_eq!(short_names(&paths), short);
    }

    #[test]
    fn names_are_written_at_their_places_and_none_over_another() {
        let mut picture = Picture::empty([120, 60], Background::Transparent).unwrap();
        let name = |text: &str, middle| PlacedText { text: text.to_owned(), middle };
        let names = [
            name("N1", [60.0, 30.0]),
            name("C2", [64.0, 34.0]),
            name("O3", [0.0, 0.0]),
            name("", [100.0, 50.0]),
        ];
        assert_eq!(picture.write_names(&names), 2);
        let alpha = |x: usize, y: usize| picture.bytes[4 * (120 * y + x) + 3];
        let inked = |columns: std::ops::Range<usize>, rows: std::ops::Range<usize>| {
            rows.flat_map(|y| columns.clone().map(move |x| (x, y)))
                .filter(|&(x, y)| alpha(x, y) > 0)
                .count()
        };
        assert!(inked(50..71, 20..41) > 60);
        assert!(inked(0..18, 0..18) > 60);
        assert_eq!(inked(0..120, 0..60), inked(50..71, 20..41) + inked(0..18, 0..18));
        let darkest = picture.bytes.as_chunks::<4>().0.iter().filter(|it| it[3] > 0);
        assert_eq!(darkest.clone().map(|it| it[0]).min(), Some(DARK_INK[0]));
        assert_eq!(darkest.map(|it| it[0]).max(), Some(HALO[0]));
    }
}
