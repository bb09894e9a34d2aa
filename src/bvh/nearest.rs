//! The walk by distance from a point: in float32, with margins that lose no box as near as the best, near children
//! first.

use super::walk::{above, take_lowest};
use super::wide::CHILDREN;
use super::{Node, Stack};
use crate::math::U;

/// Of the squares of three differences and their sum no more than 4 u is rounding; of a box's sides, what its own margin
/// leaves.
const SURELY: f32 = 1.0 - 8.0 * U as f32;

/// A child that waits to be looked at, and how far away it is at least, squared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Far {
    squared: f32,
    /// Of a leaf its first place in the order of items.
    node: u32,
    /// How many items a leaf has; 0 marks a node.
    items: u32,
}

/// How far a point is from an interval at least. By comparisons that a processor has one instruction for: there is no
/// number that is none.
#[inline(always)]
pub(super) fn gap(x: f32, low: f32, high: f32) -> f32 {
    let [below, beyond] = [low - x, x - high];
    let gap = if below > beyond { below } else { beyond };
    if gap > 0.0 { gap } else { 0.0 }
}

/// Visits everything that may be as near to a point as the best, which is as far away, squared, as the last visit
/// returned, at first `within`. `stack` is room to work in.
#[inline(always)]
pub(super) fn walk<N: Node>(
    nodes: &[N],
    point: [f32; 3],
    within: f64,
    stack: &mut Stack,
    mut visit: impl FnMut(u32) -> f64,
) {
    let waiting = &mut stack.far;
    waiting.clear();
    waiting.push(Far { squared: 0.0, node: N::ROOT, items: 0 });
    // What is no child is farther away than all.
    let mut reach = above(within).min(f32::MAX);
    while let Some(Far { squared, node, items }) = waiting.pop() {
        if squared > reach {
            continue;
        }
        if items > 0 {
            for place in node..node + items {
                reach = above(visit(place));
            }
            continue;
        }
        let node = &nodes[node as usize];
        let squares = node.distances_squared(point).map(|squared| squared * SURELY);
        let mut near =
            (0..CHILDREN).fold(0, |bits, slot| bits | u32::from(squares[slot] <= reach) << slot);
        let first = waiting.len();
        while near != 0 {
            let slot = take_lowest(&mut near) as usize;
            let squared = squares[slot];
            let items = if node.is_leaf(slot) { node.items(slot) } else { 0 };
            waiting.push(Far { squared, node: node.child(slot), items });
            // The farthest first, so that the nearest is taken up next.
            let mut place = waiting.len() - 1;
            while place > first && waiting[place - 1].squared < squared {
                waiting.swap(place - 1, place);
                place -= 1;
            }
        }
    }
}
