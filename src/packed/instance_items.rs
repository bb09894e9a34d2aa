//! The positions of the instances of a scene in its tree.

/// The positions of instances in the tree; made when one first moves.
#[derive(Clone, Debug)]
pub(super) struct InstanceItems {
    /// The item of each instance, [`NONE`](crate::NONE) for one that is not in the tree.
    pub items: Vec<u32>,
    /// The leaf index of each instance, and before the tree's those of unbounded items.
    pub leaves: Vec<u32>,
}
