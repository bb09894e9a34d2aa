//! The capabilities that the kernels of a scene need. They alone are compiled into them.

use super::record_storage::RecordStorage;
use crate::bvh::{Layout, MAX_DEPTH};
use crate::packed::PackedScene;
use crate::shapes::PrimitiveKind;

/// Scenes of equal capabilities share their pipelines, however many primitives each of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capabilities {
    /// How the device reads records.
    pub record_storage: RecordStorage,
    /// How the tree lies.
    pub layout: Layout,
    /// How many nodes may wait at once while the tree is traversed.
    pub stack_size: usize,
    /// Which kinds of primitives there are.
    pub primitive_kinds: Vec<PrimitiveKind>,
}

impl Capabilities {
    pub fn of(packed: &PackedScene, record_storage: RecordStorage) -> Self {
        Self {
            record_storage,
            layout: packed.tree().layout(),
            stack_size: stack_size(packed.tree().depth()),
            primitive_kinds: packed.primitive_kinds().to_vec(),
        }
    }
}

/// The size of a stack for trees of this depth: one of few, so that trees of different depths share pipelines.
/// Near children first leave at most one entry a level waiting.
fn stack_size(depth: usize) -> usize {
    [8, 16, 32, 64].into_iter().find(|&size| size >= depth).unwrap_or(MAX_DEPTH)
}
