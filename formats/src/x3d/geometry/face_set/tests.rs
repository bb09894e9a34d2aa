mod triangles;

use super::*;
use crate::x3d::geometry::tests::{area, assert_contains, corners, mesh, volume};

const CUBE: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// The faces of the cube, counter-clockwise from outside.
const FACES: [[i64; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [2, 3, 7, 6], [1, 2, 6, 5], [0, 4, 7, 3]];

fn points(points: &[[f64; 3]]) -> Vec<DVec3> {
    points.iter().copied().map(DVec3::from).collect()
}

#[test]
fn a_cube_of_six_faces_is_closed_and_faces_outwards() {
    let cube = points(&CUBE);
    let index: Vec<i64> = FACES.iter().flat_map(|face| [&face[..], &[-1]].concat()).collect();
    let faces = indexed_faces(&cube, &index, FaceKind::Polygon, true).unwrap();
    assert_eq!((faces.left_out, faces.triangles.triangles.len()), (0, 12));
    assert!(mesh(&faces.triangles).is_closed());
    assert_eq!(volume(&faces.triangles), 1.0);
    assert_contains(&faces.triangles, &[DVec3::splat(0.4)], &[DVec3::new(0.4, 1.1, 0.4)]);
    let turned = indexed_faces(&cube, &index, FaceKind::Polygon, false).unwrap();
    assert_eq!(volume(&turned.triangles), -1.0);
    let quads: Vec<i64> = FACES.concat();
    assert_eq!(indexed_faces(&cube, &quads, FaceKind::Quad, true).unwrap(), faces);
    let apart: Vec<DVec3> = quads.iter().map(|&corner| cube[corner as usize]).collect();
    let apart = plain_faces(&apart, FaceKind::Quad, true).unwrap();
    assert_eq!(corners(&apart.triangles), corners(&faces.triangles));
}

#[test]
fn marks_may_be_missing_and_repeated() {
    let cube = points(&CUBE);
    let plain = indexed_faces(&cube, &[0, 1, 2, -1, 4, 5, 6, -1], FaceKind::Polygon, true).unwrap();
    assert_eq!(plain.left_out, 0);
    for index in [&[0, 1, 2, -1, 4, 5, 6][..], &[-1, 0, 1, 2, -1, -1, 4, 5, 6, -1, -1]] {
        assert_eq!(indexed_faces(&cube, index, FaceKind::Polygon, true).unwrap(), plain);
    }
    assert_eq!(
        indexed_faces(&cube, &[], FaceKind::Polygon, true).unwrap_err(),
        "has no face with an area"
    );
    assert!(indexed_faces(&[], &[0, 1, 2], FaceKind::Polygon, true).is_err());
}

#[test]
fn faces_without_three_places_or_with_unknown_corners_are_left_out_and_counted() {
    let mut cube = points(&CUBE);
    cube.push(cube[0]);
    let of_points: [&[i64]; 7] =
        [&[0, 1, 2], &[0, 1], &[0, 1, 9], &[0, 1, -2], &[0, 8, 1], &[i64::MAX, 1, 2], &[4, 5, 6]];
    let index = of_points.join(&END);
    let faces = indexed_faces(&cube, &index, FaceKind::Polygon, true).unwrap();
    assert_eq!((faces.left_out, faces.triangles.triangles.len()), (5, 2));
    assert_eq!(faces.triangles.vertices.len(), 6, "unused points are not kept");
    // Repeated corners, the first one at the end included, change nothing.
    let repeated =
        indexed_faces(&cube, &[0, 8, 1, 1, 2, 0, -1, 4, 5, 6, 4], FaceKind::Polygon, true).unwrap();
    assert_eq!((repeated.left_out, corners(&repeated.triangles)), (0, corners(&faces.triangles)));
    let collinear = points(&[[0.0; 3], [1.0; 3], [2.0; 3]]);
    assert!(indexed_faces(&collinear, &[0, 1, 2], FaceKind::Polygon, true).is_err());
    // The third quadrilateral lacks a corner.
    let quads =
        indexed_faces(&cube, &[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2], FaceKind::Quad, true).unwrap();
    assert_eq!((quads.left_out, quads.triangles.triangles.len()), (1, 4));
}

/// The points and the outline of a plate with square holes in a row. A bridge runs to each hole
/// from the first corner.
fn plate(holes: usize) -> (Vec<DVec3>, Vec<i64>) {
    let width = 2.0 * holes as f64 + 1.0;
    let mut points =
        vec![DVec3::ZERO, DVec3::new(width, 0.0, 0.0), DVec3::new(width, 3.0, 0.0), 3.0 * DVec3::Y];
    let mut outline = vec![0];
    for hole in 0..holes {
        let left = 2.0 * hole as f64 + 1.0;
        let first = points.len() as i64;
        points.extend(
            [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]
                .map(|[x, y]| DVec3::new(left + x, 1.0 + y, 0.0)),
        );
        outline.extend(first..first + 4);
        outline.push(first);
        outline.push(0);
    }
    outline.extend([1, 2, 3]);
    (points, outline)
}

/// A unit vector at right angles to (0.6, 0.64, −0.48).
const OBLIQUE: DVec3 = DVec3::new(-0.8, 0.48, -0.36);

/// The area of all triangles along their common normal, and the sum of their areas, which is larger
/// if one lies over another.
fn areas(faces: &Faces) -> [f64; 2] {
    let single = |[a, b, c]: &[DVec3; 3]| 0.5 * (b - a).cross(c - a).length();
    let sum = corners(&faces.triangles).iter().map(single).sum();
    [area(&faces.triangles).length(), sum]
}

#[test]
fn an_outline_with_a_bridge_leaves_its_hole_open() {
    // In the plane, and in an oblique one, where rounding moves the corners out of it.
    let planes: [fn(DVec3) -> DVec3; 2] =
        [|point| point, |point| DVec3::new(0.6, 0.64, -0.48) * point.x + point.y * OBLIQUE];
    for (plane, holes) in planes.into_iter().flat_map(|plane| (1..9).map(move |n| (plane, n))) {
        let (points, outline) = plate(holes);
        let points: Vec<DVec3> = points.into_iter().map(plane).collect();
        let expected = 3.0 * (2.0 * holes as f64 + 1.0) - holes as f64;
        for start in 0..outline.len() {
            let mut outline = outline.clone();
            outline.rotate_left(start);
            let plate = indexed_faces(&points, &outline, FaceKind::Polygon, true).unwrap();
            assert_eq!(plate.left_out, 0);
            let [whole, single] = areas(&plate);
            assert!((whole - expected).abs() < 1e-9, "{holes} holes from {start}: {whole}");
            assert!((single - expected).abs() < 1e-9, "{holes} holes from {start}: {single}");
        }
    }
}

/// Extrudes an outline by hand: its face at z = 0 and at z = 1, and a wall for each edge that runs
/// one way alone.
fn prism(points: &[DVec3], outline: &[i64]) -> (Vec<DVec3>, Vec<i64>) {
    let count = points.len() as i64;
    let mut all = points.to_vec();
    all.extend(points.iter().map(|point| *point + DVec3::Z));
    let mut index: Vec<i64> = outline.iter().rev().copied().collect();
    index.push(-1);
    index.extend(outline.iter().map(|corner| corner + count));
    index.push(-1);
    let next = outline.iter().cycle().skip(1);
    let edges: Vec<[i64; 2]> = outline.iter().zip(next).map(|(&from, &to)| [from, to]).collect();
    for &[from, to] in edges.iter().filter(|[from, to]| !edges.contains(&[*to, *from])) {
        index.extend([from, to, to + count, from + count, -1]);
    }
    (all, index)
}

#[test]
fn a_plate_with_a_hole_is_watertight_with_its_walls() {
    for holes in 2..8 {
        let (points, outline) = plate(holes);
        let (points, index) = prism(&points, &outline);
        let solid = indexed_faces(&points, &index, FaceKind::Polygon, true).unwrap();
        assert!(mesh(&solid.triangles).is_closed(), "{holes} holes");
    }
    let (points, outline) = plate(1);
    let (points, index) = prism(&points, &outline);
    let solid = indexed_faces(&points, &index, FaceKind::Polygon, true).unwrap();
    assert_eq!(solid.left_out, 0);
    assert!(mesh(&solid.triangles).is_closed());
    assert_eq!(volume(&solid.triangles), 8.0);
    let at = |x, y| DVec3::new(x, y, 0.5);
    assert_contains(&solid.triangles, &[at(0.5, 0.7), at(2.5, 1.4)], &[at(1.5, 1.5), at(3.1, 0.3)]);
}
