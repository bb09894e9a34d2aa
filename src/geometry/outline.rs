//! A surface of many triangles as a whole: where a line surely passes through it, though perhaps surely through
//! none of its triangles, because an edge is near. Moving the surface moves both sides of an inner edge
//! alike, so a line can only be lost where the surface ends or turns away from it.

use super::Geometry;
use crate::ray::Line;
use crate::shapes::Shape;
use glam::{DVec2, DVec3};
use std::collections::HashMap;

/// What lies along one edge.
#[derive(Default)]
struct Edge {
    /// Triangles that are met from their front, and from their back.
    sides: [usize; 2],
    is_near: bool,
}

impl Geometry {
    /// Intervals of t, each of which surely holds a crossing if every surface may lie up to `delta` elsewhere;
    /// of the primitives given, which are all that come as near to the line as twice that. None at all where an
    /// outline is so near.
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
        // Equal positions are one corner, and either zero is zero.
        let key = |point: DVec3| (point + 0.0).to_array().map(f64::to_bits);
        let mut edges = HashMap::<[[u64; 3]; 2], Edge>::new();
        let mut crossings = Vec::new();
        for &primitive_id in primitive_ids {
            let Some(Shape::Triangle(triangle)) = self.shape(primitive_id) else {
                return Vec::new();
            };
            let speed = triangle.area_normal().normalize_or_zero().dot(line.direction);
            // Moved by so much it may turn its other side.
            let turns = 4.0 * delta / Shape::from(triangle).smallest_size();
            let faces_surely = speed.abs() > turns * length;
            let [a, b, c] = triangle.vertices;
            for [from, to] in [[a, b], [b, c], [c, a]] {
                let mut ends = [key(from), key(to)];
                ends.sort_unstable();
                let edge = edges.entry(ends).or_default();
                edge.is_near = distance_from_zero(flat(from), flat(to)) <= 2.0 * delta;
                // Seen edge on it counts for neither side, and its edges as outlines.
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
}

/// From a segment.
fn distance_from_zero(from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let share = match along.length_squared() {
        0.0 => 0.0,
        squared => (-from.dot(along) / squared).clamp(0.0, 1.0),
    };
    (from + share * along).length()
}
