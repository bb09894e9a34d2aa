//! The traversal by distance from a point: in float32, with margins that lose no box as near as the
//! nearest item, near children first.

use super::node::{Link, take_lowest};
use super::traversal_ray::above;
use super::wide::ROOT;
use super::wide_node::{CHILDREN, WideNode};
use crate::math::U;

/// The factor that makes a computed squared distance a lower bound: rounding of three differences,
/// their squares and the sum adds at most 4 u, and the rest covers the rounding of the box's sides.
const LOWER_BOUND: f32 = 1.0 - 8.0 * U as f32;

/// A child to visit, with a lower bound on its squared distance.
#[derive(Clone, Debug)]
struct Waiting {
    squared: f32,
    child: Link,
}

/// Memory for a traversal, kept from one point to the next.
#[derive(Default)]
pub(crate) struct NearestStack(Vec<Waiting>);

/// Visits the leaf index of every item that may be as near to a point as the nearest one so far.
/// That distance, squared, is what the last visit returned, at first `within`.
#[inline(always)]
pub(super) fn walk(
    nodes: &[WideNode],
    point: [f32; 3],
    within: f64,
    NearestStack(waiting): &mut NearestStack,
    mut visit: impl FnMut(u32) -> f64,
) {
    waiting.clear();
    waiting.push(Waiting { squared: 0.0, child: Link::Node(ROOT) });
    let mut reach = above(within);
    while let Some(Waiting { squared, child }) = waiting.pop() {
        if squared > reach {
            continue;
        }
        let node = match child {
            Link::Node(node) => &nodes[node as usize],
            Link::Leaf(leaf_index) => {
                reach = above(visit(leaf_index));
                continue;
            }
        };
        let squares = node.distances_squared(point).map(|squared| squared * LOWER_BOUND);
        let mut near =
            (0..CHILDREN).fold(0, |bits, slot| bits | u32::from(squares[slot] <= reach) << slot);
        let first = waiting.len();
        while near != 0 {
            let slot = take_lowest(&mut near) as usize;
            let squared = squares[slot];
            // An absent child is as far away as an infinite reach.
            let Some(child) = node.link(slot) else { continue };
            waiting.push(Waiting { squared, child });
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
