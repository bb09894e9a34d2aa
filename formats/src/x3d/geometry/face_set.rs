//! Sets of polygons: IndexedFaceSet (X3D 13.3.6), IndexedQuadSet and QuadSet.

use super::faces::{FaceCollector, Faces};
use glam::DVec3;

/// The index that ends a face, a fan, a strip or a line.
pub(super) const END: i64 = -1;

/// Splits indices at each −1. What stands between two of them, or after the last of all, may be
/// empty: writers repeat the mark, or leave out the last.
pub(super) fn runs(index: &[i64]) -> impl Iterator<Item = &[i64]> {
    index.split(|&corner| corner == END).filter(|run| !run.is_empty())
}

/// Returns the faces of an IndexedFaceSet. Concave faces are cut as they are, whatever the field
/// `convex` says, and so are those whose outline runs along a bridge to a hole and back.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_face_set(
    points: &[DVec3],
    coord_index: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    runs(coord_index).for_each(|corners| faces.add(corners));
    faces.finish(ccw)
}

/// Returns the faces of an IndexedQuadSet.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_quad_set(
    points: &[DVec3],
    index: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    index.chunks(4).for_each(|corners| match corners.len() {
        4 => faces.add(corners),
        _ => faces.leave_out(),
    });
    faces.finish(ccw)
}

/// Returns the faces of a QuadSet.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn quad_set(points: &[DVec3], ccw: bool) -> Result<Faces, String> {
    let index: Vec<i64> = (0..).take(points.len()).collect();
    indexed_quad_set(points, &index, ccw)
}

#[cfg(test)]
mod tests;
