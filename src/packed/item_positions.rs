//! The positions of items in the row of unbounded items and leaves, and in the tree.

use crate::ray::NONE;
use std::ops::Range;

/// The positions of the items that may move: the instances, and in a scene of several worlds also
/// the shapes that stand for them. They are made when an item first moves.
#[derive(Clone, Debug)]
pub(super) struct ItemPositions {
    first: u32,
    /// The index of each in the row of unbounded items and leaves, and the tree's number of it;
    /// [`NONE`] where there is none.
    positions: Vec<[u32; 2]>,
}

impl ItemPositions {
    /// Takes the positions of these items from those of all: the number of each, its index in the
    /// row, and the tree's number of it.
    pub fn of(items: Range<u32>, all: impl Iterator<Item = (u32, usize, Option<u32>)>) -> Self {
        let mut positions = vec![[NONE; 2]; items.len()];
        for (item, leaf, in_tree) in all.filter(|(item, ..)| items.contains(item)) {
            positions[(item - items.start) as usize] = [leaf as u32, in_tree.unwrap_or(NONE)];
        }
        Self { first: items.start, positions }
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
