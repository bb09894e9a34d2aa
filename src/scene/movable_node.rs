//! A node that moves.

use super::Name;
use crate::transform::Transform;

/// A node of a scene that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the number of the node: nodes are numbered from 0 in the order of adding.
    pub fn index(self) -> u32 {
        self.0
    }
}

/// A node, and the instances that move with it.
#[derive(Clone, Debug)]
pub(super) struct MovableNode {
    pub parent: Option<NodeId>,
    pub transforms: NodeTransforms,
    pub name: Option<Name>,
    /// The transform of its definition's part into the definition, for each instance at the node.
    pub node_from_part: Vec<Option<Transform>>,
}

/// The transforms of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeTransforms {
    pub parent_from_node: Transform,
    pub world_from_node: Transform,
}
