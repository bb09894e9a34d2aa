//! Sets of faces: IndexedFaceSet (X3D 13.3.6), and sets of triangles, of quads, of fans and of
//! strips, each with indices or with points in their order (X3D 11.4).

use super::faces::{FaceCollector, Faces};
use glam::DVec3;
use std::ops::Range;

/// The index that ends a face, a fan, a strip or a line.
pub(super) const END: i64 = -1;

/// The meaning of the corners of a set.
#[derive(Clone, Copy)]
pub(in crate::x3d) enum FaceKind {
    /// A polygon of the corners up to each mark. Concave polygons are cut as they are, whatever the
    /// field `convex` says, and so are polygons whose outline runs along a bridge to a hole and
    /// back.
    Polygon,
    /// A triangle of each three corners.
    Three,
    /// A polygon of each four corners.
    Quad,
    /// A fan about the first corner up to each mark, or with each given number of corners. A fan
    /// with a corner that is not a point, or with fewer than three corners, is left out as a whole.
    Fan,
    /// A strip instead of a fan.
    Strip,
}

impl FaceKind {
    /// The triangle of a fan or a strip that ends at the corner of this number, as numbers of its
    /// corners.
    fn triangle(self, last: usize) -> [usize; 3] {
        match (self, last % 2) {
            (Self::Strip, 0) => [last - 2, last - 1, last],
            // Every second triangle of a strip runs the other way, so that all face the same side.
            (Self::Strip, _) => [last - 1, last - 2, last],
            _ => [0, last - 1, last],
        }
    }
}

/// Splits indices at each −1. The part between two of them, or after the last, may be empty:
/// writers repeat the mark, or omit the last one.
pub(super) fn runs(index: &[i64]) -> impl Iterator<Item = &[i64]> {
    index.split(|&corner| corner == END).filter(|run| !run.is_empty())
}

/// Returns the consecutive stretches with these counts of a list of this length; `None` for a
/// stretch past the list's end. A negative count is empty.
pub(super) fn stretches(
    length: usize,
    counts: &[i64],
) -> impl Iterator<Item = Option<Range<usize>>> {
    counts.iter().scan(0_usize, move |start, &count| {
        let from = *start;
        *start = from.saturating_add(usize::try_from(count).unwrap_or(0));
        Some((*start <= length).then_some(from..*start))
    })
}

/// Returns the faces of a set whose corners are given by indices.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_faces(
    points: &[DVec3],
    index: &[i64],
    kind: FaceKind,
    ccw: bool,
) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    match kind {
        FaceKind::Polygon => runs(index).for_each(|corners| faces.add(corners)),
        FaceKind::Three => index.chunks(3).for_each(|corners| faces.add(corners)),
        FaceKind::Quad => index.chunks(4).for_each(|corners| match corners.len() {
            4 => faces.add(corners),
            _ => faces.leave_out(),
        }),
        FaceKind::Fan | FaceKind::Strip => {
            for run in runs(index) {
                let corners = faces.known(run);
                add_parts(&mut faces, corners, kind);
            }
        }
    }
    faces.finish(ccw)
}

/// Returns the faces of a set of fans or strips with these numbers of points.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn counted_faces(
    points: &[DVec3],
    counts: &[i64],
    kind: FaceKind,
    ccw: bool,
) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    for run in stretches(points.len(), counts) {
        add_parts(&mut faces, run.map(Iterator::collect), kind);
    }
    faces.finish(ccw)
}

/// Returns the faces of a set whose corners are its points in their order.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn plain_faces(
    points: &[DVec3],
    kind: FaceKind,
    ccw: bool,
) -> Result<Faces, String> {
    let index: Vec<i64> = (0..).take(points.len()).collect();
    indexed_faces(points, &index, kind, ccw)
}

/// Adds a fan or a strip.
fn add_parts(faces: &mut FaceCollector<'_>, run: Option<Vec<usize>>, kind: FaceKind) {
    match run.filter(|run| run.len() >= 3) {
        Some(run) => (2..run.len())
            .for_each(|last| faces.add_part(kind.triangle(last).map(|corner| run[corner]))),
        None => faces.leave_out(),
    }
}

#[cfg(test)]
mod tests;
