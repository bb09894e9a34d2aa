//! The nodes that a traversal by rays reads: those of a small tree are uncompressed.

use super::box_tester::BoxTester;
use super::node::{ChildHits, take_lowest};
use super::traversal_ray::TraversalRay;
use super::uncompressed_node::UncompressedNode;
use super::wide_node::WideNode;
use crate::prefetch::prefetch;

/// A tree of more slots than this is not in a processor's own caches.
const MANY: usize = 1 << 16;

/// The nodes of a tree, by their slots.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    wide: &'a [WideNode],
    /// The same nodes, or none of them.
    uncompressed: &'a [UncompressedNode],
}

pub(super) enum Node<'a> {
    Wide(&'a WideNode),
    Uncompressed(&'a UncompressedNode),
}

impl<'a> Nodes<'a> {
    pub fn new(wide: &'a [WideNode], uncompressed: &'a [UncompressedNode]) -> Self {
        Self { wide, uncompressed }
    }

    #[inline(always)]
    pub fn wide(self, index: u32) -> &'a WideNode {
        &self.wide[index as usize]
    }

    #[inline(always)]
    pub fn node(self, index: u32) -> Node<'a> {
        match self.uncompressed.get(index as usize) {
            Some(node) => Node::Uncompressed(node),
            None => Node::Wide(self.wide(index)),
        }
    }

    /// Finds the children of a node whose boxes the first ray enters, from its `t_min` on, before
    /// the second leaves them or reaches `t_max`.
    #[inline(always)]
    pub fn intersect_children(
        self,
        index: u32,
        boxes: impl BoxTester,
        rays: [&TraversalRay; 2],
        t_max: f32,
    ) -> ChildHits {
        let octant = rays[0].octant;
        match self.node(index) {
            Node::Uncompressed(node) => {
                ChildHits::new(boxes.uncompressed_boxes(node, rays, t_max), node.base(), octant)
            }
            Node::Wide(node) => ChildHits::new(boxes.boxes(node, rays, t_max), node.base(), octant),
        }
    }

    /// Returns the slot of a node's first child.
    #[inline(always)]
    pub fn first_child(self, index: u32) -> u32 {
        match self.node(index) {
            Node::Uncompressed(node) => node.child(0),
            Node::Wide(node) => node.first_child(),
        }
    }

    /// Returns the leaf index of a child that a ray has met; none for an absent child.
    #[inline(always)]
    pub fn leaf(self, index: u32, slot: usize) -> Option<u32> {
        match self.node(index) {
            Node::Uncompressed(node) => Some(node.child(slot)),
            Node::Wide(node) => node.leaf(slot),
        }
    }

    /// Calls `visit` with the leaf index of each of some children that a ray has met.
    #[inline(always)]
    pub fn each_leaf(self, index: u32, mut slots: u32, visit: impl Fn(u32)) {
        while slots != 0 {
            let slot = take_lowest(&mut slots) as usize;
            self.leaf(index, slot).into_iter().for_each(&visit);
        }
    }

    /// Prefetches a node, if there is one and it may be far away.
    #[inline(always)]
    pub fn prefetch(self, index: u32) {
        if self.uncompressed.is_empty()
            && let Some(node) = self.wide.get(index as usize)
        {
            prefetch(node);
        }
    }

    /// Returns true if the nodes are more than a processor's own caches hold.
    pub fn are_many(self) -> bool {
        self.wide.len() > MANY
    }
}
