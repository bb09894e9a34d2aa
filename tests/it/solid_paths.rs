//! The volumes of solids, the innermost solid around a point, and the lengths of rays in solids.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::math::Similarity;
use raytwin::{
    Batch, CanonicalTracer, CpuTracer, Cuboid, Cylinder, Definition, Geometry, Heightfield, NONE,
    PackedScene, Parts, PathRule, Ray, Scene, Shell, SolidPaths, Sphere, Torus, Tracer, Transform,
};
use raytwin::{CappedSolid, glam::DQuat};
use std::f64::consts::PI;

const RULES: [PathRule; 2] = [PathRule::Each, PathRule::Innermost];

fn on_host(scene: &Scene) -> CpuTracer {
    CpuTracer::new(&PackedScene::new(scene.clone()).unwrap())
}

fn ball(center: DVec3, radius: f64) -> Sphere {
    Sphere { center, radius }
}

/// Each geometry of a scene in a scene of its own, where it is.
fn each_alone(scene: &Scene) -> Vec<Scene> {
    let alone = |(_, geometry, placement): (u32, &Geometry, Option<&raytwin::Placement>)| {
        let mut alone = Scene::new();
        match placement {
            None => drop(alone.add(geometry.clone()).unwrap()),
            Some(placement) => {
                let mut group = Scene::new();
                group.add(geometry.clone()).unwrap();
                let place = (*placement.world_from_object()).into();
                alone.add_instance(&Definition::new(group), &place, None, None).unwrap();
            }
        }
        alone
    };
    scene.written_out().map(alone).collect()
}

fn is_in(tracer: &CpuTracer, points: &[[f32; 3]]) -> Vec<bool> {
    tracer.containment(points).unwrap().iter().map(|it| it.contains > 0).collect()
}

/// All forms, also placed, and balls around many of them.
fn nest(seed: u64) -> Scene {
    let rng = &mut Rng::with_seed(seed);
    let group = Definition::new(scene_of(&Form::ALL, seed + 1, 18, 1.0, DVec3::ZERO));
    let mut scene = scene_of(&Form::ALL, seed, 18, 1.0, DVec3::ZERO);
    for _ in 0..2 {
        scene.add_instance(&group, &transform(rng, 1.0), None, None).unwrap();
        scene.add(Form::Sphere.random(rng, 1.0, DVec3::ZERO)).unwrap();
    }
    for id in (0..scene.geometry_count()).step_by(2) {
        let primitive = scene.primitive(id, 0).unwrap();
        let radius = between(rng, 0.5, 2.0) * primitive.radius().max(0.5);
        scene.add(ball(primitive.center(), radius)).unwrap();
    }
    scene
}

fn volume_of(scene: &Scene, id: u32) -> Option<f64> {
    let ratio = scene.placement(id).map_or(1.0, |placement| placement.volume_ratio());
    Some(scene.geometry(id)?.volume()? * ratio)
}

/// Points at random find a solid as often as it fills their box.
#[test]
fn volumes_are_those_that_points_at_random_find() {
    const POINTS: usize = 40_000;
    let rng = &mut Rng::with_seed(5);
    let mut worst: f64 = 0.0;
    for form in Form::ALL {
        for turn in 0..6 {
            let geometry = form.random(rng, 1.0, DVec3::ONE);
            assert_eq!(geometry.is_solid(), geometry.volume().is_some(), "{geometry:?}");
            let mut scene = Scene::new();
            if turn < 3 {
                scene.add(geometry).unwrap();
            } else {
                let mut group = Scene::new();
                group.add(geometry).unwrap();
                let place = transform(rng, 1.0);
                scene.add_instance(&Definition::new(group), &place, None, None).unwrap();
            }
            let Some(volume) = volume_of(&scene, 0) else { continue };
            let bounds = scene.bounds();
            let extents = bounds.max - bounds.min;
            let mut point = || {
                let at = DVec3::new(rng.f64(), rng.f64(), rng.f64());
                (bounds.min + at * extents).as_vec3().to_array()
            };
            let points: Vec<[f32; 3]> = (0..POINTS).map(|_| point()).collect();
            let inside = is_in(&on_host(&scene), &points).iter().filter(|is_in| **is_in).count();
            let share = volume / extents.element_product();
            let expected = share * POINTS as f64;
            let error = (expected * (1.0 - share).max(0.0)).sqrt().max(1.0);
            worst = worst.max((inside as f64 - expected).abs() / error);
        }
    }
    assert!((1.0..4.5).contains(&worst), "{worst} standard errors");
}

#[test]
fn volumes_of_known_solids_are_exact_enough_to_be_told_apart() {
    let tube = |inner_radius| Cylinder {
        start: DVec3::ZERO,
        end: DVec3::new(0.0, 3.0, 4.0),
        radius: 1.0,
        inner_radius,
    };
    let field = |base| {
        let heights = vec![1.0, 2.0, 4.0, 8.0];
        let field = Heightfield::new(heights, 2, [0.5, 2.0], DVec3::ONE, DQuat::IDENTITY).unwrap();
        Geometry::from(field.with_base(base).unwrap())
    };
    let cube = cube_mesh();
    let far = cube.vertices().iter().map(|&vertex| vertex + DVec3::splat(1e8)).collect();
    let far = raytwin::Mesh::new(far, cube.triangles().to_vec()).unwrap();
    let turned = |&[a, b, c]: &[u32; 3]| [a, c, b];
    let inside_out = cube.triangles().iter().map(turned).collect();
    let inside_out = raytwin::Mesh::new(cube.vertices().to_vec(), inside_out).unwrap();
    let of_cube = Geometry::from(cube).volume().unwrap();
    let thin = 1.0 - 1e-9;
    for (geometry, expected) in [
        (Geometry::from(ball(DVec3::ONE, 2.0)), 32.0 / 3.0 * PI),
        (tube(0.0).into(), 5.0 * PI),
        (tube(0.5).into(), 3.75 * PI),
        // The wall's thickness, times the way around it, times the length.
        (tube(thin).into(), (1.0 - thin) * 2.0 * PI * (1.0 - 0.5e-9) * 5.0),
        // Two triangles of 0.5 with the mean heights 11 / 3 and 13 / 3.
        (field(0.0), 4.0),
        (field(-1.0), 5.0),
        (far.into(), of_cube),
        (inside_out.into(), of_cube),
    ] {
        let volume = geometry.volume().unwrap();
        assert!((volume / expected - 1.0).abs() < 1e-14, "{geometry:?}: {volume}, not {expected}");
    }
}

#[test]
fn the_innermost_solid_is_the_least_of_those_that_contain_a_point() {
    for seed in [1, 2, 3] {
        let scene = nest(seed);
        let tracer = on_host(&scene);
        let mut points: Vec<[f32; 3]> = Spot::ALL
            .into_iter()
            .flat_map(|spot| crate::common::points(seed, spot, 200, &scene, 1.0))
            .collect();
        points.extend([[f32::NAN, 0.0, 0.0], [2e9, 0.0, 0.0]]);
        let mut expected = vec![(f64::INFINITY, NONE); points.len()];
        for (id, alone) in (0..).zip(each_alone(&scene)) {
            let Some(volume) = volume_of(&scene, id) else { continue };
            let inside = is_in(&on_host(&alone), &points);
            for (least, _) in expected.iter_mut().zip(inside).filter(|(_, is_in)| *is_in) {
                if volume < least.0 {
                    *least = (volume, id);
                }
            }
        }
        let expected: Vec<u32> = expected.into_iter().map(|(_, id)| id).collect();
        assert_eq!(tracer.innermost(&points).unwrap(), expected, "{seed}");
        let lowest = tracer.containment(&points).unwrap();
        let others = expected.iter().zip(&lowest).filter(|(id, it)| **id != it.containing_id);
        assert!(others.count() > 50, "the innermost is mostly the one of the lowest id");
    }
}

#[test]
fn of_equal_solids_the_lower_id_is_the_innermost_and_half_spaces_are_none() {
    let mut scene = Scene::new();
    scene.add(flat()).unwrap();
    let parts = Parts { side: true, start_cap: false, end_cap: true };
    let whole = Cylinder::solid(DVec3::NEG_X, DVec3::X, 1.0);
    scene.add(Shell { whole: CappedSolid::Cylinder(whole), parts }).unwrap();
    for x in [0.0, 0.5, 1.0] {
        scene.add(ball(DVec3::X * x, 1.0)).unwrap();
    }
    let tracer = on_host(&scene);
    let points = [[0.4, 0.0, -0.1], [1.4, 0.0, 0.0], [-3.0, 0.0, -5.0]];
    assert_eq!(tracer.innermost(&points).unwrap(), [2, 3, NONE]);
    assert_eq!(tracer.containment(&points[2..]).unwrap()[0].containing_id, 0);
    let ray = Ray::new([-9.0, 0.0, -0.0], [1.0, 0.0, 0.0]);
    let paths = tracer.paths(Batch::new(&[ray]), PathRule::Innermost).unwrap();
    assert_eq!(of(&paths, 0), [(2, 2.0), (3, 0.5), (4, 0.5)]);
    let paths = tracer.paths(Batch::new(&[ray]), PathRule::Each).unwrap();
    assert_eq!(of(&paths, 0), [(2, 2.0), (3, 2.0), (4, 2.0)]);
}

fn of(paths: &SolidPaths, ray: usize) -> Vec<(u32, f64)> {
    paths.of_ray(ray).collect()
}

#[test]
fn lengths_in_nested_solids_are_those_of_geometry() {
    let mut scene = Scene::new();
    let half_extents = DVec3::splat(4.0);
    let rotation = DQuat::IDENTITY;
    scene.add(Cuboid { center: DVec3::ZERO, half_extents, rotation }).unwrap();
    scene.add(ball(DVec3::ZERO, 3.0)).unwrap();
    let tube = Cylinder { start: DVec3::NEG_Z, end: DVec3::Z, radius: 2.0, inner_radius: 1.5 };
    scene.add(tube).unwrap();
    let (center, axis) = (DVec3::ZERO, DVec3::Z);
    scene.add(Torus { center, axis, major_radius: 1.0, minor_radius: 0.25 }).unwrap();
    scene.add(flat()).unwrap();
    let along =
        |x: f32, t_min, t_max| Ray::new([x, 0.0, 0.0], [2.0, 0.0, 0.0]).within(t_min, t_max);
    let endless = f32::INFINITY;
    let rays = [
        along(-10.0, 0.0, endless),
        // It begins in the torus and ends in the wall of the tube.
        along(-1.0, 0.0, 1.375),
        along(10.0, f32::NEG_INFINITY, endless),
        // It ends where the box begins, and touches the ball.
        along(-10.0, 0.0, 3.0),
        Ray::new([-10.0, 3.0, 0.0], [1.0, 0.0, 0.0]),
        along(0.0, 1.0, 0.0),
        along(f32::NAN, 0.0, endless),
        along(0.0, 5.0, 5.0),
    ];
    let tracer = on_host(&scene);
    let each = tracer.paths(Batch::new(&rays), PathRule::Each).unwrap();
    let whole = vec![(0, 8.0), (1, 6.0), (2, 1.0), (3, 1.0)];
    let begun = vec![(0, 2.75), (1, 2.75), (3, 0.75), (2, 0.25)];
    let expected = [whole.clone(), begun, whole, vec![], vec![(0, 8.0)], vec![], vec![], vec![]];
    for (ray, expected) in expected.iter().enumerate() {
        assert_lengths(&of(&each, ray), expected);
    }
    assert_eq!(each.path_splits, [0, 4, 8, 12, 12, 13, 13, 13, 13]);
    let innermost = tracer.paths(Batch::new(&rays), PathRule::Innermost).unwrap();
    let whole = vec![(0, 2.0), (1, 4.0), (2, 1.0), (3, 1.0)];
    let begun = vec![(3, 0.75), (1, 1.75), (2, 0.25)];
    let expected = [whole.clone(), begun, whole, vec![], vec![(0, 8.0)], vec![], vec![], vec![]];
    for (ray, expected) in expected.iter().enumerate() {
        assert_lengths(&of(&innermost, ray), expected);
    }
    // Of what a ray does not see it has no length.
    let seen = [0b10; 8];
    scene.set_mask(1, 0b01);
    let tracer = on_host(&scene);
    let batch = Batch::new(&rays).with_masks(&seen).unwrap().ignoring(&[3; 8]).unwrap();
    let paths = tracer.paths(batch.solid(), PathRule::Innermost).unwrap();
    assert_lengths(&of(&paths, 0), &[(0, 7.0), (2, 1.0)]);
    assert!(tracer.paths(Batch::new(&rays).ignoring(&[9; 8]).unwrap(), PathRule::Each).is_err());
    assert_eq!(tracer.paths(Batch::new(&[]), PathRule::Each).unwrap(), SolidPaths::default());
}

fn assert_lengths(found: &[(u32, f64)], expected: &[(u32, f64)]) {
    let is_same = |(a, b): (&(u32, f64), &(u32, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-9;
    let is_equal = found.len() == expected.len() && found.iter().zip(expected).all(is_same);
    assert!(is_equal, "{found:?}, not {expected:?}");
}

/// Points at equal steps along rays lie in each solid as often as its length says.
#[test]
fn lengths_are_those_that_points_along_the_rays_find() {
    const STEPS: usize = 2000;
    for seed in [11, 12] {
        let scene = nest(seed);
        let rng = &mut Rng::with_seed(seed);
        let solids = 0..scene.geometry_count();
        let solids: Vec<u32> = solids.filter(|&id| volume_of(&scene, id).is_some()).collect();
        let mut ray = || {
            let primitive = scene.primitive(solids[rng.usize(..solids.len())], 0).unwrap();
            let size = primitive.radius().clamp(0.1, 3.0);
            let to = primitive.center() + 0.5 * size * direction(rng);
            let from = to + 4.0 * rng.f64() * size * direction(rng);
            let along = (to - from) * between(rng, 0.1, 10.0);
            let t_max = between(rng, 0.2, 2.0) * (to - from).length() / along.length();
            let t_min = [0.0, 0.3 * t_max, -t_max][rng.usize(..3)] as f32;
            let ray = Ray::new(from.as_vec3().to_array(), along.as_vec3().to_array());
            ray.within(t_min, t_max as f32)
        };
        let rays: Vec<Ray> = (0..200).map(|_| ray()).collect();
        let step = |ray: &Ray| f64::from(ray.t_max - ray.t_min) / STEPS as f64;
        let points: Vec<[f32; 3]> = rays
            .iter()
            .flat_map(|ray| {
                let t = |index| f64::from(ray.t_min) + (f64::from(index) + 0.5) * step(ray);
                (0..STEPS as u32).map(move |index| ray.line().at(t(index)).as_vec3().to_array())
            })
            .collect();
        let tracer = on_host(&scene);
        let [each, innermost] = RULES.map(|rule| tracer.paths(Batch::new(&rays), rule).unwrap());
        let around = tracer.innermost(&points).unwrap();
        let mut crossed = [0; 2];
        for (id, alone) in (0..).zip(each_alone(&scene)) {
            let is_solid = volume_of(&scene, id).is_some();
            let inside = match is_solid {
                true => is_in(&on_host(&alone), &points),
                false => vec![false; points.len()],
            };
            for (index, ray) in rays.iter().enumerate() {
                let steps = index * STEPS..(index + 1) * STEPS;
                let length = step(ray) * ray.line().direction.length();
                let in_solid = inside[steps.clone()].iter().filter(|is_in| **is_in).count();
                let as_innermost = around[steps].iter().filter(|it| **it == id).count();
                for (rule, (paths, count)) in
                    [(&each, in_solid), (&innermost, as_innermost)].into_iter().enumerate()
                {
                    let found = paths.of_ray(index).find(|(of, _)| *of == id);
                    let found = found.map_or(0.0, |(_, length)| length);
                    // Each end of a stretch may be up to half a step off.
                    let off = (found - count as f64 * length).abs() / length;
                    assert!(off < 12.0, "{seed}: {id}, {:?}, {ray:?}: {off}", RULES[rule]);
                    crossed[rule] += usize::from(count > 0);
                }
            }
        }
        assert!(crossed[1] > 100 && crossed[0] > crossed[1], "{crossed:?}");
        for ray in 0..rays.len() {
            let in_any: usize =
                around[ray * STEPS..][..STEPS].iter().filter(|it| **it != NONE).count();
            let length = step(&rays[ray]) * rays[ray].line().direction.length();
            let sum: f64 = innermost.of_ray(ray).map(|(_, length)| length).sum();
            assert!((sum / length - in_any as f64).abs() < 24.0, "{seed}, {ray}");
        }
    }
}

#[test]
fn every_tracer_answers_in_float64_also_in_worlds_and_after_an_update() {
    let rng = &mut Rng::with_seed(31);
    let (mut scene, movers) = stage(rng, 3.0);
    add_worlds(rng, &mut scene, &movers, 3, 3.0);
    let worlds_alone = alone(&scene);
    let (rays, worlds) = rays_in_worlds(rng, &worlds_alone, 600);
    let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
    let mut points = Vec::new();
    for spot in Spot::ALL {
        points.extend(crate::common::points(32, spot, 100, &worlds_alone[0], 1.0));
    }
    let packed = PackedScene::new(scene.clone()).unwrap();
    let host = CpuTracer::new(&packed);
    let mut devices: [Box<dyn Tracer>; 2] = [
        Box::new(GpuTracer::new(&gpu(), &packed).unwrap()),
        Box::new(CanonicalTracer::new(GpuTracer::new(&gpu(), &packed).unwrap())),
    ];
    for rule in RULES {
        let paths = host.paths(batch, rule).unwrap();
        assert!(paths.path_lengths.len() > 200, "{}", paths.path_lengths.len());
        for (world, scene) in worlds_alone.iter().enumerate() {
            let in_it = on_host(scene).paths(Batch::new(&rays), rule).unwrap();
            for ray in (0..rays.len()).filter(|&ray| worlds[ray] as usize == world) {
                assert_eq!(of(&paths, ray), of(&in_it, ray), "{rule:?}, {world}, {ray}");
            }
        }
        devices.iter().for_each(|device| assert_eq!(device.paths(batch, rule).unwrap(), paths));
    }
    let innermost = host.innermost(&points).unwrap();
    assert_eq!(innermost, on_host(&worlds_alone[0]).innermost(&points).unwrap());
    let place: Transform = Similarity { scale: 3.0, ..turned(rng, 1.0, 1.0) }.into();
    scene.set_transforms(&[(movers[1].0, place)]).unwrap();
    let anew = on_host(&scene).innermost(&points).unwrap();
    assert_ne!(anew, innermost);
    for device in &mut devices {
        assert_eq!(device.innermost(&points).unwrap(), innermost);
        device.update(&scene).unwrap();
        assert_eq!(device.innermost(&points).unwrap(), anew);
    }
}
