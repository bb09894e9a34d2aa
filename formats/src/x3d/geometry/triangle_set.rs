//! Sets of triangles, of fans and of strips, each with indices or with points in their order (X3D
//! 11.4).

use super::face_set::runs;
use super::faces::{FaceCollector, Faces};
use glam::DVec3;

/// Returns the faces of an IndexedTriangleSet.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_triangle_set(
    points: &[DVec3],
    index: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    index.chunks(3).for_each(|corners| faces.add(corners));
    faces.finish(ccw)
}

/// Returns the faces of a TriangleSet.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn triangle_set(points: &[DVec3], ccw: bool) -> Result<Faces, String> {
    let index: Vec<i64> = (0..).take(points.len()).collect();
    indexed_triangle_set(points, &index, ccw)
}

/// Returns the faces of an IndexedTriangleFanSet. A fan that has a corner which is no point, or
/// fewer than three corners, is left out as one.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_triangle_fan_set(
    points: &[DVec3],
    index: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    indexed(points, index, ccw, fan)
}

/// Returns the faces of an IndexedTriangleStripSet. A strip that has a corner which is no point, or
/// fewer than three corners, is left out as one.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn indexed_triangle_strip_set(
    points: &[DVec3],
    index: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    indexed(points, index, ccw, strip)
}

/// Returns the faces of a TriangleFanSet, whose fans have so many points each. A fan that lacks
/// points, or has fewer than three, is left out as one.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn triangle_fan_set(
    points: &[DVec3],
    counts: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    counted(points, counts, ccw, fan)
}

/// Returns the faces of a TriangleStripSet, whose strips have so many points each. A strip that
/// lacks points, or has fewer than three, is left out as one.
///
/// # Errors
/// Returns the reason if no face has an area.
pub(in crate::x3d) fn triangle_strip_set(
    points: &[DVec3],
    counts: &[i64],
    ccw: bool,
) -> Result<Faces, String> {
    counted(points, counts, ccw, strip)
}

/// The triangle of a fan or a strip that ends at the corner of this number, as numbers of its
/// corners.
type Part = fn(usize) -> [usize; 3];

fn fan(last: usize) -> [usize; 3] {
    [0, last - 1, last]
}

/// Every second triangle of a strip runs the other way, so that all face one side.
fn strip(last: usize) -> [usize; 3] {
    match last % 2 {
        0 => [last - 2, last - 1, last],
        _ => [last - 1, last - 2, last],
    }
}

fn indexed(points: &[DVec3], index: &[i64], ccw: bool, part: Part) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    for run in runs(index) {
        match faces.known(run).filter(|corners| corners.len() >= 3) {
            Some(corners) => (2..corners.len())
                .for_each(|last| faces.add_part(part(last).map(|corner| corners[corner]))),
            None => faces.leave_out(),
        }
    }
    faces.finish(ccw)
}

fn counted(points: &[DVec3], counts: &[i64], ccw: bool, part: Part) -> Result<Faces, String> {
    let mut faces = FaceCollector::new(points);
    for run in stretches(points.len(), counts) {
        match run.filter(|run| run.len() >= 3) {
            Some(run) => (2..run.len())
                .for_each(|last| faces.add_part(part(last).map(|corner| run.start + corner))),
            None => faces.leave_out(),
        }
    }
    faces.finish(ccw)
}

/// Returns the stretches of a list of this length that have these counts, one after another; `None`
/// for a stretch beyond the list's end. A negative count takes nothing.
pub(super) fn stretches(
    length: usize,
    counts: &[i64],
) -> impl Iterator<Item = Option<std::ops::Range<usize>>> {
    counts.iter().scan(0_usize, move |start, &count| {
        let from = *start;
        *start = from.saturating_add(usize::try_from(count).unwrap_or(0));
        Some((*start <= length).then_some(from..*start))
    })
}

#[cfg(test)]
mod tests;
