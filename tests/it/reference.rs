//! Properties of the float64 reference that hold for every shape, tested without the reference's own formulas.

use crate::common::distance::signed_distance;
use crate::common::*;
use fastrand::Rng;
use raytwin::crossings::ZoneKind;
use raytwin::glam::{DQuat, DVec3};
use raytwin::ray::Line;
use raytwin::{
    Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Geometry, Plane, Scene, Shape, Sphere, Torus,
    Triangle,
};

/// Turns, scales and moves a shape.
fn moved(shape: &Shape, turn: DQuat, scale: f64, shift: DVec3) -> Shape {
    let to = |p: DVec3| turn * (scale * p) + shift;
    match *shape {
        Shape::Sphere(sphere) => {
            Sphere { center: to(sphere.center), radius: scale * sphere.radius }.into()
        }
        Shape::Cuboid(cuboid) => Cuboid {
            center: to(cuboid.center),
            half_extents: scale * cuboid.half_extents,
            rotation: turn * cuboid.rotation,
        }
        .into(),
        Shape::Cylinder(cylinder) => Cylinder {
            start: to(cylinder.start),
            end: to(cylinder.end),
            radius: scale * cylinder.radius,
            inner_radius: scale * cylinder.inner_radius,
        }
        .into(),
        Shape::Capsule(capsule) => Capsule {
            start: to(capsule.start),
            end: to(capsule.end),
            radius: scale * capsule.radius,
        }
        .into(),
        Shape::Cone(cone) => Cone {
            start: to(cone.start),
            end: to(cone.end),
            start_radius: scale * cone.start_radius,
            end_radius: scale * cone.end_radius,
        }
        .into(),
        Shape::Ellipsoid(ellipsoid) => Ellipsoid {
            center: to(ellipsoid.center),
            radii: scale * ellipsoid.radii,
            rotation: turn * ellipsoid.rotation,
        }
        .into(),
        Shape::Torus(torus) => Torus {
            center: to(torus.center),
            axis: turn * torus.axis,
            major_radius: scale * torus.major_radius,
            minor_radius: scale * torus.minor_radius,
        }
        .into(),
        Shape::Plane(plane) => Plane::infinite(to(plane.point), turn * plane.normal).into(),
        Shape::Disc(disc) => Disc {
            center: to(disc.center),
            normal: turn * disc.normal,
            radius: scale * disc.radius,
            inner_radius: scale * disc.inner_radius,
        }
        .into(),
        Shape::Triangle(triangle) => Triangle { vertices: triangle.vertices.map(to) }.into(),
        other => panic!("no motion of {other:?} is known here"),
    }
}

/// Makes a shape of any closed form, and a line aimed at it or near it.
fn setting(seed: u64) -> (Shape, Line) {
    let rng = &mut Rng::with_seed(seed);
    let form = Form::closed()[rng.usize(..Form::closed().len())];
    let shape = form.random(rng, 1.0, DVec3::ZERO).shape(0).unwrap();
    let origin = shape.center() + 8.0 * rng.f64() * direction(rng);
    let reach = shape.bounding_radius().max(0.1);
    let target = shape.center() + reach * rng.f64() * direction(rng);
    (shape, Line { origin, direction: (target - origin) * (0.1 + 3.0 * rng.f64()) })
}

/// The length below which float64 cannot distinguish positions at a shape of size 1. It is longer for flat ellipsoids, whose
/// formulas divide by their radii.
fn fine(shape: &Shape) -> f64 {
    match shape {
        Shape::Ellipsoid(ellipsoid) => 1e-6 / ellipsoid.radii.min_element(),
        Shape::Torus(_) => 1e-5,
        _ => 1e-6,
    }
}

#[test]
fn crossings_lie_on_the_surface_in_order_and_what_is_between_them_inside() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        let crossings = shape.crossings(&line);
        assert!(crossings.is_sorted_by(|a, b| a.t <= b.t), "{crossings:?}");
        assert!(!shape.is_solid() || crossings.len() % 2 == 0, "{crossings:?}");
        for crossing in crossings.iter() {
            let off = signed_distance(&shape, line.at(crossing.t));
            assert!(off.abs() < 1e-7, "{off} from the surface of {shape:?}");
        }
        if shape.is_solid() {
            for (index, pair) in crossings.windows(2).enumerate() {
                let middle = signed_distance(&shape, line.at(0.5 * (pair[0].t + pair[1].t)));
                let is_inside = index % 2 == 0;
                assert!(
                    if is_inside { middle < 1e-9 } else { middle > -1e-9 },
                    "{middle} in {shape:?}"
                );
            }
        }
    });
}

#[test]
fn where_nothing_is_crossed_the_line_stays_outside() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        let length = line.direction.length();
        let reach = shape.bounding_radius() + 1.0;
        let closest = (shape.center() - line.origin).dot(line.direction) / length;
        let crossings = shape.crossings(&line);
        if !shape.is_solid() {
            // A flat shape is passed where the line crosses its plane.
            let normal = shape.normal(0, line.origin);
            let t = (shape.center() - line.origin).dot(normal) / line.direction.dot(normal);
            let off = signed_distance(&shape, line.at(t));
            assert!(crossings.len() == 1 || off > 1e-9, "{off} from {shape:?}");
        } else if crossings.is_empty() {
            // The line is followed in steps of the distance to the surface, which never pass it (sphere tracing).
            let mut way = closest - reach;
            while way < closest + reach {
                let off = signed_distance(&shape, line.at(way / length));
                assert!(off > -1e-8, "{off} inside of {shape:?}");
                way += off.max(1e-2);
            }
        }
    });
}

#[test]
fn normals_are_unit_outward_and_the_gradient_of_the_distance() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        for (index, crossing) in shape.crossings(&line).iter().enumerate() {
            let point = line.at(crossing.t);
            let normal = shape.normal(crossing.face, point);
            assert!((normal.length() - 1.0).abs() < 1e-12);
            if shape.is_solid() {
                let sign = if index % 2 == 0 { -1.0 } else { 1.0 };
                let speed = sign * normal.dot(line.direction);
                assert!(speed >= -1e-4 * line.direction.length(), "{speed} through {shape:?}");
            }
            // Away from edges, a small step along each axis stays on one face, so the gradient of the distance is the
            // normal.
            let step = 1e-6;
            let sides = DVec3::AXES.map(|axis| {
                let at = |way: f64| {
                    signed_distance(
                        &shape,
                        point + (0.1 * normal * f64::from(!shape.is_solid()) + way * step * axis),
                    )
                };
                (at(1.0) - at(-1.0)) / (2.0 * step)
            });
            let gradient = DVec3::from(sides);
            let near_edge =
                (gradient.length() - 1.0).abs() > 1e-5 && !matches!(shape, Shape::Ellipsoid(_));
            assert!(
                near_edge || gradient.normalize().dot(normal) > 1.0 - 1e-4,
                "{normal} is not {gradient} of {shape:?}"
            );
        }
    });
}

#[test]
fn moving_turning_and_scaling_all_changes_nothing() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let rng = &mut Rng::with_seed(!seed);
        let angle = 6.0 * rng.f64();
        let log = -3.0 + 6.0 * rng.f64();
        let (shape, line) = setting(seed);
        let rng = &mut Rng::with_seed(seed ^ 1);
        let turn = DQuat::from_axis_angle(direction(rng), angle);
        let scale = 10.0_f64.powf(log);
        let shift = 5.0 * scale * direction(rng);
        let there = moved(&shape, turn, scale, shift);
        let line_there = Line {
            origin: turn * (scale * line.origin) + shift,
            direction: turn * (scale * line.direction),
        };
        let (here, there) = (shape.crossings(&line), there.crossings(&line_there));
        // Rounding may add or remove a pair of crossings that hardly touch the shape.
        let touches =
            here.windows(2).chain(there.windows(2)).any(|pair| pair[1].t - pair[0].t < 1e-2);
        assert!(
            here.len() == there.len() || touches || is_at_an_edge(&shape, &line),
            "{here:?} {there:?}"
        );
        if here.len() == there.len() && !touches {
            for (a, b) in here.iter().zip(there.iter()) {
                assert!(
                    (a.t - b.t).abs() < fine(&shape) * (1.0 + a.t.abs()),
                    "{a:?} {b:?} of {shape:?}"
                );
            }
        }
    });
}

#[test]
fn a_longer_direction_divides_t() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let rng = &mut Rng::with_seed(!seed);
        let log = -12.0 + 24.0 * rng.f64();
        let (shape, line) = setting(seed);
        let factor = 10.0_f64.powf(log);
        let longer = Line { direction: factor * line.direction, ..line };
        let (here, there) = (shape.crossings(&line), shape.crossings(&longer));
        let touches =
            here.windows(2).chain(there.windows(2)).any(|pair| (pair[1].t - pair[0].t) < 1e-3);
        if here.len() == there.len() && !touches {
            for (a, b) in here.iter().zip(there.iter()) {
                let error = (a.t - factor * b.t).abs();
                assert!(error < fine(&shape) * (1.0 + a.t.abs()), "{error} of {shape:?}");
            }
        } else {
            assert!(touches || is_at_an_edge(&shape, &line), "{here:?} {there:?}");
        }
    });
}

#[test]
fn casting_again_from_outside_finds_the_same_point() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        if let [first, rest @ ..] = &shape.crossings(&line)[..]
            && rest.first().is_none_or(|second| second.t - first.t > 1e-2)
        {
            let back = Line { origin: line.at(first.t - 2.0), direction: line.direction };
            let again = shape.crossings(&back).first_from(0.0);
            let again = again.expect("the same line crosses it again");
            assert!((again.t - 2.0).abs() < fine(&shape), "{} for 2", again.t);
        }
    });
}

#[test]
fn bounds_hold_every_crossing() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        for crossing in shape.crossings(&line).iter() {
            let point = line.at(crossing.t);
            let Some(bounds) = shape.bounds() else { continue };
            assert!(point.cmpge(bounds.min - 1e-7).all() && point.cmple(bounds.max + 1e-7).all());
            assert!((point - shape.center()).length() <= shape.bounding_radius() + 1e-7);
        }
    });
}

#[test]
fn zones_hold_for_a_surface_that_lies_anywhere_within_delta() {
    for_each_seed(sweep(6_000, 50_000), |seed| {
        let (shape, line) = setting(seed);
        let rng = &mut Rng::with_seed(seed ^ 2);
        let delta = 0.02;
        let zones = shape.zones(&line, delta);
        assert!(zones.windows(2).all(|pair| pair[0].to.t <= pair[1].from.t));
        // The zone of an ellipsoid follows its curvature where the line passes, so a wide step may leave it.
        let share = if matches!(shape, Shape::Ellipsoid(_)) { 0.5 } else { 0.99 };
        for _ in 0..4 {
            let shift = share * delta * rng.f64() * direction(rng);
            let elsewhere = moved(&shape, DQuat::IDENTITY, 1.0, shift);
            let crossings = elsewhere.crossings(&line);
            for crossing in crossings.iter() {
                let slack = 1e-9 * (1.0 + crossing.t.abs());
                let is_foreseen = zones.iter().any(|zone| {
                    zone.kind != ZoneKind::Inside
                        && crossing.t >= zone.from.t - slack
                        && crossing.t <= zone.to.t + slack
                });
                assert!(is_foreseen, "{} is in none of {zones:?} of {shape:?}", crossing.t);
            }
            for zone in zones.iter().filter(|zone| zone.kind == ZoneKind::Crossed) {
                let is_crossed =
                    crossings.iter().any(|c| c.t >= zone.from.t - 1e-9 && c.t <= zone.to.t + 1e-9);
                assert!(is_crossed, "nothing in {zone:?} of {shape:?}");
            }
        }
    });
}

/// Returns true if the line passes so near to an edge, a rim or an outline that rounding may
/// decide.
fn is_at_an_edge(shape: &Shape, line: &Line) -> bool {
    let length = line.direction.length();
    shape
        .zones(line, 1e-6)
        .iter()
        .any(|zone| zone.kind == ZoneKind::Doubt || (zone.to.t - zone.from.t) * length < 1e-5)
}

/// Makes a geometry of many primitives and a line aimed at it.
fn compound(seed: u64) -> (Geometry, Line) {
    let rng = &mut Rng::with_seed(seed);
    let form = [Form::Mesh, Form::Heightfield, Form::Lines][rng.usize(..3)];
    let mut scene = Scene::new();
    scene.add(form.random(rng, 1.0, DVec3::ZERO)).unwrap();
    let geometry = scene.geometries()[0].clone();
    let bounds = geometry.bounds().unwrap();
    let origin = bounds.center() + 4.0 * rng.f64() * direction(rng);
    let target = bounds.center() + bounds.radius() * rng.f64() * direction(rng);
    (geometry, Line { origin, direction: target - origin })
}

#[test]
fn the_walks_find_what_asking_every_part_finds() {
    for_each_seed(sweep(600, 5_000), |seed| {
        let (geometry, line) = compound(seed);
        let mut scene = Scene::new();
        scene.add(geometry).unwrap();
        let packed = raytwin::PackedScene::new(scene.clone()).unwrap();
        let cpu = raytwin::CpuTracer::new(&packed);
        let ray = raytwin::Ray::new(line.origin.as_vec3(), line.direction.as_vec3());
        for ray in [ray, ray.within(0.5, 1.5), ray.within(f32::NEG_INFINITY, 0.75)] {
            assert_eq!(cpu.nearest(&ray), cpu.brute_force(&ray));
        }
    });
}

#[test]
fn a_closed_mesh_is_crossed_evenly_and_its_normals_point_outwards() {
    for_each_seed(sweep(600, 5_000), |seed| {
        let rng = &mut Rng::with_seed(seed);
        let Geometry::Mesh(mesh) = Form::Mesh.random(rng, 1.0, DVec3::ZERO) else { panic!() };
        assert!(mesh.is_closed());
        let middle = mesh.vertices().iter().sum::<DVec3>() / mesh.vertices().len() as f64;
        let line = Line { origin: middle + 5.0 * direction(rng), direction: direction(rng) };
        let line = Line { direction: (middle - line.origin) + 2.0 * line.direction, ..line };
        let shapes =
            (0..mesh.triangles().len()).map(|index| Shape::from(mesh.triangle(index).unwrap()));
        let crossed = shapes.clone().filter(|shape| !shape.crossings(&line).is_empty()).count();
        assert!(crossed % 2 == 0, "{crossed} crossings");
        for shape in shapes {
            assert!(shape.normal(0, DVec3::ZERO).dot(shape.center() - middle) > 0.0);
        }
    });
}
