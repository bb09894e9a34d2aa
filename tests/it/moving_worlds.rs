//! Worlds in which something moves: a tracer that follows them answers as a new one does.

use crate::common::*;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::gpu::GpuTracer;
use raytwin::math::Similarity;
use raytwin::scene::WorldError;
use raytwin::{
    Affine, Batch, CpuTracer, Definition, NodeId, PackedScene, Plane, Query, Scene, Sphere, Tracer,
    Transform,
};

const REACH: f64 = 10.0;

/// Transforms of all movers in some worlds, some of them those of the first world.
fn places(rng: &mut Rng, movers: &[Mover], worlds: usize) -> Vec<Vec<Transform>> {
    let mut all: Vec<Vec<Transform>> = Vec::new();
    for world in 0..worlds {
        let place = |(index, (_, may_stretch)): (usize, &Mover)| {
            let Similarity { rotation, translation, .. } = turned(rng, REACH, 1.0);
            let stretch = DVec3::new(1.0, -1.5, 0.8);
            match (world, index % 3) {
                (1.., 0) => all[0][index],
                _ if *may_stretch && world % 2 == 1 => {
                    Affine::from_scale_rotation_translation(stretch, rotation, translation).into()
                }
                _ => Similarity { rotation, translation, scale: 1.2 }.into(),
            }
        };
        let places = movers.iter().enumerate().map(place).collect();
        all.push(places);
    }
    all
}

/// Moves what a filter accepts by a step.
fn step(rng: &mut Rng, places: &mut [Vec<Transform>], moves: impl Fn(usize, usize) -> bool) {
    for (world, places) in places.iter_mut().enumerate() {
        for (index, place) in places.iter_mut().enumerate().filter(|(it, _)| moves(world, *it)) {
            let step =
                0.1 * direction(rng) + if index % 5 == 0 { REACH * DVec3::X } else { DVec3::ZERO };
            *place = Transform::from(Similarity { translation: step, ..Similarity::IDENTITY })
                .then_inner(place);
        }
    }
}

fn new_tracers(scene: &Scene) -> [Box<dyn Tracer>; 2] {
    let packed = PackedScene::new(scene.clone()).unwrap();
    [Box::new(CpuTracer::new(&packed)), Box::new(GpuTracer::new(&gpu(), &packed).unwrap())]
}

fn assert_alike(rng: &mut Rng, scene: &Scene, tracer: &dyn Tracer, new: &dyn Tracer) {
    let (rays, worlds) = rays_in_worlds(rng, &alone(scene), 3000);
    let batch = Batch::new(&rays).in_worlds(&worlds).unwrap();
    for query in Query::KINDS {
        let is_same = tracer.ask(query, batch).unwrap() == new.ask(query, batch).unwrap();
        assert!(is_same, "{query:?} on {}", tracer.device());
    }
}

#[test]
fn a_tree_is_refitted_to_what_moves_in_worlds() {
    let rng = &mut Rng::with_seed(41);
    let (mut scene, movers) = stage(rng, REACH);
    let nodes: Vec<NodeId> = movers.iter().map(|(node, _)| *node).collect();
    let mut worlds = places(rng, &movers, 7);
    scene.set_worlds(&nodes, &worlds.concat()).unwrap();
    let mut tracers = new_tracers(&scene);
    type Moves = fn(usize, usize) -> bool;
    let turns: [(Moves, bool); 6] = [
        (|_, _| false, false),
        (|world, index| world == 3 && index == 4, true),
        (|_, index| index % 3 != 0, true),
        (|world, index| world == 0 && index % 3 != 0, true),
        // Every third mover is in all worlds where it is in the first one.
        (|_, index| index == 6, true),
        (|_, _| true, true),
    ];
    for (turn, (moves, has_moved)) in turns.into_iter().enumerate() {
        step(rng, &mut worlds, moves);
        scene.set_worlds(&nodes, &worlds.concat()).unwrap();
        for (tracer, new) in tracers.iter_mut().zip(&new_tracers(&scene)) {
            let update = tracer.update(&scene).unwrap();
            let found = (update.is_rebuilt, update.moved() > 0);
            assert_eq!(found, (false, has_moved), "{turn}");
            assert_alike(rng, &scene, &**tracer, &**new);
        }
    }
}

#[test]
fn a_shape_of_another_kind_in_a_world_is_packed_anew() {
    let rng = &mut Rng::with_seed(42);
    let mut ball = Scene::new();
    ball.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    let mut scene = Scene::new();
    let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
    scene.add_instance_at(node, &Definition::new(ball), None).unwrap();
    let place = |scale: DVec3, x: f64| {
        let rotation = turned(rng, 1.0, 1.0).rotation;
        Affine::from_scale_rotation_translation(scale, rotation, DVec3::X * x).into()
    };
    let mut place = place;
    let (round, long) = (DVec3::ONE, DVec3::new(1.0, 2.0, 3.0));
    scene.set_worlds(&[node], &[place(round, 0.0), place(round, 3.0)]).unwrap();
    let mut tracers = new_tracers(&scene);
    for (scale, x, is_rebuilt) in [(round, 4.0, false), (long, 4.0, true), (long, 5.0, false)] {
        scene.set_worlds(&[node], &[place(round, 0.0), place(scale, x)]).unwrap();
        for (tracer, new) in tracers.iter_mut().zip(&new_tracers(&scene)) {
            assert_eq!(tracer.update(&scene).unwrap().is_rebuilt, is_rebuilt, "{scale} {x}");
            assert_alike(&mut Rng::with_seed(43), &scene, &**tracer, &**new);
        }
    }
}

#[test]
fn a_tree_that_became_costly_is_built_anew() {
    let rng = &mut Rng::with_seed(44);
    let mut scene = Scene::new();
    let mut nodes = Vec::new();
    for _ in 0..60 {
        let mut ball = Scene::new();
        ball.add(Sphere { center: DVec3::ZERO, radius: 0.1 }).unwrap();
        let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
        scene.add_instance_at(node, &Definition::new(ball), None).unwrap();
        nodes.push(node);
    }
    let mut place = |reach: f64| {
        let translation = reach * direction(rng);
        Transform::from(Similarity { translation, ..Similarity::IDENTITY })
    };
    let mut worlds: Vec<Transform> = (0..5 * nodes.len()).map(|_| place(100.0)).collect();
    scene.set_worlds(&nodes, &worlds).unwrap();
    let mut tracers = new_tracers(&scene);
    worlds.rotate_left(7 * nodes.len() / 2);
    scene.set_worlds(&nodes, &worlds).unwrap();
    for (tracer, new) in tracers.iter_mut().zip(&new_tracers(&scene)) {
        let update = tracer.update(&scene).unwrap();
        assert_eq!((update.is_rebuilt, update.moved()), (true, worlds.len()));
        assert_alike(&mut Rng::with_seed(45), &scene, &**tracer, &**new);
    }
}

#[test]
fn worlds_of_nodes_are_those_of_moved_copies() {
    let rng = &mut Rng::with_seed(46);
    let (first, movers) = stage(rng, REACH);
    let nodes: Vec<NodeId> = movers.iter().map(|(node, _)| *node).collect();
    let worlds = places(rng, &movers, 5);
    let mut at_once = first.clone();
    at_once.set_worlds(&nodes, &worlds.concat()).unwrap();
    let copy = |places: &Vec<Transform>| {
        let mut scene = first.clone();
        let moved: Vec<_> = nodes.iter().copied().zip(places.iter().copied()).collect();
        scene.set_transforms(&moved).unwrap();
        scene
    };
    let mut one_by_one = copy(&worlds[0]);
    for places in &worlds[1..] {
        one_by_one.add_world(&copy(places)).unwrap();
    }
    assert_eq!(at_once.world_count(), one_by_one.world_count());
    let alone = |scene: &Scene, world| scene.moved_to_world(world).unwrap().unwrap();
    for world in 0..at_once.world_count() {
        let [at_once, one_by_one] = [&at_once, &one_by_one].map(|it| alone(it, world).to_bytes());
        assert_eq!(at_once, one_by_one, "{world}");
    }
    // What stands in a world stays there when the first one moves.
    let before = at_once.clone();
    at_once.set_transforms(&[(nodes[0], worlds[0][1]), (nodes[1], worlds[0][0])]).unwrap();
    for world in 0..at_once.world_count() {
        let places = |scene: &Scene| -> Vec<_> {
            let scene = scene.in_world(world).unwrap().unwrap();
            (0..scene.geometry_count()).map(|id| scene.bounds_of(&[id])).collect()
        };
        assert_eq!(places(&at_once) == places(&before), world > 0, "{world}");
    }
    // Worlds that were there are gone, and none at all is the scene in one world.
    at_once.set_worlds(&nodes, &worlds[0]).unwrap();
    assert_eq!(at_once.to_bytes(), copy(&worlds[0]).to_bytes());
    at_once.set_worlds(&[], &[]).unwrap();
    assert_eq!(at_once.to_bytes(), copy(&worlds[0]).to_bytes());
}

#[test]
fn worlds_that_cannot_be_leave_the_scene_as_it_was() {
    let mut parts = [Scene::new(), Scene::new()];
    parts[0].add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
    parts[1].add(Plane::infinite(DVec3::ZERO, DVec3::Z)).unwrap();
    let mut scene = Scene::new();
    let nodes = parts.map(|part| {
        let node = scene.add_node(None, &Transform::IDENTITY, None).unwrap();
        scene.add_instance_at(node, &Definition::new(part), None).unwrap();
        node
    });
    let before = scene.to_bytes();
    let at =
        |x: f64| Transform::from(Similarity { translation: DVec3::X * x, ..Similarity::IDENTITY });
    let flat = Affine::from_scale_rotation_translation(
        DVec3::new(1.0, 1.0, 0.0),
        Default::default(),
        DVec3::ZERO,
    );
    let stays = at(0.0);
    for (transforms, expected) in [
        (vec![at(1.0), stays, at(2.0)], "world 1 differs"),
        (vec![at(1.0), stays, flat.into(), stays], "world 1: "),
        (vec![flat.into(), stays, at(1.0), stays], "world 0: "),
        (vec![at(1.0), stays, at(2.0), at(1.0)], "world 1 moves"),
    ] {
        let error: WorldError = scene.set_worlds(&nodes, &transforms).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(scene.to_bytes(), before);
    }
    // A node without shapes must have a place, too.
    let empty = scene.add_node(Some(nodes[0]), &Transform::IDENTITY, Some("empty")).unwrap();
    let before = scene.to_bytes();
    let error = scene.set_transform(empty, &at(f64::NAN)).unwrap_err();
    assert!(error.to_string().contains("empty has a transform"), "{error}");
    let error = scene.set_worlds(&[empty], &[stays, at(f64::INFINITY)]).unwrap_err();
    assert!(error.to_string().starts_with("world 1: 'empty' has a transform"), "{error}");
    assert_eq!(scene.to_bytes(), before);
    let mut other = scene.clone();
    let unknown = other.add_node(None, &Transform::IDENTITY, None).unwrap();
    assert!(scene.set_worlds(&[unknown], &[stays]).is_err());
}
