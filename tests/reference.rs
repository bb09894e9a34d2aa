//! What any shape of the float64 reference must satisfy, by properties and not by its own formulas.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod common;

use common::*;
use fastrand::Rng;
use proptest::prelude::*;
use raytwin::Shape;
use raytwin::glam::{DQuat, DVec3};
use raytwin::ray::Line;
use raytwin::shapes::{Cuboid, Cylinder, Sphere};

/// How far a point is from the surface, negative inside; an own formula for each shape, by distances.
fn signed_distance(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Sphere(own) => (point - own.center).length() - own.radius,
        Shape::Cuboid(own) => {
            let local = own.rotation.normalize().inverse() * (point - own.center);
            let beyond = local.abs() - own.half_extents;
            let outside = beyond.max(DVec3::ZERO).length();
            if outside > 0.0 { outside } else { beyond.max_element() }
        }
        Shape::Cylinder(own) => {
            let axis = own.end - own.start;
            let height = (point - own.start).dot(axis) / axis.length();
            let aside = (point - own.start - axis * (height / axis.length())).length();
            let beyond_side = aside - own.radius;
            let beyond_caps = (-height).max(height - axis.length());
            let outside = beyond_side.max(0.0).hypot(beyond_caps.max(0.0));
            if outside > 0.0 { outside } else { beyond_side.max(beyond_caps) }
        }
    }
}

fn distance_to_surface(shape: &Shape, point: DVec3) -> f64 {
    signed_distance(shape, point).abs()
}

/// The shape turned, scaled and moved.
fn moved(shape: &Shape, rotation: DQuat, scale: f64, shift: DVec3) -> Shape {
    let to = |p: DVec3| rotation * (scale * p) + shift;
    match *shape {
        Shape::Sphere(own) => Sphere { center: to(own.center), radius: scale * own.radius }.into(),
        Shape::Cuboid(own) => Cuboid {
            center: to(own.center),
            half_extents: scale * own.half_extents,
            rotation: rotation * own.rotation,
        }
        .into(),
        Shape::Cylinder(own) => {
            Cylinder { start: to(own.start), end: to(own.end), radius: scale * own.radius }.into()
        }
    }
}

/// A shape, and a line aimed at it or near it.
fn setting(seed: u64) -> (Shape, Line) {
    let rng = &mut Rng::with_seed(seed);
    let turn = rng.usize(..3);
    let shape = shape(rng, turn, 1.0, DVec3::ZERO);
    let origin = shape.center() + 8.0 * rng.f64() * direction(rng);
    let target = shape.center() + shape.bounding_radius() * rng.f64() * direction(rng);
    (shape, Line { origin, direction: (target - origin) * (0.1 + 3.0 * rng.f64()) })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn crossings_lie_on_the_surface_and_what_is_between_them_inside(seed: u64) {
        let (shape, line) = setting(seed);
        if let Some(span) = shape.span(&line) {
            prop_assert!(span.enter.t <= span.exit.t);
            for crossing in [span.enter, span.exit] {
                let off = distance_to_surface(&shape, line.at(crossing.t));
                prop_assert!(off < 1e-9, "{off} off the surface of {shape:?}");
            }
        }
    }

    #[test]
    fn a_line_that_is_said_to_pass_by_has_no_point_inside(seed: u64) {
        let (shape, line) = setting(seed);
        if shape.span(&line).is_none() {
            // By steps of the distance, which no surface is nearer than.
            let length = line.direction.length();
            let closest = (shape.center() - line.origin).dot(line.direction) / length;
            let reach = shape.bounding_radius() + 1.0;
            let mut way = closest - reach;
            while way < closest + reach {
                let off = signed_distance(&shape, line.at(way / length));
                prop_assert!(off > -1e-9, "{off} inside of {shape:?}");
                way += off.max(1e-2);
            }
        }
    }

    #[test]
    fn normals_are_unit_outward_and_the_gradient_of_the_distance(seed: u64) {
        let (shape, line) = setting(seed);
        if let Some(span) = shape.span(&line) {
            let length = line.direction.length();
            for (crossing, sign) in [(span.enter, -1.0), (span.exit, 1.0)] {
                let point = line.at(crossing.t);
                let normal = shape.normal(crossing.face, point);
                prop_assert!((normal.length() - 1.0).abs() < 1e-12);
                prop_assert!(sign * normal.dot(line.direction) >= -1e-6 * length);
                // One step out along the normal is one step away.
                let step = 1e-4;
                let off = distance_to_surface(&shape, point + step * normal);
                prop_assert!((off - step).abs() < 1e-8, "{off} for {step} of {shape:?}");
            }
        }
    }

    #[test]
    fn moving_turning_and_scaling_all_changes_nothing(seed: u64, angle in 0.0..6.0, log in -3.0..3.0) {
        let (shape, line) = setting(seed);
        let rng = &mut Rng::with_seed(seed ^ 1);
        let rotation = DQuat::from_axis_angle(direction(rng), angle);
        let scale = 10.0_f64.powf(log);
        let shift = 5.0 * direction(rng);
        let there = moved(&shape, rotation, scale, shift);
        let line_there = Line {
            origin: rotation * (scale * line.origin) + shift,
            direction: rotation * (scale * line.direction),
        };
        match (shape.span(&line), there.span(&line_there)) {
            (Some(a), Some(b)) => {
                let grazing = (a.exit.t - a.enter.t).abs() < 1e-4;
                let tolerance = if grazing { 1e-2 } else { 1e-6 };
                prop_assert!((a.enter.t - b.enter.t).abs() < tolerance);
                prop_assert!((a.exit.t - b.exit.t).abs() < tolerance);
            }
            (Some(only), None) | (None, Some(only)) => {
                prop_assert!((only.exit.t - only.enter.t).abs() < 1e-2, "lost {only:?}");
            }
            (None, None) => {}
        }
    }

    #[test]
    fn a_longer_direction_divides_t(seed: u64, log in -12.0..12.0) {
        let (shape, line) = setting(seed);
        let factor = 10.0_f64.powf(log);
        let longer = Line { direction: factor * line.direction, ..line };
        if let (Some(a), Some(b)) = (shape.span(&line), shape.span(&longer)) {
            let error = (a.enter.t - factor * b.enter.t).abs();
            prop_assert!(error < 1e-6 * (1.0 + a.enter.t.abs()) || (a.exit.t - a.enter.t) < 1e-4);
        }
    }

    #[test]
    fn casting_again_from_outside_finds_the_same_point(seed: u64) {
        let (shape, line) = setting(seed);
        if let Some(span) = shape.span(&line) && span.exit.t - span.enter.t > 1e-3 {
            let back = Line { origin: line.at(span.enter.t - 2.0), direction: line.direction };
            let again = shape.span(&back).and_then(|span| span.first_from(0.0));
            let again = again.expect("the same line meets it again");
            prop_assert!((again.t - 2.0).abs() < 1e-6, "{} for 2", again.t);
        }
    }

    #[test]
    fn bounds_hold_every_crossing_and_growing_moves_the_surface_by_delta(seed: u64) {
        let (shape, line) = setting(seed);
        let bounds = shape.bounds();
        if let Some(span) = shape.span(&line) {
            for crossing in [span.enter, span.exit] {
                let point = line.at(crossing.t);
                prop_assert!(point.cmpge(bounds.min - 1e-9).all() && point.cmple(bounds.max + 1e-9).all());
                prop_assert!((point - shape.center()).length() <= shape.bounding_radius() + 1e-9);
            }
            let grown = shape.grown(0.01).expect("growing leaves something");
            let wider = grown.span(&line).expect("a grown shape is hit wherever the shape was");
            prop_assert!(wider.enter.t <= span.enter.t && wider.exit.t >= span.exit.t);
            let off = distance_to_surface(&shape, line.at(wider.enter.t));
            prop_assert!((0.0099..0.0174).contains(&off), "{off}");
        }
        prop_assert!(shape.grown(-10.0).is_none());
    }
}
