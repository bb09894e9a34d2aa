//! The crossings of a line and a whole surface of triangles. Near an edge, a line can be certain to
//! cross the surface without being certain to cross either of the two triangles. A displacement
//! moves both sides of an inner edge alike. So a line can miss the surface only near its outline,
//! where the surface ends or turns away from the line.

use super::Geometry;
use crate::crossings::ZoneKind;
use crate::ray::Line;
use crate::shapes::{BaseFace, Shape, Triangle};
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, HashMap};

/// The triangles along one edge near a line.
#[derive(Default)]
struct Edge {
    triangles: Vec<usize>,
    /// The number of triangles that the line crosses from the front, and from the back.
    sides: [usize; 2],
}

impl Edge {
    /// Returns true if the surface goes on past the edge and faces the line with the same side
    /// there.
    fn is_inner(&self) -> bool {
        self.triangles.len() == 2 && (self.sides == [2, 0] || self.sides == [0, 2])
    }
}

/// A connected part of a surface of triangles near a line, if every surface may be displaced by up
/// to some distance.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfacePart {
    /// The primitives that the line may cross.
    pub primitive_ids: Vec<u32>,
    /// The interval of t in which it may do so.
    pub span: [f64; 2],
    /// Intervals of t that each certainly contain a crossing. There are none near an outline.
    pub sure: Vec<[f64; 2]>,
    /// The least and the largest number of crossings.
    pub counts: [u32; 2],
    /// True if the number can only change by two: no displacement changes the parity of a surface
    /// that does not end here.
    pub keeps_parity: bool,
}

impl Geometry {
    /// Returns the parts of a mesh or a heightfield that a line may cross if every surface may be
    /// displaced by up to `delta`; `None` for other geometries. `primitive_ids` must contain all
    /// primitives within twice that distance of the line.
    pub(crate) fn surface_parts(
        &self,
        primitive_ids: &[u32],
        line: &Line,
        delta: f64,
    ) -> Option<Vec<SurfacePart>> {
        if !matches!(self, Self::Mesh(_) | Self::Heightfield(_)) {
            return None;
        }
        let triangles = self.triangles_near(primitive_ids, line, delta);
        let edges = edges_near(&triangles, line, delta);
        let parts = joined(triangles.len(), &edges);
        let mut by_part = BTreeMap::<usize, PartOfTriangles>::new();
        for (triangle, &part) in triangles.iter().zip(&parts) {
            by_part.entry(part).or_default().triangles.push(triangle);
        }
        for edge in edges.values() {
            let part = by_part.entry(parts[edge.triangles[0]]).or_default();
            part.has_outline |= !edge.is_inner();
            part.has_rim |= edge.triangles.len() != 2;
        }
        Some(by_part.values().filter_map(|part| part.surface_part(line, delta)).collect())
    }

    /// Returns the triangles that these primitives are made up of, within twice `delta` of the
    /// line, each with its primitive.
    fn triangles_near(
        &self,
        primitive_ids: &[u32],
        line: &Line,
        delta: f64,
    ) -> Vec<(u32, Triangle)> {
        let mut triangles = Vec::with_capacity(primitive_ids.len());
        for &primitive_id in primitive_ids {
            match (self.shape(primitive_id), self) {
                (Some(Shape::Triangle(triangle)), _) => triangles.push((primitive_id, triangle)),
                (None, Self::Heightfield(field)) => {
                    let Some(face) = BaseFace::of(field, primitive_id) else { continue };
                    let turns = face.is_bottom();
                    face.each_triangle(line, 2.0 * delta, |Triangle { vertices: [a, b, c] }| {
                        // The cells of the bottom have the same order as those above, so their
                        // triangles face inwards.
                        let vertices = if turns { [a, c, b] } else { [a, b, c] };
                        triangles.push((primitive_id, Triangle { vertices }));
                    });
                }
                _ => {}
            }
        }
        triangles
    }
}

/// Returns the edges of triangles within twice `delta` of a line, by the positions of their ends.
fn edges_near(
    triangles: &[(u32, Triangle)],
    line: &Line,
    delta: f64,
) -> HashMap<[[u64; 3]; 2], Edge> {
    let length = line.direction.length();
    let (right, up) = (line.direction / length).any_orthonormal_pair();
    let flat = |point: DVec3| {
        let from_line = point - line.origin;
        DVec2::new(from_line.dot(right), from_line.dot(up))
    };
    // Corners are equal if their positions are; adding zero turns −0 into +0.
    let key = |point: DVec3| (point + 0.0).to_array().map(f64::to_bits);
    let mut edges = HashMap::<[[u64; 3]; 2], Edge>::new();
    for (index, (_, triangle)) in triangles.iter().enumerate() {
        let speed = speed(triangle, line);
        // A displacement by `delta` can tilt the triangle by this much, so that it faces the line
        // with its other side.
        let turns = 4.0 * delta / Shape::from(*triangle).smallest_size();
        let faces_surely = speed.abs() > turns * length;
        let [a, b, c] = triangle.vertices;
        for [from, to] in [[a, b], [b, c], [c, a]] {
            if distance_from_zero(flat(from), flat(to)) > 2.0 * delta {
                continue;
            }
            let mut ends = [key(from), key(to)];
            ends.sort_unstable();
            let edge = edges.entry(ends).or_default();
            edge.triangles.push(index);
            // A triangle seen edge on counts for neither side, so its edges count as outlines.
            if faces_surely {
                edge.sides[usize::from(speed > 0.0)] += 1;
            }
        }
    }
    edges
}

/// Returns the component of a line's direction across a triangle.
fn speed(triangle: &Triangle, line: &Line) -> f64 {
    triangle.area_normal().normalize_or_zero().dot(line.direction)
}

/// Returns, for each triangle, the lowest triangle of its part. Triangles that share one of the
/// edges are in the same part.
fn joined(count: usize, edges: &HashMap<[[u64; 3]; 2], Edge>) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..count).collect();
    fn root(parents: &[usize], mut index: usize) -> usize {
        while parents[index] != index {
            index = parents[index];
        }
        index
    }
    for pair in edges.values().flat_map(|edge| edge.triangles.windows(2)) {
        let [a, b] = [pair[0], pair[1]].map(|index| root(&parents, index));
        parents[a.max(b)] = a.min(b);
    }
    (0..count).map(|index| root(&parents, index)).collect()
}

#[derive(Default)]
struct PartOfTriangles<'a> {
    triangles: Vec<&'a (u32, Triangle)>,
    /// True if the surface turns away from the line near it.
    has_outline: bool,
    /// True if the surface ends near the line, or if more than two triangles meet there.
    has_rim: bool,
}

impl PartOfTriangles<'_> {
    /// Returns the description of the part, if the line comes near it.
    fn surface_part(&self, line: &Line, delta: f64) -> Option<SurfacePart> {
        let mut part = SurfacePart {
            primitive_ids: Vec::new(),
            span: [f64::INFINITY, f64::NEG_INFINITY],
            sure: Vec::new(),
            counts: [0; 2],
            keeps_parity: !self.has_rim,
        };
        let mut is_odd = false;
        for &&(primitive_id, triangle) in &self.triangles {
            let shape = Shape::from(triangle);
            let doubt = 2.0 * delta / speed(&triangle, line).abs();
            let crossed = shape.crossings(line).first().map(|&crossing| crossing.t);
            let crossed = crossed.map(|t| [t - doubt, t + doubt]);
            let zones = shape.zones(line, delta);
            let within = zones.iter().map(|zone| [zone.from.t, zone.to.t]).chain(crossed);
            let mut is_near = false;
            for [from, to] in within {
                part.span = [part.span[0].min(from), part.span[1].max(to)];
                is_near = true;
            }
            if is_near {
                part.primitive_ids.push(primitive_id);
                part.counts[1] += 1;
            }
            part.counts[0] += u32::from(zones.iter().any(|zone| zone.kind == ZoneKind::Crossed));
            part.sure.extend(crossed);
            is_odd ^= !shape.own_crossings(line).is_empty();
        }
        part.primitive_ids.dedup();
        if self.has_outline {
            part.sure.clear();
        } else if !part.sure.is_empty() {
            part.counts = [1; 2];
        }
        let [least, most] = &mut part.counts;
        if part.keeps_parity && least != most {
            *least += u32::from((*least % 2 == 1) != is_odd);
        }
        part.keeps_parity &= *least <= *most;
        *least = (*least).min(*most);
        (*most > 0).then_some(part)
    }
}

fn distance_from_zero(from: DVec2, to: DVec2) -> f64 {
    let along = to - from;
    let share = match along.length_squared() {
        0.0 => 0.0,
        squared => (-from.dot(along) / squared).clamp(0.0, 1.0),
    };
    (from + share * along).length()
}
