//! Rays that start inside solids, masks, and ids to ignore, on both tracers.

use crate::common::distance::signed_distance;
use crate::common::*;
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::GpuTracer;
use raytwin::{
    Batch, BatchError, Capsule, CpuTracer, Cuboid, Cylinder, Hit, HitArrays, Hits, Lines, NONE,
    PackedScene, Plane, Ray, Scene, Sphere, TraceError, Tracer,
};

/// Returns the rays of each of three scenes on two tracers.
fn swept_rays() -> usize {
    sweep(6_000, 50_000)
}

/// Calls `ask` with both tracers of a scene.
fn each_tracer(scene: &Scene, mut ask: impl FnMut(&str, &dyn Tracer)) {
    let packed = PackedScene::new(scene.clone()).unwrap();
    ask("cpu", &CpuTracer::new(&packed));
    ask("gpu", &GpuTracer::new(&gpu(), &packed).unwrap());
}

/// Makes rays that start all around the shapes of a scene, often inside.
fn rays_from_anywhere(seed: u64, scene: &Scene, size: f64) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    let ray = |_| {
        let geometry = &scene.geometries()[rng.usize(..scene.geometries().len())];
        let primitive = geometry.primitive(rng.u32(..geometry.primitive_count() as u32)).unwrap();
        let reach = 1.2 * primitive.radius().max(0.1 * size);
        let point = primitive.center() + reach * rng.f64() * direction(rng);
        let way = between(rng, 0.3, 3.0) * direction(rng);
        let t_min = [0.0, 0.0, between(rng, -2.0, 2.0)][rng.usize(..3)];
        Ray::new((point - t_min * way).as_vec3(), way.as_vec3()).within(t_min as f32, f32::INFINITY)
    };
    (0..swept_rays()).map(ray).collect()
}

/// Finds the lowest geometry that certainly contains the point, and reports whether any is doubtful.
fn lowest_container(scene: &Scene, point: DVec3, doubt: f64) -> (u32, bool) {
    let mut lowest = NONE;
    let mut is_doubtful = false;
    for (id, geometry) in (0..).zip(scene.geometries()) {
        if geometry.is_solid() && geometry.primitive_count() == 1 {
            let distance = signed_distance(&geometry.shape(0).unwrap(), point);
            is_doubtful |= distance.abs() <= doubt;
            if distance < 0.0 {
                lowest = lowest.min(id);
            }
        }
    }
    (lowest, is_doubtful)
}

/// A ray that starts inside solids hits the lowest of them at its start, and any other ray hits surfaces as usual.
#[test]
fn a_ray_that_starts_in_solids_hits_the_lowest_at_once() {
    for (seed, (size, offset)) in (60..).zip([(1.0, 0.0), (1e-3, 0.0), (1.0, 1e4)]) {
        let scene = scene_of(Form::closed(), seed, 44, size, offset * DVec3::new(0.8, -0.5, 1.0));
        let rays = rays_from_anywhere(seed, &scene, size);
        let batch = Batch::new(&rays);
        // The doubt covers twice the δ of the widest kind, and the rounding of the ray's origin and direction.
        let doubt = 6e-8 * (2.0 * 128.0 * 10.0 * size + 4.0 * offset);
        each_tracer(&scene, |name, tracer| {
            let surfaces = tracer.closest(batch).unwrap();
            let solids = tracer.closest(batch.solid()).unwrap();
            let any = tracer.any(batch.solid()).unwrap();
            let hits = Hits::new(&scene, batch.solid(), &solids, HitArrays::ALL);
            let (mut within, mut doubtful) = (0, 0);
            for (index, ray) in rays.iter().enumerate() {
                let point = ray.line().at(f64::from(ray.t_min));
                let (lowest, is_doubtful) = lowest_container(&scene, point, doubt);
                assert_eq!(any[index], solids[index].is_hit(), "{name} {ray:?}");
                if is_doubtful {
                    doubtful += 1;
                    continue;
                }
                let expected = match lowest {
                    NONE => surfaces[index],
                    geometry_id => Hit { t: ray.t_min, geometry_id, primitive_id: 0 },
                };
                assert_eq!(solids[index], expected, "{name} {ray:?}");
                if lowest != NONE {
                    within += 1;
                    assert_eq!(hits.primitive_normals[index], [0.0; 3]);
                    assert_eq!(hits.faces[index], NONE);
                }
            }
            assert!(within > rays.len() / 20, "{name}: {within} within");
            assert!(doubtful < rays.len() / 100, "{name}: {doubtful} doubtful");
        });
    }
}

/// A closed mesh contains a point if an odd number of its crossings lie ahead; the same holds for the other solids.
#[test]
fn the_parity_of_crossings_is_containment() {
    for form in [Form::Mesh, Form::Sphere, Form::Tube, Form::Torus, Form::Cone] {
        let scene = scene_of(&[form], 71, 1, 1.0, DVec3::ZERO);
        let is_closed = scene.geometry(0).unwrap().is_solid();
        let rays = rays_from_anywhere(72, &scene, 1.0);
        let rays: Vec<Ray> = rays.iter().map(|ray| ray.within(0.0, f32::INFINITY)).collect();
        let batch = Batch::new(&rays);
        each_tracer(&scene, |name, tracer| {
            let counts = tracer.count(batch).unwrap();
            let solids = tracer.closest(batch.solid()).unwrap();
            let is_within = |hit: &Hit| hit.t == 0.0;
            let unlike = counts
                .iter()
                .zip(&solids)
                .filter(|(count, hit)| (*count % 2 == 1) != (is_closed && is_within(hit)));
            assert_eq!(unlike.count(), 0, "{name} {form:?}");
            let within = solids.iter().filter(|hit| is_within(hit)).count();
            assert_eq!(within > rays.len() / 500, is_closed, "{name} {form:?}: {within}");
        });
    }
}

#[test]
fn each_of_several_closed_meshes_has_its_own_parity() {
    let mut scene = Scene::new();
    let open = raytwin::Mesh::new(
        vec![DVec3::new(-9.0, -9.0, 2.0), DVec3::new(9.0, -9.0, 2.0), DVec3::new(0.0, 9.0, 2.0)],
        vec![[0, 1, 2]],
    );
    scene.add(open.unwrap()).unwrap();
    let cube = |scale: f64| {
        let cube = cube_mesh();
        let vertices = cube.vertices().iter().map(|&vertex| scale * vertex).collect();
        raytwin::Mesh::new(vertices, cube.triangles().to_vec()).unwrap()
    };
    let large = scene.add(cube(3.0)).unwrap();
    let hollow = scene.add(cube(2.0)).unwrap();
    let ball = scene.add(Sphere { center: DVec3::X * 2.5, radius: 0.4 }).unwrap();
    let from = |x: f32| Ray::new([x, 0.1, 0.2], [0.3, 0.1, 1.0]);
    // Points on a face or an edge count as inside.
    let rays =
        [from(0.0), from(2.5), from(3.5), from(3.0), Ray::new([3.0, 3.0, 0.5], [1.0, 0.0, 0.0])];
    each_tracer(&scene, |name, tracer| {
        let hit_ids = |batch: Batch<'_>| -> Vec<Option<u32>> {
            let hits = tracer.closest(batch.solid()).unwrap();
            hits.iter().map(|hit| (hit.t == 0.0).then_some(hit.geometry_id)).collect()
        };
        let plain = hit_ids(Batch::new(&rays));
        assert_eq!(plain, [Some(large), Some(large), None, Some(large), Some(large)], "{name}");
        let ignored = [large; 5];
        let without = hit_ids(Batch::new(&rays).ignoring(&ignored).unwrap());
        assert_eq!(without, [Some(hollow), Some(ball), None, None, None], "{name}");
    });
}

#[test]
fn surfaces_are_never_solid_and_a_touched_solid_contains_the_point() {
    let mut scene = Scene::new();
    scene.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    let points = vec![DVec3::new(-5.0, 0.0, 0.0), DVec3::new(5.0, 0.0, 0.0)];
    scene.add(Lines::new(points, vec![[0, 1]], 1.0).unwrap()).unwrap();
    let pipe = Cylinder {
        start: DVec3::new(0.0, 8.0, -1.0),
        end: DVec3::new(0.0, 8.0, 1.0),
        radius: 1.0,
        inner_radius: 0.5,
    };
    let pipe = scene.add(pipe).unwrap();
    let capsule =
        Capsule { start: DVec3::new(0.0, 16.0, 0.0), end: DVec3::new(0.0, 20.0, 0.0), radius: 1.0 };
    let capsule = scene.add(capsule).unwrap();
    let cube = Cuboid {
        center: DVec3::new(0.0, 32.0, 0.0),
        half_extents: DVec3::ONE,
        rotation: DQuat::IDENTITY,
    };
    let cube = scene.add(cube).unwrap();
    let up = |x: f32, y: f32, z: f32| Ray::new([x, y, z], [0.0, 0.0, 1.0]);
    let cases = [
        (up(0.0, 3.0, -1.0), None),
        (up(0.0, 0.0, -0.25), None),
        (up(0.0, 8.0, 0.25), None),
        (up(0.75, 8.0, 0.0), Some(pipe)),
        (up(0.5, 8.0, 0.0), Some(pipe)),
        (up(1.0, 8.0, 1.0), Some(pipe)),
        (up(0.0, 18.0, 0.0), Some(capsule)),
        (up(0.0, 15.0, 0.0), Some(capsule)),
        (up(1.0, 33.0, 1.0), Some(cube)),
        (up(1.0, 33.0, -1.0).within(2.0, 2.0), Some(cube)),
        (up(1.0, 33.0, -1.0).within(2.5, 9.0), None),
        (up(0.0, 32.0, 0.0).within(f32::NEG_INFINITY, 0.0), None),
    ];
    let rays = cases.map(|(ray, _)| ray);
    each_tracer(&scene, |name, tracer| {
        let solids = tracer.closest(Batch::new(&rays).solid()).unwrap();
        for ((ray, expected), hit) in cases.iter().zip(&solids) {
            let within = (hit.is_hit() && hit.t == ray.t_min).then_some(hit.geometry_id);
            assert_eq!(within, *expected, "{name} {ray:?}");
        }
        // Counts do not change, because crossings are those of surfaces with and without solids.
        let counts = tracer.count(Batch::new(&rays)).unwrap();
        assert_eq!(tracer.count(Batch::new(&rays).solid()).unwrap(), counts, "{name}");
    });
}

/// Geometries that a ray does not see change nothing for it.
#[test]
fn masks_and_ignored_ids_hide_exactly_the_geometries_that_they_name() {
    let rng = &mut Rng::with_seed(91);
    let mut scene = scene_of(&Form::ALL, 92, 56, 1.0, DVec3::ZERO);
    let count = scene.geometries().len() as u32;
    for id in 0..count {
        scene.set_mask(id, [u32::MAX, 1, 2, 6, 0x8000_0000][rng.usize(..5)]);
    }
    let rays = rays_from_anywhere(93, &scene, 1.0);
    let masks: Vec<u32> = rays.iter().map(|_| [u32::MAX, 1, 2, 4, 0][rng.usize(..5)]).collect();
    let ignored: Vec<u32> =
        rays.iter().map(|_| if rng.bool() { NONE } else { rng.u32(..count) }).collect();
    let batch = Batch::new(&rays);
    let choosy = batch.with_masks(&masks).unwrap().ignoring(&ignored).unwrap();
    each_tracer(&scene, |name, tracer| {
        let everything = tracer.all(batch).unwrap();
        let all = tracer.all(choosy).unwrap();
        let closest = tracer.closest(choosy).unwrap();
        let any = tracer.any(choosy).unwrap();
        let counts = tracer.count(choosy).unwrap();
        let mut left_out = 0;
        for index in 0..rays.len() {
            let is_seen = |hit: &Hit| {
                scene.mask(hit.geometry_id) & masks[index] != 0 && hit.geometry_id != ignored[index]
            };
            let expected: Vec<Hit> = everything.of_ray(index).filter(is_seen).collect();
            left_out += everything.of_ray(index).len() - expected.len();
            assert_eq!(all.of_ray(index).collect::<Vec<_>>(), expected, "{name} {index}");
            assert_eq!(closest[index].is_hit(), any[index], "{name} {index}");
            assert_eq!(counts[index] as usize, expected.len(), "{name} {index}");
            // Either triangle may be hit at an edge of a mesh.
            let [first, t] = [expected.first(), Some(&closest[index])]
                .map(|hit| hit.filter(|hit| hit.is_hit()).map(|hit| (hit.t, hit.geometry_id)));
            assert_eq!(first, t, "{name} {index}");
        }
        assert!(left_out > rays.len(), "{name}: {left_out}");
        // A ray starts inside only those solids that it sees.
        let solid = tracer.closest(choosy.solid()).unwrap();
        for (index, hit) in solid.iter().enumerate().filter(|(_, hit)| hit.is_hit()) {
            assert!(scene.mask(hit.geometry_id) & masks[index] != 0, "{name} {index}");
            assert_ne!(hit.geometry_id, ignored[index], "{name} {index}");
        }
    });
}

#[test]
fn an_id_that_no_geometry_has_is_refused_with_its_ray() {
    let scene = random_scene(5, 30, 1.0, DVec3::ZERO);
    let rays = [Ray::new([0.0; 3], [1.0, 0.2, 0.1]); 3];
    let ids = [NONE, 29, 30];
    each_tracer(&scene, |_, tracer| {
        let batch = Batch::new(&rays).ignoring(&ids).unwrap();
        let expected = BatchError::Ignored { ray: 2, geometry_id: 30, geometries: 30 };
        let errors = [
            tracer.closest(batch).unwrap_err(),
            tracer.any(batch).unwrap_err(),
            tracer.count(batch).unwrap_err(),
            tracer.all(batch).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, TraceError::Batch(refusal) if refusal == expected));
        }
    });
}

/// Points on walls, edges and corners count as inside for rays in any direction, even along the surface.
#[test]
fn points_on_a_closed_mesh_count_as_inside_like_those_on_a_box() {
    let mut scene = Scene::new();
    let mesh = scene.add(cube_mesh()).unwrap();
    let steps = [-1.0, -0.5, 0.0, 0.25, 1.0, 1.5];
    let ways =
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -2.0, 3.0]];
    let mut rays = Vec::new();
    for x in steps {
        for y in steps {
            for z in steps {
                rays.extend(ways.map(|way| Ray::new([x, y, z], way)));
            }
        }
    }
    let is_held = |ray: &Ray| ray.origin.iter().all(|c| c.abs() <= 1.0);
    each_tracer(&scene, |name, tracer| {
        let hits = tracer.closest(Batch::new(&rays).solid()).unwrap();
        let points: Vec<[f32; 3]> = rays.iter().map(|ray| ray.origin).collect();
        let around = tracer.points(&points).unwrap();
        for ((ray, hit), around) in rays.iter().zip(&hits).zip(&around) {
            let begun = Hit { t: 0.0, geometry_id: mesh, primitive_id: 0 };
            assert_eq!(*hit == begun, is_held(ray), "{name} {ray:?}: {hit:?}");
            assert_eq!(around.contains == 1, is_held(ray), "{name} {ray:?}: {around:?}");
        }
    });
}

/// The face of each hit is the one whose normal is reported.
#[test]
fn faces_have_their_numbers() {
    let mut scene = Scene::new();
    let cube = Cuboid {
        center: DVec3::ZERO,
        half_extents: DVec3::new(1.0, 2.0, 3.0),
        rotation: DQuat::IDENTITY,
    };
    scene.add(cube).unwrap();
    let pipe = Cylinder {
        start: DVec3::new(20.0, 0.0, -1.0),
        end: DVec3::new(20.0, 0.0, 1.0),
        radius: 1.0,
        inner_radius: 0.5,
    };
    scene.add(pipe).unwrap();
    let toward = |from: [f32; 3], way: [f32; 3]| Ray::new(from, way);
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let back = |way: [f32; 3]| way.map(|c| -c);
    let cases = [
        (toward([-9.0, 0.1, 0.2], x), 0),
        (toward([9.0, 0.1, 0.2], back(x)), 1),
        (toward([0.1, -9.0, 0.2], y), 2),
        (toward([0.1, 9.0, 0.2], back(y)), 3),
        (toward([0.1, 0.2, -9.0], z), 4),
        (toward([0.1, 0.2, 9.0], back(z)), 5),
        (toward([0.1, 0.2, 0.3], z), 5),
        (toward([20.0, -9.0, 0.2], y), 0),
        (toward([20.75, 0.1, -9.0], z), 1),
        (toward([20.75, 0.1, 9.0], back(z)), 2),
        (toward([20.0, 0.1, 0.2], y), 3),
        (toward([50.0, 50.0, 50.0], x), NONE),
    ];
    let rays = cases.map(|(ray, _)| ray);
    each_tracer(&scene, |name, tracer| {
        let batch = Batch::new(&rays);
        let hits = Hits::new(&scene, batch, &tracer.closest(batch).unwrap(), HitArrays::ALL);
        assert_eq!(hits.faces, cases.map(|(_, face)| face), "{name}");
    });
}
