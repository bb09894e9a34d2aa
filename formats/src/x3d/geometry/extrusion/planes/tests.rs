use super::*;

fn spine(points: &[[f64; 3]]) -> Vec<DVec3> {
    points.iter().copied().map(DVec3::from).collect()
}

#[track_caller]
fn assert_axes(plane: DMat3, axes: [DVec3; 3]) {
    for (actual, expected) in [plane.x_axis, plane.y_axis, plane.z_axis].into_iter().zip(axes) {
        assert!((actual - expected).length() < 1e-12, "{plane}");
    }
}

#[test]
fn straight_spines_turn_y_onto_their_direction_by_the_shortest_way() {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    // Turning +y to +x is a turn about −z, which takes x to −y; to +z about +x, which takes z to
    // −y.
    let turns = [
        (y, [x, y, z]),
        (-y, [-x, -y, z]),
        (x, [-y, x, z]),
        (-x, [y, -x, z]),
        (z, [x, z, -y]),
        (-z, [x, -z, y]),
    ];
    for (direction, axes) in turns {
        for steps in [vec![0.0, 1.0], vec![0.0, 0.5, 2.0, 7.0], vec![0.0, 0.0, 1.0, 1.0, 3.0]] {
            let spine: Vec<DVec3> = steps.iter().map(|&step| step * direction).collect();
            spine_aligned(&spine).into_iter().for_each(|plane| assert_axes(plane, axes));
        }
    }
}

#[test]
fn turns_are_rotations_without_a_roll_near_the_opposite_direction_too() {
    for tilt in [1e-3, 1e-7, 1e-9] {
        let direction = DVec3::new(0.6 * tilt, -1.0, 0.8 * tilt).normalize();
        let plane = spine_aligned(&[DVec3::ZERO, direction])[0];
        assert!((plane.determinant() - 1.0).abs() < 1e-12);
        // The axis of the turn is level and at right angles to the direction: it stays.
        let axis = DVec3::new(0.8, 0.0, -0.6);
        assert!((plane * axis - axis).length() < 1e-6, "{tilt}");
    }
}

#[test]
fn a_bend_gives_the_axes_of_the_specification() {
    // Along x, then up y. At the corner (spine[2] − spine[1]) × (spine[0] − spine[1]) is y × −x =
    // z.
    let planes = spine_aligned(&spine(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]));
    let half = 0.5_f64.sqrt();
    let diagonal = DVec3::new(half, half, 0.0);
    assert_axes(planes[0], [-DVec3::Y, DVec3::X, DVec3::Z]);
    assert_axes(planes[1], [DVec3::new(half, -half, 0.0), diagonal, DVec3::Z]);
    assert_axes(planes[2], [DVec3::X, DVec3::Y, DVec3::Z]);
}

#[test]
fn z_does_not_flip_between_bends_to_either_side_and_serves_straight_stretches() {
    let staircase = spine(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [2.0, 2.0, 0.0],
        [3.0, 2.0, 0.0],
        [3.0, 2.0, 0.0],
        [4.0, 2.0, 0.0],
    ]);
    let planes = spine_aligned(&staircase);
    assert!(planes.iter().all(|plane| (plane.z_axis - DVec3::Z).length() < 1e-12));
    assert_axes(planes[1], [-DVec3::Y, DVec3::X, DVec3::Z]);
    assert_eq!(planes[5], planes[6], "coincident points share a plane");
}

#[test]
fn rounding_in_a_straight_spine_is_no_bend() {
    let direction = DVec3::new(0.123_456_7, 0.7, -0.3);
    let single = |step: u32| (f64::from(step) * direction).as_vec3().as_dvec3();
    let planes = spine_aligned(&(0..50).map(single).collect::<Vec<_>>());
    assert!(planes.iter().all(|plane| *plane == planes[0]));
    assert!((planes[0].y_axis - direction.normalize()).length() < 1e-6);
}

#[test]
fn a_spine_that_ends_where_it_begins_has_one_plane_there() {
    let square =
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]];
    let planes = spine_aligned(&spine(&square));
    assert_eq!(planes[0], planes[4]);
    // y is along spine[1] − spine[3]; z is (spine[1] − spine[0]) × (spine[3] − spine[0]) = (−1,0,1)
    // × (−1,0,−1).
    assert_axes(planes[0], [DVec3::X, DVec3::Z, -DVec3::Y]);
    let knot = |n: u32| {
        let angle = f64::from(n) * std::f64::consts::TAU / 60.0;
        let radius = 2.0 + libm::cos(3.0 * angle);
        let (sin, cos) = (libm::sin(2.0 * angle), libm::cos(2.0 * angle));
        DVec3::new(radius * cos, libm::sin(3.0 * angle), radius * sin)
    };
    let mut knot: Vec<DVec3> = (0..60).map(knot).collect();
    knot.push(knot[0]);
    let planes = spine_aligned(&knot);
    assert_eq!(planes[0], planes[60]);
    assert!(planes.iter().all(|plane| (plane.determinant() - 1.0).abs() < 1e-12));
}

#[test]
fn spines_that_go_nowhere_or_back_have_planes() {
    assert!(spine_aligned(&[]).is_empty());
    assert_eq!(spine_aligned(&[DVec3::ONE; 3]), [DMat3::IDENTITY; 3]);
    // There and back: the direction at the turn is the one that the spine comes from.
    let back = spine(&[[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]]);
    let planes = spine_aligned(&back);
    planes.iter().for_each(|plane| assert_axes(*plane, [DVec3::X, DVec3::Z, -DVec3::Y]));
    let with_bend = spine(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
    let planes = spine_aligned(&with_bend);
    assert_axes(planes[2], [DVec3::X, DVec3::Y, DVec3::Z]);
}
