//! The nearest surfaces to points, on the CPU and on a device.

use crate::common::distance::signed_distance;
use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DVec3, Vec3};
use raytwin::ray::Line;
use raytwin::{CpuTracer, Heightfield, NONE, PackedScene, PointAnswer, Scene, Shape, Tracer};

const QUALITIES: [Quality; 2] = [Quality::Medium, Quality::Fast];

fn scene_at(form: Form, seed: u64, (size, offset, count): (f64, f64, usize)) -> Scene {
    scene_of(&[form], seed, count, size, offset * DVec3::new(1.0, 0.7, -0.4))
}

/// The rounding error that float64 may make.
fn hair(shape: &Shape, point: DVec3) -> f64 {
    1e-13 * (point.length() + shape.center().length() + shape.bounding_radius())
}

/// Returns true if no line from the point, in any direction or towards the shape, crosses the shape
/// nearer than this distance.
fn none_is_nearer(rng: &mut Rng, shape: &Shape, point: DVec3, distance: f64, hair: f64) -> bool {
    (0..40).all(|turn| {
        let aim = shape.center() + shape.bounding_radius() * direction(rng);
        let way = if turn % 2 == 0 { direction(rng) } else { (aim - point).normalize_or(DVec3::X) };
        let crossings = shape.crossings(&Line { origin: point, direction: way });
        crossings.iter().all(|crossing| crossing.t.abs() >= distance - hair)
    })
}

/// By formulas of these tests, the closest point lies on the surface and is as far away as the surface is.
#[test]
fn closest_points_lie_on_the_surface_and_none_is_nearer() {
    let rng = &mut Rng::with_seed(61);
    for &form in Form::closed() {
        for (seed, setting) in (60..).zip(SCENES) {
            let scene = scene_at(form, seed, setting);
            let tries = scene.geometries().iter().flat_map(|geometry| {
                let shape = geometry.shape(0).unwrap();
                let mut alone = Scene::new();
                alone.add(shape).unwrap();
                let count = 1000 / scene.geometries().len();
                let points = Spot::ALL
                    .map(|spot| crate::common::points(seed, spot, count, &alone, setting.0));
                points.concat().into_iter().map(move |point| (shape, point))
            });
            for (shape, point) in tries {
                let point = DVec3::from(point.map(f64::from));
                let found = shape.closest_point(point);
                let distance = found.distance(point);
                let hair = hair(&shape, point);
                let off = signed_distance(&shape, found).abs();
                assert!(off <= hair, "{shape:?}: {found} from {point} is {off:e} off");
                match shape {
                    Shape::Ellipsoid(ellipsoid) => {
                        assert!(
                            none_is_nearer(rng, &shape, point, distance, hair),
                            "{shape:?}: {found} from {point}"
                        );
                        // The direction to the closest point is perpendicular to the surface.
                        let across = (point - found).cross(shape.normal(0, found)).length();
                        // Rounding the closest point turns the normal in proportion to the curvature of the surface
                        // there.
                        let bend =
                            ellipsoid.radii.max_element() / ellipsoid.radii.min_element().powi(2);
                        let steep = hair + 1e-2 * hair * bend * distance;
                        assert!(across <= steep, "{shape:?}: {found} from {point}: {across:e}");
                    }
                    _ => {
                        let expected = signed_distance(&shape, point).abs();
                        assert!(
                            (distance - expected).abs() <= hair,
                            "{shape:?}: {found} from {point}: {distance}, not {expected}"
                        );
                    }
                }
            }
        }
    }
}

/// The traversal of any tree gives the same bits as brute force over all primitives.
#[test]
fn traversals_answer_as_brute_force_does() {
    let mut scenes: Vec<_> = (70..)
        .zip(SCENES)
        .map(|(seed, (size, offset, count))| {
            let middle = offset * DVec3::new(1.0, 0.7, -0.4);
            (size, scene_of(&Form::ALL, seed, 4 * count, size, middle))
        })
        .collect();
    // In these scenes many primitives are equally near.
    scenes.push((1.0, lattice_scene()));
    scenes.push((1.0, other_lattice_scene()));
    for (size, scene) in &scenes {
        for quality in QUALITIES {
            let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
            let tracer = CpuTracer::new(&packed);
            for (seed, spot) in (80..).zip(Spot::ALL) {
                let points = points(seed, spot, 150, scene, *size);
                let found = tracer.nearest_surfaces(&points);
                for (&point, found) in points.iter().zip(found) {
                    let expected = tracer.nearest_surface_by_brute_force(point);
                    assert_eq!(found, expected, "{quality:?}, {spot:?}: {point:?}");
                    assert!(found.is_some(), "{size} {quality:?}, {spot:?}: {point:?}");
                }
            }
        }
    }
}

/// The grids are so large that the search must skip most of their blocks.
#[test]
fn the_search_of_a_heightfield_answers_as_brute_force_does() {
    let rng = &mut Rng::with_seed(62);
    for (rows, columns, relief) in [(40, 70, 0.1), (90, 20, 3.0), (2, 200, 1e-6), (30, 30, 0.0)] {
        let height = |index: usize| {
            let wave = (index % columns) as f64 * 0.3 + (index / columns) as f64 * 0.17;
            relief * (wave.sin() + 0.2 * rng.f64())
        };
        let heights = (0..rows * columns).map(height).collect();
        let turn = raytwin::glam::DQuat::from_axis_angle(direction(rng), 1.0);
        let center = DVec3::new(3.0, 20.0, -7.0);
        let mut scene = Scene::new();
        scene.add(Heightfield::new(heights, columns, [0.2, 0.1], center, turn).unwrap()).unwrap();
        let packed = PackedScene::new(scene.clone()).unwrap();
        let tracer = CpuTracer::new(&packed);
        let mut points = Vec::new();
        for spot in Spot::ALL {
            points.extend(crate::common::points(63, spot, 40, &scene, 1.0));
        }
        points.extend(
            (0..100).map(|_| (center + 9.0 * rng.f64() * direction(rng)).as_vec3().to_array()),
        );
        for point in points {
            let found = tracer.nearest_surfaces(&[point])[0];
            assert_eq!(found, tracer.nearest_surface_by_brute_force(point), "{point:?}");
        }
    }
}

#[test]
fn invalid_points_and_empty_scenes_have_no_nearest_surface() {
    let mut scene = Scene::new();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = CpuTracer::new(&packed);
    assert_eq!(tracer.nearest_surfaces(&[[0.0; 3]]), [None]);
    assert_eq!(tracer.nearest_surfaces(&[]), []);
    scene.add(raytwin::Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let packed = PackedScene::new(scene.clone()).unwrap();
    let tracer = CpuTracer::new(&packed);
    for bad in [[f32::NAN, 0.0, 0.0], [0.0, f32::INFINITY, 0.0], [0.0, 0.0, -1.001e9]] {
        assert_eq!(tracer.nearest_surfaces(&[bad]), [None]);
        assert_eq!(tracer.nearest_surface_by_brute_force(bad), None);
    }
    let far = tracer.nearest_surfaces(&[[1e9, 0.0, 0.0]])[0].unwrap();
    assert_eq!((far.point, far.distance), (DVec3::X, 1e9 - 1.0));
}

#[test]
fn normals_at_nearest_points_are_outward_and_at_right_angles_to_smooth_surfaces() {
    // Solids that lie in each other would hide how a normal points.
    let rng = &mut Rng::with_seed(3);
    let mut scene = Scene::new();
    let forms = [Form::Sphere, Form::Cuboid, Form::Capsule, Form::Ellipsoid, Form::Torus];
    for (turn, form) in forms.into_iter().cycle().take(15).enumerate() {
        let place = 3.0 * DVec3::new((turn % 5) as f64, (turn / 5) as f64, 0.0);
        scene.add(form.random(rng, 1.0, place)).unwrap();
    }
    let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
    let points = raytwin_verify::seeded_points(tracer.scene(), 4_000, 3);
    let hits = tracer.points(&points).unwrap();
    let answers = PointAnswer::all(tracer.scene(), &points, &hits);
    let normals = PointAnswer::normals(tracer.scene(), &points, &hits);
    let (mut along, mut inward) = (0, 0);
    for ((point, answer), normal) in points.iter().zip(&answers).zip(normals) {
        let is_unit = (Vec3::from(normal).length() - 1.0).abs() < 1e-6;
        assert_eq!(is_unit, answer.geometry_id != NONE, "{point:?} {answer:?} {normal:?}");
        let away = Vec3::from(*point) - Vec3::from(answer.closest_point);
        let cos = (away.normalize_or_zero() * answer.signed_distance.signum()).dot(normal.into());
        along += usize::from(cos > 0.99);
        inward += usize::from(cos < -0.99);
    }
    // The others lie on a surface, or are nearest to an edge. Behind a plane's or a disc's back a normal points away, and
    // in a solid it does where another one's surface is nearer.
    assert!(along > points.len() / 2 && inward < points.len() / 8, "{along}, {inward}");
}
