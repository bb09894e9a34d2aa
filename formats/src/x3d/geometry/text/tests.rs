use super::*;
use crate::x3d::geometry::tests::{area, corners};
use glam::DVec3;
use raytwin::math::Bounds;
use ttf_parser::{GlyphId, OutlineBuilder};

fn text(strings: &[&str]) -> Text {
    let font = FontStyle {
        size: 1.0,
        spacing: 1.0,
        justify: Vec::new(),
        horizontal: true,
        left_to_right: true,
        top_to_bottom: true,
    };
    let strings = strings.iter().map(|&string| string.to_owned()).collect();
    Text { strings, lengths: Vec::new(), max_extent: 0.0, font }
}

fn bounds(text: &Text) -> Bounds {
    let triangles = text.triangles().unwrap();
    corners(&triangles)
        .into_iter()
        .flatten()
        .fold(Bounds::EMPTY, |all, corner| all.union(Bounds { min: corner, max: corner }))
}

#[track_caller]
fn assert_near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-6, "{actual} is not {expected}");
}

/// The numbers of the font's H, from its tables: units in an em, advance, left and right edge,
/// height.
const EM: f64 = 2048.0;
const H: [f64; 4] = [1461.0, 169.0, 1288.0, 1456.0];

#[test]
fn the_first_line_stands_on_the_origin() {
    let h = bounds(&text(&["H"]));
    assert_near(h.min.x, H[1] / EM);
    assert_near(h.max.x, H[2] / EM);
    assert_near(h.min.y, 0.0);
    assert_near(h.max.y, H[3] / EM);
    let mut large = text(&["HH", "H"]);
    large.font.size = 3.0;
    large.font.spacing = 2.0;
    let large = bounds(&large);
    assert_near(large.max.x, 3.0 * (H[0] + H[2]) / EM);
    assert_near(large.max.y, 3.0 * H[3] / EM);
    assert_near(large.min.y, -6.0);
    assert_eq!([large.min.z, large.max.z], [0.0; 2]);
}

#[test]
fn justify_moves_lines_along_and_across() {
    // A line's height of 1 is divided by its baseline as the font's ascent of 1900 and descent of
    // 500 divide 2400.
    let [ascent, descent] = [1900.0 / 2400.0, 500.0 / 2400.0];
    let left = |justify: &[&str], change: fn(&mut FontStyle)| {
        let mut text = text(&["H", "H"]);
        text.font.justify = justify.iter().map(|&word| word.to_owned()).collect();
        change(&mut text.font);
        let bounds = bounds(&text);
        // The start of the glyphs, and the lower line's baseline.
        [bounds.min.x - H[1] / EM, bounds.min.y]
    };
    let width = H[0] / EM;
    let keep = |_: &mut FontStyle| {};
    for (justify, expected) in [
        (&[][..], [0.0, -1.0]),
        (&["FIRST"], [0.0, -1.0]),
        (&["BEGIN", "FIRST"], [0.0, -1.0]),
        (&["MIDDLE"], [-width / 2.0, -1.0]),
        (&["END"], [-width, -1.0]),
        (&["BEGIN", "BEGIN"], [0.0, -1.0 - ascent]),
        (&["BEGIN", "MIDDLE"], [0.0, -1.0 + 1.0 - ascent]),
        (&["BEGIN", "END"], [0.0, descent]),
        (&["", "sideways"], [0.0, -1.0]),
    ] {
        let [x, y] = left(justify, keep);
        assert_near(x, expected[0]);
        assert_near(y, expected[1]);
    }
    let [x, _] = left(&["BEGIN"], |style| style.left_to_right = false);
    assert_near(x, -width);
    let [x, _] = left(&["END"], |style| style.left_to_right = false);
    assert_near(x, 0.0);
    // Upward lines: the first is the lower one.
    let upward = |style: &mut FontStyle| style.top_to_bottom = false;
    assert_near(left(&["BEGIN"], upward)[1], 0.0);
    assert_near(left(&["BEGIN", "BEGIN"], upward)[1], descent);
    assert_near(left(&["BEGIN", "END"], upward)[1], -1.0 - ascent);
}

#[test]
fn letters_run_to_the_left_in_their_order() {
    let mut backwards = text(&["H."]);
    backwards.font.left_to_right = false;
    let triangles = backwards.triangles().unwrap();
    let high = |corner: &&DVec3| corner.y > 0.3;
    let all: Vec<DVec3> = corners(&triangles).into_iter().flatten().collect();
    let right = all.iter().filter(high).fold(f64::NEG_INFINITY, |most, corner| most.max(corner.x));
    assert_near(right, (H[2] - H[0]) / EM);
    let left = all.iter().fold(f64::INFINITY, |least, corner| least.min(corner.x));
    assert!(left < -H[0] / EM, "the point is to the left of the H");
}

#[test]
fn columns_go_down_and_stand_side_by_side() {
    let column = |change: fn(&mut FontStyle), strings: &[&str]| {
        let mut text = text(strings);
        text.font.horizontal = false;
        change(&mut text.font);
        bounds(&text)
    };
    let ascent = 1900.0 / 2400.0;
    let aside = 0.5 * (1.0 - H[0] / EM);
    let down = column(|_| {}, &["HH", "H"]);
    assert_near(down.max.y, H[3] / EM - ascent);
    assert_near(down.min.y, -1.0 - ascent);
    assert_near(down.min.x, aside + H[1] / EM);
    assert_near(down.max.x, 1.0 + aside + H[2] / EM);
    let up = column(|style| style.top_to_bottom = false, &["HH"]);
    assert_near(up.min.y, 1.0 - ascent);
    assert_near(up.max.y, 2.0 - ascent + H[3] / EM);
    let leftwards = column(|style| style.left_to_right = false, &["H", "H"]);
    assert_near(leftwards.min.x, -2.0 + aside + H[1] / EM);
    let middle = |style: &mut FontStyle| style.justify = vec!["MIDDLE".into(), "MIDDLE".into()];
    let middle = column(middle, &["HH"]);
    assert_near(middle.min.y, -ascent);
    assert_near(middle.min.x, -0.5 + aside + H[1] / EM);
    let end = |style: &mut FontStyle| style.justify = vec!["END".into(), "END".into()];
    let end = column(end, &["H", "H"]);
    assert_near(end.min.y, 1.0 - ascent);
    assert_near(end.max.x, -1.0 + 1.0 - (1.0 - aside - H[2] / EM));
}

#[test]
fn lengths_stretch_lines_and_the_maximum_extent_compresses_all() {
    let natural = H[0] / EM;
    let right_edges = |lengths: &[f64], max_extent: f64| {
        let mut text = text(&["HH", "H"]);
        text.lengths = lengths.to_vec();
        text.max_extent = max_extent;
        let all: Vec<DVec3> = corners(&text.triangles().unwrap()).into_iter().flatten().collect();
        [true, false].map(|is_first| {
            let of_line = all.iter().filter(|corner| (corner.y > -0.1) == is_first);
            of_line.fold(0.0, |most: f64, corner| most.max(corner.x))
        })
    };
    let gap = (H[0] - H[2]) / EM;
    let [first, second] = right_edges(&[], 0.0);
    assert_near(first, 2.0 * natural - gap);
    assert_near(second, natural - gap);
    let [first, second] = right_edges(&[6.0 * natural, 0.0], 0.0);
    assert_near(first, 3.0 * (2.0 * natural - gap));
    assert_near(second, natural - gap);
    // The longer line is halved, and the other with it.
    let [first, second] = right_edges(&[], natural);
    assert_near(first, 0.5 * (2.0 * natural - gap));
    assert_near(second, 0.5 * (natural - gap));
    assert_eq!(right_edges(&[], 10.0), right_edges(&[], 0.0), "a short text is not stretched");
    let mut tall = text(&["HH"]);
    tall.font.horizontal = false;
    tall.max_extent = 1.0;
    assert_near(bounds(&tall).min.y, -0.5 - 0.5 * 1900.0 / 2400.0);
}

/// Twice the area under the exact outline, by Green's formula: for a quadratic curve it is 2/3 of
/// that of its control polygon and 1/3 of that of its chord.
#[derive(Default)]
struct AreaPen {
    start: [f64; 2],
    at: [f64; 2],
    doubled: f64,
}

impl AreaPen {
    fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
        a[0] * b[1] - a[1] * b[0]
    }
}

impl OutlineBuilder for AreaPen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = [x.into(), y.into()];
        self.at = self.start;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = [x.into(), y.into()];
        self.doubled += Self::cross(self.at, to);
        self.at = to;
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let [control, to] = [[cx.into(), cy.into()], [x.into(), y.into()]];
        let polygon = Self::cross(self.at, control) + Self::cross(control, to);
        self.doubled += (2.0 * polygon + Self::cross(self.at, to)) / 3.0;
        self.at = to;
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        panic!("the font has quadratic curves alone");
    }

    fn close(&mut self) {
        self.doubled += Self::cross(self.at, self.start);
        self.at = self.start;
    }
}

fn exact_area(font: &Font, glyph: GlyphId) -> f64 {
    let mut pen = AreaPen::default();
    font.draw(glyph, &mut pen);
    // Outer outlines of TrueType run clockwise.
    -0.5 * pen.doubled / (EM * EM)
}

#[test]
fn letters_are_as_large_as_their_outlines_and_their_holes_are_open() {
    // From fontTools' AreaPen, in font units.
    for (letter, units) in
        [("o", 485_059.67), ("B", 778_487.67), ("8", 671_242.0), ("l", 285_696.0)]
    {
        let filled = area(&text(&[letter]).triangles().unwrap()).z;
        let exact = units / (EM * EM);
        assert!((filled - exact).abs() < 0.01 * exact, "{letter}: {filled} {exact}");
    }
    let o = text(&["o"]).triangles().unwrap();
    let middle = 0.5 * (bounds(&text(&["o"])).min + bounds(&text(&["o"])).max);
    let covers = |[a, b, c]: &[DVec3; 3]| {
        let side = |from: &DVec3, to: &DVec3| (*to - *from).cross(middle - *from).z > 0.0;
        side(a, b) && side(b, c) && side(c, a)
    };
    assert!(!corners(&o).iter().any(covers));
}

#[test]
fn every_glyph_is_filled_to_its_area_by_triangles_that_face_the_reader() {
    let font = Font::bundled().unwrap();
    for glyph in (0..643).map(GlyphId) {
        let figure = outline::fill(&font, glyph).unwrap();
        let areas: Vec<f64> = figure
            .triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|corner| figure.points[corner as usize]);
                0.5 * (b - a).perp_dot(c - a)
            })
            .collect();
        assert!(areas.iter().all(|&area| area > 0.0), "{glyph:?}");
        let [filled, exact] = [areas.iter().sum::<f64>(), exact_area(&font, glyph)];
        // Parts of a glyph may overlap, and are filled once.
        assert!(
            filled <= 1.01 * exact + 1e-4 && filled >= 0.8 * exact,
            "{glyph:?}: {filled} {exact}"
        );
    }
}

#[test]
fn missing_glyphs_are_boxes_and_control_characters_are_spaces() {
    let triangles = |string: &str| text(&[string]).triangles().unwrap();
    assert_eq!(triangles("\u{4e2d}"), triangles("\u{10ffff}"));
    assert!(area(&triangles("\u{4e2d}")).z > 0.0);
    assert_eq!(triangles("H\tH"), triangles("H H"));
    assert_ne!(triangles("Ж"), triangles("\u{4e2d}"));
    assert_ne!(triangles("ω"), triangles("\u{4e2d}"));
}

#[test]
fn texts_that_cannot_be_drawn_are_refused() {
    let refused = |text: Text| text.triangles().unwrap_err();
    assert_eq!(refused(text(&[])), "has no letter to draw");
    assert_eq!(refused(text(&["", "  "])), "has no letter to draw");
    let long = "x".repeat(MAX_CHARACTERS);
    assert!(refused(text(&[&long, "y"])).contains("16385 characters: at most 16384 are allowed"));
    for size in [0.0, -1.0, f64::NAN] {
        let mut flat = text(&["H"]);
        flat.font.size = size;
        assert!(refused(flat).contains("must be above 0"));
    }
    assert!(text(&[&long]).triangles().is_ok());
}
