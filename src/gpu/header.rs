//! The numbers of a scene that its kernels read.

use crate::bvh::Layout;
use crate::packed::PackedScene;
use bytemuck::{Pod, Zeroable};

/// Returns more steps than any traversal of a scene takes, which visits each instance at most once.
fn max_traversal_steps(packed: &PackedScene) -> usize {
    let tree = packed.tree();
    let of_tree = match tree.layout() {
        Layout::Binary => tree.pairs().len(),
        // A record is opened as a node, or is one of the eight shapes of a node.
        Layout::Wide => tree.items().len().saturating_mul(9),
    };
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
    /// The number of the tree's records: its primitives, and in a wide tree also its nodes.
    pub tree_records: u32,
    /// The number of the records that follow those. They hold the primitives without a box.
    pub unbounded_records: u32,
    pub closed_meshes: u32,
    /// More steps than any traversal of the tree takes, so that every loop ends even if a record is
    /// damaged.
    pub max_traversal_steps: u32,
    /// Zero, by which shaders keep compilers from fusing products with sums.
    pub zero: u32,
}

impl SceneHeader {
    pub fn new(packed: &PackedScene) -> Self {
        let tree = packed.tree();
        let saturated = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            tree_records: saturated(tree.items().len()),
            unbounded_records: saturated(packed.unbounded()),
            closed_meshes: saturated(packed.closed_meshes()),
            max_traversal_steps: saturated(max_traversal_steps(packed)),
            zero: 0,
        }
    }
}
