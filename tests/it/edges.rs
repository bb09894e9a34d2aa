//! Cases whose exact answers are known, which both tracers must give to the bit: surfaces, tangents, rims, corners,
//! faces, axes, lengths, distances and sizes.

use crate::common::{arithmetic, check, gpu, ray};

use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{Fusion, GpuTracer};
use raytwin::{Batch, CpuTracer, Cuboid, Cylinder, PackedScene, Ray, Scene, Shape, Sphere, Tracer};

#[test]
fn sphere() {
    let plus_x = [1.0, 0.0, 0.0];
    let inf = f32::INFINITY;
    check(
        Sphere { center: DVec3::ZERO, radius: 2.0 },
        &[
            ("from outside", ray([-5.0, 0.0, 0.0], plus_x), Some(3.0)),
            ("from inside, the far wall", ray([0.0; 3], plus_x), Some(2.0)),
            ("on the surface, going in", ray([-2.0, 0.0, 0.0], plus_x), Some(0.0)),
            ("on the surface, going out", ray([2.0, 0.0, 0.0], plus_x), Some(0.0)),
            ("behind", ray([3.0, 0.0, 0.0], plus_x), None),
            ("tangent", ray([-5.0, 2.0, 0.0], plus_x), Some(5.0)),
            ("tangent from the point of touch", ray([0.0, 2.0, 0.0], plus_x), Some(0.0)),
            ("past the tangent", ray([-5.0, 2.0_f32.next_up(), 0.0], plus_x), None),
            ("a long direction", ray([-5.0, 0.0, 0.0], [4.0, 0.0, 0.0]), Some(0.75)),
            ("t_max at the hit", ray([-5.0, 0.0, 0.0], plus_x).within(0.0, 3.0), Some(3.0)),
            ("t_max before the hit", ray([-5.0, 0.0, 0.0], plus_x).within(0.0, 2.99), None),
            ("t_min at the hit", ray([-5.0, 0.0, 0.0], plus_x).within(3.0, 9.0), Some(3.0)),
            ("t_min after the hit", ray([-5.0, 0.0, 0.0], plus_x).within(3.01, 9.0), Some(7.0)),
            ("t_min at the exit", ray([-5.0, 0.0, 0.0], plus_x).within(7.0, 7.0), Some(7.0)),
            ("t_min after the exit", ray([-5.0, 0.0, 0.0], plus_x).within(7.01, 9.0), None),
            ("any t at all", ray([5.0, 0.0, 0.0], plus_x).within(-inf, inf), Some(-7.0)),
            (
                "t just above zero",
                ray([-2.0, 0.0, 0.0], [0.5, 0.0, 0.0]).within(1e-45, inf),
                Some(8.0),
            ),
            (
                "t just above zero, short",
                ray([-2.0, 0.0, 0.0], [2.0_f32.powi(-20), 0.0, 0.0]).within(f32::MIN_POSITIVE, inf),
                Some(4_194_304.0),
            ),
            ("t just below zero", ray([-2.0, 0.0, 0.0], plus_x).within(-1e-45, -1e-45), None),
            ("minus zeros", ray([-5.0, -0.0, -0.0], [1.0, -0.0, -0.0]), Some(3.0)),
        ],
    );
}

#[test]
fn cuboid() {
    let diagonal = [1.0, 1.0, 1.0];
    check(
        Cuboid {
            center: DVec3::ZERO,
            half_extents: DVec3::new(1.0, 2.0, 4.0),
            rotation: DQuat::IDENTITY,
        },
        &[
            ("a face", ray([-5.0, 0.5, 0.5], [1.0, 0.0, 0.0]), Some(4.0)),
            ("from inside", ray([0.5, 0.0, 0.0], [1.0, 0.0, 0.0]), Some(0.5)),
            ("in a face's plane", ray([-5.0, 2.0, 0.0], [1.0, 0.0, 0.0]), Some(4.0)),
            ("along an edge", ray([-5.0, 2.0, 4.0], [1.0, 0.0, 0.0]), Some(4.0)),
            ("past an edge", ray([-5.0, 2.0_f32.next_up(), 4.0], [1.0, 0.0, 0.0]), None),
            ("from within a face, along it", ray([0.0, 2.0, 0.0], [1.0, 0.0, 0.0]), Some(1.0)),
            ("a corner, in", ray([-5.0, -6.0, -8.0], diagonal), Some(4.0)),
            ("a corner, past", ray([-5.0, 6.0, 0.0], [1.0, -1.0, 0.0]), Some(4.0)),
            ("a corner, touched", ray([-3.0, 0.0, 0.0], [1.0, 1.0, 0.0]), Some(2.0)),
            ("on a face, going in", ray([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), Some(0.0)),
            ("on a face, going out", ray([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), Some(0.0)),
            ("beside", ray([-5.0, 3.0, 0.0], [1.0, 0.0, 0.0]), None),
        ],
    );
}

#[test]
fn cylinder() {
    let up = [0.0, 0.0, 1.0];
    check(
        Cylinder::solid(DVec3::new(0.0, 0.0, -4.0), DVec3::new(0.0, 0.0, 4.0), 2.0),
        &[
            ("the side", ray([-5.0, 0.0, 1.0], [1.0, 0.0, 0.0]), Some(3.0)),
            ("a cap", ray([1.0, 1.0, -9.0], up), Some(5.0)),
            ("along the axis", ray([0.0, 0.0, -9.0], up), Some(5.0)),
            ("along the wall", ray([2.0, 0.0, -9.0], up), Some(5.0)),
            ("past the wall", ray([2.0_f32.next_up(), 0.0, -9.0], up), None),
            ("in a cap's plane", ray([-5.0, 0.0, 4.0], [1.0, 0.0, 0.0]), Some(3.0)),
            ("above a cap", ray([-5.0, 0.0, 4.000_01], [1.0, 0.0, 0.0]), None),
            ("tangent to the side", ray([-5.0, 2.0, 0.0], [1.0, 0.0, 0.0]), Some(5.0)),
            ("tangent at a rim", ray([-5.0, 2.0, 4.0], [1.0, 0.0, 0.0]), Some(5.0)),
            ("a rim, touched", ray([-3.0, 0.0, 3.0], [1.0, 0.0, 1.0]), Some(1.0)),
            ("a rim, touched from above", ray([-4.0, 0.0, 6.0], [1.0, 0.0, -1.0]), Some(2.0)),
            ("past a rim", ray([-4.0, 0.0, 6.0], [0.5, 0.0, -0.25]), Some(8.0)),
            ("from inside to the side", ray([0.0; 3], [0.5, 0.0, 0.0]), Some(4.0)),
            ("from inside to a cap", ray([0.0; 3], [0.0, 0.0, -2.0]), Some(2.0)),
            ("on a cap, going in", ray([0.0, 0.0, 4.0], [0.0, 0.0, -1.0]), Some(0.0)),
            ("on a cap, along it", ray([0.0, 0.0, 4.0], [1.0, 0.0, 0.0]), Some(2.0)),
        ],
    );
}

/// The reciprocal of this length rounds in float64, and yet the ends of the cylinder must not move.
#[test]
fn cylinder_of_length_49() {
    check(
        Cylinder::solid(DVec3::ZERO, DVec3::Y * 49.0, 5.0),
        &[
            ("in the wall, from above", ray([3.0, 98.0, -4.0], [0.0, -1.0, 0.0]), Some(49.0)),
            ("in the wall, from inside", ray([3.0, 2.0, -4.0], [0.0, 1.0, 0.0]), Some(47.0)),
            ("on the rim, going out", ray([3.0, 49.0, -4.0], [0.0, 1.0, 0.0]), Some(0.0)),
            ("on the end cap, going in", ray([0.0, 49.0, 0.0], [0.0, -1.0, 0.0]), Some(0.0)),
            ("tangent to the end rim", ray([-8.0, 49.0, 5.0], [1.0, 0.0, 0.0]), Some(8.0)),
        ],
    );
}

#[test]
fn normals_of_thin_shapes_are_those_of_the_entry() {
    let mut scene = Scene::new();
    for shape in [
        Shape::from(Cuboid {
            center: DVec3::new(0.0, 0.0, 0.1),
            half_extents: DVec3::new(1.0, 1.0, 1e-7),
            rotation: DQuat::IDENTITY,
        }),
        Sphere { center: DVec3::new(9.0, 0.0, 0.1), radius: 1e-7 }.into(),
    ] {
        scene.add(shape).unwrap();
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    let rays: Vec<Ray> = (0..500)
        .map(|step| {
            let depth = -20.0 - 0.013 * step as f32;
            let x = if step % 5 == 0 { 9.0 } else { -0.174_396_62 };
            ray([x, if x == 9.0 { 0.0 } else { -0.224_840_3 }, depth], [0.0, 0.0, 1.0])
        })
        .collect();
    for tracer in [&gpu as &dyn Tracer, &cpu] {
        let hits = raytwin::Hits::new(
            &scene,
            Batch::new(&rays),
            &tracer.closest(Batch::new(&rays)).unwrap(),
            raytwin::HitArrays::ALL,
        );
        assert_eq!(hits.hit_count(), rays.len());
        for (ray, normal) in rays.iter().zip(&hits.primitive_normals) {
            assert_eq!(*normal, [0.0, 0.0, -1.0], "{ray:?} on {}", tracer.device());
        }
    }
}

/// The same cases are scaled in length, distance and size. Powers of two must give the exact answers; 1e-6 and 1e6 must
/// be right within 4 units in the last place.
#[test]
fn lengths_distances_and_sizes() {
    let gpu = gpu();
    let arithmetic = arithmetic();
    let is_correct = arithmetic.is_correctly_rounded();
    let is_unfused = arithmetic.products_with_sums == Fusion::Never;
    for scale in [2.0_f64.powi(-29), 2.0_f64.powi(-13), 1.0, 2.0_f64.powi(13), 2.0_f64.powi(25)] {
        let mut scene = Scene::new();
        let axis = DVec3::Y * 4.0;
        for shape in [
            Shape::from(Sphere { center: DVec3::ZERO, radius: scale }),
            Cuboid {
                center: DVec3::X * 8.0 * scale,
                half_extents: DVec3::splat(scale),
                rotation: DQuat::IDENTITY,
            }
            .into(),
            Cylinder::solid(
                (DVec3::X * 16.0 - axis) * scale,
                (DVec3::X * 16.0 + axis) * scale,
                scale,
            )
            .into(),
        ] {
            scene.add(shape).unwrap();
        }
        let packed = PackedScene::new(scene.clone()).unwrap();
        let gpu = GpuTracer::new(&gpu, &packed).unwrap();
        let cpu = CpuTracer::new(&packed);
        for length in [
            1e-12_f32.next_up(),
            1e-6,
            2.0_f32.powi(-20),
            1.0,
            2.0_f32.powi(20),
            1e6,
            1e12_f32.next_down(),
        ] {
            let mut rays = Vec::new();
            for x in [0.0, 8.0, 16.0] {
                // The ray goes straight to the middle, along a tangent, and past the shape.
                for aside in [0.0, 1.0, 1.125] {
                    let origin = DVec3::new(x + aside, 0.0, -16.0) * scale;
                    rays.push(Ray::new(origin.as_vec3(), [0.0, 0.0, length]));
                }
            }
            let depth = |touch: f64| touch * scale / f64::from(length);
            let expected = [
                Some((depth(15.0), 0)),
                Some((depth(16.0), 0)),
                None,
                Some((depth(15.0), 1)),
                Some((depth(15.0), 1)),
                None,
                Some((depth(15.0), 2)),
                Some((depth(16.0), 2)),
                None,
            ];
            for (tracer, is_cpu) in [(&gpu as &dyn Tracer, false), (&cpu, true)] {
                // A length whose square is rounded leaves tangents, and where they touch, to the rounding of the device.
                // The bound of other t is 16 u here.
                let decides_tangents =
                    is_cpu || is_correct && (is_unfused || length.log2().fract() == 0.0);
                let allowed = if is_cpu || is_correct { 4.0 } else { 16.0 };
                for (index, hit) in tracer.closest(Batch::new(&rays)).unwrap().iter().enumerate() {
                    if !decides_tangents && index % 3 == 1 {
                        continue;
                    }
                    let label = format!(
                        "{} scale {scale} length {length} ray {index}: {hit:?}",
                        tracer.device()
                    );
                    match expected[index] {
                        Some((t, id)) => {
                            assert_eq!(hit.geometry_id, id, "{label}");
                            let error = (f64::from(hit.t) - t).abs() / t;
                            assert!(error <= allowed * raytwin::math::U, "{label} for {t}");
                        }
                        None => assert!(!hit.is_hit(), "{label}"),
                    }
                }
            }
        }
    }
}

#[test]
fn equal_hits_belong_to_the_lower_id_in_trees_of_any_size() {
    let gpu = gpu();
    for count in [1, 2, 3, 5, 9, 100] {
        let mut scene = Scene::new();
        for _ in 0..count {
            scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        }
        let packed = PackedScene::new(scene.clone()).unwrap();
        let gpu = GpuTracer::new(&gpu, &packed).unwrap();
        let cpu = CpuTracer::new(&packed);
        let rays = [ray([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0]), ray([0.0, 0.6, 0.0], [0.0, 0.0, 1.0])];
        for tracer in [&gpu as &dyn Tracer, &cpu] {
            for hit in tracer.closest(Batch::new(&rays)).unwrap() {
                assert_eq!(hit.geometry_id, 0, "{count} spheres on {}", tracer.device());
            }
        }
    }
}
