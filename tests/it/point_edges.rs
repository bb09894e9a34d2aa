//! The classic tests of points in shapes at their limits: the inputs that are refused, and the smallest and largest
//! that are not.

use crate::common::{arithmetic, gpu};
use raytwin::ShapeError;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{PointTestError, PointTester};
use raytwin::point_in_shape::*;

fn ball() -> SphereTest {
    SphereTest::new(DVec3::ZERO, 1.0).unwrap()
}

#[test]
fn neither_one_test_nor_one_for_each_point_is_refused() {
    let device = PointTester::new(&gpu()).unwrap();
    for (tests, points) in [(0, 1), (2, 3), (3, 2), (2, 0)] {
        let given = device.contains(&vec![ball(); tests], &vec![[0.0; 3]; points]);
        assert_eq!(given, Err(PointTestError::Uneven { tests, points }));
    }
}

#[test]
fn bad_tests_are_refused_with_the_field() {
    let [o, z] = [DVec3::ZERO, DVec3::Z];
    let no_turn = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    fn field<T>(made: Result<T, ShapeError>) -> String {
        made.map(|_| ()).unwrap_err().field
    }
    assert_eq!(field(CylinderTest::solid(o, o, 1.0)), "end");
    assert_eq!(field(CylinderTest::solid(o, z, 0.0)), "radius");
    assert_eq!(field(CylinderTest::solid(o, z, f64::NAN)), "radius");
    assert_eq!(field(CylinderTest::solid(o, DVec3::NAN, 1.0)), "end");
    assert_eq!(field(CylinderTest::solid(2e9 * z, z, 1.0)), "start");
    assert_eq!(field(CylinderTest::tube(o, z, 1.0, 1.0)), "inner_radius");
    assert_eq!(field(CylinderTest::tube(o, z, 1.0, -0.5)), "inner_radius");
    assert_eq!(field(ConeTest::new(o, z, 0.0, 0.0)), "end_radius");
    assert_eq!(field(ConeTest::new(o, z, -1.0, 2.0)), "start_radius");
    assert_eq!(field(ConeTest::new(z, z, 1.0, 2.0)), "end");
    assert_eq!(field(EllipsoidTest::new(o, z, DQuat::IDENTITY)), "radii[0]");
    assert_eq!(field(EllipsoidTest::new(o, DVec3::ONE, no_turn)), "rotation");
    assert_eq!(field(SphereTest::new(o, -1.0)), "radius");
    assert_eq!(field(SphereTest::new(DVec3::INFINITY, 1.0)), "center");
    assert_eq!(field(AlignedBoxTest::new(z, o)), "min");
    assert_eq!(field(AlignedBoxTest::new(o, DVec3::NAN)), "max");
    assert_eq!(field(OrientedBoxTest::new(o, z, DQuat::IDENTITY)), "half_extents[0]");
    assert_eq!(field(PlaneTest::new(o, o)), "normal");
    assert_eq!(field(PlaneTest::new(o, DVec3::INFINITY)), "normal[0]");
    assert_eq!(field(LineTest::new(o, o)), "direction");
    assert_eq!(field(RayTest::new(DVec3::NAN, z)), "origin");
    assert_eq!(field(SegmentTest::new(z, z)), "end");
    for tolerance in [-1.0, -1e-300, f64::NAN, f64::INFINITY, 1e10, 1e-10] {
        assert_eq!(field(Tolerance::new(tolerance)), "tolerance");
    }
    assert_eq!(Tolerance::new(0.0), Ok(Tolerance::ZERO));
    assert!(AlignedBoxTest::new(o, o).unwrap().contains(o), "a box may be flat");
}

/// The tests hold for the smallest and the largest numbers, and for directions of any length.
#[test]
fn extreme_sizes_are_tested_rightly() {
    let device = PointTester::new(&gpu()).unwrap();
    // The first three points lie on surfaces, where a device that does not round correctly may decide either way.
    let decided = if arithmetic().is_correctly_rounded() { 0 } else { 3 };
    for radius in [1.01e-9_f32, 1.0, 1e9] {
        for length in [1.01e-9_f32, 1.0, 1e9] {
            let [r, l] = [radius, length].map(f64::from);
            let end = DVec3::new(0.0, 0.0, l);
            let can = [CylinderTest::solid(DVec3::ZERO, end, r).unwrap()];
            let tip = [ConeTest::new(DVec3::ZERO, end, 0.0, r).unwrap()];
            let points = [
                [radius, 0.0, length],
                [radius, 0.0, 0.0],
                [0.999 * radius, 0.0, length],
                [0.0, 0.4 * radius, 0.5 * length],
                [0.0, 0.6 * radius, 0.5 * length],
                [0.0, 0.0, 1.001 * length],
                [0.0, 0.0, -0.001 * length],
            ];
            let inside = |given: Vec<f32>| given.into_iter().map(|d| d >= 0.0).collect::<Vec<_>>();
            let mut expected = [[true, true, true, true, true, false, false], [false; 7]];
            expected[1][0] = true;
            expected[1][2] = true;
            expected[1][3] = true;
            let given = device.squared_distances(&can, &points).unwrap();
            let apart = (given[4] / (0.6 * radius).powi(2) - 1.0).abs();
            assert!(apart < 1e-5, "{radius} {length}: {given:?}");
            assert_eq!(inside(given)[decided..], expected[0][decided..], "{radius} {length}");
            let given = device.squared_distances(&tip, &points).unwrap();
            assert_eq!(inside(given)[decided..], expected[1][decided..], "{radius} {length}");
        }
    }
    for scale in [1e-310, 1e-30, 1.0, 1e300] {
        let line = LineTest::new(DVec3::ONE, scale * DVec3::new(1.0, 2.0, 2.0)).unwrap();
        let point = DVec3::new(2.0, 3.0, 3.0);
        assert!(line.touches(point, Tolerance::new(1e-9).unwrap()), "{scale}");
        let tolerance = Tolerance::new(1e-6).unwrap();
        assert_eq!(device.touches(&[line], tolerance, &[[2.0, 3.0, 3.0]]), Ok(vec![true]));
    }
    // These points are nearer to the centre than the smallest length, and yet a direction is found.
    let near = [[1e-30, 0.0, 0.0], [0.0, -1e-44, 0.0], [0.0, 0.0, 0.0]];
    let closest = device.closest_points(&[ball()], &near).unwrap();
    let is_at = |index: usize, [x, y, z]: [f32; 3]| {
        let [given_x, given_y, given_z] = closest[index];
        (given_x - x).abs() < 1e-6 && (given_y - y).abs() < 1e-6 && given_z == z
    };
    let east = [1.0, 0.0, 0.0];
    assert!(is_at(0, east) && is_at(2, east), "{closest:?}");
    assert!(is_at(1, [0.0, -1.0, 0.0]) || is_at(1, east), "{closest:?}");
}
