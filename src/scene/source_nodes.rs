//! The nodes of a file in which geometries were given.

use super::node_ranges::NodeRange;
use super::{Position, Scene};
use crate::transform::Transform;

impl Scene {
    /// Begins a node: geometries that are added from now on belong to it. The node does not move
    /// them; [`Self::world_from_node`] returns its transform.
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

    /// Returns the transform into the world of the node in which a geometry was given.
    ///
    /// It is the transform of [`Self::begin_node`], or that of an instance, and not relative to
    /// [`Self::origin`]. It is the identity for a geometry without a node.
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
