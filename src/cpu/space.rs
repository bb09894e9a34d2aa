//! The items that share a space: those of the world, or those of a definition as an instance places
//! them.

use super::leaves::Leaves;
use crate::scene::{PrimitiveRef, Scene};

/// The items of the scene's own, or of a definition as one of its instances places them.
#[derive(Clone, Copy)]
pub(super) struct Space<'a> {
    pub leaves: &'a Leaves,
    /// The scene of all worlds, which has the ids of primitives and their order.
    pub scene: &'a Scene,
    /// The instance; [`NONE`](crate::NONE) for the world.
    pub instance: u32,
}

impl Space<'_> {
    /// Returns the `geometry_id` and the `primitive_id` of an item's first primitive.
    pub fn ids(self, leaf: usize) -> [u32; 2] {
        let primitive = self.leaves.primitive(leaf);
        self.scene.ids_of(PrimitiveRef { instance: self.instance, primitive })
    }

    /// Returns the factor by which lengths grow least on the way to the world.
    pub fn least_stretch(self) -> f64 {
        let instance = self.scene.instances().get(self.instance as usize);
        instance.map_or(1.0, |instance| instance.placement().stretches()[0])
    }
}
