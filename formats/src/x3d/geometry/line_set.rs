//! Sets of lines: IndexedLineSet and LineSet (X3D 11.4).

use super::face_set::{runs, stretches};
use glam::DVec3;
use std::collections::HashMap;

/// The segments of a node's polylines.
#[derive(Debug, PartialEq)]
pub(in crate::x3d) struct Polylines {
    /// Only those points that a segment joins.
    pub points: Vec<DVec3>,
    /// Two indices of points for each segment.
    pub segments: Vec<[u32; 2]>,
    /// The number of polylines that were left out: an index is not a point, or all their points are
    /// in one place.
    pub left_out: usize,
}

/// Returns the polylines of an IndexedLineSet.
///
/// # Errors
/// Returns the reason if no segment has a length.
pub(in crate::x3d) fn indexed_line_set(
    points: &[DVec3],
    coord_index: &[i64],
) -> Result<Polylines, String> {
    let known = |index: &i64| usize::try_from(*index).ok().filter(|&point| point < points.len());
    let polyline = |run: &[i64]| run.iter().map(known).collect::<Option<Vec<usize>>>();
    collect(points, runs(coord_index).map(polyline))
}

/// Returns the polylines of a LineSet with these numbers of points.
///
/// # Errors
/// Returns the reason if no segment has a length.
pub(in crate::x3d) fn line_set(
    points: &[DVec3],
    vertex_count: &[i64],
) -> Result<Polylines, String> {
    let polylines = stretches(points.len(), vertex_count);
    collect(points, polylines.map(|stretch| stretch.map(Iterator::collect)))
}

fn collect(
    points: &[DVec3],
    polylines: impl Iterator<Item = Option<Vec<usize>>>,
) -> Result<Polylines, String> {
    let mut lines = Polylines { points: Vec::new(), segments: Vec::new(), left_out: 0 };
    let mut index_by_point = HashMap::new();
    for polyline in polylines {
        let mut polyline = polyline.unwrap_or_default();
        // No ray could hit a segment of length zero.
        polyline.dedup_by_key(|point| points[*point]);
        if polyline.len() < 2 {
            lines.left_out += 1;
            continue;
        }
        let mut index = |point: usize| {
            *index_by_point.entry(point).or_insert_with(|| {
                lines.points.push(points[point]);
                lines.points.len() as u32 - 1
            })
        };
        lines.segments.extend(polyline.windows(2).map(|pair| [index(pair[0]), index(pair[1])]));
    }
    match lines.segments.is_empty() {
        true => Err("has no segment with a length".to_owned()),
        false => Ok(lines),
    }
}

#[cfg(test)]
mod tests;
