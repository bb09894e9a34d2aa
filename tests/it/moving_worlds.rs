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

/// Transforms of all movers in some worlds. A mover without one has that of the first world there.
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
    // What moves in some world still does if it is moved alike in all of them.
    let later = nodes.len() - 1;
    scene.set_worlds(&nodes, &worlds.concat()).unwrap();
    let mut tracers = new_tracers(&scene);
    type Moves = fn(usize, usize) -> bool;
    let turns: [(Moves, bool, bool); 6] = [
        (|_, _| false, false, false),
        (|world, index| world == 3 && index == 4, true, false),
        (|_, index| index % 3 != 0, true, false),
        (|world, index| world == 0 && index % 3 != 0, true, false),
        // Every third mover is in all worlds where it is in the first one: all share it.
        (|_, index| index == 6, true, true),
        (|_, index| index % 3 != 0, true, false),
    ];
    for (turn, (moves, has_moved, is_rebuilt)) in turns.into_iter().enumerate() {
        step(rng, &mut worlds, moves);
        for world in 1..worlds.len() {
            for index in (0..=later).step_by(3) {
                worlds[world][index] = worlds[0][index];
            }
        }
        scene.set_worlds(&nodes, &worlds.concat()).unwrap();
        for (tracer, new) in tracers.iter_mut().zip(&new_tracers(&scene)) {
            let update = tracer.update(&scene).unwrap();
            let found = (update.is_rebuilt, update.moved() > 0);
            assert_eq!(found, (is_rebuilt, has_moved), "{turn}");
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
    assert_eq!(at_once.to_bytes(), one_by_one.to_bytes());
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
    let mut other = scene.clone();
    let unknown = other.add_node(None, &Transform::IDENTITY, None).unwrap();
    assert!(scene.set_worlds(&[unknown], &[stays]).is_err());
}
