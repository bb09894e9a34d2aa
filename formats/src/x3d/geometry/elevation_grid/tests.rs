use super::*;
use crate::x3d::geometry::tests::{area, corners};

fn grid(x_dimension: i64, z_dimension: i64, heights: &[f64]) -> ElevationGrid {
    let heights = heights.to_vec();
    ElevationGrid { x_dimension, z_dimension, x_spacing: 2.0, z_spacing: 3.0, heights, ccw: true }
}

#[test]
fn heights_run_along_x_first_and_face_up() {
    let triangles = grid(3, 2, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]).triangles().unwrap();
    let at = |column: f64, row: f64, height| DVec3::new(2.0 * column, height, 3.0 * row);
    assert_eq!(
        corners(&triangles)[..2],
        [
            [at(0.0, 0.0, 0.0), at(1.0, 1.0, 4.0), at(1.0, 0.0, 1.0)],
            [at(0.0, 0.0, 0.0), at(0.0, 1.0, 3.0), at(1.0, 1.0, 4.0)],
        ]
    );
    assert_eq!(corners(&triangles)[3][2], at(2.0, 1.0, 5.0));
    assert_eq!(area(&triangles).y, 4.0 * 3.0, "seen from above");
    assert!(corners(&triangles).iter().all(|[a, b, c]| (b - a).cross(c - a).y == 6.0));
    let turned = ElevationGrid { ccw: false, ..grid(2, 2, &[0.0; 4]) }.triangles().unwrap();
    assert_eq!(area(&turned), -6.0 * DVec3::Y);
}

#[test]
fn dimensions_are_claims_that_heights_must_meet() {
    let refused = |grid: ElevationGrid| grid.triangles().unwrap_err();
    assert!(refused(grid(3, 2, &[0.0; 5])).contains("has 5 heights for 3 columns and 2 rows"));
    assert!(refused(grid(i64::MAX, i64::MAX, &[0.0; 5])).contains("5 heights"));
    for [columns, rows] in [[1, 5], [5, 1], [0, 0], [-2, -2], [i64::MIN, 3]] {
        assert!(refused(grid(columns, rows, &[0.0; 5])).contains("at least 2"));
    }
    for x_spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(ElevationGrid { x_spacing, ..grid(2, 2, &[0.0; 4]) }).contains("above 0"));
    }
    // Heights beyond the grid are not its own.
    assert_eq!(grid(2, 2, &[0.0; 9]).triangles().unwrap().vertices.len(), 4);
}
