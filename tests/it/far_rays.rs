//! Rays from 10³ to 10⁶ sizes of a scene away have the answers of brute force, also where there are so many items that
//! a traversal fetches them ahead.

use crate::common::*;
use fastrand::Rng;
use raytwin::bvh::Quality;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::{
    Batch, CpuTracer, Definition, Hit, Mesh, NodeId, PackedScene, Query, Ray, Scene, Sphere,
    Tracer, Transform,
};
use raytwin_verify::ray_questions;

/// A tree of so many items has more slots than a processor's caches are taken to hold.
const MANY: usize = 66_000;

/// Places and sizes of balls in a cube of side 2.
fn balls(count: usize) -> impl Iterator<Item = Sphere> {
    let mut rng = Rng::with_seed(21);
    (0..count).map(move |_| {
        let center = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        Sphere { center, radius: between(&mut rng, 0.002, 0.006) }
    })
}

fn scene_of_balls(count: usize) -> Scene {
    let mut scene = Scene::new();
    for ball in balls(count) {
        scene.add(ball).unwrap();
    }
    scene
}

/// A sheet in waves of two triangles a cell.
fn sheet(cells: u32) -> Mesh {
    let at = |index: u32| f64::from(index) / f64::from(cells) * 2.0 - 1.0;
    let height = |x: f64, y: f64| 0.3 * ((7.0 * x).sin() + (9.0 * y).cos());
    let corners = (0..=cells).flat_map(|row| (0..=cells).map(move |column| (at(column), at(row))));
    let vertices = corners.map(|(x, y)| DVec3::new(x, y, height(x, y))).collect();
    let corner = |row: u32, column: u32| row * (cells + 1) + column;
    let triangles = (0..cells).flat_map(|row| (0..cells).map(move |column| (row, column)));
    let triangles = triangles.flat_map(|(r, c)| {
        let [a, b, d, e] = [corner(r, c), corner(r, c + 1), corner(r + 1, c), corner(r + 1, c + 1)];
        [[a, b, e], [a, e, d]]
    });
    Mesh::new(vertices, triangles.collect()).unwrap()
}

/// Many instances of one ball, and one instance of many.
fn instances() -> Scene {
    let mut unit = Scene::new();
    unit.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let unit = Definition::new(unit);
    let mut scene = Scene::new();
    for Sphere { center, radius } in balls(MANY) {
        let place = Similarity { translation: center, scale: radius, ..Similarity::IDENTITY };
        scene.add_instance(&unit, &place.into(), None, None).unwrap();
    }
    let many = Definition::new(scene_of_balls(MANY));
    let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0);
    let place = Similarity { rotation, scale: 0.9, translation: DVec3::splat(0.1) };
    scene.add_instance(&many, &place.into(), None, None).unwrap();
    scene
}

/// Rays at the middle from a distance, of which sixteen each go the same way or every way.
fn rays_from(distance: f64) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(22);
    let mut ray = |way: DVec3| {
        let aim = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 1.6 - 0.8;
        Ray::new((aim - distance * way).as_vec3(), way.as_vec3())
    };
    let ways = &mut Rng::with_seed(23);
    let mut rays: Vec<Ray> = (0..32).map(|_| ray(direction(ways))).collect();
    let way = direction(ways);
    let eye = ray(way);
    rays.extend((0..16).map(|turn| {
        let by = 1e-9 * f64::from(turn) * DVec3::new(1.0, -2.0, 0.5);
        let way = way * distance + by * distance;
        Ray { direction: way.as_vec3().to_array(), ..eye }
    }));
    rays
}

/// Lists the crossings of a ray with every primitive, in the order of a tracer.
fn crossings(scene: &Scene, ray: &Ray) -> Vec<Hit> {
    let line = ray.line();
    let mut hits = Vec::new();
    for geometry_id in 0..scene.geometry_count() {
        for primitive_id in 0..scene.geometry(geometry_id).unwrap().primitive_count() as u32 {
            let primitive = scene.primitive(geometry_id, primitive_id).unwrap();
            let crossings = primitive.own_crossings(&line);
            let within = crossings.within([ray.t_min.into(), ray.t_max.into()]);
            hits.extend(within.map(|crossing| (crossing.t, geometry_id, primitive_id)));
        }
    }
    hits.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let hit = |(t, geometry_id, primitive_id)| Hit { t: t as f32, geometry_id, primitive_id };
    hits.into_iter().map(hit).collect()
}

/// Checks every kind of answer of the CPU tracer, and returns how many rays hit something.
fn check(name: &str, scene: &Scene, distance: f64) -> usize {
    let packed = PackedScene::with_quality(scene.clone(), Quality::Fast).unwrap();
    let tracer = CpuTracer::new(&packed);
    let rays = rays_from(distance);
    let batch = Batch::new(&rays);
    let closest = tracer.closest(batch).unwrap();
    let any = tracer.any(batch).unwrap();
    let counts = tracer.count(batch).unwrap();
    let all = tracer.all(batch).unwrap();
    for (index, ray) in rays.iter().enumerate() {
        let what = || format!("{name}, from {distance}: {ray:?}");
        let expected = crossings(scene, ray);
        let nearest = tracer.brute_force(ray).map_or(Hit::MISS, |nearest| nearest.hit());
        assert_eq!(closest[index], nearest, "{}", what());
        assert_eq!(any[index], nearest.is_hit(), "{}", what());
        assert_eq!(counts[index] as usize, expected.len(), "{}", what());
        assert_eq!(all.of_ray(index).collect::<Vec<_>>(), expected, "{}", what());
    }
    let points: Vec<[f32; 3]> = rays[..8].iter().map(|ray| ray.origin).collect();
    for (point, found) in points.iter().zip(tracer.nearest_surfaces(&points)) {
        let expected = tracer.nearest_surface_by_brute_force(*point);
        assert_eq!(found, expected, "{name}: {point:?}");
    }
    closest.iter().filter(|hit| hit.is_hit()).count()
}

#[test]
fn rays_from_afar_have_the_answers_of_brute_force_in_large_scenes() {
    let mut of_mesh = Scene::new();
    of_mesh.add(sheet(256)).unwrap();
    for (name, scene) in
        [("balls", scene_of_balls(MANY)), ("a mesh", of_mesh), ("instances", instances())]
    {
        for &distance in sweep(&[1e6][..], &[1e3, 1e5, 1e6]) {
            let hit_count = check(name, &scene, distance);
            assert!(hit_count > 10, "{name}, from {distance}: {hit_count} hit");
        }
    }
}

/// The trees of several worlds stand in one row of slots.
#[test]
fn rays_from_afar_are_answered_in_each_world_of_a_large_scene_as_in_that_world_alone() {
    let mut unit = Scene::new();
    unit.add(Sphere { center: DVec3::ZERO, radius: 0.2 }).unwrap();
    let unit = Definition::new(unit);
    let mut scene = scene_of_balls(MANY);
    let nodes: Vec<NodeId> = (0..5)
        .map(|_| {
            let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
            scene.add_instance_at(node, &unit, None).unwrap();
            node
        })
        .collect();
    let rng = &mut Rng::with_seed(24);
    let mut alone = Vec::new();
    for world in 0..3 {
        let mut other = scene.clone();
        for node in &nodes {
            let place = Similarity { translation: direction(rng), ..Similarity::IDENTITY };
            other.set_transform(*node, &place.into()).unwrap();
        }
        if world == 0 {
            scene = other.clone();
        } else {
            scene.add_world(&other).unwrap();
        }
        alone.push(other);
    }
    let tracer = CpuTracer::new(&PackedScene::new(scene).unwrap());
    for distance in [1e3, 1e5, 1e6] {
        let rays = rays_from(distance);
        for (world, alone) in (0..).zip(&alone) {
            let worlds = vec![world; rays.len()];
            let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
            let of_world = CpuTracer::new(&PackedScene::new(alone.clone()).unwrap());
            let expected = rays
                .iter()
                .map(|ray| of_world.brute_force(ray).map_or(Hit::MISS, |nearest| nearest.hit()));
            let hits = tracer.closest(batch).unwrap();
            assert_eq!(hits, expected.collect::<Vec<_>>(), "world {world}, from {distance}");
            let counts = tracer.count(batch).unwrap();
            assert_eq!(counts, of_world.count(Batch::new(&rays)).unwrap(), "from {distance}");
        }
    }
}

#[test]
fn seeded_rays_come_from_up_to_a_hundred_thousand_sizes_of_the_scene() {
    let scene = scene_of_balls(100);
    let bounds = scene.bounds();
    let questions = ray_questions(&scene, &[Query::Any], 8000, 1);
    let [x, y, z] = bounds.center().to_array();
    let distances = questions[0].rays.rays.iter().map(|ray| {
        let [a, b, c] = ray.origin.map(f64::from);
        DVec3::new(a - x, b - y, c - z).length() / bounds.radius()
    });
    let distances: Vec<f64> = distances.collect();
    for (from, to) in [(1e2, 1e3), (1e3, 1e4), (1e4, 1.1e5)] {
        let count = distances.iter().filter(|distance| (from..to).contains(*distance)).count();
        assert!(count > 200, "{count} rays from {from} to {to} sizes away");
    }
    assert!(distances.iter().all(|&distance| distance < 1.1e5));
}
