//! The font of all texts, whose origin is told in `font/README.md`.

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::outline::{DrawSettings, OutlineGlyphCollection, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// The glyphs of the font, with their widths. Lengths are shares of the em.
pub(super) struct Font {
    charmap: Charmap<'static>,
    outlines: OutlineGlyphCollection<'static>,
    widths: GlyphMetrics<'static>,
    /// The number of font units in an em.
    pub units_per_em: f64,
    /// The share of a line's height that lies above its baseline.
    pub ascent: f64,
}

impl Font {
    /// Returns the font that the library holds.
    ///
    /// # Errors
    /// Returns the reason if the font is damaged.
    pub fn bundled() -> Result<Self, String> {
        let bytes = include_bytes!("font/Roboto-Regular-subset.ttf");
        let font = FontRef::new(bytes).map_err(|error| format!("has no font: {error}"))?;
        let metrics = font.metrics(Size::unscaled(), LocationRef::default());
        let [ascent, descent] = [metrics.ascent, metrics.descent].map(f64::from);
        Ok(Self {
            charmap: font.charmap(),
            outlines: font.outline_glyphs(),
            widths: font.glyph_metrics(Size::unscaled(), LocationRef::default()),
            units_per_em: metrics.units_per_em.into(),
            // A font's descent is below 0.
            ascent: ascent / (ascent - descent),
        })
    }

    /// Returns the glyph of a character, which is a box if the font has none. A control character,
    /// such as a tabulator, is a space.
    pub fn glyph(&self, character: char) -> GlyphId {
        let shown = if character.is_control() { ' ' } else { character };
        self.charmap.map(shown).unwrap_or(GlyphId::NOTDEF)
    }

    /// Returns how far the next glyph stands from the start of this one.
    pub fn width(&self, glyph: GlyphId) -> f64 {
        f64::from(self.widths.advance_width(glyph).unwrap_or_default()) / self.units_per_em
    }

    /// Draws the outline of a glyph in font units; a space has none.
    ///
    /// # Errors
    /// Returns the reason if the outline is damaged.
    pub fn draw(&self, glyph: GlyphId, pen: &mut impl OutlinePen) -> Result<(), String> {
        let Some(outline) = self.outlines.get(glyph) else {
            return Ok(());
        };
        let settings = DrawSettings::unhinted(Size::unscaled(), LocationRef::default());
        let drawn = outline.draw(settings, pen);
        drawn.map(drop).map_err(|error| format!("has a glyph without an outline: {error}"))
    }
}
