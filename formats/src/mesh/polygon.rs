//! Triangulates the polygons of a mesh file: convex ones as fans, concave ones by ear clipping.

use super::triangles::Triangles;
use earcut::Earcut;
use glam::{DVec2, DVec3, Vec3Swizzles};
use std::collections::{HashMap, HashSet};

/// The largest number of corners of a concave polygon. The time of ear clipping grows with the
/// square of their number.
const MAX_CORNERS: usize = 1 << 16;

impl Triangles {
    /// Adds a polygon of these vertices, which must exist: as a fan about the first corner if that
    /// covers the polygon, otherwise as ears. Every edge of the polygon is an edge of one triangle,
    /// and there are two triangles fewer than corners, even if the polygon crosses itself and no
    /// triangulation is right.
    ///
    /// # Errors
    /// Returns the reason to reject a concave polygon with too many corners.
    pub(crate) fn add_polygon(&mut self, corners: &[u32]) -> Result<(), String> {
        let positions = corners.iter().map(|&corner| self.vertices[corner as usize]);
        let flat = match corners.len() {
            0..=3 => None,
            _ => projected(&positions.collect::<Vec<_>>()).filter(|flat| !is_covered_by_fan(flat)),
        };
        if corners.len() > MAX_CORNERS && flat.is_some() {
            return Err(format!(
                "is a concave polygon of {} corners: at most {MAX_CORNERS} are allowed; export the mesh as triangles",
                corners.len()
            ));
        }
        let triangles = flat.and_then(|flat| ears(&flat)).unwrap_or_else(|| fan(corners.len()));
        let to_vertices = |triangle: [u32; 3]| triangle.map(|index| corners[index as usize]);
        self.triangles.extend(triangles.into_iter().map(to_vertices));
        Ok(())
    }

    /// Adds a quadrilateral as tinyobjloader divides it: along its shorter diagonal in float32, or
    /// from the second to the fourth corner if both are as long.
    pub(super) fn add_quadrilateral(&mut self, [a, b, c, d]: [u32; 4]) {
        let length_squared = |from: u32, to: u32| {
            let [from, to] = [from, to].map(|it| self.vertices[it as usize].as_vec3());
            (to - from).length_squared()
        };
        let divided = match length_squared(a, c) < length_squared(b, d) {
            true => [[a, b, c], [a, c, d]],
            false => [[a, b, d], [b, c, d]],
        };
        self.triangles.extend(divided);
    }

    /// Adds a polygon with holes, whose corners must all exist, as ears. Without holes it is
    /// [`Self::add_polygon`].
    ///
    /// # Errors
    /// Returns the reason to reject a polygon with too many corners.
    pub(crate) fn add_polygon_with_holes(
        &mut self,
        outline: &[u32],
        holes: &[Vec<u32>],
    ) -> Result<(), String> {
        let corners = [outline, &holes.concat()].concat();
        let position = |&corner: &u32| self.vertices[corner as usize];
        let project = projection(&outline.iter().map(position).collect::<Vec<_>>());
        let Some(project) = project.filter(|_| corners.len() > outline.len()) else {
            return self.add_polygon(outline);
        };
        if corners.len() > MAX_CORNERS {
            return Err(format!(
                "is a polygon with holes of {} corners: at most {MAX_CORNERS} are allowed; export the mesh as triangles",
                corners.len()
            ));
        }
        let flat = corners.iter().map(|corner| project(&position(corner)).to_array());
        let starts: Vec<u32> = holes
            .iter()
            .scan(outline.len() as u32, |start, hole| {
                let first = *start;
                *start += hole.len() as u32;
                Some(first)
            })
            .collect();
        let mut ears: Vec<u32> = Vec::new();
        Earcut::new().earcut(flat, &starts, &mut ears);
        let (ears, _) = ears.as_chunks::<3>();
        self.triangles.extend(ears.iter().map(|ear| ear.map(|index| corners[index as usize])));
        Ok(())
    }
}

fn fan(count: usize) -> Vec<[u32; 3]> {
    (2..count as u32).map(|corner| [0, corner - 1, corner]).collect()
}

/// Projects a polygon along the axis nearest to its normal, so that it runs counter-clockwise;
/// `None` if it has no normal. Dropping a coordinate rounds nothing, so collinear corners stay
/// collinear. The normal is Newell's, which also suits a polygon that is not quite flat because
/// every corner contributes to it.
fn projected(positions: &[DVec3]) -> Option<Vec<DVec2>> {
    projection(positions).map(|project| positions.iter().map(project).collect())
}

/// The map by which [`projected`] drops a coordinate.
fn projection(positions: &[DVec3]) -> Option<fn(&DVec3) -> DVec2> {
    let first = *positions.first()?;
    let cross = |pair: &[DVec3]| (pair[0] - first).cross(pair[1] - first);
    let normal: DVec3 = positions.windows(2).map(cross).sum();
    if !normal.is_finite() || normal == DVec3::ZERO {
        return None;
    }
    let axis = normal.abs().max_position();
    let project: fn(&DVec3) -> DVec2 = match (axis, normal[axis] > 0.0) {
        (0, true) => |position| position.yz(),
        (0, false) => |position| position.zy(),
        (1, true) => |position| position.zx(),
        (1, false) => |position| position.xz(),
        (_, true) => |position| position.xy(),
        (_, false) => |position| position.yx(),
    };
    Some(project)
}

/// Returns true if no triangle of the fan is turned over.
fn is_covered_by_fan(corners: &[DVec2]) -> bool {
    let spokes: Vec<DVec2> = corners[1..].iter().map(|corner| *corner - corners[0]).collect();
    let has_length = |spoke: &DVec2| *spoke != DVec2::ZERO;
    let (Some(start), Some(end)) =
        (spokes.iter().position(has_length), spokes.iter().rposition(has_length))
    else {
        return true;
    };
    let turns_left = |pair: &[DVec2]| {
        let turn = pair[0].perp_dot(pair[1]);
        turn > 0.0 || turn == 0.0 && pair[0].dot(pair[1]) > 0.0
    };
    // Repetitions of the first corner at either end change nothing, but a polygon that returns to
    // it in between is not covered.
    spokes[start..=end].windows(2).all(turns_left)
}

/// Triangulates a polygon by ear clipping, as indices of its corners; `None` if it crosses itself
/// so that ears do not cover it.
fn ears(corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    if is_tangled(corners) {
        return None;
    }
    let mut indices: Vec<u32> = Vec::new();
    Earcut::new().earcut(corners.iter().map(DVec2::to_array), &[], &mut indices);
    let ears = indices.as_chunks().0;
    with_left_out_corners(ears, corners).or_else(|| with_flat_triangles(ears, corners))
}

/// Returns true if a polygon runs along an edge twice in one direction, or comes to one place very
/// often. No triangulation covers what it does, and ear clipping would look for one in cubic time.
fn is_tangled(corners: &[DVec2]) -> bool {
    /// A face with many holes may have a bridge to each from one corner.
    const MOST_VISITS: usize = 64;
    // Adding zero turns −0 into +0, so that both have the same bits.
    let key = |corner: &DVec2| (*corner + 0.0).to_array().map(f64::to_bits);
    let mut edges = HashSet::with_capacity(corners.len());
    let mut visits: HashMap<[u64; 2], usize> = HashMap::with_capacity(corners.len());
    let ends = corners.iter().cycle().skip(1);
    corners.iter().zip(ends).filter(|(from, to)| from != to).any(|(from, to)| {
        let count = visits.entry(key(from)).or_default();
        *count += 1;
        *count > MOST_VISITS || !edges.insert([key(from), key(to)])
    })
}

/// Puts back the corners that ear clipping leaves out because they are collinear with their
/// neighbours. Other faces of the mesh have them, so the mesh would not be closed without them:
/// each ear whose side passes over a corner is split there.
fn with_left_out_corners(ears: &[[u32; 3]], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len() as u32;
    let mut edges = HashSet::new();
    if !ears.iter().flat_map(sides).all(|[from, to, _]| edges.insert([from, to])) {
        return None;
    }
    let is_outer = |edges: &HashSet<_>, [from, to, _]: &[u32; 3]| !edges.contains(&[*to, *from]);
    let outer = || ears.iter().flat_map(sides).filter(|side| is_outer(&edges, side));
    let steps = |[from, to, _]: [u32; 3]| u64::from((to + count - from) % count);
    // The outline of the ears must go around the polygon once.
    if outer().count() != ears.len() + 2 || outer().map(steps).sum::<u64>() != u64::from(count) {
        return None;
    }
    let mut pending: Vec<[u32; 3]> = ears.iter().rev().copied().collect();
    let mut triangles = Vec::with_capacity(corners.len());
    while let Some(ear) = pending.pop() {
        let passes_a_corner = |side: &[u32; 3]| is_outer(&edges, side) && steps(*side) > 1;
        match sides(&ear).into_iter().find(passes_a_corner) {
            Some([from, to, apex]) => {
                let between = (from + 1) % count;
                let [start, middle, end] = [from, between, to].map(|index| corners[index as usize]);
                // The tip of a spike lies beyond the side, not on it.
                if (middle - start).dot(end - middle) < 0.0 {
                    return None;
                }
                edges.extend([[between, apex], [apex, between]]);
                pending.extend([[between, to, apex], [from, between, apex]]);
            }
            None => triangles.push(ear),
        }
    }
    Some(triangles)
}

/// Fills the gaps of zero area that ear clipping can leave inside the polygon: clipping ears makes
/// further corners collinear with their neighbours, and a repeated corner may hide another. The
/// gaps are closed loops between the polygon's edges and the ears' edges; triangles of zero area
/// fill them. `None` if a gap has an area.
fn with_flat_triangles(ears: &[[u32; 3]], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len() as u32;
    let mut edges: HashSet<[u32; 2]> = (0..count).map(|from| [from, (from + 1) % count]).collect();
    for [from, to, _] in ears.iter().flat_map(sides) {
        // Edges that the polygon and the ears share cancel out; an ear's other edges are kept
        // reversed.
        if !edges.remove(&[from, to]) && !edges.insert([to, from]) {
            return None;
        }
    }
    let mut edges: Vec<[u32; 2]> = edges.into_iter().collect();
    edges.sort_unstable();
    let mut next = vec![Vec::new(); corners.len()];
    for [from, to] in edges {
        next[from as usize].push(to);
    }
    let mut triangles = ears.to_vec();
    for first in 0..count {
        let mut path = vec![first];
        while let Some(to) = next[path[path.len() - 1] as usize].pop() {
            match path.iter().position(|&corner| corner == to) {
                Some(start) => {
                    triangles.extend(flat_fan(&path[start..], corners)?);
                    path.truncate(start + 1);
                }
                None => path.push(to),
            }
        }
    }
    (triangles.len() + 2 == corners.len()).then_some(triangles)
}

/// A fan over a closed loop whose triangles all have zero area; `None` if there is none.
fn flat_fan(outline: &[u32], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    /// The most corners that a fan is tried from. Trying all of a long loop would take quadratic
    /// time.
    const MAX_STARTS: usize = 64;
    const FLAT: f64 = 1e-12;
    let is_flat = |[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|index| corners[*index as usize]);
        let [along, aside] = [b - a, c - a];
        along.perp_dot(aside).abs() <= FLAT * along.length_squared().max(aside.length_squared())
    };
    let fan_from = |start: usize| -> Vec<[u32; 3]> {
        let corner = |step: usize| outline[(start + step) % outline.len()];
        (2..outline.len()).map(|step| [corner(0), corner(step - 1), corner(step)]).collect()
    };
    (0..outline.len().min(MAX_STARTS)).map(fan_from).find(|fan| fan.iter().all(is_flat))
}

/// The sides of a triangle: each as its start, its end, and the opposite corner.
fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 3]; 3] {
    [[a, b, c], [b, c, a], [c, a, b]]
}

#[cfg(test)]
mod tests;
