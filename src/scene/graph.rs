//! Nodes that move: a tree of transforms, with instances at its nodes.

use super::{Definition, Name, Scene};
use crate::fields::ShapeError;
use crate::placement::Placement;
use crate::transform::{Affine, Transform};
use std::ops::Range;

/// A node of a scene that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

/// A node, and the instances that move with it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    parent: Option<NodeId>,
    parent_from_node: Transform,
    world_from_node: Transform,
    name: Option<Name>,
    /// Each instance at the node, and where the definition's part lies in the definition.
    instances: Vec<(u32, Option<Affine>)>,
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
                let parent = &self.nodes[parent.0 as usize];
                (parent.world_from_node, parent.name.clone())
            }
            None => (Transform::IDENTITY, None),
        };
        let world_from_node = world_from_parent.then_inner(parent_from_node);
        world_from_node.affine().check()?;
        let name = match (path, name) {
            (Some(path), Some(name)) => Some(path.child(name)),
            (path, name) => path.or(name.map(Name::from)),
        };
        self.nodes.push(Node {
            parent,
            parent_from_node: *parent_from_node,
            world_from_node,
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
        let Node { world_from_node, name, .. } = self.nodes[node.0 as usize].clone();
        let first = self.instances.len() as u32;
        let ids = self.add_instance(definition, &world_from_node, name, color)?;
        let parts = (first..self.instances.len() as u32).zip(definition.part_transforms());
        self.nodes[node.0 as usize].instances.extend(parts);
        Ok(ids)
    }

    /// Returns the first node of that path of names, such as `arm/elbow`.
    pub fn node(&self, path: &str) -> Option<NodeId> {
        let is_at = |node: &Node| node.name.as_ref().is_some_and(|name| name.to_string() == path);
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
        let mut nodes = std::mem::take(&mut self.nodes);
        let placed = self.place_nodes(&mut nodes, moved);
        match placed {
            Ok(placed) => {
                self.nodes = nodes;
                for (instance, exact, placement) in placed {
                    self.instances[instance as usize].set_place(exact, placement);
                }
                Ok(())
            }
            Err((error, before)) => {
                for (node, before) in before.into_iter().rev() {
                    nodes[node as usize] = before;
                }
                self.nodes = nodes;
                Err(error)
            }
        }
    }

    /// Moves nodes, and returns where their instances are then; or the error, and what each node was before.
    fn place_nodes(
        &self,
        nodes: &mut [Node],
        moved: &[(NodeId, Transform)],
    ) -> Result<Vec<(u32, Affine, Placement)>, (ShapeError, Vec<(u32, Node)>)> {
        let mut before = Vec::new();
        let mut is_moved = vec![false; nodes.len()];
        for (node, parent_from_node) in moved {
            before.push((node.0, nodes[node.0 as usize].clone()));
            nodes[node.0 as usize].parent_from_node = *parent_from_node;
            is_moved[node.0 as usize] = true;
        }
        let mut placed = Vec::new();
        // A parent has a lower number than its children.
        for index in 0..nodes.len() {
            let parent = nodes[index].parent.map(|parent| parent.0 as usize);
            if !(is_moved[index] || parent.is_some_and(|parent| is_moved[parent])) {
                continue;
            }
            if !is_moved[index] {
                before.push((index as u32, nodes[index].clone()));
                is_moved[index] = true;
            }
            let world_from_parent =
                parent.map_or(Transform::IDENTITY, |parent| nodes[parent].world_from_node);
            let node = &mut nodes[index];
            node.world_from_node = world_from_parent.then_inner(&node.parent_from_node);
            for (instance, node_from_part) in &node.instances {
                let world_from_part = match node_from_part {
                    Some(part) => node.world_from_node.then_inner(&(*part).into()),
                    None => node.world_from_node,
                };
                let exact = world_from_part.moved(-self.origin).affine();
                match self.place_of(*instance, &exact) {
                    Ok(placement) => placed.push((*instance, exact, placement)),
                    Err(error) => {
                        let name = node.name.as_ref().map_or_else(String::new, Name::to_string);
                        return Err((ShapeError { field: name, ..error }, before));
                    }
                }
            }
        }
        Ok(placed)
    }
}
