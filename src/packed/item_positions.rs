//! The positions of items in the row of unbounded items and leaves, and in the tree.

use super::PackedScene;
use crate::ray::NONE;

/// The positions of the items that may move: the instances, and in a scene of several worlds also
/// the shapes that stand for them. They are made when an item first moves.
#[derive(Clone, Debug)]
pub(super) struct ItemPositions {
    /// The number of the first of these items.
    first: u32,
    /// The index of each in the row of unbounded items and leaves, and the tree's number of it;
    /// [`NONE`] where there is none.
    positions: Vec<[u32; 2]>,
}

impl ItemPositions {
    pub fn of(packed: &PackedScene) -> Self {
        let scene = packed.all_worlds();
        let primitives = scene.primitive_ids().total();
        let first = if scene.has_several_worlds() { 0 } else { primitives };
        let count = primitives as usize + scene.instances().len() - first as usize;
        let mut positions = vec![[NONE; 2]; count];
        for (item, leaf, in_tree) in packed.numbered_items() {
            if let Some(index) = item.checked_sub(first) {
                positions[index as usize] = [leaf as u32, in_tree.unwrap_or(NONE)];
            }
        }
        Self { first, positions }
    }

    /// Returns the index of an item in the row of unbounded items and leaves; `None` for one that
    /// stands nowhere.
    pub fn leaf_of(&self, item: u32) -> Option<usize> {
        let [leaf, _] = self.positions[(item - self.first) as usize];
        (leaf != NONE).then_some(leaf as usize)
    }

    /// Returns the tree's number of an item; `None` for one that is not in the tree.
    pub fn in_tree(&self, item: u32) -> Option<u32> {
        let [_, in_tree] = self.positions[(item - self.first) as usize];
        (in_tree != NONE).then_some(in_tree)
    }
}
