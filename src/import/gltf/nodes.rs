//! Walks the nodes of a scene: each becomes a group, and what stands in it is noted in the order of ids.

use super::accessors::Accessors;
use super::colliders::{self, ColliderGeometry};
use super::document::{GltfFile, typed};
use super::hierarchy::Hierarchy;
use super::instances::instances;
use super::warnings::Warnings;
use crate::camera::Projection;
use crate::import::graph::{GraphCamera, GraphContents, Group, Label};
use crate::transform::{Affine, Transform};
use glam::{DMat3, DVec3};
use gltf::Node;
use serde::Deserialize;

/// A thing that stands in a group.
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
}

/// A thing and its place.
pub(super) struct PlacedThing {
    pub group: u32,
    pub node: usize,
    pub scene_from_group: Transform,
    pub thing: Thing,
}

pub(super) struct NodeWalk<'a> {
    pub file: &'a GltfFile,
    pub hierarchy: &'a Hierarchy,
    pub accessors: &'a Accessors<'a>,
    /// True if colliders are read in place of what is shown.
    pub collision: bool,
    pub contents: GraphContents,
    pub things: Vec<PlacedThing>,
    pub warnings: Warnings,
}

/// The shape that a node shows.
#[derive(Debug, Deserialize)]
struct ShownShape {
    shape: Option<usize>,
}

/// The extension KHR_node_visibility of a node.
#[derive(Debug, Deserialize)]
struct Visibility {
    visible: bool,
}

/// Tells whether a node is hidden by KHR_node_visibility, with all that is in it.
fn is_hidden(node: &Node<'_>) -> bool {
    let visibility: Option<Visibility> =
        typed(node.extensions(), "KHR_node_visibility").ok().flatten();
    visibility.is_some_and(|visibility| !visibility.visible)
}

impl<'a> NodeWalk<'a> {
    /// Walks all nodes below the roots, each before its children.
    pub fn walk(&mut self) {
        let mut waiting: Vec<(usize, u32)> =
            self.hierarchy.roots.iter().rev().map(|&root| (root, 0)).collect();
        let nodes: Vec<Node<'a>> = self.file.document.nodes().collect();
        while let Some((index, parent)) = waiting.pop() {
            let node = &nodes[index];
            if !self.collision && is_hidden(node) {
                continue;
            }
            let Some(scene_from_node) = self.placement(node) else { continue };
            let parent_from_group = match &self.hierarchy.parent_from_node[index] {
                Ok(transform) => *transform,
                Err(_) => continue,
            };
            let mesh_name = || node.mesh().and_then(|mesh| mesh.name());
            let name = node.name().or_else(mesh_name).filter(|name| !name.is_empty());
            let label = Label::Named(name.map(str::to_owned));
            let group = self.group(parent, label, parent_from_group);
            match self.collision {
                true => self.note_collider(node, group, scene_from_node),
                false => self.note_shown(node, group, scene_from_node),
            }
            self.add_camera(node, &scene_from_node);
            waiting.extend(
                node.children()
                    .map(|child| (child.index(), group))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev(),
            );
        }
    }

    fn group(&mut self, parent: u32, label: Label, parent_from_group: Transform) -> u32 {
        let group = Group { parent, label, color: None, parent_from_group };
        self.contents.groups.push(group);
        self.contents.groups.len() as u32 - 1
    }

    /// The transform of a node in the scene; `None` if it is left out with all that is in it. A scale of zero along all axes
    /// hides a node (glTF 2.0, section 3.5.3), so there is nothing to warn of.
    fn placement(&mut self, node: &Node<'a>) -> Option<Transform> {
        let index = node.index();
        let reason = match (
            &self.hierarchy.parent_from_node[index],
            self.hierarchy.scene_from_node[index],
        ) {
            (Ok(_), Some(scene_from_node)) => {
                let affine = scene_from_node.affine();
                match affine.check() {
                    Ok(()) => return Some(scene_from_node),
                    Err(_) if affine.linear == DMat3::ZERO => return None,
                    Err(error) => error.reason,
                }
            }
            (Err(reason), _) => format!("has {reason}"),
            (Ok(_), None) => "has a parent whose transform cannot be read".to_owned(),
        };
        self.warnings.nodes.add(|| format!("{} ({reason})", called(node)));
        None
    }

    fn note_shown(&mut self, node: &Node<'a>, group: u32, scene_from_node: Transform) {
        let place = |group, scene_from_group, thing| PlacedThing {
            group,
            node: node.index(),
            scene_from_group,
            thing,
        };
        match (node.mesh(), instances(self.file, self.accessors, node)) {
            (Some(_), Ok(_)) if node.skin().is_some() => {
                let thing = Thing::SkinnedMesh(node.index());
                self.things.push(place(group, Transform::IDENTITY, thing));
            }
            (Some(mesh), Ok(None)) => {
                self.things.push(place(group, scene_from_node, Thing::Mesh(mesh.index())));
            }
            (Some(mesh), Ok(Some(instances))) => {
                for (number, node_from_instance) in instances.into_iter().enumerate() {
                    let scene_from_instance = scene_from_node.then_inner(&node_from_instance);
                    let name = format!("instance[{number}]");
                    if let Err(error) = scene_from_instance.affine().check() {
                        let reason = error.reason;
                        self.warnings.nodes.add(|| format!("{}/{name} ({reason})", called(node)));
                        continue;
                    }
                    let inner = self.group(group, Label::Named(Some(name)), node_from_instance);
                    self.things.push(place(inner, scene_from_instance, Thing::Mesh(mesh.index())));
                }
            }
            (Some(_), Err(reason)) => {
                self.warnings.meshes.add(|| format!("{} ({reason})", called(node)))
            }
            (None, _) => {}
        }
        match typed::<ShownShape>(node.extensions(), "KHR_implicit_shapes") {
            Ok(shown) => {
                let shape = shown.and_then(|shown| shown.shape);
                self.things
                    .extend(shape.map(|shape| place(group, scene_from_node, Thing::Shape(shape))));
            }
            Err(error) => self.warnings.shapes.add(|| format!("{} ({error})", called(node))),
        }
    }

    fn note_collider(&mut self, node: &Node<'a>, group: u32, scene_from_node: Transform) {
        let thing = match colliders::collider(node) {
            Ok(None) => return,
            Ok(Some(ColliderGeometry { shape: Some(shape), .. })) => Thing::ColliderShape(shape),
            Ok(Some(ColliderGeometry { node: Some(mesh_node), convex_hull, .. })) => {
                Thing::Collider { node: mesh_node, is_hull: convex_hull }
            }
            Ok(Some(_)) => {
                self.warnings
                    .shapes
                    .add(|| format!("{} (a collider of neither a shape nor a node)", called(node)));
                return;
            }
            Err(reason) => {
                self.warnings.shapes.add(|| format!("{} ({reason})", called(node)));
                return;
            }
        };
        let node = node.index();
        self.things.push(PlacedThing { group, node, scene_from_group: scene_from_node, thing });
    }

    /// Adds the camera of a node, which looks along −z with +y upwards (glTF 2.0, section 3.10.2).
    fn add_camera(&mut self, node: &Node<'a>, scene_from_node: &Transform) {
        let Some(index) = node.camera().map(|camera| camera.index()) else { return };
        let camera = &self.file.exact.cameras[index];
        let projection = match (&camera.perspective, &camera.orthographic) {
            (Some(perspective), _) => Projection::Perspective {
                fov_y_degrees: perspective.yfov * (180.0 / std::f64::consts::PI),
            },
            (None, Some(orthographic)) => {
                Projection::Orthographic { height: 2.0 * orthographic.ymag }
            }
            (None, None) => {
                self.warnings.cameras.add(|| format!("cameras[{index}] (it is of no known type)"));
                return;
            }
        };
        let Affine { linear, translation } = scene_from_node.affine();
        let name = node.name().map(str::to_owned).or_else(|| camera.name.clone());
        let camera = GraphCamera {
            name: name.unwrap_or_else(|| format!("cameras[{index}]")),
            eye: translation,
            target: translation + linear * DVec3::NEG_Z,
            up: Some(linear * DVec3::Y),
            projection,
            sensor: crate::camera::Sensor::default(),
            parent: None,
            place: format!("cameras[{index}]"),
        };
        match camera.placed(camera.name.clone(), None, DVec3::ZERO) {
            Ok(_) => self.contents.cameras.push(camera),
            Err(error) => self.warnings.cameras.add(|| format!("{} ({error})", camera.name)),
        }
    }
}

/// The name of a node in messages.
pub(super) fn called(node: &Node<'_>) -> String {
    node.name().map_or_else(|| format!("nodes[{}]", node.index()), str::to_owned)
}
