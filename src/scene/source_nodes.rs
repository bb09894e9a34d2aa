//! The nodes of a file that geometries were given in.

use super::node_ranges::NodeRange;
use super::{Position, Scene};
use crate::transform::Transform;

impl Scene {
    /// Begins a node: what is added from now on belongs to it, as [`Self::world_from_node`] says.
    /// Geometries are not moved by it.
    pub fn begin_node(&mut self, world_from_node: &Transform) {
        let first_own = self.geometries.len() as u32;
        let ranges = &mut self.attributes.node_ranges.0;
        let begun = ranges.last().map_or(Transform::IDENTITY, |last| last.world_from_node);
        if begun == *world_from_node {
            return;
        }
        if ranges.last().is_some_and(|last| last.first_own == first_own) {
            ranges.pop();
        }
        ranges.push(NodeRange { first_own, world_from_node: *world_from_node });
    }

    /// Returns the transform into the world (not into that about [`Self::origin`]) of the node that
    /// a geometry was given in, as [`Self::begin_node`] said or as an instance was added; the
    /// identity for what belongs to no node.
    pub fn world_from_node(&self, geometry_id: u32) -> Transform {
        match self.position(geometry_id) {
            None => Transform::IDENTITY,
            Some(Position::Own(own)) => self.attributes.node_ranges.transform_of(own),
            Some(Position::In(instance, local)) => {
                let world_from_definition = self.instances[instance as usize].transform();
                let definition_from_node =
                    self.definition_of(instance).attributes.node_ranges.transform_of(local);
                world_from_definition.moved(self.origin).then_inner(&definition_from_node)
            }
        }
    }
}
