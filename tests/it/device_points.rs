//! Point queries on a device and on the CPU are compared with each other, and with the hits of rays that start at the
//! points.

use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DVec3, Vec3};
use raytwin::gpu::GpuTracer;
use raytwin::math::U;
use raytwin::{
    Batch, CpuTracer, Hit, NONE, PackedScene, Plane, PointAnswer, PointHit, Ray, Scene, Sphere,
    Tracer,
};
use raytwin_verify::faults::Fault;

const QUALITIES: [Quality; 2] = [Quality::Medium, Quality::Fast];

fn packed(scene: &Scene, quality: Quality) -> PackedScene {
    PackedScene::with_quality(scene.clone(), quality).unwrap()
}

/// Points of all kinds around a scene.
fn points_about(seed: u64, count: usize, scene: &Scene, size: f64) -> Vec<[f32; 3]> {
    let of_spot = |spot| points(seed, spot, count, scene, size);
    Spot::ALL.into_iter().flat_map(of_spot).collect()
}

fn in_float64(numbers: [f32; 3]) -> DVec3 {
    Vec3::from(numbers).as_dvec3()
}

/// The scale of the error bound, which promises 8 u of it: the distance from the point to the primitive's centre, plus
/// its radius.
fn scale(scene: &Scene, point: [f32; 3], geometry_id: u32, primitive_id: u32) -> f64 {
    let primitive = scene.primitive(geometry_id, primitive_id).unwrap();
    primitive.center().distance(in_float64(point)) + primitive.radius()
}

/// The differences between a tracer's answers and those in float64.
#[derive(Debug, Default)]
struct Differences {
    /// The worst excess of the distance to the named primitive over the distance to the nearest surface, in u of the
    /// scale.
    worst: f64,
    /// The number of points away from surfaces for which the tracers name other solids.
    wrong_containments: usize,
}

fn differences(
    scene: &Scene,
    tracer: &dyn Tracer,
    reference: &CpuTracer,
    points: &[[f32; 3]],
) -> Differences {
    let nearest = reference.nearest_surfaces(points);
    let expected = reference.points(points).unwrap();
    let point_hits = tracer.points(points).unwrap();
    let answers = PointAnswer::all(scene, points, &point_hits);
    let mut differences = Differences::default();
    for (index, answer) in answers.iter().enumerate() {
        let (point, nearest) = (points[index], nearest[index].unwrap());
        // Only a fault makes a tracer find nothing in a scene with a surface.
        let Some(named) = scene.primitive(answer.geometry_id, answer.primitive_id) else {
            differences.worst = f64::INFINITY;
            continue;
        };
        let at = in_float64(point);
        let distance = named.closest_point(at).distance(at);
        let scale = scale(scene, point, answer.geometry_id, answer.primitive_id).max(scale(
            scene,
            point,
            nearest.geometry_id,
            nearest.primitive_id,
        ));
        differences.worst = differences.worst.max((distance - nearest.distance) / (U * scale));
        let containment = |hit: &PointHit| (hit.contains, hit.containing_id);
        let is_clear = nearest.distance > 200.0 * U * scale;
        differences.wrong_containments += usize::from(
            is_clear && containment(&point_hits[index]) != containment(&expected[index]),
        );
    }
    differences
}

/// The sizes and offsets of scenes: as large as a hand, a grain and a mountain, and far from the world's origin.
const SCENES: [(f64, f64); 5] = [(1.0, 0.0), (1e-4, 0.0), (1e4, 0.0), (1.0, 1e3), (1.0, 1e5)];

#[test]
fn a_device_names_a_surface_that_is_as_near_as_any() {
    let gpu = gpu();
    let check = |name: &str, scene: &Scene, quality: Quality, points: &[[f32; 3]]| {
        let packed = packed(scene, quality);
        let tracer = GpuTracer::new(&gpu, &packed).unwrap();
        let found = differences(scene, &tracer, &CpuTracer::new(&packed), points);
        println!("{name}, {quality:?}: {:.3} u", found.worst);
        assert!(
            found.worst <= 8.0 && found.wrong_containments == 0,
            "{name}, {quality:?}: {found:?}"
        );
    };
    for (seed, &(size, offset)) in (90..).zip(sweep(&SCENES[3..], &SCENES)) {
        let scene = scene_of(&Form::ALL, seed, 84, size, offset * DVec3::new(1.0, 0.7, -0.4));
        let points = points_about(seed, sweep(1000, 2500), &scene, size);
        for quality in QUALITIES {
            check(&format!("size {size}, offset {offset}"), &scene, quality, &points);
        }
    }
    for form in Form::ALL.into_iter().step_by(sweep(3, 1)) {
        let scene = scene_of(&[form], 95, 40, 1.0, DVec3::ZERO);
        let points = points_about(96, sweep(600, 2500), &scene, 1.0);
        check(&format!("{form:?}"), &scene, Quality::Medium, &points);
    }
}

/// The error that the contract allows for t, as a distance.
fn bound(scene: &Scene, ray: &Ray, hit: &Hit) -> f64 {
    let primitive = scene.primitive(hit.geometry_id, hit.primitive_id).unwrap();
    let line = ray.line();
    let reach = f64::from(hit.t) * line.direction.length();
    let normal = {
        let hits = raytwin::Hits::new(scene, Batch::new(&[*ray]), &[*hit], raytwin::HitArrays::ALL);
        in_float64(hits.primitive_normals[0])
    };
    let cosine = normal.dot(line.direction.normalize()).abs();
    let scale = (line.origin - primitive.center()).length() + primitive.radius();
    8.0 * U * primitive.allowance() * (scale + reach) / cosine + 8.0 * U * scale
}

/// Tries points for each form, half of them on a device: a million in a full sweep.
fn no_hit_is_nearer_than_the_surface(form: Form) {
    let point_count = sweep(60_000, 500_000);
    let scene = scene_of(&[form], 97, 24, 1.0, DVec3::new(3.0, -2.0, 1.0));
    let packed = packed(&scene, Quality::Medium);
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    for (seed, tracer) in [(98, &cpu as &dyn Tracer), (99, &gpu)] {
        let mut all = Vec::with_capacity(point_count);
        for (spot, share) in [(Spot::Away(2.0), 5), (Spot::Within, 4), (Spot::AtSurface, 1)] {
            all.extend(points(seed, spot, point_count / 10 * share, &scene, 1.0));
        }
        let rng = &mut Rng::with_seed(seed);
        let ray = |&point: &[f32; 3]| {
            let geometry = &scene.geometries()[rng.usize(..scene.geometries().len())];
            let aim = geometry.primitive(0).unwrap().center() + 0.5 * direction(rng);
            let way = (aim - in_float64(point)).normalize_or(DVec3::X);
            Ray::new(point, (between(rng, 0.2, 5.0) * way).as_vec3())
        };
        let rays: Vec<Ray> = all.iter().map(ray).collect();
        let hits = tracer.closest(Batch::new(&rays)).unwrap();
        let answers = PointAnswer::all(&scene, &all, &tracer.points(&all).unwrap());
        let mut hit_count = 0;
        for ((ray, hit), answer) in rays.iter().zip(&hits).zip(&answers) {
            if !hit.is_hit() {
                continue;
            }
            hit_count += 1;
            let reach = f64::from(hit.t) * ray.line().direction.length();
            let distance = f64::from(answer.signed_distance.abs());
            assert!(
                distance <= reach || distance <= reach + bound(&scene, ray, hit),
                "{}: {ray:?} hits {hit:?} at {reach}: {answer:?}",
                tracer.device()
            );
        }
        assert!(hit_count > point_count / 8, "{form:?}: {hit_count} of {point_count} hit");
    }
}

macro_rules! each_form {
    ($($name:ident: $form:ident,)+) => {
        mod no_hit_is_nearer_than_the_surface_of {
            $(#[test] fn $name() { super::no_hit_is_nearer_than_the_surface(super::Form::$form); })+
        }
    };
}

for_each_form!(each_form);

/// A ray in any direction leaves the solids that contain its origin once more often than it enters them.
#[test]
fn a_solid_that_contains_a_point_is_crossed_an_odd_number_of_times() {
    let compounds = [Form::Mesh, Form::ClosedHeightfield];
    let solids: Vec<Form> = Form::ALL[..8].iter().copied().chain(compounds).collect();
    let mut contained = 0;
    for (seed, form) in (100..).zip(solids) {
        let scene = scene_of(&[form], seed, 1, 1.0, DVec3::ZERO);
        let all = points(seed, Spot::Within, 4000, &scene, 1.0);
        for &quality in sweep(&QUALITIES[..1], &QUALITIES) {
            let packed = packed(&scene, quality);
            let cpu = CpuTracer::new(&packed);
            let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
            let rng = &mut Rng::with_seed(seed);
            let rays: Vec<Ray> =
                all.iter().map(|&point| Ray::new(point, direction(rng).as_vec3())).collect();
            let counts = cpu.count(Batch::new(&rays)).unwrap();
            for tracer in [&cpu as &dyn Tracer, &gpu] {
                let answers = PointAnswer::all(&scene, &all, &tracer.points(&all).unwrap());
                for (answer, count) in answers.iter().zip(&counts) {
                    if answer.signed_distance.abs() > 1e-4 {
                        assert_eq!(answer.contains, count % 2, "{form:?}, {quality:?}: {answer:?}");
                        let first_id = if answer.contains == 1 { 0 } else { NONE };
                        assert_eq!(answer.containing_id, first_id);
                        contained += answer.contains;
                    }
                }
            }
        }
    }
    assert!(contained > 10_000, "{contained} points were contained");
}

#[test]
fn the_lower_of_two_equally_near_surfaces_is_named_and_half_spaces_contain_points() {
    let mut scene = Scene::new();
    let ball = |x: f64| Sphere { center: DVec3::new(x, 0.0, 0.0), radius: 1.0 };
    for x in [4.0, -4.0, 4.0, 0.0] {
        scene.add(ball(x)).unwrap();
    }
    scene.add(Plane::infinite(DVec3::new(0.0, 0.0, -8.0), DVec3::Z * 2.0)).unwrap();
    let all = [
        [8.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [-2.0, 0.0, 0.0],
        [0.25, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 0.0, -9.0],
        [0.0, 0.0, -8.0],
    ];
    let expected = [
        (0, NONE, 0, 3.0),
        (0, NONE, 0, 1.0),
        (0, NONE, 1, 1.0),
        (1, 3, 3, -0.75),
        (2, 0, 0, -1.0),
        (1, 4, 4, -1.0),
        (1, 4, 4, -0.0),
    ];
    let bad = [[f32::NAN, 0.0, 0.0], [0.0, f32::NEG_INFINITY, 0.0], [2e9, 0.0, 0.0]];
    for quality in QUALITIES {
        let packed = packed(&scene, quality);
        let cpu = CpuTracer::new(&packed);
        let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
        for tracer in [&cpu as &dyn Tracer, &gpu] {
            let answers = PointAnswer::all(&scene, &all, &tracer.points(&all).unwrap());
            for (answer, expected) in answers.iter().zip(expected) {
                let found = (
                    answer.contains,
                    answer.containing_id,
                    answer.geometry_id,
                    answer.signed_distance,
                );
                assert_eq!(found, expected, "{quality:?}, {}", tracer.device());
            }
            assert_eq!(tracer.points(&bad).unwrap(), [PointHit::NONE; 3]);
            let answers = PointAnswer::all(&scene, &bad, &[PointHit::NONE; 3]);
            assert!(answers.iter().all(|answer| {
                answer.signed_distance.is_nan() && answer.closest_point.iter().all(|c| c.is_nan())
            }));
            assert_eq!(tracer.points(&[]).unwrap(), []);
        }
    }
}

#[test]
fn a_lone_solid_counts_once_and_an_empty_scene_has_no_nearest_surface() {
    let mut scene = Scene::new();
    for count in [0, 1] {
        for quality in QUALITIES {
            let packed = packed(&scene, quality);
            let cpu = CpuTracer::new(&packed);
            let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
            for tracer in [&cpu as &dyn Tracer, &gpu] {
                let point_hits = tracer.points(&[[0.0, 0.0, 0.25]]).unwrap();
                let answer = PointAnswer::all(&scene, &[[0.0, 0.0, 0.25]], &point_hits)[0];
                assert_eq!(answer.contains, count, "{quality:?}, {}", tracer.device());
                match count {
                    0 => {
                        assert_eq!(answer.signed_distance, f32::INFINITY);
                        assert!(answer.closest_point[0].is_nan() && answer.geometry_id == NONE);
                    }
                    _ => {
                        assert_eq!((answer.signed_distance, answer.closest_point[2]), (-0.75, 1.0))
                    }
                }
            }
        }
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    }
}

/// Each row has a file, a text that occurs once in it, and a fault to replace it. Another test shows that these scenes
/// have no differences without a fault.
const MUTANTS: [(&str, &str, &str); 30] = [
    ("shapes/sphere.wgsl", "abs(length(from_center) - params.first.w)", "length(from_center)"),
    ("shapes/cuboid.wgsl", "-most, most < 0.0", "most, most < 0.0"),
    ("shapes/cuboid.wgsl", "abs(local_point) - half_extents", "local_point - half_extents"),
    ("shapes/cylinder.wgsl", "max(-local_point.y, local_point.y - top)", "local_point.y - top"),
    ("shapes/cylinder.wgsl", "max(beyond.x, params.second.w - local_point.x)", "beyond.x"),
    ("shapes/capsule.wgsl", "clamp(share, 0.0, 1.0)", "min(share, 1.0)"),
    ("shapes/cone.wgsl", "min(to_caps, ", "min(FAR, "),
    ("shapes/cone.wgsl", "end_rim - start_rim", "start_rim - end_rim"),
    ("shapes/ellipsoid.wgsl", "(r - r.z) * (r + r.z)", "r * r"),
    ("shapes/ellipsoid.wgsl", "shares) > 1.0", "shares) > 2.0"),
    (
        "shapes/torus.wgsl",
        "local_point - vec2<f32>(params.first.w, 0.0)",
        "local_point - vec2<f32>(params.second.w, 0.0)",
    ),
    ("shapes/plane.wgsl", " / length(params.second.xyz)", ""),
    ("shapes/plane.wgsl", "params.second.xyz) <= 0.0", "params.second.xyz) >= 0.0"),
    ("shapes/plane.wgsl", "from_point)) - sheet.half,", "from_point)),"),
    ("shapes/shell.wgsl", "params.third.xyz != vec3", "params.third.zxy != vec3"),
    ("shapes/disc.wgsl", "params.second.w - local_point.x", "-local_point.x"),
    ("shapes/triangle.wgsl", "along), normal) >= 0.0", "along), normal) <= 0.0"),
    ("shapes/triangle.wgsl", "min(to_edges, segment", "(segment"),
    ("shapes/heightfield/nearest.wgsl", "local_point.xy + aside", "local_point.xy"),
    ("shapes/heightfield/nearest.wgsl", "local_point.z - field.lowest));", "local_point.z));"),
    ("shapes/heightfield.wgsl", "+ column) + half;", "+ column);"),
    ("shapes/heightfield.wgsl", "<= dot(rise, along)", ">= dot(rise, along)"),
    ("nearest/wide.wgsl", "unbounded + own_unbounded_records()", "unbounded"),
    ("nearest/wide.wgsl", "is_done = own_root() == NONE", "is_done = own_root() != NONE"),
    (
        "nearest.wgsl",
        "(found.distance < best.distance) |",
        "(found.distance > 2.0 * best.distance) |",
    ),
    ("nearest/wide.wgsl", "if others != 0u", "if others == 0u"),
    ("nearest/wide.wgsl", "children_within(node, reach)", "children_within(node, 0.0)"),
    ("nearest/wide.wgsl", "FIRST_SLOTS == vec4<u32>(record)", "FIRST_SLOTS <= vec4<u32>(record)"),
    ("points.wgsl", "    add_half_spaces(ray);", ""),
    ("points.wgsl", "containment_at_start(ray, false)", "containment_at_start(ray, true)"),
];

/// The forms that exercise the code of a file.
fn forms_of(file: &str) -> &'static [Form] {
    let of_shapes: [(&str, &[Form]); 13] = [
        ("sphere", &[Form::Sphere]),
        ("cuboid", &[Form::Cuboid]),
        ("cylinder", &[Form::Cylinder, Form::Tube]),
        ("capsule", &[Form::Capsule]),
        ("cone", &[Form::Cone]),
        ("ellipsoid", &[Form::Ellipsoid]),
        ("torus", &[Form::Torus]),
        ("plane", &[Form::Plane, Form::Sheet, Form::Sphere]),
        ("shell", &[Form::CylinderShell, Form::ConeShell]),
        ("disc", &[Form::Disc]),
        ("triangle", &[Form::Triangle]),
        ("heightfield/nearest", &[Form::Heightfield, Form::ClosedHeightfield]),
        ("heightfield", &[Form::Heightfield, Form::ClosedHeightfield]),
    ];
    let shape_forms = of_shapes.iter().find(|(stem, _)| file == format!("shapes/{stem}.wgsl"));
    shape_forms.map_or(&[Form::Sphere, Form::Plane, Form::Mesh, Form::Cuboid], |(_, forms)| forms)
}

#[test]
fn every_fault_is_noticed() {
    let gpu = own_gpu();
    let mut survivors = Vec::new();
    for (index, &(file, from, to)) in MUTANTS.iter().enumerate() {
        let fault = Fault::in_shader("a fault", file, from, to);
        if !is_planted(index) {
            assert_not_stale(&gpu, &fault);
            continue;
        }
        // The shapes are close together, so that several are almost equally near.
        let scene = scene_of(forms_of(file), 110, 100, 1.0, DVec3::ZERO);
        let points = points_about(111, 1000, &scene, 1.0);
        let packed = packed(&scene, Quality::Medium);
        let reference = CpuTracer::new(&packed);
        let tracer = GpuTracer::with_fault(&gpu, &packed, fault.site).unwrap();
        let found = differences(&scene, &tracer, &reference, &points);
        if found.worst <= 8.0 && found.wrong_containments == 0 {
            survivors.push((file, from, to));
        }
    }
    assert!(survivors.is_empty(), "not noticed: {survivors:#?}");
}
