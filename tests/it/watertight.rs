//! No ray passes between triangles that share an edge, from outside or from inside.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{Batch, CpuTracer, Geometry, Heightfield, PackedScene, Ray, Scene, Tracer};

/// Returns the rays at each mesh from outside, and again from inside.
fn swept_rays() -> usize {
    sweep(12_000, 100_000)
}

/// A vertex, or a point on an edge, rounded to float32.
fn on_an_edge(rng: &mut Rng, geometry: &Geometry) -> DVec3 {
    let primitive_id = rng.u32(..geometry.primitive_count() as u32);
    let Some(raytwin::Shape::Triangle(triangle)) = geometry.shape(primitive_id) else { panic!() };
    let corner = rng.usize(..3);
    let [from, to] = [triangle.vertices[corner], triangle.vertices[(corner + 1) % 3]];
    let share = match rng.usize(..4) {
        0 => 0.0,
        1 => 0.5,
        _ => rng.f64(),
    };
    from.lerp(to, share)
}

/// Asserts that every ray hits something on both tracers.
fn none_passes(scene: &Scene, rays: &[Ray], label: &str) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
    let cpu = CpuTracer::new(&packed);
    for tracer in [&cpu as &dyn Tracer, &gpu] {
        let hits = tracer.closest(Batch::new(rays)).unwrap();
        let passed: Vec<_> = rays.iter().zip(&hits).filter(|(_, hit)| !hit.is_hit()).collect();
        let device = tracer.device();
        assert!(passed.is_empty(), "{} {label} on {device}: {:?}", passed.len(), passed[0]);
    }
}

#[test]
fn a_closed_mesh_lets_no_ray_in_and_none_out() {
    let rng = &mut Rng::with_seed(1);
    let ray_count = swept_rays();
    for (size, offset, sides) in [(1.0, 0.0, 24), (1e4, 0.0, 8), (1e-4, 0.0, 8), (1.0, 1e3, 16)] {
        let middle = offset * DVec3::new(1.0, -0.6, 0.3);
        let turn = DQuat::from_axis_angle(direction(rng), 1.0);
        let mut scene = Scene::new();
        scene.add(ball_mesh(middle, size, sides, turn)).unwrap();
        let geometry = scene.geometries()[0].clone();
        assert!(geometry.is_solid());
        let mut from = |reach: [f64; 2]| -> Vec<Ray> {
            (0..ray_count)
                .map(|_| {
                    let target = on_an_edge(rng, &geometry);
                    let way = reach[0] + (reach[1] - reach[0]) * rng.f64();
                    let origin = (middle + way * size * direction(rng)).as_vec3();
                    Ray::new(origin, target.as_vec3() - origin)
                })
                .collect()
        };
        // A ray at a target on the far side hits the near side. Beside the rounded point of an outline there may be
        // nothing, so from outside only edges that face the ray are targets.
        let outside = from([2.0, 20.0]).into_iter().filter(|ray| {
            let line = ray.line();
            let outwards = (line.at(1.0) - middle).normalize();
            outwards.dot(line.direction.normalize()).abs() > 0.3
        });
        let outside: Vec<_> = outside.collect();
        assert!(outside.len() > ray_count / 2, "{} rays", outside.len());
        none_passes(&scene, &outside, "rays passed through from outside");
        none_passes(&scene, &from([0.0, 0.9]), "rays escaped from inside");
    }
}

#[test]
fn a_heightfield_lets_no_ray_through() {
    let rng = &mut Rng::with_seed(2);
    let (rows, columns) = (31, 41);
    for (size, offset) in [(1.0, 0.0), (1e3, 0.0), (1.0, 1e3)] {
        let heights = (0..rows * columns).map(|_| 0.4 * size * rng.f64()).collect();
        let center = offset * DVec3::new(1.0, -0.6, 0.3);
        let turn = DQuat::from_axis_angle(direction(rng), 1.0);
        let mut scene = Scene::new();
        let field = Heightfield::new(heights, columns, [size, 0.7 * size], center, turn).unwrap();
        scene.add(field).unwrap();
        let geometry = scene.geometries()[0].clone();
        let up = turn * DVec3::Z;
        let mut rays = Vec::new();
        while rays.len() < swept_rays() {
            let target = on_an_edge(rng, &geometry);
            let local = turn.inverse() * (target - center);
            // Beyond the border of the field there is nothing.
            if local.x.abs() > 18.5 * size || local.y.abs() > 9.5 * size {
                continue;
            }
            let way = direction(rng);
            if way.dot(up).abs() < 0.2 {
                continue;
            }
            let origin = (target + (2.0 + 20.0 * rng.f64()) * size * way).as_vec3();
            rays.push(Ray::new(origin, target.as_vec3() - origin));
        }
        none_passes(&scene, &rays, "rays passed through");
    }
}

/// Rays pass through vertices and edges of a field with a base, those of its sides and its bottom too. Each enters the solid
/// as often as it leaves it.
#[test]
fn a_heightfield_with_a_base_is_crossed_an_even_number_of_times() {
    let rng = &mut Rng::with_seed(3);
    let (rows, columns) = (13, 17);
    for (size, offset) in [(1.0, 0.0), (1e3, 0.0), (1.0, 1e3)] {
        let heights = (0..rows * columns).map(|_| 0.4 * size * rng.f64()).collect();
        let center = offset * DVec3::new(1.0, -0.6, 0.3);
        let turn = DQuat::from_axis_angle(direction(rng), 1.0);
        let field = Heightfield::new(heights, columns, [size, 0.7 * size], center, turn).unwrap();
        let mut scene = Scene::new();
        scene.add(field.with_base(-size).unwrap()).unwrap();
        assert!(scene.geometries()[0].is_solid());
        let ray = |_| {
            let [x, y] = [columns, rows].map(|count| {
                let place = rng.usize(..count) as f64 - 0.5 * (count - 1) as f64;
                if rng.usize(..3) == 0 { place + rng.f64() - 0.5 } else { place }
            });
            let z = if rng.bool() { -1.0 } else { rng.f64() };
            let target = center + turn * (size * DVec3::new(x, 0.7 * y, z));
            let away = (3.0 + 20.0 * rng.f64()) * size * direction(rng);
            let origin = (target + away).as_vec3();
            Ray::new(origin, target.as_vec3() - origin).within(f32::NEG_INFINITY, f32::INFINITY)
        };
        let rays: Vec<Ray> = (0..swept_rays() / 4).map(ray).collect();
        let packed = PackedScene::new(scene).unwrap();
        let gpu = GpuTracer::new(&gpu(), &packed).unwrap();
        let cpu = CpuTracer::new(&packed);
        for tracer in [&cpu as &dyn Tracer, &gpu] {
            let counts = tracer.count(Batch::new(&rays)).unwrap();
            let device = tracer.device();
            let odd = rays.iter().zip(&counts).find(|(_, count)| *count % 2 == 1);
            assert_eq!(odd, None, "{size} {offset} {device}");
            let crossed = counts.iter().filter(|&&count| count > 0).count();
            assert!(crossed > rays.len() / 2, "{crossed} rays cross the field");
        }
    }
}
