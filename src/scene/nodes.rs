//! Nodes that move: a tree of transforms, with instances at its nodes.

use super::instance::Seat;
use super::movable_node::{MovableNode, NodeId, NodeTransforms};
use super::{Appearance, Definition, Instance, Name, Position, Scene};
use crate::fields::ShapeError;
use crate::transform::Transform;
use rayon::prelude::*;
use std::ops::Range;

/// The number of instances that one task places: with fewer, threads cost more than they save.
const INSTANCES_A_TASK: usize = 512;

impl Scene {
    /// Adds a node as a child of another one, or of the world, and returns it. Its path is the
    /// parent's path and its name.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field, if the transform into the world is singular, too uneven or
    /// not finite.
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
            node_from_part: Vec::new(),
        });
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// Adds an instance of a definition that moves with a node, and returns the ids of its
    /// geometries.
    ///
    /// # Errors
    /// As [`Self::add_instance`].
    pub fn add_instance_at(
        &mut self,
        node: NodeId,
        definition: &Definition,
        appearance: impl Into<Appearance>,
    ) -> Result<Range<u32>, ShapeError> {
        let index = self.index_of(node)?;
        let MovableNode { transforms, name, .. } = &self.nodes[index];
        let (world_from_node, name) = (transforms.world_from_node, name.clone());
        let first = self.instances.len();
        let ids = self.add_instance(definition, &world_from_node, name, appearance)?;
        let parts = &mut self.nodes[index].node_from_part;
        for (instance, part) in self.instances[first..].iter_mut().zip(definition.part_transforms())
        {
            instance.seat = Some(Seat { node: node.0, number: parts.len() as u32 });
            parts.push(part);
        }
        Ok(ids)
    }

    /// Returns the node with which a geometry moves, for [`Self::set_transform`]. A shape added
    /// with [`Self::add_movable`] has a node of its own, and its numbers are in that node's space.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field, if no geometry has this id or if the geometry has no node.
    pub fn node_of(&mut self, geometry_id: u32) -> Result<NodeId, ShapeError> {
        let refuse =
            |reason: &str| Err(ShapeError { field: String::new(), reason: reason.to_owned() });
        let instance = match self.position(geometry_id) {
            Some(Position::In(index, _)) => Some(&mut self.instances[index as usize]),
            Some(Position::Own(_)) => None,
            None => return refuse("is given by an id that no geometry has"),
        };
        if let Some(seat) = instance.as_ref().and_then(|instance| instance.seat) {
            return Ok(NodeId(seat.node));
        }
        let Some(instance) = instance.filter(|instance| instance.has_own_definition) else {
            return refuse(
                "has no node to move with: add the shape with add_movable, or an instance with add_instance_at",
            );
        };
        // Most scenes never move, so a node is made at the first request.
        let node = self.nodes.len() as u32;
        instance.seat = Some(Seat { node, number: 0 });
        let world_from_node = instance.transform().moved(self.origin);
        let name = instance.name().cloned();
        self.nodes.push(MovableNode {
            parent: None,
            transforms: NodeTransforms { parent_from_node: world_from_node, world_from_node },
            name,
            node_from_part: vec![None],
        });
        Ok(NodeId(node))
    }

    /// Returns the first node with this path of names, such as `arm/elbow`.
    pub fn node(&self, path: &str) -> Option<NodeId> {
        let is_at =
            |node: &MovableNode| node.name.as_ref().is_some_and(|name| name.to_string() == path);
        self.nodes.iter().position(is_at).map(|index| NodeId(index as u32))
    }

    /// Returns the nodes, in the order of adding.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// Returns the node with this number, as returned by [`NodeId::index`].
    pub fn numbered_node(&self, index: u32) -> Option<NodeId> {
        ((index as usize) < self.nodes.len()).then_some(NodeId(index))
    }

    /// Returns the path of a node, such as `arm/elbow`; `None` if neither it nor any of its
    /// ancestors has a name.
    pub fn node_name(&self, node: NodeId) -> Option<&Name> {
        self.nodes.get(node.0 as usize)?.name.as_ref()
    }

    /// Returns the transform from a node into the world; `None` for a node of another scene.
    pub fn world_from(&self, node: NodeId) -> Option<Transform> {
        Some(self.nodes.get(node.0 as usize)?.transforms.world_from_node)
    }

    /// Moves a node, and everything below it.
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

    /// Moves nodes, and everything below them, at once. Then call
    /// [`Tracer::update`](crate::Tracer::update) to move the instances in a tracer.
    ///
    /// # Errors
    /// A [`ShapeError`] that names the node, if a transform into the world is singular, too uneven
    /// or not finite. Nothing is moved then.
    pub fn set_transforms(&mut self, moved: &[(NodeId, Transform)]) -> Result<(), ShapeError> {
        let before = moved.iter().map(|(node, _)| {
            Ok((*node, self.nodes[self.index_of(*node)?].transforms.parent_from_node))
        });
        let before: Vec<(NodeId, Transform)> = before.collect::<Result<_, ShapeError>>()?;
        let refused = self.place_nodes(moved);
        if refused.is_some() {
            // The previous transforms restore all places.
            self.place_nodes(&before);
        }
        refused.map_or(Ok(()), Err)
    }

    /// Sets the transforms of nodes, and places everything below them. Returns the first error of a
    /// node, otherwise of an instance; some instances are not placed then.
    fn place_nodes(&mut self, moved: &[(NodeId, Transform)]) -> Option<ShapeError> {
        let Self { nodes, instances, definitions, origin, .. } = self;
        let mut has_moved = vec![false; nodes.len()];
        let mut refused = None;
        for (node, parent_from_node) in moved {
            nodes[node.0 as usize].transforms.parent_from_node = *parent_from_node;
            has_moved[node.0 as usize] = true;
        }
        // A parent has a lower number than its children.
        for index in 0..nodes.len() {
            let parent = nodes[index].parent.map(|parent| parent.0 as usize);
            has_moved[index] |= parent.is_some_and(|parent| has_moved[parent]);
            if has_moved[index] {
                let world_from_parent =
                    parent.map_or(Transform::IDENTITY, |it| nodes[it].transforms.world_from_node);
                let NodeTransforms { parent_from_node, world_from_node } =
                    &mut nodes[index].transforms;
                let placed = world_from_parent.then_inner(parent_from_node);
                *world_from_node = placed;
                refused = refused.or_else(|| nodes[index].check(&placed).err());
            }
        }
        let place = |instance: &mut Instance| {
            let Seat { node, number } =
                instance.seat.filter(|seat| has_moved[seat.node as usize])?;
            let node = &nodes[node as usize];
            let world_from_node = node.transforms.world_from_node;
            let world_from_part = match &node.node_from_part[number as usize] {
                Some(part) => world_from_node.then_inner(part),
                None => world_from_node,
            };
            let exact = world_from_part.moved(-*origin);
            let error = instance.place_at(exact, definitions.bounds(instance)).err()?;
            Some(node.named(error))
        };
        refused.or_else(|| {
            instances.par_iter_mut().with_min_len(INSTANCES_A_TASK).find_map_first(place)
        })
    }

    fn index_of(&self, node: NodeId) -> Result<usize, ShapeError> {
        let index = node.0 as usize;
        (index < self.nodes.len()).then_some(index).ok_or_else(|| ShapeError {
            field: String::new(),
            reason: "is given by a node of another scene".to_owned(),
        })
    }
}
