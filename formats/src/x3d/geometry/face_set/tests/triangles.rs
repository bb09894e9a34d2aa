use super::super::*;
use crate::x3d::geometry::tests::{area, corners};

/// Points of a ribbon: zigzag between y = 0 and y = 1.
fn ribbon(count: u32) -> Vec<DVec3> {
    (0..count).map(|n| DVec3::new(f64::from(n), f64::from(n % 2), 0.0)).collect()
}

#[test]
fn triangles_take_three_indices_each() {
    let points = ribbon(5);
    let faces = indexed_faces(&points, &[4, 1, 2, 0, 2, 1, 3], FaceKind::Three, true).unwrap();
    assert_eq!(
        corners(&faces.triangles),
        [[points[4], points[1], points[2]], [points[0], points[2], points[1]]]
    );
    assert_eq!(faces.left_out, 1, "the last has one corner");
    let turned = indexed_faces(&points, &[4, 1, 2], FaceKind::Three, false).unwrap();
    assert_eq!(corners(&turned.triangles), [[points[4], points[2], points[1]]]);
    let plain = plain_faces(&points[..3], FaceKind::Three, true).unwrap();
    assert_eq!(corners(&plain.triangles), [[points[0], points[1], points[2]]]);
    assert!(indexed_faces(&points, &[0, 1, 5, 1, 1, 2], FaceKind::Three, true).is_err());
    assert!(plain_faces(&points[..2], FaceKind::Three, true).is_err());
}

#[test]
fn all_triangles_of_a_strip_face_one_side() {
    let points = ribbon(6);
    let strip = counted_faces(&points, &[6], FaceKind::Strip, true).unwrap();
    assert_eq!(strip.triangles.triangles.len(), 4);
    assert!(corners(&strip.triangles).iter().all(|[a, b, c]| (b - a).cross(c - a).z < 0.0));
    // Triangles of base 2 and height 1.
    assert_eq!(area(&strip.triangles), -4.0 * DVec3::Z);
    let index = [0, 1, 2, 3, 4, 5];
    assert_eq!(indexed_faces(&points, &index, FaceKind::Strip, true).unwrap(), strip);
    let turned = indexed_faces(&points, &index, FaceKind::Strip, false).unwrap();
    assert_eq!(area(&turned.triangles), 4.0 * DVec3::Z);
    // Repeated corners join two stretches without a triangle, and are no fault.
    let joined = indexed_faces(&points, &[0, 1, 2, 2, 3, 3, 4, 5], FaceKind::Strip, true).unwrap();
    assert_eq!((joined.left_out, joined.triangles.triangles.len()), (0, 2));
    assert_eq!(area(&joined.triangles), -2.0 * DVec3::Z);
}

#[test]
fn all_triangles_of_a_fan_have_its_first_corner() {
    let points: Vec<DVec3> = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [-2.0, 2.0]]
        .map(|[x, y]| DVec3::new(x, y, 0.0))
        .to_vec();
    let fan = counted_faces(&points, &[5], FaceKind::Fan, true).unwrap();
    assert_eq!(fan.triangles.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    assert_eq!(area(&fan.triangles), 6.0 * DVec3::Z);
    let index = [0, 1, 2, 3, 4, -1, 0, 1, -1, 0, 1, 7, -1, -1];
    let with_faults = indexed_faces(&points, &index, FaceKind::Fan, true).unwrap();
    assert_eq!((with_faults.left_out, with_faults.triangles), (2, fan.triangles));
}

#[test]
fn counts_are_claims() {
    let points = ribbon(7);
    let strips =
        counted_faces(&points, &[3, -5, 2, i64::MAX, 3, i64::MAX], FaceKind::Strip, true).unwrap();
    assert_eq!((strips.left_out, strips.triangles.triangles.len()), (5, 1));
    let two = counted_faces(&points, &[3, 4], FaceKind::Strip, true).unwrap();
    assert_eq!((two.left_out, two.triangles.triangles.len()), (0, 3));
    assert_eq!(corners(&two.triangles)[1], [points[3], points[4], points[5]]);
    assert!(counted_faces(&points, &[], FaceKind::Fan, true).is_err());
}
