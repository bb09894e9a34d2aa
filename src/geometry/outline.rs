//! Certain crossings of a line and a whole surface of triangles. Near an edge, a line may certainly pass through the
//! surface although it certainly passes through neither triangle alone. A displacement moves both sides of an inner edge
//! alike, so a line can miss the surface only near its outline, where the surface ends or turns away from the line.

use super::Geometry;
use crate::ray::Line;
use crate::shapes::{BaseFace, Shape, Triangle};
use glam::{DVec2, DVec3};
use std::collections::HashMap;

/// The triangles along one edge.
#[derive(Default)]
struct Edge {
    /// The number of triangles that the line crosses from the front, and from the back.
    sides: [usize; 2],
    /// True if the line passes near the edge.
    is_near: bool,
}

impl Geometry {
    /// Returns intervals of t, each of which certainly holds a crossing if every surface may be displaced by up to
    /// `delta`. The given primitives are all those within twice that distance of the line. Returns no interval if an
    /// outline is that near.
    pub(crate) fn sure_crossings(
        &self,
        primitive_ids: &[u32],
        line: &Line,
        delta: f64,
    ) -> Vec<[f64; 2]> {
        let length = line.direction.length();
        let (right, up) = (line.direction / length).any_orthonormal_pair();
        let flat = |point: DVec3| {
            let from_line = point - line.origin;
            DVec2::new(from_line.dot(right), from_line.dot(up))
        };
        // Corners are equal if their positions are; adding zero turns −0 into +0.
        let key = |point: DVec3| (point + 0.0).to_array().map(f64::to_bits);
        let mut edges = HashMap::<[[u64; 3]; 2], Edge>::new();
        let mut crossings = Vec::new();
        let Some(triangles) = self.triangles_near(primitive_ids, line, delta) else {
            return Vec::new();
        };
        for triangle in triangles {
            let speed = triangle.area_normal().normalize_or_zero().dot(line.direction);
            // A displacement by `delta` can tilt the triangle by this much, and so turn its other side to the line.
            let turns = 4.0 * delta / Shape::from(triangle).smallest_size();
            let faces_surely = speed.abs() > turns * length;
            let [a, b, c] = triangle.vertices;
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let mut ends = [key(from), key(to)];
                ends.sort_unstable();
                let edge = edges.entry(ends).or_default();
                edge.is_near = distance_from_zero(flat(from), flat(to)) <= 2.0 * delta;
                // A triangle seen edge on counts for neither side, so its edges count as outlines.
                if faces_surely {
                    edge.sides[usize::from(speed > 0.0)] += 1;
                }
            }
            let crossing = Shape::from(triangle).crossings(line).first().copied();
            crossings.extend(crossing.map(|crossing| {
                let doubt = 2.0 * delta / speed.abs();
                [crossing.t - doubt, crossing.t + doubt]
            }));
        }
        let is_inner = |edge: &Edge| edge.sides == [2, 0] || edge.sides == [0, 2];
        if edges.values().all(|edge| !edge.is_near || is_inner(edge)) {
            crossings
        } else {
            Vec::new()
        }
    }

    /// Returns the triangles that these primitives are made up of, within twice `delta` of the line; `None` if one is made
    /// up of none.
    fn triangles_near(
        &self,
        primitive_ids: &[u32],
        line: &Line,
        delta: f64,
    ) -> Option<Vec<Triangle>> {
        let mut triangles = Vec::with_capacity(primitive_ids.len());
        for &primitive_id in primitive_ids {
            match (self.shape(primitive_id), self) {
                (Some(Shape::Triangle(triangle)), _) => triangles.push(triangle),
                (None, Self::Heightfield(field)) => {
                    let face = BaseFace::of(field, primitive_id)?;
                    let turns = face.is_bottom();
                    face.each_triangle(line, 2.0 * delta, |Triangle { vertices: [a, b, c] }| {
                        // The cells of the bottom run as those above do, so their triangles face inwards.
                        let vertices = if turns { [a, c, b] } else { [a, b, c] };
                        triangles.push(Triangle { vertices });
                    });
                }
                _ => return None,
            }
        }
        Some(triangles)
    }
}

/// Returns the distance of a segment from zero.
fn distance_from_zero(from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let share = match along.length_squared() {
        0.0 => 0.0,
        squared => (-from.dot(along) / squared).clamp(0.0, 1.0),
    };
    (from + share * along).length()
}
