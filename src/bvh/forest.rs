//! A forest in one row of slots: a tree for each world, and one for all of them. The roots of the
//! worlds stand side by side from [`ROOT`] on. Each has two children, a copy of the root of the
//! tree that all worlds share and the root of the world's own, so a ray that begins at the root of
//! its world meets both.

use super::build::{Quality, outward};
use super::planes::CHILDREN;
use super::tree::Tree;
use super::validate::TreeError;
use super::wide::{FIRST, MAX_SLOTS, ROOT};
use super::wide_node::{ALIGNMENT, WideNode};
use crate::math::Bounds;
use crate::ray::NONE;
use bytemuck::Zeroable;
use obvhs::aabb::Aabb;
use rayon::prelude::*;

#[derive(Clone, Default)]
struct TreeItems {
    items: Vec<u32>,
    bounds: Vec<Bounds>,
}

impl TreeItems {
    fn push(&mut self, item: usize, bounds: Bounds) {
        self.items.push(item as u32);
        self.bounds.push(bounds);
    }

    /// Returns the smallest box around all items as nodes have it; `None` if there are none.
    fn bounding_box(&self) -> Option<Aabb> {
        let boxes = self.bounds.iter().map(outward);
        boxes.reduce(|all, one| all.union(&one))
    }
}

/// Slots of several trees in one row.
struct Row {
    slots: Vec<WideNode>,
    items: Vec<u32>,
}

impl Row {
    /// Returns the root of a tree whose slots below it begin at an index of the row; `None` if the
    /// tree is over nothing.
    fn root(tree: &Tree, start: usize) -> Option<WideNode> {
        let root = tree.slots().get(ROOT as usize)?;
        Some(root.moved_by(start as u32 - FIRST))
    }

    /// Appends the slots of a tree below its root.
    fn append(&mut self, tree: &Tree, items: &[u32]) {
        let shift = self.slots.len() as u32 - FIRST;
        let below = tree.slots().iter().zip(tree.items()).skip(FIRST as usize);
        for (slot, item) in below {
            let is_node = *item == NONE && slot.is_node();
            self.slots.push(if is_node { slot.moved_by(shift) } else { *slot });
            self.items.push(if *item == NONE { NONE } else { items[*item as usize] });
        }
    }
}

impl Tree {
    /// Builds a forest of this many worlds over boxes. `world_of` returns the world of each box;
    /// `None` for a box that is in all worlds. A ray of a world is traversed from the root of that
    /// number.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub(crate) fn forest(
        bounds: &[Bounds],
        worlds: u32,
        world_of: impl Fn(usize) -> Option<u32>,
        quality: Quality,
    ) -> Result<Self, TreeError> {
        if bounds.is_empty() {
            return Ok(Self::over_nothing());
        }
        let mut shared = TreeItems::default();
        let mut own = vec![TreeItems::default(); worlds as usize];
        for (item, bounds) in bounds.iter().enumerate() {
            let tree = world_of(item).map_or(&mut shared, |world| &mut own[world as usize]);
            tree.push(item, *bounds);
        }
        let build = |items: &TreeItems| Self::build(&items.bounds, quality);
        let shared_tree = build(&shared)?;
        let own_trees: Vec<Self> = own.par_iter().map(build).collect::<Result<_, _>>()?;
        let slots = |tree: &Self| tree.items().len().saturating_sub(FIRST as usize);
        let roots_end = (ROOT + worlds).next_multiple_of(ALIGNMENT) as usize;
        let of_world = |tree: &Self| ALIGNMENT as usize + slots(tree);
        let shared_start = roots_end + own_trees.iter().map(of_world).sum::<usize>();
        let count = shared_start + slots(&shared_tree);
        if count > MAX_SLOTS {
            return Err(TreeError::Large(bounds.len()));
        }
        let mut row = Row { slots: Vec::with_capacity(count), items: Vec::with_capacity(count) };
        row.slots.resize(roots_end, WideNode::zeroed());
        row.items.resize(roots_end, NONE);
        // A refit takes every node to have a lower number than those below it, so the shared tree
        // comes last, and the two roots of a world before its own tree.
        let shared_root = Row::root(&shared_tree, shared_start);
        let shared_box = shared.bounding_box();
        let mut depth = 0;
        for (index, (tree, tree_items)) in own_trees.iter().zip(&own).enumerate() {
            let mut boxes = [None; CHILDREN];
            let first_child = row.slots.len();
            let own_root = Row::root(tree, first_child + ALIGNMENT as usize);
            let children = [(shared_root, shared_box), (own_root, tree_items.bounding_box())];
            let mut inner = 0;
            for (slot, (root, bounds)) in children.into_iter().enumerate() {
                row.slots.push(root.unwrap_or(WideNode::zeroed()));
                row.items.push(NONE);
                boxes[slot] = bounds;
                inner |= u8::from(root.is_some()) << slot;
            }
            row.slots.resize(first_child + ALIGNMENT as usize, WideNode::zeroed());
            row.items.resize(first_child + ALIGNMENT as usize, NONE);
            row.slots[ROOT as usize + index] = WideNode::new(first_child as u32, inner, &boxes);
            row.append(tree, &tree_items.items);
            depth = depth.max(tree.depth());
        }
        row.append(&shared_tree, &shared.items);
        let size = shared_tree.size().max(own_trees.iter().map(Self::size).fold(0.0, f32::max));
        let depth = 1 + depth.max(shared_tree.depth());
        Ok(Self::of_slots(row.slots, row.items, worlds, size, depth))
    }
}
