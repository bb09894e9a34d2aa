//! The items that share a space: those of the world, or those of a definition as an instance places
//! them.

use super::leaves::Leaves;

/// The items of the scene's own, or of a definition as one of its instances places them.
#[derive(Clone, Copy)]
pub(super) struct Space<'a> {
    pub leaves: &'a Leaves,
    /// The instance; [`NONE`](crate::NONE) for the world.
    pub instance: u32,
}
