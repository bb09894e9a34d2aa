//! The nodes that geometries were given in: their transforms into the world.

use crate::transform::Transform;
use std::ops::Range;

/// The transforms of nodes, by the first of the geometries that each has in a row.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct NodeRanges(pub Vec<NodeRange>);

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct NodeRange {
    /// The index among the scene's own geometries of the first that belongs to the node.
    pub first_own: u32,
    pub world_from_node: Transform,
}

impl NodeRanges {
    pub fn transform_of(&self, own: u32) -> Transform {
        let after = self.0.partition_point(|range| range.first_own <= own);
        let range = after.checked_sub(1).map(|index| &self.0[index]);
        range.map_or(Transform::IDENTITY, |range| range.world_from_node)
    }

    /// Returns the nodes of some of the scene's own geometries, counted from the first of these.
    pub fn within(&self, range: &Range<u32>) -> Self {
        let first = self.0.partition_point(|other| other.first_own <= range.start);
        let inside = self.0[first.saturating_sub(1)..].iter();
        let inside = inside.take_while(|other| other.first_own < range.end);
        let counted = inside.map(|&NodeRange { first_own, world_from_node }| NodeRange {
            first_own: first_own.saturating_sub(range.start),
            world_from_node,
        });
        Self(counted.collect())
    }
}
