//! Polygons of a mesh's file, cut into triangles.

use super::Triangles;
use earcut::Earcut;
use glam::{DVec2, DVec3, Vec3Swizzles};
use std::collections::HashSet;

/// The most corners of a polygon that a fan does not cover: the time to cut one grows with their square.
const MAX_CORNERS: usize = 1 << 16;

impl Triangles {
    /// Adds a polygon of these vertices, which must be there: a fan about the first corner where that covers the
    /// polygon, else ears. Every edge of the polygon is an edge of one triangle, and there are two triangles fewer
    /// than corners, also where the polygon crosses itself and no choice of triangles is right.
    ///
    /// # Errors
    /// The reason, for a concave polygon of too many corners.
    pub(super) fn add_polygon(&mut self, corners: &[u32]) -> Result<(), String> {
        let positions = corners.iter().map(|&corner| self.vertices[corner as usize]);
        let flat = match corners.len() {
            // Nothing to choose.
            0..=3 => None,
            _ => flattened(&positions.collect::<Vec<_>>()).filter(|flat| !is_covered_by_fan(flat)),
        };
        if corners.len() > MAX_CORNERS && flat.is_some() {
            return Err(format!(
                "is a concave polygon of {} corners: it may have {MAX_CORNERS}; export the mesh in triangles",
                corners.len()
            ));
        }
        let places = flat.and_then(|flat| ears(&flat)).unwrap_or_else(|| fan(corners.len()));
        self.triangles.extend(places.into_iter().map(|ear| ear.map(|at| corners[at as usize])));
        Ok(())
    }
}

fn fan(count: usize) -> Vec<[u32; 3]> {
    (2..count as u32).map(|at| [0, at - 1, at]).collect()
}

/// A polygon in space as it is seen along the axis that its normal is nearest to, counter-clockwise; `None` where
/// it has no normal. Leaving a coordinate out rounds nothing, so that corners in a line stay in a line. The normal
/// is Newell's, to which every corner of a polygon that is not quite flat adds its part.
fn flattened(positions: &[DVec3]) -> Option<Vec<DVec2>> {
    let first = *positions.first()?;
    let cross = |pair: &[DVec3]| (pair[0] - first).cross(pair[1] - first);
    let normal: DVec3 = positions.windows(2).map(cross).sum();
    if !normal.is_finite() || normal == DVec3::ZERO {
        return None;
    }
    let axis = normal.abs().max_position();
    let seen: fn(&DVec3) -> DVec2 = match (axis, normal[axis] > 0.0) {
        (0, true) => |position| position.yz(),
        (0, false) => |position| position.zy(),
        (1, true) => |position| position.zx(),
        (1, false) => |position| position.xz(),
        (_, true) => |position| position.xy(),
        (_, false) => |position| position.yx(),
    };
    Some(positions.iter().map(seen).collect())
}

/// Whether no triangle of the fan is turned over.
fn is_covered_by_fan(corners: &[DVec2]) -> bool {
    let spokes: Vec<DVec2> = corners[1..].iter().map(|corner| *corner - corners[0]).collect();
    let has_length = |spoke: &DVec2| *spoke != DVec2::ZERO;
    let (Some(start), Some(end)) =
        (spokes.iter().position(has_length), spokes.iter().rposition(has_length))
    else {
        return true;
    };
    let turns_on = |pair: &[DVec2]| {
        let turn = pair[0].perp_dot(pair[1]);
        turn > 0.0 || turn == 0.0 && pair[0].dot(pair[1]) > 0.0
    };
    // A first corner that stands several times on end changes nothing; one to which the polygon comes back does.
    spokes[start..=end].windows(2).all(turns_on)
}

/// The triangles of a polygon by ear clipping, as places of its corners; `None` for one that crosses itself so that
/// ears do not cover it.
fn ears(corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let mut places: Vec<u32> = Vec::new();
    Earcut::new().earcut(corners.iter().map(DVec2::to_array), &[], &mut places);
    let ears = places.as_chunks().0;
    with_left_out_corners(ears, corners).or_else(|| with_flat_triangles(ears, corners))
}

/// Ear clipping leaves out corners that lie in a line with their neighbours. Other faces of the mesh have them, so
/// it would not be closed: each ear whose side passes over a corner is cut in two there.
fn with_left_out_corners(ears: &[[u32; 3]], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len() as u32;
    let mut edges = HashSet::new();
    if !ears.iter().flat_map(sides).all(|[from, to, _]| edges.insert([from, to])) {
        return None;
    }
    let is_outer = |edges: &HashSet<_>, [from, to, _]: &[u32; 3]| !edges.contains(&[*to, *from]);
    let outer = || ears.iter().flat_map(sides).filter(|side| is_outer(&edges, side));
    let way = |[from, to, _]: [u32; 3]| u64::from((to + count - from) % count);
    // What is around the ears must be the polygon, once.
    if outer().count() != ears.len() + 2 || outer().map(way).sum::<u64>() != u64::from(count) {
        return None;
    }
    let mut waiting: Vec<[u32; 3]> = ears.iter().rev().copied().collect();
    let mut triangles = Vec::with_capacity(corners.len());
    while let Some(ear) = waiting.pop() {
        let passes = |side: &[u32; 3]| is_outer(&edges, side) && way(*side) > 1;
        match sides(&ear).into_iter().find(passes) {
            Some([from, to, apex]) => {
                let between = (from + 1) % count;
                let [start, middle, end] = [from, between, to].map(|at| corners[at as usize]);
                // The tip of a spike lies beyond the side, not on it.
                if (middle - start).dot(end - middle) < 0.0 {
                    return None;
                }
                edges.extend([[between, apex], [apex, between]]);
                waiting.extend([[between, to, apex], [from, between, apex]]);
            }
            None => triangles.push(ear),
        }
    }
    Some(triangles)
}

/// Once some ears are clipped, a corner may lie in a line with its neighbours that lay in none before, and a corner that
/// stands twice may hide another: ears leave gaps of no area inside of the polygon. Between the polygon's edges and those
/// around the ears these are closed ways, which triangles of no area fill. `None` where a gap has an area.
fn with_flat_triangles(ears: &[[u32; 3]], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len() as u32;
    let mut edges: HashSet<[u32; 2]> = (0..count).map(|from| [from, (from + 1) % count]).collect();
    for [from, to, _] in ears.iter().flat_map(sides) {
        // What is left of the polygon's edges and of those of the ears, turned round.
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
        let mut way = vec![first];
        while let Some(to) = next[way[way.len() - 1] as usize].pop() {
            match way.iter().position(|&at| at == to) {
                Some(place) => {
                    triangles.extend(flat_fan(&way[place..], corners)?);
                    way.truncate(place + 1);
                }
                None => way.push(to),
            }
        }
    }
    (triangles.len() + 2 == corners.len()).then_some(triangles)
}

/// A fan over a closed way, each triangle of which has no area; `None` where there is none.
fn flat_fan(way: &[u32], corners: &[DVec2]) -> Option<Vec<[u32; 3]>> {
    // A way of more corners than that is not looked at from all, for that would take the square of their number.
    const STARTS: usize = 64;
    const FLAT: f64 = 1e-12;
    let is_flat = |[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|at| corners[*at as usize]);
        let [along, aside] = [b - a, c - a];
        along.perp_dot(aside).abs() <= FLAT * along.length_squared().max(aside.length_squared())
    };
    let fan_from = |start: usize| -> Vec<[u32; 3]> {
        let at = |step: usize| way[(start + step) % way.len()];
        (2..way.len()).map(|step| [at(0), at(step - 1), at(step)]).collect()
    };
    (0..way.len().min(STARTS)).map(fan_from).find(|fan| fan.iter().all(is_flat))
}

/// The sides of a triangle: from, to, and the corner opposite.
fn sides(&[a, b, c]: &[u32; 3]) -> [[u32; 3]; 3] {
    [[a, b, c], [b, c, a], [c, a, b]]
}

#[cfg(test)]
mod tests;
