//! The nodes that geometries were given in: their transforms into the world.

use super::{Position, Scene};
use crate::transform::Transform;
use std::ops::Range;

/// The transforms of nodes, by the first of the geometries that each has in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeRanges(Vec<NodeRange>);

#[derive(Clone, Copy, Debug)]
struct NodeRange {
    /// The index among the scene's own geometries of the first that belongs to the node.
    first_own: u32,
    world_from_node: Transform,
}

impl NodeRanges {
    /// Returns the ranges that begin with these geometries of a scene's own.
    #[cfg(feature = "io")]
    pub fn of(ranges: impl Iterator<Item = (u32, Transform)>) -> Self {
        let range = |(first_own, world_from_node)| NodeRange { first_own, world_from_node };
        Self(ranges.map(range).collect())
    }

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

impl Scene {
    /// Begins a node: what is added from now on belongs to it, as [`Self::world_from_node`] tells. Geometries are not moved
    /// by it.
    pub fn begin_node(&mut self, world_from_node: &Transform) {
        let first_own = self.geometries.len() as u32;
        let ranges = &mut self.node_ranges.0;
        let begun = ranges.last().map_or(Transform::IDENTITY, |last| last.world_from_node);
        if begun == *world_from_node {
            return;
        }
        if ranges.last().is_some_and(|last| last.first_own == first_own) {
            ranges.pop();
        }
        ranges.push(NodeRange { first_own, world_from_node: *world_from_node });
    }

    /// Returns the transforms of nodes into the world, each with the index of the first of its geometries.
    #[cfg(feature = "io")]
    pub(crate) fn node_transforms(&self) -> impl Iterator<Item = (u32, &Transform)> {
        self.node_ranges.0.iter().map(|range| (range.first_own, &range.world_from_node))
    }

    /// Returns the transform into the world (not into that about [`Self::origin`]) of the node that a geometry was given
    /// in, as [`Self::begin_node`] told or as an instance was added; the identity for what belongs to no node.
    pub fn world_from_node(&self, geometry_id: u32) -> Transform {
        match self.position(geometry_id) {
            None => Transform::IDENTITY,
            Some(Position::Own(own)) => self.node_ranges.transform_of(own),
            Some(Position::In(instance, local)) => {
                let world_from_definition = self.instances[instance as usize].transform();
                let definition_from_node =
                    self.definition_of(instance).node_ranges.transform_of(local);
                world_from_definition.moved(self.origin).then_inner(&definition_from_node)
            }
        }
    }
}
