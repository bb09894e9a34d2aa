//! The traversal by distance from a point: in float32, with margins that lose no box as near as the
//! nearest item, near children first.

use super::node::take_lowest;
use super::planes::CHILDREN;
use super::traversal_ray::above;
use super::wide::ROOT;
use super::wide_node::WideNode;
use crate::math::U;

/// The factor that makes a computed squared distance a lower bound: rounding of three differences,
/// their squares and the sum adds at most 4 u, and the rest covers the rounding of the box's sides.
const LOWER_BOUND: f32 = 1.0 - 8.0 * U as f32;

/// A child to visit, with a lower bound on its squared distance, as one number that grows with the
/// bound: the bits of the bound, then the child's slot and a bit for a leaf.
#[derive(Clone, Copy, Debug)]
struct Waiting(u64);

/// The bit of a leaf.
const LEAF: u64 = 1;

impl Waiting {
    #[inline(always)]
    fn new(squared: f32, slot: u32, leaf: u64) -> Self {
        // Slots have 26 bits, and the bits of numbers that are not negative are in their order.
        Self(u64::from(squared.to_bits()) << 32 | u64::from(slot) << 1 | leaf)
    }

    #[inline(always)]
    fn squared(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }

    #[inline(always)]
    fn slot(self) -> u32 {
        self.0 as u32 >> 1
    }

    #[inline(always)]
    fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }
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
    waiting.push(Waiting::new(0.0, ROOT, 0));
    let mut reach = above(within);
    while let Some(next) = waiting.pop() {
        if next.squared() > reach {
            continue;
        }
        if next.is_leaf() {
            reach = above(visit(next.slot()));
            continue;
        }
        let node = &nodes[next.slot() as usize];
        let mut squares = node.distances_squared(point);
        squares.iter_mut().for_each(|squared| *squared *= LOWER_BOUND);
        let mut near =
            (0..CHILDREN).fold(0, |bits, slot| bits | u32::from(squares[slot] <= reach) << slot);
        let leaves = node.leaves();
        let first = waiting.len();
        while near != 0 {
            let slot = take_lowest(&mut near) as usize;
            // An absent child is as far away as an infinite reach.
            if !node.has_child(slot) {
                continue;
            }
            let leaf = u64::from(leaves >> slot & 1);
            let child = Waiting::new(squares[slot], node.child(slot), leaf);
            // The children are sorted by insertion with the nearest last, so that it is visited
            // next.
            waiting.push(child);
            let mut index = waiting.len() - 1;
            while index > first && waiting[index - 1].0 >> 32 < child.0 >> 32 {
                waiting[index] = waiting[index - 1];
                index -= 1;
            }
            waiting[index] = child;
        }
    }
}
