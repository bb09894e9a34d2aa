//! Triangles far smaller than any digit of the scene around them are packed and cast at as others are.

use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::DVec3;
use raytwin::math::Similarity;
use raytwin::{Batch, CpuTracer, Definition, Hit, Mesh, PackedScene, Ray, Scene, Tracer};

/// A triangle of size 1, and forty whose corners are small multiples of `size`; some have no area.
fn sheet_with_slivers(rng: &mut Rng, size: f64) -> Mesh {
    let mut vertices = vec![DVec3::ZERO, DVec3::Y, DVec3::X];
    let mut corner = || size * DVec3::from([0; 3].map(|_| f64::from(rng.i32(-3..=3))));
    vertices.extend((0..120).map(|_| corner()));
    let triangles = (0..vertices.len() as u32 / 3).map(|first| [0, 1, 2].map(|at| 3 * first + at));
    Mesh::new(vertices, triangles.collect()).unwrap()
}

/// Rays at the slivers and beside them, from as near as their size and from as far as the scene's, sixteen from one eye.
fn rays_at(rng: &mut Rng, size: f64) -> Vec<Ray> {
    let mut rays = Vec::new();
    for distance in [2.0, 1e-8, 1e3 * size, 4.0 * size, 0.0] {
        for turn in 0..6 {
            let eye = distance * direction(rng);
            let spread = if turn < 3 { 4.0 * size } else { 0.3 * distance + 4.0 * size };
            for _ in 0..16 {
                let way = spread * rng.f64() * direction(rng) - eye;
                rays.push(Ray::new(eye.as_vec3(), way.normalize_or(DVec3::Z).as_vec3()));
            }
        }
    }
    rays
}

fn hit(nearest: Option<raytwin::cpu::Nearest>) -> Hit {
    nearest.map_or(Hit::MISS, |nearest| nearest.hit())
}

/// Checks the CPU tracer against brute force. Returns how many rays hit a sliver.
fn check(name: &str, scene: &Scene, rays: &[Ray]) -> usize {
    let mut at_slivers = 0;
    for quality in [Quality::Medium, Quality::Fast] {
        let packed = PackedScene::with_quality(scene.clone(), quality).unwrap();
        let cpu = CpuTracer::new(&packed);
        let batch = Batch::new(rays);
        let closest = cpu.closest(batch).unwrap();
        let any = cpu.any(batch).unwrap();
        for (index, ray) in rays.iter().enumerate() {
            let expected = hit(cpu.brute_force(ray));
            let what = || format!("{name}, {quality:?}: {ray:?}");
            assert_eq!(closest[index], expected, "{}", what());
            assert_eq!(any[index], expected.is_hit(), "{}", what());
            at_slivers += usize::from(expected.is_hit() && expected.primitive_id > 0);
        }
        let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).collect();
        for (point, found) in points.iter().zip(cpu.nearest_surfaces(&points)).step_by(8) {
            let expected = cpu.nearest_surface_by_brute_force(*point);
            let distance = |found: Option<raytwin::cpu::NearestSurface>| found.unwrap().distance;
            assert_eq!(distance(found), distance(expected), "{name}, {quality:?}: {point:?}");
        }
    }
    at_slivers
}

/// The powers of two that slivers have as their size.
const POWERS: [i32; 4] = [-40, -66, -75, -100];

#[test]
fn slivers_in_a_mesh_are_cast_at_as_any_triangle() {
    for power in POWERS {
        let rng = &mut Rng::with_seed(31);
        let size = f64::from(power).exp2();
        let mut scene = Scene::new();
        scene.add(sheet_with_slivers(rng, size)).unwrap();
        let at_slivers = check(&format!("2^{power}"), &scene, &rays_at(rng, size));
        assert!(at_slivers > 20, "2^{power}: {at_slivers} rays hit slivers");
    }
}

#[test]
fn slivers_in_instances_are_cast_at_as_any_triangle() {
    for power in POWERS {
        let rng = &mut Rng::with_seed(32);
        let size = f64::from(power).exp2();
        let mesh = sheet_with_slivers(rng, size);
        let (mut scene, mut part) = (Scene::new(), Scene::new());
        part.add(mesh).unwrap();
        let part = Definition::new(part);
        for translation in [DVec3::ZERO, DVec3::splat(0.5)] {
            let place = Similarity { scale: 0.5, translation, ..Similarity::IDENTITY };
            scene.add_instance(&part, &place.into(), None, None).unwrap();
        }
        check(&format!("instances, 2^{power}"), &scene, &rays_at(rng, size));
    }
}
