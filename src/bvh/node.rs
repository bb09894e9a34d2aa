//! The interface that both layouts of nodes share, so that each traversal is written once.

use super::box_tester::BoxTester;
use super::traversal_ray::TraversalRay;
use super::wide_node::CHILDREN;
use crate::math::Bounds;
use bytemuck::Pod;
use obvhs::aabb::Aabb;
use std::ops::Range;

/// The deepest tree that is traversed: a stack with more entries would not fit a GPU thread.
pub const MAX_DEPTH: usize = 128;

/// The target of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// An inner node, by its index.
    Node(u32),
    /// A leaf, by its leaf indices.
    Leaf(Range<usize>),
}

/// A child of a node.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub bounds: Bounds,
    pub link: Link,
}

/// The children of a node whose boxes a ray meets.
pub(crate) struct ChildHits {
    /// A bit for each leaf.
    pub leaves: u32,
    /// A bit for each inner child, in the order in which to visit them: bit k stands for the child
    /// `k ^ turn`.
    pub inner: u32,
    pub turn: u32,
}

/// A node of either layout.
pub(super) trait Node: Pod + Sync {
    /// The index of the root.
    const ROOT: u32;
    /// It is `None` if there is no such child.
    fn link(&self, slot: usize) -> Option<Link>;
    fn with_boxes(&self, boxes: &[Option<Aabb>; CHILDREN]) -> Self;
    /// Iterates over the children, with the boxes that a traversal tests.
    fn children(&self) -> impl Iterator<Item = Child>;
    /// Finds the children that a ray meets between its `t_min` and `t_max`.
    fn intersect_children(
        &self,
        boxes: impl BoxTester,
        ray: &TraversalRay,
        t_max: f32,
    ) -> ChildHits;
    /// Returns the number from which [`Self::child_of`] finds this node's children; `index` is this
    /// node's own.
    fn family(&self, index: u32) -> u32;
    /// Returns the index of the node that is child number `slot` of a family.
    fn child_of(nodes: &[Self], family: u32, slot: usize) -> u32;
    /// Returns the node index of an inner child.
    fn child(&self, slot: usize) -> u32;
    /// Returns a lower bound on the squared distance from a point to each child's box; infinity
    /// where there is no child.
    fn distances_squared(&self, point: [f32; 3]) -> [f32; CHILDREN];
    /// Returns true for a child that is no inner node: a leaf, or an absent child.
    fn is_leaf(&self, slot: usize) -> bool;
    /// Returns the leaf indices of a child that is no inner node: none for an absent child, whose
    /// box is met by a ray from very far away.
    fn leaf(&self, slot: usize) -> Range<u32>;
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
