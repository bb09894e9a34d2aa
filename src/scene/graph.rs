//! Nodes that move: a tree of transforms, with instances at its nodes.

use super::{Definition, Name, Scene};
use crate::fields::ShapeError;
use crate::placement::Placement;
use crate::transform::Transform;
use std::ops::Range;

/// A node of a scene that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

/// A node, and the instances that move with it.
#[derive(Clone, Debug)]
pub(super) struct MovableNode {
    parent: Option<NodeId>,
    transforms: NodeTransforms,
    name: Option<Name>,
    /// Each instance at the node, and where the definition's part lies in the definition.
    instances: Vec<(u32, Option<Transform>)>,
}

impl Scene {
    /// Adds a node below another one, or below the world, and returns it. A name is joined to the parent's path.
    ///
    /// # Errors
    /// A [`ShapeError`] that names no field, if the transform into the world is singular, too uneven or not finite.
    pub fn add_node(
        &mut self,
        parent: Option<NodeId>,
        parent_from_node: &Transform,
        name: Option<&str>,
    ) -> Result<NodeId, ShapeError> {
        let (world_from_parent, path) = match parent {
            Some(parent) => {
                let parent = &self.nodes[self.index_of(parent)?];
                (parent.transforms.world_from_node, parent.name.clone())
            }
            None => (Transform::IDENTITY, None),
        };
        let world_from_node = world_from_parent.then_inner(parent_from_node);
        world_from_node.affine().check()?;
        let name = match (path, name) {
            (Some(path), Some(name)) => Some(path.child(name)),
            (path, name) => path.or(name.map(Name::from)),
        };
        self.nodes.push(MovableNode {
            parent,
            transforms: NodeTransforms { parent_from_node: *parent_from_node, world_from_node },
            name,
            instances: Vec::new(),
        });
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// Adds an instance of a definition at a node, with which it moves, and returns the ids of its geometries.
    ///
    /// # Errors
    /// As [`Self::add_instance`].
    pub fn add_instance_at(
        &mut self,
        node: NodeId,
        definition: &Definition,
        color: Option<[f32; 3]>,
    ) -> Result<Range<u32>, ShapeError> {
        let index = self.index_of(node)?;
        let MovableNode { transforms, name, .. } = &self.nodes[index];
        let (world_from_node, name) = (transforms.world_from_node, name.clone());
        let first = self.instances.len() as u32;
        let ids = self.add_instance(definition, &world_from_node, name, color)?;
        let parts = (first..self.instances.len() as u32).zip(definition.part_transforms());
        self.nodes[index].instances.extend(parts);
        Ok(ids)
    }

    /// Returns the first node of that path of names, such as `arm/elbow`.
    pub fn node(&self, path: &str) -> Option<NodeId> {
        let is_at =
            |node: &MovableNode| node.name.as_ref().is_some_and(|name| name.to_string() == path);
        self.nodes.iter().position(is_at).map(|index| NodeId(index as u32))
    }

    /// Moves a node, and all that lies below it.
    ///
    /// # Errors
    /// As [`Self::set_transforms`].
    pub fn set_transform(
        &mut self,
        node: NodeId,
        parent_from_node: &Transform,
    ) -> Result<(), ShapeError> {
        self.set_transforms(&[(node, *parent_from_node)])
    }

    /// Moves nodes, and all that lies below them, at once. [`Tracer::update`](crate::Tracer::update) takes the scene's
    /// instances to where they are now.
    ///
    /// # Errors
    /// A [`ShapeError`] that names the node, if a transform into the world is singular, too uneven or not finite. Nothing
    /// is moved then.
    pub fn set_transforms(&mut self, moved: &[(NodeId, Transform)]) -> Result<(), ShapeError> {
        let Moves { nodes, places } = self.moves(moved)?;
        for (node, transforms) in self.nodes.iter_mut().zip(nodes) {
            if let Some(transforms) = transforms {
                node.transforms = transforms;
            }
        }
        for Place { instance, exact, placement } in places {
            self.instances[instance as usize].set_place(exact, placement);
        }
        Ok(())
    }

    /// Returns where nodes and their instances are once some nodes have moved.
    fn moves(&self, moved: &[(NodeId, Transform)]) -> Result<Moves, ShapeError> {
        let mut nodes: Vec<Option<NodeTransforms>> = vec![None; self.nodes.len()];
        for (node, parent_from_node) in moved {
            let index = self.index_of(*node)?;
            let world_from_node = Transform::IDENTITY;
            nodes[index] =
                Some(NodeTransforms { parent_from_node: *parent_from_node, world_from_node });
        }
        let mut places = Vec::new();
        // A parent has a lower number than its children.
        for (index, node) in self.nodes.iter().enumerate() {
            let moved_parent = node.parent.and_then(|parent| nodes[parent.0 as usize]);
            if nodes[index].is_none() && moved_parent.is_none() {
                continue;
            }
            let parent_from_node = nodes[index].unwrap_or(node.transforms).parent_from_node;
            let world_from_parent = match (moved_parent, node.parent) {
                (Some(parent), _) => parent.world_from_node,
                (None, Some(parent)) => self.nodes[parent.0 as usize].transforms.world_from_node,
                (None, None) => Transform::IDENTITY,
            };
            let world_from_node = world_from_parent.then_inner(&parent_from_node);
            nodes[index] = Some(NodeTransforms { parent_from_node, world_from_node });
            for (instance, node_from_part) in &node.instances {
                let world_from_part = match node_from_part {
                    Some(part) => world_from_node.then_inner(part),
                    None => world_from_node,
                };
                let exact = world_from_part.moved(-self.origin);
                let placement = self.place_of(*instance, &exact).map_err(|error| {
                    let name = node.name.as_ref().map_or_else(String::new, Name::to_string);
                    ShapeError { field: name, ..error }
                })?;
                places.push(Place { instance: *instance, exact, placement });
            }
        }
        Ok(Moves { nodes, places })
    }

    fn index_of(&self, node: NodeId) -> Result<usize, ShapeError> {
        let index = node.0 as usize;
        (index < self.nodes.len()).then_some(index).ok_or_else(|| ShapeError {
            field: String::new(),
            reason: "is given by a node of another scene".to_owned(),
        })
    }
}

/// The transforms of a node.
#[derive(Clone, Copy, Debug)]
struct NodeTransforms {
    parent_from_node: Transform,
    world_from_node: Transform,
}

/// The changes that follow when some nodes move.
struct Moves {
    /// The transforms of each node that moves.
    nodes: Vec<Option<NodeTransforms>>,
    places: Vec<Place>,
}

/// The new place of an instance.
struct Place {
    instance: u32,
    exact: Transform,
    placement: Placement,
}
