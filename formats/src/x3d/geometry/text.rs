//! The Text (X3D 15.4.2) in the style of a FontStyle (15.4.1), as flat triangles in the plane z = 0
//! that face +z.

mod fields;
mod font;
mod layout;
mod outline;

pub(in crate::x3d) use fields::{FontStyle, Text};

use crate::mesh::Triangles;
use font::Font;
use outline::Figure;
use std::collections::hash_map::{Entry, HashMap};
use ttf_parser::GlyphId;

/// The largest number of characters of a text. A character of one byte becomes about a hundred
/// triangles.
const MAX_CHARACTERS: usize = 1 << 14;

impl Text {
    /// Returns its triangles. Letters are not kerned: only their widths determine their distances.
    ///
    /// # Errors
    /// Returns the reason if the text is too long, if its letters have no size, or if there is
    /// nothing to draw.
    pub fn triangles(&self) -> Result<Triangles, String> {
        let count: usize = self.strings.iter().map(|string| string.chars().count()).sum();
        if count > MAX_CHARACTERS {
            return Err(format!(
                "has {count} characters: at most {MAX_CHARACTERS} are allowed; split the text"
            ));
        }
        let size = self.font.size;
        if !(size > 0.0 && size.is_finite()) {
            return Err(format!("has letters of the size {size:?}: it must be above 0"));
        }
        let font = Font::bundled()?;
        let mut figures: HashMap<GlyphId, Figure> = HashMap::new();
        let mut text = Triangles { vertices: Vec::new(), triangles: Vec::new() };
        for letter in layout::letters(self, &font) {
            let figure = match figures.entry(letter.glyph) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(outline::fill(&font, letter.glyph)?),
            };
            let first = text.vertices.len() as u32;
            let place = |point: glam::DVec2| (letter.origin + letter.stretch * point).extend(0.0);
            text.vertices.extend(figure.points.iter().copied().map(place));
            let moved = |corners: &[u32; 3]| corners.map(|corner| first + corner);
            text.triangles.extend(figure.triangles.iter().map(moved));
        }
        match text.triangles.is_empty() {
            true => Err("has no letter to draw".to_owned()),
            false => Ok(text),
        }
    }
}

#[cfg(test)]
mod tests;
