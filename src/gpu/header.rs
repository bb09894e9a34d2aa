//! The numbers of a scene that its kernels read.

use super::part::ScenePart;
use crate::packed::PackedScene;
use crate::ray::NONE;
use bytemuck::{Pod, Zeroable};

/// Returns more steps than any traversal of a scene takes, which visits each instance at most once.
fn max_traversal_steps(packed: &PackedScene) -> usize {
    // A record is opened as a node, or is one of the eight shapes of a node.
    let of_tree = packed.tree().items().len().saturating_mul(9);
    // The primitives without a box take a step each, and so do the end and the start of the next
    // ray.
    let own = of_tree.saturating_add(packed.unbounded() + 2);
    let of_definitions: Vec<usize> = packed.definitions().iter().map(max_traversal_steps).collect();
    let instances = packed.all_worlds().instances().iter();
    instances.map(|instance| of_definitions[instance.definition()]).fold(own, usize::saturating_add)
}

/// The uniform of the same name in `shaders/packed.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct SceneHeader {
    /// The record of the instance of whose tree a part is traversed, [`NONE`] for the scene's own
    /// tree.
    pub instance: u32,
    /// The node at which the traversal of that tree begins, [`NONE`] if there is none.
    pub root: u32,
    /// The records of that tree that are intersected before; in the whole scene the primitives
    /// without a box.
    pub first_unbounded: u32,
    pub unbounded_records: u32,
    /// The block of a heightfield's cells.
    pub block_level: u32,
    pub block_row: u32,
    pub block_column: u32,
    pub closed_meshes: u32,
    /// More steps than any traversal of the tree takes, so that every loop ends even if a record is
    /// damaged.
    pub max_traversal_steps: u32,
    /// Zero, by which shaders keep compilers from fusing products with sums.
    pub zero: u32,
}

impl SceneHeader {
    pub fn new(packed: &PackedScene) -> Self {
        let saturated = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let whole = Self {
            closed_meshes: saturated(packed.closed_meshes()),
            max_traversal_steps: saturated(max_traversal_steps(packed)),
            ..Self::zeroed()
        };
        whole.confined_to(&ScenePart::whole(packed, 0))
    }

    /// Returns the header for the traversal of a part of the scene.
    pub fn confined_to(&self, part: &ScenePart) -> Self {
        Self {
            instance: part.instance_record(),
            root: part.root().unwrap_or(NONE),
            first_unbounded: part.records().start,
            unbounded_records: part.records().len() as u32,
            block_level: part.block().level,
            block_row: part.block().row,
            block_column: part.block().column,
            ..*self
        }
    }
}
