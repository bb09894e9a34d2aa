//! The test of whether one solid is inside another: with finitely many checks if these suffice,
//! otherwise with lines.

use super::ellipsoid_method::Cut;
use super::lines::Lattice;
use super::options::OverlapOptions;
use super::solid::Solid;
use glam::DVec3;

/// Returns `Some` if one solid is inside another, with true if that is proved; `None` if it is not
/// inside. A solid that sticks out by less than float32 may have moved a surface counts as inside,
/// not proved.
pub(super) fn lies_inside(inner: &Solid, outer: &Solid, options: &OverlapOptions) -> Option<bool> {
    if inner.is_half_space() {
        return None;
    }
    let doubt = inner.doubt(inner.center()).max(outer.doubt(inner.center()));
    let is_within = (outer.bounds.min - doubt).cmple(inner.bounds.min).all()
        && inner.bounds.max.cmple(outer.bounds.max + doubt).all();
    if !is_within {
        return None;
    }
    match protrusion(inner, outer) {
        Some(protrusion) if protrusion > doubt => None,
        Some(protrusion) => Some(protrusion < -(inner.rounding() + outer.rounding_of_distance())),
        None => is_inside_on_lines(inner, outer, doubt, options).then_some(false),
    }
}

/// Returns how far a solid sticks out of another, negative if it is inside; `None` if no finite
/// number of checks can show it.
fn protrusion(inner: &Solid, outer: &Solid) -> Option<f64> {
    let largest =
        |lengths: &mut dyn Iterator<Item = f64>| lengths.fold(f64::NEG_INFINITY, f64::max);
    if let Some(normals) = outer.face_normals() {
        let beyond = |normal| (inner.support(normal) - outer.support(normal)).dot(normal);
        return Some(largest(&mut normals.into_iter().map(beyond)));
    }
    // A bound can only prove that a solid is inside. It cannot show the opposite.
    if let Some(most) = outer.protrusion_from_column(inner)
        && most < 0.0
    {
        return Some(most);
    }
    if let (Some(([start, end], radius)), Some(error)) = (inner.balls(), outer.error_of_depth())
        && (outer.is_convex() || start == end)
    {
        let beyond = |center: DVec3| match outer.depth(center) {
            Some(depth) => radius + error - depth,
            None => radius + outer.closest_point(center).distance(center),
        };
        return Some(beyond(start).max(beyond(end)));
    }
    if outer.is_convex()
        && let Some(corners) = inner.corners()
    {
        return Some(largest(&mut corners.into_iter().map(|corner| outer.distance(corner).value)));
    }
    None
}

/// Returns true if no point of a solid is found outside another. It searches on lines, whose every
/// part in the one must be in the other, and from the farthest point along each line towards ever
/// farther ones.
fn is_inside_on_lines(inner: &Solid, outer: &Solid, doubt: f64, options: &OverlapOptions) -> bool {
    let ids = [inner.geometry_id, outer.geometry_id];
    let [mut of_inner, mut of_outer] = [Vec::new(), Vec::new()];
    let lattice = Lattice::new(&inner.bounds, options.lines, options.seed, ids);
    // A hole is most likely in the middle of either.
    let middles = [inner, outer].map(|solid| lattice.through(solid.center())).into_iter().flatten();
    lattice.lines().chain(middles).chain(inner.lines_along()).all(|line| {
        of_inner.clear();
        of_outer.clear();
        inner.crossings(&line, &mut of_inner);
        outer.crossings(&line, &mut of_outer);
        let are_inside = of_inner.chunks_exact(2).all(|part| {
            let holds = |other: &[f64]| other[0] <= part[0] + doubt && part[1] <= other[1] + doubt;
            part[1] - part[0] <= 2.0 * doubt || of_outer.chunks_exact(2).any(holds)
        });
        are_inside
            && [line.direction, -line.direction]
                .iter()
                .all(|direction| farthest_outside(inner, outer, *direction) <= doubt)
    })
}

/// Returns how far a point of one solid is outside another. The search starts from the farthest
/// point along a direction and always goes to the farthest point along the normal at the last one.
fn farthest_outside(inner: &Solid, outer: &Solid, first: DVec3) -> f64 {
    const STEPS: usize = 8;
    let (mut direction, mut farthest) = (first, f64::NEG_INFINITY);
    for _ in 0..STEPS {
        let Cut { value, gradient } = outer.distance(inner.support(direction));
        if value <= farthest {
            break;
        }
        (direction, farthest) = (gradient, value);
    }
    farthest
}
