//! The capabilities that the kernels of a scene need. Of all properties of a scene they alone are
//! compiled into kernels. Its counts stand in a header that kernels read (`header.rs`).

use super::kernel_variant::KernelVariant;
use crate::packed::PackedScene;
use crate::shapes::PrimitiveKind;

/// Scenes of equal capabilities share their pipelines, however many primitives each of them has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub kernel_variant: KernelVariant,
    /// The number of entries of the traversal's stack.
    pub stack_size: usize,
    /// The kinds of primitives that the scene has.
    pub primitive_kinds: Vec<PrimitiveKind>,
}

impl Capabilities {
    pub fn of(packed: &PackedScene, kernel_variant: KernelVariant) -> Self {
        Self {
            kernel_variant,
            stack_size: stack_size(depth(packed)),
            primitive_kinds: packed.primitive_kinds().to_vec(),
        }
    }

    /// Returns true if the scene has instances.
    pub fn has_instances(&self) -> bool {
        self.primitive_kinds.contains(&PrimitiveKind::Instance)
    }
}

/// Returns how many levels deep a traversal may be: in an instance the entries of both trees are on
/// the stack, with one between them.
fn depth(packed: &PackedScene) -> usize {
    let deepest = packed.definitions().iter().map(|definition| definition.tree().depth()).max();
    packed.tree().depth() + deepest.map_or(0, |deepest| deepest + 1)
}

/// Returns the size of the stack for a tree of this depth. A traversal that visits near children
/// first leaves at most one entry a level on the stack. There are few sizes, so that trees of
/// different depths share pipelines.
fn stack_size(depth: usize) -> usize {
    [8, 16, 32, 64].into_iter().find(|&size| size >= depth).unwrap_or(depth.next_multiple_of(4))
}
