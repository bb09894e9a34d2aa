//! Walks the nodes of a scene: each becomes a group, and its contents are recorded in the order of
//! ids.

use super::accessors::Accessors;
use super::colliders::{self, ColliderGeometry};
use super::document::{ExactCamera, GltfFile, NOTHING, typed};
use super::hierarchy::Hierarchy;
use super::instances::instances;
use super::objects::GltfNode;
use super::warnings::Warnings;
use crate::graph::{GraphCamera, GraphContents, Group, Label};
use glam::{DMat3, DVec3};
use raytwin::camera::Projection;
use raytwin::scene::Appearance;
use raytwin::transform::{Affine, Transform};
use serde::Deserialize;
use serde::de::Error;

/// A geometry source in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    /// A mesh, by its index.
    Mesh(usize),
    /// The mesh of a node that a skin deforms.
    SkinnedMesh(usize),
    /// A shape, by its index.
    Shape(usize),
    /// The shape of a collider, by the index of the shape.
    ColliderShape(usize),
    /// The meshes of a node as a collider.
    Collider { node: usize, is_hull: bool },
    /// One geometry that cannot be read.
    Unread,
}

/// A thing and its transform into the scene.
pub(super) struct ThingInScene {
    pub group: u32,
    pub node: usize,
    pub scene_from_group: Transform,
    pub thing: Thing,
    /// True if its node has no transform, so that it only keeps its ids.
    pub is_left_out: bool,
}

/// The transform of a node into the scene, or the reason why it has none.
enum NodeStand {
    At(Transform),
    /// It is hidden, with everything in it.
    Hidden,
    /// It cannot be read.
    Unread,
}

pub(super) struct NodeWalk<'a> {
    pub file: &'a GltfFile,
    pub hierarchy: &'a Hierarchy,
    pub accessors: &'a Accessors<'a>,
    /// True to read colliders instead of visible geometry.
    pub collision: bool,
    pub contents: GraphContents,
    pub things: Vec<ThingInScene>,
    pub warnings: Warnings,
}

/// The visible shape of a node.
#[derive(Debug, Deserialize)]
struct ShownShape {
    shape: Option<usize>,
}

/// The extension KHR_node_visibility of a node.
#[derive(Debug, Deserialize)]
struct Visibility {
    visible: bool,
}

/// Returns true if KHR_node_visibility hides a node, with everything in it.
fn is_hidden(node: &GltfNode) -> bool {
    let visibility: Option<Visibility> =
        typed(&node.extensions, "KHR_node_visibility").ok().flatten();
    visibility.is_some_and(|visibility| !visibility.visible)
}

impl NodeWalk<'_> {
    /// Walks all nodes below the roots, each before its children.
    pub fn walk(&mut self) {
        let mut waiting: Vec<(usize, u32, bool)> =
            self.hierarchy.roots.iter().rev().map(|&root| (root, 0, false)).collect();
        let document = &self.file.document;
        while let Some((index, parent, is_in_left_out)) = waiting.pop() {
            let node = &document.nodes[index];
            if !self.collision && is_hidden(node) {
                continue;
            }
            let placement = if is_in_left_out { NodeStand::Unread } else { self.placement(index) };
            let parent_from_node = self.hierarchy.parent_from_node[index].as_ref();
            let (scene_from_node, parent_from_group) = match (placement, parent_from_node) {
                (NodeStand::Hidden, _) => continue,
                (NodeStand::At(scene_from_node), Ok(parent_from_node)) => {
                    (Some(scene_from_node), *parent_from_node)
                }
                _ => (None, Transform::IDENTITY),
            };
            let mesh_name = || document.meshes[node.mesh?].name.as_ref();
            let name = node.name.as_ref().or_else(mesh_name).filter(|name| !name.is_empty());
            let label = Label::Named(name.cloned());
            let group = self.group(parent, label, parent_from_group);
            match self.collision {
                true => self.note_collider(index, group, scene_from_node),
                false => self.note_shown(index, group, scene_from_node),
            }
            scene_from_node.iter().for_each(|placed| self.add_camera(node, placed));
            let is_left_out = scene_from_node.is_none();
            let children = node.children().iter().rev();
            waiting.extend(children.map(|&child| (child, group, is_left_out)));
        }
    }

    fn group(&mut self, parent: u32, label: Label, parent_from_group: Transform) -> u32 {
        let appearance = Appearance::NONE;
        let group = Group { parent, label, appearance, integers: Vec::new(), parent_from_group };
        self.contents.groups.push(group);
        self.contents.groups.len() as u32 - 1
    }

    /// Finds the place of a node in the scene. A scale of zero along all axes hides it (glTF 2.0,
    /// section 3.5.3), which needs no warning.
    fn placement(&mut self, node: usize) -> NodeStand {
        let reason =
            match (&self.hierarchy.parent_from_node[node], self.hierarchy.scene_from_node[node]) {
                (Ok(_), Some(scene_from_node)) => {
                    let affine = scene_from_node.affine();
                    match affine.check() {
                        Ok(()) => return NodeStand::At(scene_from_node),
                        Err(_) if affine.linear == DMat3::ZERO => return NodeStand::Hidden,
                        Err(error) => error.reason,
                    }
                }
                (Err(reason), _) => format!("has {reason}"),
                (Ok(_), None) => "has a parent whose transform cannot be read".to_owned(),
            };
        self.warnings.nodes.add(|| format!("{} ({reason})", called(self.file, node)));
        NodeStand::Unread
    }

    /// Records the visible geometry of a node at its place in the scene, if it has some.
    fn note_shown(&mut self, index: usize, group: u32, scene_from_node: Option<Transform>) {
        let node = &self.file.document.nodes[index];
        let called = || called(self.file, index);
        let is_left_out = scene_from_node.is_none();
        let scene_from_node = scene_from_node.unwrap_or(Transform::IDENTITY);
        let thing_in = |group, scene_from_group, thing| ThingInScene {
            group,
            node: index,
            scene_from_group,
            thing,
            is_left_out,
        };
        match (node.mesh, instances(self.file, self.accessors, node)) {
            (Some(_), Ok(_)) if node.skin.is_some() => {
                let thing = Thing::SkinnedMesh(index);
                self.things.push(thing_in(group, Transform::IDENTITY, thing));
            }
            (Some(mesh), Ok(None)) => {
                self.things.push(thing_in(group, scene_from_node, Thing::Mesh(mesh)));
            }
            (Some(mesh), Ok(Some(instances))) => {
                for (number, node_from_instance) in instances.into_iter().enumerate() {
                    let scene_from_instance = scene_from_node.then_inner(&node_from_instance);
                    let name = format!("instance[{number}]");
                    let thing = Thing::Mesh(mesh);
                    if let Err(error) = scene_from_instance.affine().check() {
                        let reason = error.reason;
                        self.warnings.nodes.add(|| format!("{}/{name} ({reason})", called()));
                        let lost = thing_in(group, Transform::IDENTITY, thing);
                        self.things.push(ThingInScene { is_left_out: true, ..lost });
                        continue;
                    }
                    let inner = self.group(group, Label::Named(Some(name)), node_from_instance);
                    self.things.push(thing_in(inner, scene_from_instance, thing));
                }
            }
            (Some(_), Err(reason)) => {
                self.warnings.instances.add(|| format!("{} ({reason})", called()))
            }
            (None, _) => {}
        }
        match typed::<ShownShape>(&node.extensions, "KHR_implicit_shapes") {
            Ok(shown) => {
                let shape = shown.and_then(|shown| shown.shape);
                self.things.extend(
                    shape.map(|shape| thing_in(group, scene_from_node, Thing::Shape(shape))),
                );
            }
            Err(error) => {
                self.warnings.shapes.add(|| format!("{} ({error})", called()));
                self.things.push(thing_in(group, scene_from_node, Thing::Unread));
            }
        }
    }

    /// Records the collider of a node at its place in the scene, if it has one.
    fn note_collider(&mut self, node: usize, group: u32, scene_from_node: Option<Transform>) {
        let called = || called(self.file, node);
        let thing = match colliders::collider(&self.file.document.nodes[node]) {
            Ok(None) => return,
            Ok(Some(ColliderGeometry { shape: Some(shape), .. })) => Thing::ColliderShape(shape),
            Ok(Some(ColliderGeometry { node: Some(mesh_node), convex_hull, .. })) => {
                Thing::Collider { node: mesh_node, is_hull: convex_hull }
            }
            Ok(Some(_)) => {
                self.warnings
                    .shapes
                    .add(|| format!("{} (a collider with neither a shape nor a node)", called()));
                Thing::Unread
            }
            Err(reason) => {
                self.warnings.shapes.add(|| format!("{} ({reason})", called()));
                Thing::Unread
            }
        };
        let is_left_out = scene_from_node.is_none();
        let scene_from_group = scene_from_node.unwrap_or(Transform::IDENTITY);
        self.things.push(ThingInScene { group, node, scene_from_group, thing, is_left_out });
    }

    /// Adds the camera of a node, which looks along −z with +y upwards (glTF 2.0, section 3.10.2).
    fn add_camera(&mut self, node: &GltfNode, scene_from_node: &Transform) {
        let Some(index) = node.camera else { return };
        let camera = self.file.exact.cameras.get(index).map(ExactCamera::deserialize);
        let camera = camera.unwrap_or_else(|| Err(serde_json::Error::custom(NOTHING)));
        let camera = match camera {
            Ok(camera) => camera,
            Err(error) => {
                self.warnings.cameras.add(|| format!("cameras[{index}] ({error})"));
                return;
            }
        };
        let projection = match (&camera.perspective, &camera.orthographic) {
            (Some(perspective), _) => Projection::Perspective {
                fov_y_degrees: perspective.yfov * (180.0 / std::f64::consts::PI),
            },
            (None, Some(orthographic)) => {
                Projection::Orthographic { height: 2.0 * orthographic.ymag }
            }
            (None, None) => {
                self.warnings.cameras.add(|| format!("cameras[{index}] (its type is not known)"));
                return;
            }
        };
        let Affine { linear, translation } = scene_from_node.affine();
        let name = node.name.clone().or_else(|| camera.name.clone());
        let name = name.unwrap_or_else(|| format!("cameras[{index}]"));
        let (eye, target) = (translation, translation + linear * DVec3::NEG_Z);
        let up = linear * DVec3::Y;
        let place = format!("cameras[{index}]");
        match GraphCamera::of_scene_graph(name.clone(), [eye, target], up, projection, place) {
            Ok(camera) => self.contents.cameras.push(camera),
            Err(error) => self.warnings.cameras.add(|| format!("{name} ({error})")),
        }
    }
}

/// The name of a node in messages.
fn called(file: &GltfFile, node: usize) -> String {
    file.document.nodes[node].name.clone().unwrap_or_else(|| format!("nodes[{node}]"))
}
