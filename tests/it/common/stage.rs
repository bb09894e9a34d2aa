//! A scene whose parts move, in several worlds.

use super::*;
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::Similarity;
use raytwin::{Affine, Definition, NodeId, Plane, Ray, Scene, Transform};

pub fn flat() -> Plane {
    Plane { point: DVec3::ZERO, normal: DVec3::Z, rectangle: None, one_sided: false }
}

pub fn turned(rng: &mut Rng, reach: f64, scale: f64) -> Similarity {
    let rotation = DQuat::from_axis_angle(direction(rng), between(rng, 0.0, 6.0));
    Similarity { rotation, scale, translation: reach * between(rng, 0.2, 1.0) * direction(rng) }
}

/// A node that can be moved, and whether its parts may be stretched.
pub type Mover = (NodeId, bool);

/// A room of own geometries and instances that lie still, and movers of one shape, of several, and of a mesh. Some lie below
/// others, so that they move together.
pub fn stage(rng: &mut Rng, reach: f64) -> (Scene, Vec<Mover>) {
    let mut scene = Scene::new();
    let is_bounded = |form: &Form| ![Form::Plane, Form::Sheet].contains(form);
    let bounded: Vec<Form> = Form::ALL.into_iter().filter(is_bounded).collect();
    let own = |scene: &mut Scene, rng: &mut Rng, form: Form| {
        let middle = reach * direction(rng);
        let id = scene.add(form.random(rng, 1.0, middle)).unwrap();
        scene.set_mask(id, [u32::MAX, 1, 2][rng.usize(..3)]);
    };
    scene.add(Plane { point: DVec3::Z * -2.0 * reach, normal: DVec3::Z, ..flat() }).unwrap();
    let mut group = Scene::new();
    for form in [Form::Mesh, Form::Cuboid, Form::Torus] {
        group.add(form.random(rng, 0.5, DVec3::ZERO)).unwrap();
    }
    group.set_mask(1, 2);
    let group = Definition::new(group);
    let base = scene.add_node(None, &Transform::IDENTITY, Some("base")).unwrap();
    let mut movers = vec![(base, false)];
    for (turn, &form) in bounded.iter().enumerate() {
        own(&mut scene, rng, form);
        let mut alone = Scene::new();
        alone.add(form.random(rng, 1.0, DVec3::ZERO)).unwrap();
        let parent = [None, Some(base)][turn % 2];
        let place = turned(rng, reach, 1.0).into();
        let node = scene.add_node(parent, &place, Some(&format!("part{turn}"))).unwrap();
        scene.add_instance_at(node, &Definition::new(alone), None).unwrap();
        movers.push((node, turn % 3 == 0));
        if turn % 4 == 0 {
            let place = turned(rng, reach, 0.7).into();
            let node = scene.add_node(parent, &place, Some("group")).unwrap();
            scene.add_instance_at(node, &group, None).unwrap();
            movers.push((node, true));
            scene.add_instance(&group, &turned(rng, reach, 1.3).into(), None, None).unwrap();
        }
    }
    own(&mut scene, rng, Form::Sphere);
    (scene, movers)
}

/// Adds worlds in which some movers are elsewhere.
pub fn add_worlds(rng: &mut Rng, scene: &mut Scene, movers: &[Mover], count: u32, reach: f64) {
    for world in 1..count {
        let mut other = scene.clone();
        let mut moved: Vec<(NodeId, Transform)> = Vec::new();
        for &(node, may_stretch) in movers {
            let scale = between(rng, 0.5, 2.0);
            let similarity = turned(rng, reach, scale);
            let Similarity { translation, rotation, .. } = similarity;
            let scale = scale * DVec3::new(1.0, -1.5, 0.8);
            let stretch = Affine::from_scale_rotation_translation(scale, rotation, translation);
            match rng.usize(..3) {
                0 => {}
                1 if may_stretch => moved.push((node, stretch.into())),
                _ => moved.push((node, similarity.into())),
            }
        }
        other.set_transforms(&moved).unwrap();
        assert_eq!(scene.add_world(&other), Ok(world));
    }
}

pub fn alone(scene: &Scene) -> Vec<Scene> {
    (0..scene.world_count()).map(|world| scene.in_world(world).unwrap().unwrap()).collect()
}

/// Rays at the geometries of random worlds, from near and from far, and the worlds.
pub fn rays_in_worlds(rng: &mut Rng, alone: &[Scene], count: usize) -> (Vec<Ray>, Vec<u32>) {
    let ray = |_| {
        let world = rng.usize(..alone.len());
        (ray_at(rng, &alone[world]), world as u32)
    };
    (0..count).map(ray).unzip()
}
