//! The font of all texts, whose origin is described in `font/README.md`.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The glyphs of the font, with their widths. Lengths are shares of the em.
pub(super) struct Font {
    face: Face<'static>,
    /// The number of font units in an em.
    pub units_per_em: f64,
    /// The share of a line's height that lies above its baseline.
    pub ascent: f64,
}

impl Font {
    /// Returns the font in the library.
    ///
    /// # Errors
    /// Returns the reason if the font is damaged.
    pub fn bundled() -> Result<Self, String> {
        let bytes = include_bytes!("font/Roboto-Regular-subset.ttf");
        let face = Face::parse(bytes, 0).map_err(|error| format!("has no font: {error}"))?;
        let [ascent, descent] = [face.ascender(), face.descender()].map(f64::from);
        Ok(Self {
            units_per_em: face.units_per_em().into(),
            // A font's descent is below 0.
            ascent: ascent / (ascent - descent),
            face,
        })
    }

    /// Returns the glyph of a character, which is a box if the font has none. A control character,
    /// such as a tabulator, is a space.
    pub fn glyph(&self, character: char) -> GlyphId {
        let shown = if character.is_control() { ' ' } else { character };
        self.face.glyph_index(shown).unwrap_or(GlyphId(0))
    }

    /// Returns the distance from the start of this glyph to the next.
    pub fn width(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or_default()) / self.units_per_em
    }

    /// Draws the outline of a glyph in font units; a space has none.
    pub fn draw(&self, glyph: GlyphId, pen: &mut dyn OutlineBuilder) {
        self.face.outline_glyph(glyph, pen);
    }
}
