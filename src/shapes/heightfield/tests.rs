use super::*;
use crate::ray::Line;
use crate::shapes::ClosedForm;
use fastrand::Rng;

/// Returns fields of many sizes and scales, already placed, so that no height is rounded any more.
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
            fields.push(Heightfield::new(heights, columns, spacing, center, turn).unwrap());
        }
    }
    fields
}

fn unit(rng: &mut Rng) -> DVec3 {
    let mut component = || rng.f64() - 0.5;
    DVec3::new(component(), component(), component()).normalize()
}

/// Returns a vertex or a point between vertices, in world space.
fn place_on(rng: &mut Rng, field: &Heightfield) -> DVec3 {
    let [a, b, c] = field.triangle(rng.usize(..field.triangle_count())).unwrap().vertices;
    match rng.u32(..3) {
        0 => a,
        1 => a.lerp(b, rng.f64()),
        _ => a.lerp(b, rng.f64()).lerp(c, rng.f64()),
    }
}

/// Returns a line and an interval of it. Many lines run level, upright, along edges or from far away.
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
    let mut met = 0;
    for field in fields(rng) {
        let triangles: Vec<Triangle> =
            (0..field.triangle_count()).map(|index| field.triangle(index).unwrap()).collect();
        for _ in 0..300 {
            let (line, interval) = line_at(rng, &field);
            let mut all = Vec::new();
            let mut first: Option<(f64, u32)> = None;
            // A line in a triangle's plane crosses it wherever rounding says.
            let is_edge_on = |triangle: &Triangle| {
                let sine = triangle.area_normal().normalize().dot(line.direction.normalize());
                sine.abs() < 1e-8 && !triangle.crossings(&line).is_empty()
            };
            if triangles.iter().any(is_edge_on) {
                continue;
            }
            for (index, triangle) in (0..).zip(&triangles) {
                let crossings = triangle.own_crossings(&line);
                all.extend(crossings.within(interval).map(|crossing| (crossing.t, index)));
                for crossing in triangle.crossings(&line).within(interval) {
                    if first.is_none_or(|(t, _)| crossing.t < t) {
                        first = Some((crossing.t, index));
                    }
                }
            }
            let found = field.first_crossing(&line, interval);
            assert_eq!(found.map(|(crossing, index)| (crossing.t, index)), first, "{line:?}");
            let mut told = Vec::new();
            field.each_crossing(&line, interval, |t, index| told.push((t, index)));
            told.sort_unstable_by_key(|(_, index)| *index);
            assert_eq!(told, all, "{line:?} {interval:?}");
            met += usize::from(first.is_some());
        }
    }
    assert!(met > 3000, "{met} lines met something");
}

#[test]
fn searches_find_what_asking_all_triangles_does() {
    let rng = &mut Rng::with_seed(42);
    for field in fields(rng) {
        for _ in 0..100 {
            let away = field.bounding_radius() * [0.0, 0.01, 1.0, 10.0, 1e6][rng.usize(..5)];
            let point = place_on(rng, &field) + away * unit(rng);
            let mut nearest = (f64::INFINITY, u32::MAX);
            for index in 0..field.triangle_count() {
                let on = field.triangle(index).unwrap().closest_point(point);
                let rank = (on.distance_squared(point), index as u32);
                nearest = if rank < nearest { rank } else { nearest };
            }
            for within in [f64::INFINITY, nearest.0] {
                let (on, index) = field.closest_point(point, within).unwrap();
                assert_eq!((on.distance_squared(point), index), nearest, "{point}");
            }
            assert_eq!(field.closest_point(point, nearest.0.next_down()), None, "{point}");
        }
    }
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
