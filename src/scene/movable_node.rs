//! A node that moves.

use super::Name;
use crate::fields::ShapeError;
use crate::transform::Transform;

/// A node of a scene that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the number of the node: nodes are numbered from 0 in the order of adding.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A node, and the instances that move with it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct MovableNode {
    pub parent: Option<NodeId>,
    pub transforms: NodeTransforms,
    pub name: Option<Name>,
    /// The transform of its definition's part into the definition, for each instance at the node.
    pub node_from_part: Vec<Option<Transform>>,
}

impl MovableNode {
    /// Returns an error for a place in the world that no instance can have. Instances at the node
    /// are checked separately.
    pub fn check(&self, world_from_node: &Transform) -> Result<(), ShapeError> {
        match self.node_from_part.is_empty() {
            true => world_from_node.affine().check().map_err(|error| self.named(error)),
            false => Ok(()),
        }
    }

    /// Returns an error with the node's path.
    pub fn named(&self, error: ShapeError) -> ShapeError {
        let field = self.name.as_ref().map_or_else(String::new, Name::to_string);
        ShapeError { field, ..error }
    }
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct NodeTransforms {
    pub parent_from_node: Transform,
    pub world_from_node: Transform,
}
