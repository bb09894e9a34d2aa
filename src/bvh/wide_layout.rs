//! Lays out a tree of wide nodes in a row of slots.

use super::collapse::Collapse;
use super::octants::WideChildren;
use super::wide::{FIRST, ROOT};
use super::wide_node::{ALIGNMENT, WideNode};
use crate::parallel::mapped;
use crate::ray::NONE;
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// A larger tree is laid out in parts: the upper levels are the first, and each subtree below them
/// is one.
const MANY_NODES: usize = 1 << 13;
const UPPER_LEVELS: usize = 3;

/// So many slots are cleared by one thread.
const CHUNK: usize = 1 << 12;

/// A node and its descendants down to some level, laid out depth first. Slots are counted from the
/// part's first, which holds a child of its root.
#[derive(Default)]
struct Part {
    /// The nodes, from the root, and their slots; the root's is the one in the row.
    nodes: Vec<WideNode>,
    slots: Vec<u32>,
    /// The item in each slot, [`NONE`] in those of nodes and absent children.
    items: Vec<u32>,
    /// The binary nodes that become the roots of other parts, and their slots.
    below: Vec<(u32, u32)>,
    /// The slots that were left empty last, so that the next child 0 stands at a multiple of
    /// [`ALIGNMENT`].
    gap: Range<usize>,
}

impl Part {
    fn new(collapse: &Collapse, root: u32, root_slot: u32, levels: usize) -> Self {
        let mut part = Self::default();
        let mut waiting = vec![(root, root_slot, 1)];
        while let Some((index, slot, level)) = waiting.pop() {
            if level > levels {
                part.below.push((index, slot));
                continue;
            }
            let children = WideChildren::new(collapse, index);
            let start = part.start_of(&children);
            let first = start % ALIGNMENT as usize;
            let base = (start - first) as u32;
            let children = children.numbered(first);
            let width = children.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
            part.extend_to(start - first + width);
            let mut inner = 0_u8;
            for (number, child) in children.iter().enumerate() {
                let Some(child) = child.map(|child| collapse.node(child)) else { continue };
                if child.is_leaf() {
                    part.items[base as usize + number] = child.first_index;
                } else {
                    inner |= 1 << number;
                }
            }
            let boxes = children.map(|child| Some(*collapse.node(child?).aabb()));
            part.nodes.push(WideNode::new(base, inner, &boxes));
            part.slots.push(slot);
            for (number, child) in children.into_iter().enumerate().rev() {
                if let Some(child) = child.filter(|_| inner >> number & 1 == 1) {
                    waiting.push((child, base + number as u32, level + 1));
                }
            }
        }
        part.extend_to(part.items.len().next_multiple_of(ALIGNMENT as usize));
        part
    }

    /// Returns the slot from which on children are laid out. It stands in the last gap or at the
    /// end of the row if they need no number before it, else a gap is left.
    fn start_of(&mut self, children: &WideChildren) -> usize {
        if children.are_leaves() && children.count() <= self.gap.len() {
            self.gap.start += children.count();
            return self.gap.start - children.count();
        }
        let end = self.items.len();
        if children.fit_from(end % ALIGNMENT as usize) {
            return end;
        }
        self.gap = end..end.next_multiple_of(ALIGNMENT as usize);
        self.gap.end
    }

    fn extend_to(&mut self, end: usize) {
        self.items.resize(end.max(self.items.len()), NONE);
    }
}

/// Lays out a tree. Returns the nodes by slot and the items by slot, [`NONE`] where a slot holds a
/// node or nothing; `None` if there are more than `most`.
pub(super) fn lay_out(collapse: &Collapse, most: usize) -> Option<(Vec<WideNode>, Vec<u32>)> {
    let levels = if collapse.node_count() < MANY_NODES { usize::MAX } else { UPPER_LEVELS };
    let upper = Part::new(collapse, 0, ROOT, levels);
    let part = |index: usize| {
        let (root, slot) = upper.below[index];
        Part::new(collapse, root, FIRST + slot, usize::MAX)
    };
    let lower = mapped(upper.below.len(), 1, part);
    let parts = || std::iter::once(&upper).chain(&lower);
    let count = FIRST as usize + parts().map(|part| part.items.len()).sum::<usize>();
    if count > most {
        return None;
    }
    let mut items = Vec::with_capacity(count);
    items.resize(FIRST as usize, NONE);
    let empty = rayon::iter::repeat_n(WideNode::zeroed(), count).with_min_len(CHUNK);
    let mut row: Vec<WideNode> = empty.collect();
    for part in parts() {
        row[part.slots[0] as usize] = part.nodes[0].moved_by(items.len() as u32);
        items.extend_from_slice(&part.items);
    }
    let mut first = FIRST;
    let mut rest = &mut row[FIRST as usize..];
    let places = parts().map(|part| {
        let place;
        (place, rest) = std::mem::take(&mut rest).split_at_mut(part.items.len());
        first += part.items.len() as u32;
        (part, first - part.items.len() as u32, place)
    });
    places.collect::<Vec<_>>().into_par_iter().for_each(|(part, first, place)| {
        for (node, slot) in part.nodes.iter().zip(&part.slots).skip(1) {
            place[*slot as usize] = node.moved_by(first);
        }
    });
    Some((row, items))
}
