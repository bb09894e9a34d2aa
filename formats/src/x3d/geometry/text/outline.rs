//! Fills the outlines of glyphs.

use super::font::Font;
use glam::DVec2;
use lyon_tessellation::math::{Point, point};
use lyon_tessellation::path::Path;
use lyon_tessellation::{BuffersBuilder, FillOptions, FillTessellator, FillVertex, VertexBuffers};
use ttf_parser::{GlyphId, OutlineBuilder};

/// The largest distance between a curve and its segments, in ems.
const FLATNESS: f64 = 1e-3;

/// A filled glyph, in ems.
pub(super) struct Figure {
    pub points: Vec<DVec2>,
    /// Three indices of points each, counter-clockwise.
    pub triangles: Vec<[u32; 3]>,
}

/// Fills a glyph with the nonzero rule, because its parts may overlap.
///
/// # Errors
/// Returns the reason if the outline cannot be filled.
pub(super) fn fill(font: &Font, glyph: GlyphId) -> Result<Figure, String> {
    let mut pen = FlatPen::new(FLATNESS * font.units_per_em);
    font.draw(glyph, &mut pen);
    let mut buffers: VertexBuffers<Point, u32> = VertexBuffers::new();
    let position = |vertex: FillVertex<'_>| vertex.position();
    FillTessellator::new()
        .tessellate_path(
            &pen.outline(),
            &FillOptions::non_zero(),
            &mut BuffersBuilder::new(&mut buffers, position),
        )
        .map_err(|error| format!("has a glyph that cannot be filled: {error}"))?;
    let in_ems = |point: &Point| DVec2::new(point.x.into(), point.y.into()) / font.units_per_em;
    let points: Vec<DVec2> = buffers.vertices.iter().map(in_ems).collect();
    let facing_up = |&[a, b, c]: &[u32; 3]| {
        let [start, left, right] = [a, b, c].map(|index| points[index as usize]);
        let area = (left - start).perp_dot(right - start);
        (area != 0.0).then_some(if area > 0.0 { [a, b, c] } else { [a, c, b] })
    };
    let triangles = buffers.indices.as_chunks().0.iter().filter_map(facing_up).collect();
    Ok(Figure { points, triangles })
}

/// A pen that draws curves as segments. The tessellator could do this too, but would ask the C
/// library for a root, whose rounding differs from one machine to the next.
struct FlatPen {
    path: lyon_tessellation::path::path::Builder,
    flatness: f64,
    position: DVec2,
    is_open: bool,
}

impl FlatPen {
    fn new(flatness: f64) -> Self {
        Self { path: Path::builder(), flatness, position: DVec2::ZERO, is_open: false }
    }

    fn outline(mut self) -> Path {
        self.close();
        self.path.build()
    }

    fn line(&mut self, to: DVec2) {
        self.path.line_to(point(to.x as f32, to.y as f32));
        self.position = to;
    }

    /// Draws a cubic Bézier curve. Its distance from equal steps falls with the square of their
    /// number, from three quarters of the largest second difference of its control points.
    fn curve(&mut self, [first, second, end]: [DVec2; 3]) {
        let start = self.position;
        let bends = [start - 2.0 * first + second, first - 2.0 * second + end];
        let distance = 0.75 * bends[0].length().max(bends[1].length());
        let steps = (distance / self.flatness).sqrt().ceil().max(1.0);
        for step in 1..=steps as u32 {
            let done = f64::from(step) / steps;
            let left = 1.0 - done;
            let early = left * left * (left * start + 3.0 * done * first);
            let late = done * done * (3.0 * left * second + done * end);
            self.line(early + late);
        }
    }
}

impl OutlineBuilder for FlatPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.close();
        self.path.begin(point(x, y));
        self.position = DVec2::new(x.into(), y.into());
        self.is_open = true;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.line(DVec2::new(x.into(), y.into()));
    }

    fn quad_to(&mut self, control_x: f32, control_y: f32, x: f32, y: f32) {
        let control = DVec2::new(control_x.into(), control_y.into());
        let end = DVec2::new(x.into(), y.into());
        // The same curve as a cubic one.
        let towards = |from: DVec2| from + (control - from) * (2.0 / 3.0);
        self.curve([towards(self.position), towards(end), end]);
    }

    fn curve_to(&mut self, x0: f32, y0: f32, x1: f32, y1: f32, x: f32, y: f32) {
        self.curve([[x0, y0], [x1, y1], [x, y]].map(|xy| DVec2::from(xy.map(f64::from))));
    }

    fn close(&mut self) {
        if self.is_open {
            self.path.end(true);
            self.is_open = false;
        }
    }
}
