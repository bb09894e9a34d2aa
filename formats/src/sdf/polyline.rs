//! Extrudes polylines: closed outlines in the plane z = 0, which are raised to a height. If
//! outlines are nested, every other one is a hole.

use super::element::SdfElement;
use crate::mesh::Triangles;
use glam::DVec2;
use raytwin::geometry::{Geometry, Mesh};
use raytwin_files::FileError;

/// The largest number of corners of all outlines of a geometry. Finding the nesting of outlines
/// needs the square of their number.
const MAX_CORNERS: usize = 1 << 14;

/// The largest difference between the area of the triangles and that of the outlines through
/// rounding, as a share of it.
const ROUNDING: f64 = 1e-9;

/// An outline that runs counter-clockwise, or clockwise if it is a hole.
struct Outline {
    corners: Vec<DVec2>,
    /// The number of outlines around it.
    depth: usize,
}

/// The solid of the polylines of a geometry. The inner error is the reason why there is none.
pub(super) fn extruded(geometry: &SdfElement) -> Result<Result<Geometry, String>, FileError> {
    let mut loops = Vec::new();
    let mut height = None;
    for polyline in geometry.children("polyline") {
        let points: Result<Vec<[f64; 2]>, _> =
            polyline.children("point").map(SdfElement::exactly).collect();
        let mut corners: Vec<DVec2> = points?.into_iter().map(DVec2::from).collect();
        corners.dedup();
        if corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        loops.push(corners);
        let [own] = polyline.numbers_or("height", [1.0])?;
        // Gazebo raises all outlines to the height of the first.
        height.get_or_insert(own);
    }
    Ok(solid(loops, height.unwrap_or(0.0)).and_then(|triangles| {
        let mesh = Mesh::new(triangles.vertices, triangles.triangles);
        mesh.map(Geometry::from).map_err(|shape_error| shape_error.to_string())
    }))
}

fn solid(loops: Vec<Vec<DVec2>>, height: f64) -> Result<Triangles, String> {
    if height <= 0.0 {
        return Err(format!("its height is {height:?}: it must be above 0"));
    }
    let count: usize = loops.iter().map(Vec::len).sum();
    if count > MAX_CORNERS {
        return Err(format!("its outlines have {count} points: at most {MAX_CORNERS} are allowed"));
    }
    if loops.iter().any(|corners| corners.len() < 3) {
        return Err("an outline must have at least three points".to_owned());
    }
    let outlines = nested(loops);
    let mut solid = Triangles::default();
    let mut area = 0.0;
    // The corners at the bottom, and those above them, which have the numbers after them.
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for Outline { corners, .. } in &outlines {
        area += signed_area(corners);
        let first = solid.vertices.len() as u32;
        numbers.push((0..corners.len() as u32).map(|corner| first + 2 * corner).collect());
        for corner in corners {
            solid.vertices.extend([corner.extend(0.0), corner.extend(height)]);
        }
    }
    for (index, outline) in outlines.iter().enumerate().filter(|(_, it)| it.depth % 2 == 0) {
        let is_hole = |other: &(usize, &Outline)| {
            other.1.depth == outline.depth + 1 && contains(&outline.corners, other.1.corners[0])
        };
        let holes: Vec<Vec<u32>> = outlines
            .iter()
            .enumerate()
            .filter(is_hole)
            .map(|(hole, _)| numbers[hole].clone())
            .collect();
        solid.add_polygon_with_holes(&numbers[index], &holes)?;
    }
    let covered: f64 = solid.triangles.iter().map(|corners| area_of(&solid, corners)).sum();
    if !(area > 0.0 && (covered - area).abs() <= ROUNDING * area) {
        return Err("its outlines have no area, or cross themselves or each other".to_owned());
    }
    let bottom = std::mem::take(&mut solid.triangles);
    solid.triangles.extend(bottom.iter().map(|&[a, b, c]| [a, c, b]));
    solid.triangles.extend(bottom.iter().map(|corners| corners.map(|corner| corner + 1)));
    for corners in &numbers {
        for (&from, &to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
            solid.triangles.extend([[from, to, to + 1], [from, to + 1, from + 1]]);
        }
    }
    Ok(solid)
}

/// The outlines, each in the direction that has the solid to its left.
fn nested(loops: Vec<Vec<DVec2>>) -> Vec<Outline> {
    let depth = |index: usize| {
        let around = loops
            .iter()
            .enumerate()
            .filter(|(other, corners)| *other != index && contains(corners, loops[index][0]));
        around.count()
    };
    let depths: Vec<usize> = (0..loops.len()).map(depth).collect();
    let turned = |(mut corners, depth): (Vec<DVec2>, usize)| {
        if (signed_area(&corners) > 0.0) != (depth % 2 == 0) {
            corners.reverse();
        }
        Outline { corners, depth }
    };
    loops.into_iter().zip(depths).map(turned).collect()
}

/// Returns true if a point is in an outline, from the number of crossings of the line from it along
/// +x.
fn contains(outline: &[DVec2], point: DVec2) -> bool {
    let ends = outline.iter().cycle().skip(1);
    let crossings = outline.iter().zip(ends).filter(|(from, to)| {
        let is_beside = (from.y > point.y) != (to.y > point.y);
        let part = (point.y - from.y) / (to.y - from.y);
        is_beside && point.x < from.x + part * (to.x - from.x)
    });
    crossings.count() % 2 == 1
}

/// The area of an outline, below 0 if it runs clockwise. It is measured about the first corner, so
/// that nothing is lost far from the origin.
fn signed_area(corners: &[DVec2]) -> f64 {
    let first = corners[0];
    let twice: f64 =
        corners.windows(2).map(|pair| (pair[0] - first).perp_dot(pair[1] - first)).sum();
    0.5 * twice
}

fn area_of(solid: &Triangles, corners: &[u32; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| solid.vertices[corner as usize].truncate());
    0.5 * (b - a).perp_dot(c - a).abs()
}
