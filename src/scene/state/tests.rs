//! A scene with everything that there is comes back to the bit, and damaged bytes are refused.

use super::*;
use crate::camera::{Camera, Projection, RangeNoise, Sensor};
use crate::geometry::{Geometry, Lines, Mesh};
use crate::lidar::Lidar;
use crate::math::Similarity;
use crate::scene::{Definition, NodeId};
use crate::shapes::{CappedSolid, Cylinder, Heightfield, Parts, Plane, Shell, Sphere, Torus};
use crate::transform::{Affine, Transform};
use glam::DQuat;

fn shapes() -> Vec<Geometry> {
    let cylinder = Cylinder {
        start: DVec3::new(-0.0, 0.1, 0.2),
        end: DVec3::new(3.0, 0.7, 0.2),
        radius: 0.3,
        inner_radius: 0.0,
    };
    let parts = Parts { side: true, start_cap: false, end_cap: true };
    let turn = DQuat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    let torus = Torus { center: DVec3::ONE, axis: DVec3::Z, major_radius: 2.0, minor_radius: 0.3 };
    let corners = vec![DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO];
    let sides = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    let heights = vec![1.0, 2.1, 3.2, 4.3, 5.4, 6.5];
    let field = Heightfield::new(heights, 3, [0.5, 0.7], DVec3::ONE, turn).unwrap();
    vec![
        Sphere { center: DVec3::splat(0.1), radius: 0.7 }.into(),
        Shell { whole: CappedSolid::Cylinder(cylinder), parts }.into(),
        torus.into(),
        Plane::bounded(DVec3::ZERO, turn.normalize(), [1.0, 0.0]).into(),
        Plane::infinite(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)).into(),
        Mesh::new(corners.clone(), sides).unwrap().into(),
        field.clone().into(),
        field.with_base(-1.0).unwrap().into(),
        Lines::new(corners, vec![[0, 1], [2, 3]], 0.1).unwrap().into(),
        Geometry::Empty,
    ]
}

/// A scene with everything that there is.
fn full() -> Scene {
    let mut definition = Scene::new();
    for shape in shapes() {
        definition.add(shape).unwrap();
    }
    definition.set_name(1, Name::from("a").child("b/c"));
    definition.set_mask(2, 5);
    let definition = Definition::new(definition);
    let mut scene = Scene::with_origin(DVec3::new(1e6, 0.0, 7.0));
    for shape in shapes() {
        scene.add(shape).unwrap();
    }
    scene.set_appearance(0, [0.1, 0.2, 0.3]);
    let shear = [1.0, 0.3, 0.0, 5.0, 0.0, 1.0, 0.1, 6.0, 0.0, 0.0, 1.0, 7.0];
    let shear: Transform = Affine::from_rows(shear).into();
    scene.add_transformed(&shapes()[2], &shear).unwrap();
    let arm = scene.add_node(None, &shear, Some("arm")).unwrap();
    let hand = scene.add_node(Some(arm), &Transform::IDENTITY, None).unwrap();
    scene.add_instance_at(hand, &definition.moved(&shear), Some([1.0; 3])).unwrap();
    let ball = Definition::new({
        let mut ball = Scene::new();
        ball.add(Sphere { center: DVec3::X, radius: 0.1 }).unwrap();
        ball
    });
    scene.add_instance(&ball, &Transform::IDENTITY, Some("one".into()), None).unwrap();
    scene.add_instance_at(arm, &ball, None).unwrap();
    scene.add(Sphere { center: DVec3::Y, radius: 0.2 }).unwrap();
    let sensor = Sensor {
        range_min: 1.0,
        noise: Some(RangeNoise {
            stddev: 0.1,
            seed: 7,
            image_number: 3,
            dropout: 0.5,
            ..RangeNoise::default()
        }),
        hide: vec!["arm".to_owned()],
        ..Sensor::default()
    };
    for projection in [
        Projection::Perspective { fov_y_degrees: 40.0 },
        Projection::Orthographic { height: 2.0 },
        Lidar::ALL[2].projection(),
    ] {
        let eye = DVec3::new(0.1, 0.2, 9.0);
        let camera = Camera::look_at("c", eye, DVec3::ONE, None, projection).unwrap();
        scene.cameras.push(camera.with_sensor(sensor.clone()).unwrap());
    }
    scene.up = UpAxis::Y;
    scene.floats = true;
    scene
}

#[test]
fn a_scene_with_everything_comes_back_to_the_bit() {
    let up = Similarity { translation: DVec3::Z, ..Similarity::IDENTITY };
    let [mut ball, moved] = [Similarity::IDENTITY, up].map(|transform| {
        let sphere = Sphere { center: DVec3::ZERO, radius: 1.0 };
        let mut scene = Scene::new();
        scene.add_movable(&sphere.into(), &transform.into()).unwrap();
        scene
    });
    ball.add_world(&moved).unwrap();
    for scene in [Scene::new(), full(), ball] {
        let read = Scene::from_bytes(&scene.to_bytes()).unwrap();
        // Debug prints shared parts by their address, which differs, as does the order of a map of
        // addresses.
        let message = |scene: &Scene| {
            let mut plain = scene.clone();
            plain.definitions.numbers.clear();
            format!("{plain:?}")
        };
        assert_eq!(message(&read), message(&scene));
        assert!(read.has_structure_of(&scene) && read.moved_in_worlds(&scene) == 0);
        assert_eq!(read.to_bytes(), scene.to_bytes());
    }
}

#[test]
fn a_scene_that_came_back_moves_as_before() {
    let mut scene = full();
    let mut read = Scene::from_bytes(&scene.to_bytes()).unwrap();
    let to = Similarity { translation: DVec3::new(0.1, 0.2, 0.3), ..Similarity::IDENTITY }.into();
    for scene in [&mut scene, &mut read] {
        let arm = scene.node("arm").unwrap();
        scene.set_transform(arm, &to).unwrap();
    }
    assert!(scene.moved_instances(&read).is_empty());
}

#[test]
fn damaged_bytes_are_refused() {
    let bytes = full().to_bytes();
    for index in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[index] ^= 4;
        assert!(Scene::from_bytes(&damaged).is_err(), "{index}");
        assert!(Scene::from_bytes(&bytes[..index]).is_err(), "{index}");
    }
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let spoilt = |spoil: &dyn Fn(&mut SceneState)| {
        let mut state = state_of(&full());
        spoil(&mut state);
        scene_of(state).is_none()
    };
    assert!(!spoilt(&|_| ()));
    assert!(spoilt(&|state| state.instances[0].definition = 99));
    assert!(spoilt(&|state| state.instances[0].first_geometry += 1));
    assert!(spoilt(&|state| state.instances[1].seat = Some(Seat { node: 7, number: 0 })));
    assert!(spoilt(&|state| state.nodes[1].parent = Some(NodeId(1))));
    assert!(spoilt(&|state| drop(state.definitions.pop())));
    assert!(spoilt(&|state| {
        let moved = vec![(99, Transform::IDENTITY)];
        state.worlds = vec![OtherWorld { moved, cameras: Vec::new() }];
    }));
}
