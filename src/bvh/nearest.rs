//! The traversal by distance from a point: in float32, with margins that lose no box as near as the
//! nearest item, near children first.

use super::node::{Node, take_lowest};
use super::traversal_ray::above;
use super::wide_node::CHILDREN;
use crate::math::U;

/// The factor that makes a computed squared distance a lower bound: rounding of three differences,
/// their squares and the sum adds at most 4 u, and the rest covers the rounding of the box's sides.
const LOWER_BOUND: f32 = 1.0 - 8.0 * U as f32;

/// A child to visit, with a lower bound on its squared distance.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    squared: f32,
    /// The node, or a leaf's first leaf index.
    child: u32,
    /// How many items a leaf has; 0 marks an inner node.
    items: u32,
}

/// Memory for a traversal, kept from one point to the next.
#[derive(Default)]
pub(crate) struct NearestStack(Vec<Waiting>);

/// Visits the leaf index of every item that may be as near to a point as the nearest one so far.
/// That distance, squared, is what the last visit returned, at first `within`.
#[inline(always)]
pub(super) fn walk<N: Node>(
    nodes: &[N],
    point: [f32; 3],
    within: f64,
    NearestStack(waiting): &mut NearestStack,
    mut visit: impl FnMut(u32) -> f64,
) {
    waiting.clear();
    waiting.push(Waiting { squared: 0.0, child: N::ROOT, items: 0 });
    let mut reach = above(within);
    while let Some(Waiting { squared, child, items }) = waiting.pop() {
        if squared > reach {
            continue;
        }
        if items > 0 {
            for leaf_index in child..child + items {
                reach = above(visit(leaf_index));
            }
            continue;
        }
        let node = &nodes[child as usize];
        let squares = node.distances_squared(point).map(|squared| squared * LOWER_BOUND);
        let mut near =
            (0..CHILDREN).fold(0, |bits, slot| bits | u32::from(squares[slot] <= reach) << slot);
        let first = waiting.len();
        while near != 0 {
            let slot = take_lowest(&mut near) as usize;
            let squared = squares[slot];
            let (child, items) = match node.is_leaf(slot) {
                true => {
                    let leaf = node.leaf(slot);
                    // An absent child is as far away as an infinite reach.
                    if leaf.is_empty() {
                        continue;
                    }
                    (leaf.start, leaf.end - leaf.start)
                }
                false => (node.child(slot), 0),
            };
            waiting.push(Waiting { squared, child, items });
            // The children are sorted by insertion with the nearest last, so that it is visited
            // next.
            let mut index = waiting.len() - 1;
            while index > first && waiting[index - 1].squared < squared {
                waiting.swap(index - 1, index);
                index -= 1;
            }
        }
    }
}
