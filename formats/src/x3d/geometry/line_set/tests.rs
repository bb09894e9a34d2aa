use super::*;

fn points() -> Vec<DVec3> {
    vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO]
}

#[test]
fn a_segment_joins_each_point_of_a_polyline_to_the_next() {
    let lines = indexed_line_set(&points(), &[3, 1, 2, 3, -1, 1, 3]).unwrap();
    assert_eq!(lines.points, [DVec3::Z, DVec3::X, DVec3::Y]);
    assert_eq!(lines.segments, [[0, 1], [1, 2], [2, 0], [1, 0]]);
    assert_eq!(lines.left_out, 0);
    let counted = line_set(&points(), &[2, 3]).unwrap();
    assert_eq!(counted.points, points());
    assert_eq!(counted.segments, [[0, 1], [2, 3], [3, 4]]);
}

#[test]
fn polylines_without_two_known_places_are_left_out_and_counted() {
    let index = [0, 1, -1, -1, 2, -1, 0, 5, -1, 0, 4, -1, 1, 1, 3, -1];
    let lines = indexed_line_set(&points(), &index).unwrap();
    assert_eq!((lines.left_out, lines.segments.len()), (3, 2));
    let counted = line_set(&points(), &[2, 1, -1, i64::MAX, 2]).unwrap();
    assert_eq!((counted.left_out, counted.segments.len()), (4, 1));
    assert_eq!(line_set(&points(), &[]).unwrap_err(), "has no segment with a length");
    assert!(indexed_line_set(&[], &[0, 1]).is_err());
}
