use super::*;
use crate::ray::Line;
use crate::shapes::ClosedForm;
use fastrand::Rng;

/// Returns fields of many sizes and scales, already placed, so that no height is rounded any more.
/// Every other one has a base.
fn fields(rng: &mut Rng) -> Vec<Heightfield> {
    let mut fields = Vec::new();
    for [rows, columns] in [[2, 2], [2, 41], [37, 2], [5, 5], [6, 17], [24, 31], [33, 10]] {
        for (relief, is_spiky) in
            [(0.0, false), (1e-6, false), (0.3, false), (3.0, true), (1e3, true)]
        {
            let (scale, offset) = [(1.0, 0.0), (1e-3, 1.0), (1e4, 1e5), (1.0, 1e6)][rng.usize(..4)];
            let height = |_| match is_spiky && rng.u32(..20) > 0 {
                true => 0.0,
                false => f64::from((scale * relief * rng.f64()) as f32),
            };
            let heights = (0..rows * columns).map(height).collect();
            let turn = match rng.u32(..3) {
                0 => DQuat::IDENTITY,
                1 => DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
                _ => DQuat::from_axis_angle(unit(rng), 6.0 * rng.f64()),
            };
            let center = offset * unit(rng);
            let spacing = [scale, scale * (0.2 + rng.f64())];
            let field = Heightfield::new(heights, columns, spacing, center, turn).unwrap();
            let depth = scale * [1e-3, 1.0, 50.0][rng.usize(..3)];
            fields.push(match fields.len() % 2 {
                0 => field,
                _ => field.with_base(f64::from(-depth as f32)).unwrap(),
            });
        }
    }
    fields
}

fn unit(rng: &mut Rng) -> DVec3 {
    let mut component = || rng.f64() - 0.5;
    DVec3::new(component(), component(), component()).normalize()
}

/// Returns all facets with their primitives.
fn facets(field: &Heightfield) -> Vec<(u32, Triangle)> {
    let axes = field.world_from_field();
    let [rows, columns] = field.cells();
    let mut facets = Vec::new();
    for &layer in field.layers() {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |c| (row, c))) {
            for is_left in [false, true] {
                let facet = facets::Facet { layer, row, column, is_left };
                if let Some(primitive) = field.primitive_of(facet) {
                    facets.push((primitive, field.triangle_of(&axes, facet)));
                }
            }
        }
    }
    facets
}

/// Returns a vertex or a point between vertices, in world space.
fn place_on(rng: &mut Rng, field: &Heightfield) -> DVec3 {
    let facets = facets(field);
    let (_, Triangle { vertices: [a, b, c] }) = facets[rng.usize(..facets.len())];
    match rng.u32(..3) {
        0 => a,
        1 => a.lerp(b, rng.f64()),
        _ => a.lerp(b, rng.f64()).lerp(c, rng.f64()),
    }
}

/// Returns a line and an interval of it. Many lines run level, upright, along edges or from far
/// away.
fn line_at(rng: &mut Rng, field: &Heightfield) -> (Line, [f64; 2]) {
    let axes = field.world_from_field();
    let size = field.bounding_radius();
    let target = place_on(rng, field);
    let direction = match rng.u32(..6) {
        0 => axes * DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, 1e-3 * (rng.f64() - 0.5)),
        1 => axes * (unit(rng) * DVec3::new(1.0, 1.0, 1e-7)),
        2 => axes * DVec3::new(field.spacing[0], rng.f64() * field.spacing[1], 0.0),
        3 => [axes.x_axis, axes.y_axis, axes.z_axis][rng.usize(..3)],
        4 => place_on(rng, field) - target,
        _ => unit(rng),
    };
    let direction = if direction == DVec3::ZERO { axes.z_axis } else { direction };
    let back = size * [0.0, 1.0, 20.0, 1e4][rng.usize(..4)] / direction.length();
    let line = Line { origin: target - back * direction, direction };
    let cut = 2.0 * size * (rng.f64() - 0.5) / direction.length();
    let whole = [f64::NEG_INFINITY, f64::INFINITY];
    let interval =
        [whole, [0.0, f64::INFINITY], [back + cut, f64::INFINITY], [back - cut.abs(), back]];
    (line, interval[rng.usize(..4)])
}

#[test]
fn walks_find_what_asking_all_triangles_does() {
    let rng = &mut Rng::with_seed(41);
    let [mut met, mut closed_and_crossed] = [0; 2];
    for field in fields(rng) {
        let triangles = facets(&field);
        let whole = [f64::NEG_INFINITY, f64::INFINITY];
        for _ in 0..300 {
            let (line, interval) = line_at(rng, &field);
            let mut all = Vec::new();
            let mut first: Option<(f64, u32)> = None;
            // A line in a triangle's plane crosses it wherever rounding says.
            let is_edge_on = |triangle: &Triangle| {
                let sine = triangle.area_normal().normalize().dot(line.direction.normalize());
                sine.abs() < 1e-8 && !triangle.crossings(&line).is_empty()
            };
            if triangles.iter().any(|(_, triangle)| is_edge_on(triangle)) {
                continue;
            }
            for &(primitive, triangle) in &triangles {
                let crossings = triangle.own_crossings(&line);
                all.extend(crossings.within(interval).map(|crossing| (crossing.t, primitive)));
                for crossing in triangle.crossings(&line).within(interval) {
                    if first.is_none_or(|first| (crossing.t, primitive) < first) {
                        first = Some((crossing.t, primitive));
                    }
                }
            }
            let found = field.first_crossing(&line, interval);
            assert_eq!(found.map(|(crossing, index)| (crossing.t, index)), first, "{line:?}");
            let mut message = Vec::new();
            field.each_crossing(&line, interval, |t, primitive| message.push((t, primitive)));
            let in_order =
                |a: &(f64, u32), b: &(f64, u32)| (a.1, a.0).partial_cmp(&(b.1, b.0)).unwrap();
            message.sort_unstable_by(in_order);
            all.sort_unstable_by(in_order);
            assert_eq!(message, all, "{line:?} {interval:?}");
            let mut count = 0;
            field.each_crossing(&line, whole, |_, _| count += 1);
            // Of a line in a triangle's plane, rounding says whether it crosses that triangle.
            let runs_along = |(_, triangle): &(u32, Triangle)| {
                let normal = triangle.area_normal().normalize();
                let from_plane = (line.origin - triangle.vertices[0]).dot(normal);
                normal.dot(line.direction.normalize()).abs() < 1e-9
                    && from_plane.abs() < 1e-9 * (line.origin.length() + field.bounding_radius())
            };
            let is_even = count % 2 == 0 || triangles.iter().any(runs_along);
            assert!(field.base().is_none() || is_even, "{count} of {line:?}");
            closed_and_crossed += usize::from(field.base().is_some() && count > 0);
            met += usize::from(first.is_some());
        }
    }
    assert!(met > 3000, "{met} lines met something");
    assert!(closed_and_crossed > 1500, "{closed_and_crossed} lines crossed a closed field");
}

#[test]
fn searches_find_what_asking_all_triangles_does() {
    let rng = &mut Rng::with_seed(42);
    let mut nearest_faces = [0; BASE_FACES];
    for field in fields(rng) {
        for _ in 0..100 {
            let away = field.bounding_radius() * [0.0, 0.01, 1.0, 10.0, 1e6][rng.usize(..5)];
            let point = place_on(rng, &field) + away * unit(rng);
            let mut nearest = (f64::INFINITY, u32::MAX);
            for (primitive, triangle) in facets(&field) {
                let squared = triangle.closest_point(point).distance_squared(point);
                if (squared, primitive) < nearest {
                    nearest = (squared, primitive);
                }
            }
            if field.base().is_some() {
                // The bottom is measured as a whole.
                let (on, primitive) = field.closest_point(point, f64::INFINITY).unwrap();
                let [found, expected] = [on.distance(point), nearest.0.sqrt()];
                let rounding = 1e-14 * (point.length() + field.bounding_radius());
                assert!((found - expected).abs() <= rounding, "{found} {expected} {point}");
                if primitive as usize >= field.triangle_count() {
                    let face = primitive as usize - field.triangle_count();
                    let alone = field.closest_point_of_face(point, face).distance(point);
                    assert!((alone - found).abs() <= rounding, "{alone} {found} {face}");
                    nearest_faces[face] += 1;
                }
                continue;
            }
            for within in [f64::INFINITY, nearest.0] {
                let (on, index) = field.closest_point(point, within).unwrap();
                assert_eq!((on.distance_squared(point), index), nearest, "{point}");
            }
            assert_eq!(field.closest_point(point, nearest.0.next_down()), None, "{point}");
        }
    }
    assert!(nearest_faces.iter().all(|&count| count > 20), "{nearest_faces:?}");
}

#[test]
fn a_closed_field_holds_what_lies_an_odd_number_of_crossings_below_the_sky() {
    let rng = &mut Rng::with_seed(44);
    let mut held = 0;
    for field in fields(rng).into_iter().filter(|field| field.base().is_some()) {
        let axes = field.world_from_field();
        let Bounds { min, max } = field.local_bounds();
        for _ in 0..200 {
            let share = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 1.2 - 0.1;
            let point = field.center + axes * (min + share * (max - min));
            let mut count = 0;
            let up = Line { origin: point, direction: axes * DVec3::new(0.1, 0.05, 1.0) };
            field.each_crossing(&up, [0.0, f64::INFINITY], |_, _| count += 1);
            assert_eq!(field.holds(point), count % 2 == 1, "{point}");
            held += usize::from(field.holds(point));
        }
    }
    assert!((300..3000).contains(&held), "{held} points");
}

/// Lines low over a plain from which spikes rise pass more cells the wider it is, but look at few.
#[test]
fn a_walk_leaves_out_what_a_line_is_far_above() {
    let rng = &mut Rng::with_seed(43);
    let side = 256;
    let height = |index: usize| if index.is_multiple_of(4099) { 5.0 } else { 0.0 };
    let heights = (0..side * side).map(height).collect();
    let field = Heightfield::new(heights, side, [1.0; 2], DVec3::ZERO, DQuat::IDENTITY).unwrap();
    let mut visits = 0;
    for _ in 0..200 {
        let angle = rng.f64() * std::f64::consts::TAU;
        let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let aside = 100.0 * (rng.f64() - 0.5) * DVec3::new(-direction.y, direction.x, 0.0);
        let line = Line { origin: aside + 2.5 * DVec3::Z - 300.0 * direction, direction };
        field.walk(&line, [0.0, f64::INFINITY], 1e-9, |_| {
            visits += 1;
            f64::INFINITY
        });
    }
    // Each passes more than 200 cells, of two triangles.
    assert!(visits < 200 * 20, "{visits} triangles");
}
