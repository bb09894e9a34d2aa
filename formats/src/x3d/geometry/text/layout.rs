//! Places the letters of a text.

use super::fields::{FontStyle, Text};
use super::font::Font;
use glam::DVec2;
use ttf_parser::GlyphId;

/// A glyph in its place.
pub(super) struct Letter {
    pub glyph: GlyphId,
    /// The place of the glyph's own origin, on the baseline.
    pub origin: DVec2,
    /// The size of an em along x and y.
    pub stretch: DVec2,
}

/// Returns the letters of a text, line after line.
pub(super) fn letters(text: &Text, font: &Font) -> Vec<Letter> {
    let style = &text.font;
    let setter = Setter { style, font, ascent: font.ascent * style.size };
    let glyphs = |string: &String| string.chars().map(|c| font.glyph(c)).collect();
    let lines: Vec<Vec<GlyphId>> = text.strings.iter().map(glyphs).collect();
    let natural: Vec<f64> = lines.iter().map(|line| setter.length(line)).collect();
    let wanted = |index: usize| {
        let length = text.lengths.get(index).copied().unwrap_or(0.0);
        if length > 0.0 { length } else { natural[index] }
    };
    let longest = (0..lines.len()).map(wanted).fold(0.0, f64::max);
    let is_compressed = text.max_extent > 0.0 && longest > text.max_extent;
    let compression = if is_compressed { text.max_extent / longest } else { 1.0 };
    let across = setter.across(lines.len());
    let line = |(index, line): (usize, &Vec<GlyphId>)| {
        let stretch = match natural[index] > 0.0 {
            true => compression * wanted(index) / natural[index],
            false => 1.0,
        };
        setter.line(line, stretch, across + index as f64 * setter.step())
    };
    lines.iter().enumerate().flat_map(line).collect()
}

/// The alignment of a line or of all lines.
#[derive(Clone, Copy, PartialEq)]
enum Justify {
    First,
    Begin,
    Middle,
    End,
}

impl FontStyle {
    /// Returns the alignment along lines (0) or across them (1). The default across them is their
    /// first line, and an unknown word counts as no alignment.
    fn justified(&self, index: usize) -> Justify {
        match (self.justify.get(index).map(String::as_str), index) {
            (Some("BEGIN"), _) => Justify::Begin,
            (Some("MIDDLE"), _) => Justify::Middle,
            (Some("END"), _) => Justify::End,
            _ => Justify::First,
        }
    }
}

/// Sets lines in a style. Positions along and across lines grow in their order.
struct Setter<'a> {
    style: &'a FontStyle,
    font: &'a Font,
    /// The height of a line above its baseline.
    ascent: f64,
}

impl Setter<'_> {
    /// The length of one glyph along its line. In a column each has the height of a line.
    fn advance(&self, glyph: GlyphId) -> f64 {
        match self.style.horizontal {
            true => self.style.size * self.font.width(glyph),
            false => self.style.size,
        }
    }

    fn length(&self, line: &[GlyphId]) -> f64 {
        line.iter().map(|&glyph| self.advance(glyph)).sum()
    }

    /// The distance from a line to the next.
    fn step(&self) -> f64 {
        self.style.size * self.style.spacing
    }

    /// The position of the first line's baseline, or of the first column's edge, across the lines.
    fn across(&self, line_count: usize) -> f64 {
        let size = self.style.size;
        let to_last = line_count.saturating_sub(1) as f64 * self.step();
        // The reach of a line before its baseline in the order of lines.
        let before = match (self.style.horizontal, self.style.top_to_bottom) {
            (true, true) => self.ascent,
            (true, false) => size - self.ascent,
            (false, _) => 0.0,
        };
        let begin = before;
        let end = before - size - to_last;
        match self.style.justified(1) {
            Justify::First => 0.0,
            Justify::Begin => begin,
            Justify::Middle => 0.5 * (begin + end),
            Justify::End => end,
        }
    }

    fn line(&self, line: &[GlyphId], stretch: f64, across: f64) -> Vec<Letter> {
        let length = stretch * self.length(line);
        let mut along = match self.style.justified(0) {
            Justify::First | Justify::Begin => 0.0,
            Justify::Middle => -0.5 * length,
            Justify::End => -length,
        };
        let letter = |&glyph: &GlyphId| {
            let advance = stretch * self.advance(glyph);
            let start = along;
            along += advance;
            let [origin, stretch] = match self.style.horizontal {
                true => self.in_line([start, start + advance], across, stretch),
                false => self.in_column([start, start + advance], across, stretch, glyph),
            };
            Letter { glyph, origin, stretch: self.style.size * stretch }
        };
        line.iter().map(letter).collect()
    }

    fn in_line(&self, [start, end]: [f64; 2], across: f64, stretch: f64) -> [DVec2; 2] {
        let x = if self.style.left_to_right { start } else { -end };
        let y = if self.style.top_to_bottom { -across } else { across };
        [DVec2::new(x, y), DVec2::new(stretch, 1.0)]
    }

    /// The place of a glyph in a column, which is as wide as a line is high: in its middle.
    fn in_column(
        &self,
        [start, end]: [f64; 2],
        across: f64,
        stretch: f64,
        glyph: GlyphId,
    ) -> [DVec2; 2] {
        let size = self.style.size;
        let left = if self.style.left_to_right { across } else { -across - size };
        let top = if self.style.top_to_bottom { -start } else { end };
        let aside = 0.5 * size * (1.0 - self.font.width(glyph));
        [DVec2::new(left + aside, top - stretch * self.ascent), DVec2::new(1.0, stretch)]
    }
}
