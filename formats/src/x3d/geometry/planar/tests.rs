use super::*;
use crate::x3d::geometry::tests::area;
use std::f64::consts::PI;

fn arc(start_angle: f64, end_angle: f64) -> CircularArc {
    CircularArc { radius: 2.0, start_angle, end_angle }
}

/// The area between a chord and the centre, for every segment of an arc of so many segments.
fn slices(count: f64, sweep: f64) -> f64 {
    count * 0.5 * 4.0 * libm::sin(sweep / count)
}

#[test]
fn arcs_run_counter_clockwise_and_are_circles_when_their_ends_meet() {
    let quarter = arc(0.0, PI / 2.0).polyline().unwrap();
    assert_eq!((quarter.points.len(), quarter.segments.len()), (33, 32));
    assert_eq!(quarter.points[0], DVec3::new(2.0, 0.0, 0.0));
    assert!((quarter.points[32] - DVec3::new(0.0, 2.0, 0.0)).length() < 1e-12);
    // From a quarter turn on to no turn is three quarters.
    let rest = arc(PI / 2.0, 0.0).polyline().unwrap();
    assert_eq!(rest.segments.len(), 96);
    assert!((rest.points[48] - DVec3::new(-2.0, -2.0, 0.0) * 0.5_f64.sqrt()).length() < 1e-12);
    for circle in [CircularArc::circle(2.0), arc(1.0, 1.0), arc(0.0, 7.0), arc(0.0, -TAU)] {
        let circle = circle.polyline().unwrap();
        assert_eq!((circle.points.len(), circle.segments.len()), (128, 128));
        assert_eq!(circle.segments[127], [127, 0]);
    }
    assert!(CircularArc::circle(0.0).polyline().unwrap_err().contains("above 0"));
    assert!(CircularArc::circle(f64::NAN).polyline().is_err());
}

#[test]
fn faces_of_arcs_are_slices_or_segments_of_their_circle() {
    let face = |arc: CircularArc, closure| area(&arc.face(closure).unwrap());
    let near = |actual: DVec3, expected: f64| {
        assert!((actual - expected * DVec3::Z).length() < 1e-9, "{actual} {expected}");
    };
    near(face(arc(0.0, PI / 2.0), "PIE"), slices(32.0, PI / 2.0));
    near(face(arc(0.0, PI / 2.0), "CHORD"), slices(32.0, PI / 2.0) - 2.0);
    near(face(arc(PI / 2.0, 0.0), "PIE"), slices(96.0, 1.5 * PI));
    near(face(arc(PI / 2.0, 0.0), "CHORD"), slices(96.0, 1.5 * PI) + 2.0);
    near(face(arc(1.0, 1.0), "PIE"), slices(128.0, TAU));
    assert_eq!(arc(0.0, 0.01).face("CHORD").unwrap_err(), "has no area");
}

#[test]
fn plane_figures_lie_in_z_0_and_face_the_reader() {
    assert_eq!(area(&rectangle(DVec2::new(2.0, 3.0)).unwrap()), 6.0 * DVec3::Z);
    for size in [[0.0, 1.0], [1.0, -1.0], [f64::NAN, 1.0]] {
        assert!(rectangle(size.into()).unwrap_err().contains("above 0"));
    }
    let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 1.0], [9.0, 9.0]].map(DVec2::from);
    let set = planar_triangle_set(&corners).unwrap();
    assert_eq!((set.left_out, area(&set.triangles)), (1, 2.0 * DVec3::Z));
    let lines = polyline(&corners).unwrap();
    assert_eq!((lines.points[1], lines.segments.len()), (DVec3::new(4.0, 0.0, 0.0), 3));
    assert!(polyline(&corners[..1]).is_err());
}
