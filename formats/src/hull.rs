//! The convex hull of points, with the incremental method: each point outside the hull replaces the
//! triangles that it sees by a fan to their outline.

use glam::DVec3;
use std::collections::HashSet;

/// The largest number of points of a hull. The time grows with the square of their number.
const MAX_POINTS: usize = 1 << 14;

/// The displacement of points, relative to their extent, that decides which of four points in a
/// plane is outside. It is far below the rounding to float32, and only the triangles' choice
/// depends on it, not their corners' places.
const JOGGLE: f64 = 1e-9;

/// A triangle of the hull, and the plane through it.
struct Facet {
    corners: [u32; 3],
    normal: DVec3,
    offset: f64,
}

impl Facet {
    fn new(points: &[DVec3], corners: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|corner| points[corner as usize]);
        let normal = (b - a).cross(c - a);
        Self { corners, normal, offset: normal.dot(a) }
    }

    fn is_seen_from(&self, point: DVec3) -> bool {
        self.normal.dot(point) > self.offset
    }

    fn edges(&self) -> [[u32; 2]; 3] {
        let [a, b, c] = self.corners;
        [[a, b], [b, c], [c, a]]
    }
}

/// Returns the triangles of the convex hull, counter-clockwise when seen from outside; or the
/// reason why there is none.
pub(super) fn convex_hull(points: &[DVec3]) -> Result<Vec<[u32; 3]>, String> {
    if points.len() > MAX_POINTS {
        return Err(format!("{} vertices: a hull may have at most {MAX_POINTS}", points.len()));
    }
    let points = joggled(points);
    let first = first_tetrahedron(&points).ok_or("vertices that are flat")?;
    let mut facets: Vec<Facet> = first.map(|corners| Facet::new(&points, corners)).into();
    let is_new = |index: &u32| !first.as_flattened().contains(index);
    for (index, point) in (0..).zip(&points).filter(|(index, _)| is_new(index)) {
        let (seen, hidden): (Vec<_>, Vec<_>) =
            facets.into_iter().partition(|facet| facet.is_seen_from(*point));
        facets = hidden;
        let edges: HashSet<[u32; 2]> = seen.iter().flat_map(Facet::edges).collect();
        let outline =
            seen.iter().flat_map(Facet::edges).filter(|[a, b]| !edges.contains(&[*b, *a]));
        facets.extend(outline.map(|[a, b]| Facet::new(&points, [a, b, index])));
    }
    Ok(facets.into_iter().map(|facet| facet.corners).collect())
}

/// Returns the points, each displaced by its own small amount, so that no four of them lie in a
/// plane.
fn joggled(points: &[DVec3]) -> Vec<DVec3> {
    let extent = points.iter().fold(0.0_f64, |most, point| most.max((*point - points[0]).length()));
    // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014) makes a number from -1 to 1 of each
    // index.
    let number = |index: u64| {
        let mut bits = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let displacement = |index: u64| DVec3::from([0, 1, 2].map(|axis| number(3 * index + axis)));
    let indexed = (0..).zip(points);
    indexed.map(|(index, point)| *point + JOGGLE * extent * displacement(index)).collect()
}

/// Returns the triangles of a tetrahedron of four points that are far apart; `None` if all lie in
/// (nearly) one plane.
fn first_tetrahedron(points: &[DVec3]) -> Option<[[u32; 3]; 4]> {
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        let indices = 0..points.len();
        indices.max_by(|a, b| distance(points[*a]).total_cmp(&distance(points[*b])))
    };
    let a = *points.first()?;
    let second = farthest(&|point| point.distance(a))?;
    let along = points[second] - a;
    let third = farthest(&|point| (point - a).cross(along).length())?;
    let normal = along.cross(points[third] - a);
    let fourth = farthest(&|point| (point - a).dot(normal).abs())?;
    let height = (points[fourth] - a).dot(normal);
    if height.abs() <= 10.0 * JOGGLE * along.length() * normal.length() || !height.is_finite() {
        return None;
    }
    let [b, c, d] = [second, third, fourth].map(|index| index as u32);
    let [b, c] = if height > 0.0 { [c, b] } else { [b, c] };
    Some([[0, b, c], [0, c, d], [0, d, b], [b, d, c]])
}
