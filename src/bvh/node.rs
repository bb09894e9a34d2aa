//! What traversals know of a node's children.

use super::wide_node::{LOWER_BITS, ORDER};
use crate::math::Bounds;

/// The deepest tree that is traversed: a stack with more entries would not fit a GPU thread.
pub const MAX_DEPTH: usize = 128;

/// The target of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// An inner node, by its index.
    Node(u32),
    /// A leaf, by its leaf index.
    Leaf(u32),
}

#[derive(Clone, Debug)]
pub(super) struct Child {
    pub bounds: Bounds,
    pub link: Link,
}

/// The children of a node whose boxes a ray meets.
pub(crate) struct ChildHits {
    /// A bit for each leaf.
    pub leaves: u32,
    /// The inner ones as one number: the slot of child 0 as nodes have it, and below it a bit for
    /// each, in the order in which to visit them: bit k stands for the child `k ^ octant`, by the
    /// ray's octant.
    pub inner: u32,
}

impl ChildHits {
    /// Sorts the children that are hit, given the node's base.
    #[inline(always)]
    pub fn new(hit: u32, base: u32, octant: u32) -> Self {
        let inner = ORDER[(octant & 7) as usize][(hit & base & LOWER_BITS) as usize];
        Self { leaves: hit & !base, inner: base & !LOWER_BITS | u32::from(inner) }
    }
}

/// Takes the lowest bit out of a set of bits and returns its index.
#[inline(always)]
pub(crate) fn take_lowest(bits: &mut u32) -> u32 {
    let lowest = bits.trailing_zeros();
    *bits &= *bits - 1;
    lowest
}

/// Returns the distance from `x` to an interval. It is written with comparisons that take one
/// instruction each, which `f32::max` does not because it minds NaN; no argument is NaN.
#[inline(always)]
pub(super) fn gap(x: f32, low: f32, high: f32) -> f32 {
    let [below, beyond] = [low - x, x - high];
    let gap = if below > beyond { below } else { beyond };
    if gap > 0.0 { gap } else { 0.0 }
}
