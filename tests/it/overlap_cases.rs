//! Overlaps of known pairs: nests, tubes, neighbours, half-spaces, instances, meshes.

use crate::common::Form;
use crate::overlaps::search;
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::overlaps::{OverlapKind, OverlapOptions, Overlaps};
use raytwin::scene::Adjacency;
use raytwin::{Capsule, Cuboid, Cylinder, Definition, Geometry, Plane, Scene, Sphere, Torus};

fn found(scene: &Scene) -> Overlaps {
    search(scene, OverlapOptions::default())
}

fn kinds(overlaps: &Overlaps) -> Vec<([u32; 2], OverlapKind)> {
    overlaps.pairs.iter().map(|pair| (pair.geometry_ids, pair.kind)).collect()
}

fn ball(x: f64, radius: f64) -> Sphere {
    Sphere { center: DVec3::new(x, 0.0, 0.0), radius }
}

#[test]
fn nests_lie_inside_and_cavities_do_not() {
    let mut scene = Scene::new();
    scene
        .add(Cuboid {
            center: DVec3::ZERO,
            half_extents: DVec3::splat(3.0),
            rotation: DQuat::IDENTITY,
        })
        .unwrap();
    scene.add(ball(0.0, 2.0)).unwrap();
    scene.add(Capsule { start: DVec3::NEG_X, end: DVec3::X, radius: 0.5 }).unwrap();
    scene
        .add(Torus { center: DVec3::ZERO, axis: DVec3::X, major_radius: 1.2, minor_radius: 0.3 })
        .unwrap();
    let overlaps = found(&scene);
    let inside = |inner| OverlapKind::Inside { inner };
    // The ring lies about the capsule, and touches nothing.
    assert_eq!(
        kinds(&overlaps),
        [
            ([0, 1], inside(1)),
            ([0, 2], inside(2)),
            ([0, 3], inside(3)),
            ([1, 2], inside(2)),
            ([1, 3], inside(3))
        ]
    );
    let proved: Vec<bool> = overlaps.pairs.iter().map(|pair| pair.is_proved).collect();
    assert_eq!(proved, [true, true, true, true, false]);
    assert_eq!((overlaps.counts.candidates, overlaps.counts.apart_by_lines), (6, 1));
    assert!(overlaps.spacing > 0.0);
}

#[test]
fn a_rod_in_a_tube_is_apart_and_one_in_its_wall_is_not() {
    let mut scene = Scene::new();
    scene
        .add(Cylinder { start: DVec3::ZERO, end: 4.0 * DVec3::Z, radius: 1.0, inner_radius: 0.9 })
        .unwrap();
    let rod = |x: f64| Cylinder::solid(DVec3::new(x, 0.0, -1.0), DVec3::new(x, 0.0, 5.0), 0.2);
    scene.add(rod(0.0)).unwrap();
    scene.add(rod(0.75)).unwrap();
    let overlaps = found(&scene);
    assert_eq!(kinds(&overlaps), [([0, 2], OverlapKind::Pierces)]);
    // The deepest point is in the middle of the wall.
    assert!((overlaps.pairs[0].depth - 0.025).abs() < 0.002, "{:?}", overlaps.pairs[0]);
    let near = search(&scene, OverlapOptions { clearance: 0.71, ..Default::default() });
    let gap = near.pairs.iter().find(|pair| pair.geometry_ids == [0, 1]).unwrap();
    assert_eq!((gap.kind, gap.is_proved), (OverlapKind::Near, true));
    assert!((gap.depth + 0.7).abs() < 1e-6, "{gap:?}");
}

#[test]
fn a_thin_pipe_through_a_rod_is_found_by_every_seed() {
    let mut scene = Scene::new();
    let [start, end] = [DVec3::new(-4.0, -2.0, -1.0), DVec3::new(4.0, 2.0, 1.0)];
    scene.add(Cylinder { start, end, radius: 0.02, inner_radius: 0.017 }).unwrap();
    let [start, end] = [DVec3::new(-3.0, 3.0, -2.0), DVec3::new(3.0, -3.0, 2.0)];
    scene.add(Cylinder::solid(start, end, 0.15)).unwrap();
    for seed in 0..20 {
        let overlaps = search(&scene, OverlapOptions { seed, ..Default::default() });
        assert_eq!(kinds(&overlaps), [([0, 1], OverlapKind::Pierces)], "{seed}");
    }
}

#[test]
fn clearances_are_bounded_from_below() {
    let mut scene = Scene::new();
    scene.add(ball(0.0, 1.0)).unwrap();
    scene.add(ball(2.25, 1.0)).unwrap();
    scene.add(ball(5.0, 1.0)).unwrap();
    let near = search(&scene, OverlapOptions { clearance: 0.5, ..Default::default() });
    let [pair] = &near.pairs[..] else { panic!("{near:?}") };
    assert_eq!((pair.geometry_ids, pair.kind, pair.is_proved), ([0, 1], OverlapKind::Near, true));
    assert!(
        (pair.depth + 0.25).abs() < 1e-9 && (0.2499..=0.25).contains(&pair.gap_at_least),
        "{pair:?}"
    );
    assert!(
        search(&scene, OverlapOptions { clearance: 0.2, ..Default::default() }).pairs.is_empty()
    );
}

#[test]
fn what_touches_or_is_shallow_is_told_apart() {
    let mut scene = Scene::new();
    let cube = |x: f64| Cuboid {
        center: DVec3::new(x, 0.0, 0.0),
        half_extents: DVec3::ONE,
        rotation: DQuat::IDENTITY,
    };
    scene.add(cube(0.0)).unwrap();
    scene.add(cube(2.0)).unwrap();
    scene.add(cube(3.9)).unwrap();
    let overlaps = found(&scene);
    assert_eq!(kinds(&overlaps), [([0, 1], OverlapKind::Touching), ([1, 2], OverlapKind::Pierces)]);
    let shallow = search(&scene, OverlapOptions { tolerance: 0.1, ..Default::default() });
    assert_eq!(shallow.pairs[1].kind, OverlapKind::Touching);
    assert!(shallow.pairs[1].is_proved && (shallow.pairs[1].depth - 0.05).abs() < 1e-3);
}

#[test]
fn pairs_that_belong_together_are_counted_and_left_out() {
    let mut scene = Scene::new();
    let pipe = |a: DVec3, b: DVec3| Cylinder::solid(a, b, 0.2);
    scene.add(pipe(DVec3::ZERO, DVec3::X)).unwrap();
    scene.add(pipe(DVec3::X, DVec3::ONE)).unwrap();
    scene.add(ball(0.5, 0.25)).unwrap();
    scene.set_adjacency(Adjacency::new(vec![(0..1, 7), (2..3, 9)], [[9, 7]]));
    let overlaps = found(&scene);
    assert_eq!((overlaps.pairs.len(), overlaps.counts.adjacent), (0, 2));
    let all = search(&scene, OverlapOptions { includes_adjacent: true, ..Default::default() });
    assert_eq!((all.pairs.len(), all.counts.adjacent), (2, 0));
    let only = |id: u32| std::iter::once(id..id + 1).collect();
    let between = vec![[only(0), only(2)]];
    let some =
        search(&scene, OverlapOptions { includes_adjacent: true, between, ..Default::default() });
    assert_eq!(kinds(&some), [([0, 2], OverlapKind::Pierces)]);
}

#[test]
fn half_spaces_are_asked_for_and_instances_are_what_they_stand_for() {
    let mut scene = Scene::new();
    scene.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    let mut part = Scene::new();
    part.add(ball(0.0, 1.0)).unwrap();
    let part = Definition::new(part);
    for (x, z) in [(0.0, 0.5), (1.5, 3.0), (9.0, -4.0)] {
        let place = Similarity { translation: DVec3::new(x, 0.0, z), ..Similarity::IDENTITY };
        scene.add_instance(&part, &place.into(), None, None).unwrap();
    }
    assert!(found(&scene).pairs.is_empty());
    let overlaps =
        search(&scene, OverlapOptions { includes_half_spaces: true, ..Default::default() });
    assert_eq!(
        kinds(&overlaps),
        [([0, 1], OverlapKind::Pierces), ([0, 3], OverlapKind::Inside { inner: 3 })]
    );
    assert_eq!(overlaps.counts.apart_proved, 1);
    let mut scene = Scene::new();
    scene.add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    let (start, end) = (-0.5 * DVec3::Z, DVec3::Z);
    scene.add(Cylinder { start, end, radius: 0.3, inner_radius: 0.25 }).unwrap();
    let overlaps =
        search(&scene, OverlapOptions { includes_half_spaces: true, ..Default::default() });
    assert_eq!(kinds(&overlaps), [([0, 1], OverlapKind::Pierces)]);
}

/// A mesh and a heightfield are solids of many primitives.
#[test]
fn meshes_and_heightfields_pierce_and_are_parted() {
    let rng = &mut Rng::with_seed(1);
    for form in [Form::Mesh, Form::ClosedHeightfield] {
        let solids = std::iter::repeat_with(|| form.random(rng, 1.0, DVec3::ZERO));
        for geometry in solids.filter(Geometry::is_solid).take(20) {
            let bounds = geometry.bounds().unwrap();
            let side = DVec3 { x: bounds.max.x, ..bounds.center() };
            let beside = |x: f64, radius: f64| {
                let mut scene = Scene::new();
                scene.add(geometry.clone()).unwrap();
                scene.add(Sphere { center: side + x * DVec3::X, radius }).unwrap();
                scene
            };
            let apart = beside(0.31, 0.3);
            let near = search(&apart, OverlapOptions { clearance: 2.0, ..Default::default() });
            let [pair] = &near.pairs[..] else { panic!("{form:?} {near:?}") };
            assert!(pair.kind == OverlapKind::Near && pair.is_proved, "{form:?} {pair:?}");
            assert!(pair.gap_at_least > 0.009 && pair.gap_at_least <= -pair.depth, "{pair:?}");
            assert!(found(&apart).pairs.is_empty());
            let pierced = found(&beside(0.0, 0.7 * bounds.radius()));
            let [pair] = &pierced.pairs[..] else { panic!("{form:?} {pierced:?}") };
            assert!(pair.kind == OverlapKind::Pierces && pair.depth > 0.0, "{form:?} {pair:?}");
        }
    }
}
