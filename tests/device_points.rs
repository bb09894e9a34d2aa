//! What is around points, by a device and by the CPU: against each other, and against what rays from there meet.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on stops"
)]

mod common;

use common::*;
use fastrand::Rng;
use raytwin::bvh::{Layout, Quality};
use raytwin::glam::{DVec3, Vec3};
use raytwin::gpu::{Fault, GpuTracer};
use raytwin::math::U;
use raytwin::{
    Batch, CpuTracer, NONE, Neighbour, Packed, Plane, Ray, Scene, Sphere, Surroundings, Tracer,
};

/// Scenes as large as a hand, a grain and a mountain, far from the world's origin, and of more.
const SCENES: [(f64, f64, usize); 6] = [
    (1.0, 0.0, 12),
    (1e-4, 0.0, 12),
    (1e4, 0.0, 12),
    (1.0, 1e3, 12),
    (1.0, 1e5, 12),
    (0.3, 0.0, 200),
];

fn scene_at(form: Form, seed: u64, (size, offset, count): (f64, f64, usize)) -> Scene {
    scene_of(&[form], seed, count, size, offset * DVec3::new(1.0, 0.7, -0.4))
}

/// Points of all kinds about a scene.
fn points_about(seed: u64, count: usize, scene: &Scene, size: f64) -> Vec<[f32; 3]> {
    let of_spot = |spot| points(seed, spot, count, scene, size);
    SPOTS.into_iter().flat_map(of_spot).collect()
}

fn told(tracer: &dyn Tracer, scene: &Scene, points: &[[f32; 3]]) -> Vec<Surroundings> {
    Surroundings::all(scene, points, &tracer.points(points).unwrap())
}

/// Of which 8 u are promised: the distance from the point to the part's centre, and its radius.
fn scale(scene: &Scene, point: [f32; 3], [geometry_id, primitive_id]: [u32; 2]) -> f64 {
    let part = scene.part(geometry_id, primitive_id).unwrap();
    part.center.distance(Vec3::from(point).as_dvec3()) + part.radius
}

/// How much farther away what is named is than the nearest, at worst, in u of the scale.
fn worst(scene: &Scene, packed: &Packed, tracer: &dyn Tracer, points: &[[f32; 3]]) -> f64 {
    let nearest = CpuTracer::new(scene, packed).nearest_surfaces(points);
    let told = told(tracer, scene, points);
    let excess = points.iter().zip(nearest).zip(told).map(|((&point, nearest), told)| {
        let nearest = nearest.unwrap();
        let found = scene.part(told.geometry_id, told.primitive_id).unwrap().shape;
        let from = Vec3::from(point).as_dvec3();
        let distance = found.closest_point(from).distance(from);
        assert_eq!(told.signed_distance.abs(), distance as f32);
        let ids =
            [[told.geometry_id, told.primitive_id], [nearest.geometry_id, nearest.primitive_id]];
        let scale = ids.map(|ids| scale(scene, point, ids)).into_iter().fold(0.0, f64::max);
        (distance - nearest.distance) / (U * scale)
    });
    excess.fold(0.0, f64::max)
}

#[test]
fn a_device_names_a_surface_that_is_as_near_as_any() {
    let gpu = gpu();
    for form in Form::ALL {
        let mut worst_of_form = 0.0_f64;
        for (seed, setting) in (90..).zip(SCENES) {
            let scene = scene_at(form, seed, setting);
            let points = points_about(seed, 1500, &scene, setting.0);
            for layout in [Layout::Wide, Layout::Binary] {
                let packed = Packed::with_tree(&scene, layout, Quality::Medium).unwrap();
                let tracer = GpuTracer::new(&gpu, &packed).unwrap();
                worst_of_form = worst_of_form.max(worst(&scene, &packed, &tracer, &points));
            }
        }
        println!("{form:?}: {worst_of_form:.3} u");
        assert!(worst_of_form <= 8.0, "{form:?}: {worst_of_form} u of the scale");
    }
}
