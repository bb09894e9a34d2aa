//! Measures of triangles for the tests of several nodes, and tests of all nodes together.

use super::*;
use crate::mesh::Triangles;
use fastrand::Rng;
use glam::DVec3;
use raytwin::geometry::Mesh;
use raytwin::query::Batch;
use raytwin::scene::Scene;
use raytwin::{CpuTracer, PackedScene, Ray, Tracer};

pub(super) fn mesh(triangles: &Triangles) -> Mesh {
    Mesh::new(triangles.vertices.clone(), triangles.triangles.clone()).unwrap()
}

/// The positions of each triangle's corners.
pub(super) fn corners(triangles: &Triangles) -> Vec<[DVec3; 3]> {
    let position = |corner: u32| triangles.vertices[corner as usize];
    triangles.triangles.iter().map(|corners| corners.map(position)).collect()
}

/// The volume that triangles enclose, by the divergence theorem: above 0 if they face outwards.
pub(super) fn volume(triangles: &Triangles) -> f64 {
    corners(triangles).iter().map(|[a, b, c]| a.dot(b.cross(*c))).sum::<f64>() / 6.0
}

/// The sum of the areas of the triangles, each along its normal.
pub(super) fn area(triangles: &Triangles) -> DVec3 {
    corners(triangles).iter().map(|[a, b, c]| 0.5 * (b - a).cross(c - a)).sum()
}

/// Asserts that rays into a thousand directions cross the triangles an odd number of times from
/// each point inside, and an even number from each point outside.
pub(super) fn assert_contains(triangles: &Triangles, inside: &[DVec3], outside: &[DVec3]) {
    let mut scene = Scene::new();
    scene.add(mesh(triangles)).unwrap();
    let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
    let mut rng = Rng::with_seed(7);
    for (points, parity) in [(inside, 1), (outside, 0)] {
        for point in points {
            let direction =
                |rng: &mut Rng| DVec3::from_array([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
            let rays: Vec<Ray> = (0..1000)
                .map(|_| {
                    let direction = direction(&mut rng).as_vec3().to_array();
                    Ray::new(point.as_vec3().to_array(), direction)
                })
                .collect();
            let counts = tracer.count(Batch::new(&rays)).unwrap();
            assert!(counts.iter().all(|count| count % 2 == parity), "{point}: {counts:?}");
        }
    }
}

#[test]
fn a_hundred_thousand_points_take_no_quadratic_time() {
    // With quadratic time these would be 10^10 steps, which nobody waits for.
    let count = 100_000_i64;
    let points: Vec<DVec3> =
        (0..count).map(|n| DVec3::new(n as f64, (n % 2) as f64, (n % 3) as f64)).collect();
    let index: Vec<i64> = (0..count).collect();
    let faces = |left_out: usize, faces: Result<Faces, String>| {
        let faces = faces.unwrap();
        assert_eq!(faces.left_out, left_out);
        faces.triangles.triangles.len()
    };
    assert_eq!(faces(1, plain_faces(&points, FaceKind::Three, true)), 33_333);
    assert_eq!(faces(0, plain_faces(&points, FaceKind::Quad, true)), 50_000);
    assert_eq!(faces(0, indexed_faces(&points, &index, FaceKind::Strip, true)), 99_998);
    assert_eq!(faces(0, counted_faces(&points, &[count], FaceKind::Fan, true)), 99_998);
    assert_eq!(line_set(&points, &[count]).unwrap().segments.len(), 99_999);
    let small: Vec<i64> = index.chunks(3).flat_map(|face| [face, &[-1]].concat()).collect();
    assert_eq!(faces(1, indexed_faces(&points, &small, FaceKind::Polygon, true)), 33_333);
    // One concave face of so many corners would take quadratic time, so it is left out.
    let refused = indexed_faces(&points, &index, FaceKind::Polygon, true);
    assert_eq!(refused.unwrap_err(), "has no face with an area");
    let grid = ElevationGrid {
        x_dimension: 100,
        z_dimension: 1000,
        x_spacing: 1.0,
        z_spacing: 1.0,
        heights: vec![0.0; 100_000],
        ccw: true,
    };
    assert_eq!(grid.triangles().unwrap().triangles.len(), 2 * 99 * 999);
}

#[test]
fn random_fields_give_triangles_of_their_points_or_a_reason() {
    let mut rng = Rng::with_seed(11);
    let mut read = [0, 0];
    for round in 0..3000 {
        // A lattice makes coincident, collinear and crossing corners; some coordinates overflow.
        let size = [1.0, 1e-300, 1e308][usize::from(round % 10 == 0) * rng.usize(0..3)];
        let count = rng.usize(0..12);
        let points: Vec<DVec3> = (0..count)
            .map(|_| size * DVec3::from_array([(); 3].map(|()| f64::from(rng.i32(-2..=2)))))
            .collect();
        let index: Vec<i64> = (0..rng.usize(0..30)).map(|_| rng.i64(-2..=12)).collect();
        let ccw = rng.bool();
        let sets = [
            indexed_faces(&points, &index, FaceKind::Polygon, ccw),
            indexed_faces(&points, &index, FaceKind::Three, ccw),
            indexed_faces(&points, &index, FaceKind::Fan, ccw),
            indexed_faces(&points, &index, FaceKind::Strip, ccw),
            indexed_faces(&points, &index, FaceKind::Quad, ccw),
            counted_faces(&points, &index, FaceKind::Strip, ccw),
        ];
        let extrusion = Extrusion {
            cross_section: points.iter().map(|point| point.truncate()).collect(),
            spine: points.iter().rev().copied().collect(),
            scale: points.iter().map(|point| point.truncate()).take(index.len()).collect(),
            orientation: points.iter().map(|point| point.extend(size).to_array()).collect(),
            begin_cap: rng.bool(),
            end_cap: rng.bool(),
            ccw,
        };
        let faces = sets.into_iter().map(|faces| faces.map(|faces| faces.triangles));
        for triangles in faces.chain([extrusion.triangles()]) {
            read[usize::from(triangles.is_ok())] += 1;
            if let Ok(triangles) = triangles {
                let count = triangles.vertices.len() as u32;
                assert!(triangles.triangles.iter().flatten().all(|&corner| corner < count));
            }
        }
    }
    assert!(read.iter().all(|&count| count > 1000), "{read:?}");
}
