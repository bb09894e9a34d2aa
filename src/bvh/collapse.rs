//! Decides which nodes of a binary tree become wide nodes, so that the surface-area cost is the
//! least (Ylitie, Karras and Laine, Efficient Incoherent Ray Traversal on GPUs Through Compressed
//! Wide BVHs, 2017).

use super::build::{CHAIN, balance_chains};
use super::node::MAX_DEPTH;
use super::planes::CHILDREN;
use arrayvec::ArrayVec;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use std::sync::atomic::{AtomicU32, Ordering};

/// The cost of a leaf, as a multiple of a node's; the figure is that of the library `obvhs`.
const LEAF_COST: f32 = 0.3;

/// A subtree becomes the descendants of one wide node, or is split into several, so that its parent
/// needs no wide node of its own. This is the largest number that it is split into.
const ROOTS: usize = CHILDREN - 1;

/// The binary tree's levels down to which the two children of a node are worked on at once, if it
/// has many nodes.
const PARALLEL_LEVELS: usize = 10;
const MANY_NODES: usize = 1 << 13;

/// The number of bits of a decision, and the decision that one root less costs no more.
const BITS: usize = 3;
const ONE_LESS: u32 = 7;

/// A binary tree whose leaves hold one item each, and how it is collapsed.
pub(super) struct Collapse {
    nodes: Vec<Bvh2Node>,
    /// The decisions for each node with children, by the number of their pair, in the bits from
    /// `BITS * i`: if its subtree may become up to `i` + 1 roots, one less than so many come from
    /// its first child. For `i` = 0, the node becomes a wide one, and this is about its children,
    /// which are up to eight.
    decisions: Vec<AtomicU32>,
}

impl Collapse {
    /// Finds the least cost. A tree with long chains is balanced before.
    pub fn new(tree: Bvh2) -> Self {
        let nodes = tree.nodes;
        let decisions = (0..nodes.len() / 2).map(|_| AtomicU32::new(0)).collect();
        let mut collapse = Self { nodes, decisions };
        if collapse.costs(&collapse.nodes[0], 1, CHAIN).is_none() {
            balance_chains(&mut collapse.nodes);
            collapse.costs(&collapse.nodes[0], 1, MAX_DEPTH);
        }
        collapse
    }

    /// Notes the decisions for a subtree. Returns its least cost if it becomes up to `i` + 1 roots,
    /// for each `i`; `None` if there are inner nodes at the deepest level.
    fn costs(&self, node: &Bvh2Node, level: usize, deepest: usize) -> Option<[f32; ROOTS]> {
        let area = node.aabb().half_area();
        if node.is_leaf() {
            return Some([LEAF_COST * area; ROOTS]);
        }
        if level == deepest {
            return None;
        }
        let first = node.first_index as usize;
        let child = |side| self.costs(&self.nodes[first + side], level + 1, deepest);
        let (left, right) = if level <= PARALLEL_LEVELS && self.nodes.len() >= MANY_NODES {
            rayon::join(|| child(0), || child(1))
        } else {
            (child(0), child(1))
        };
        let (left, right) = (left?, right?);
        let least = |roots: usize, mut least: f32, mut decision: u32| {
            for from_left in 0..roots {
                let cost = left[from_left] + right[roots - 1 - from_left];
                if cost < least {
                    (least, decision) = (cost, from_left as u32);
                }
            }
            (least, decision)
        };
        let mut costs = [0.0; ROOTS];
        let (cost, mut decisions) = least(ROOTS, f32::INFINITY, 0);
        costs[0] = cost + area;
        for roots in 1..ROOTS {
            let decision;
            (costs[roots], decision) = least(roots, costs[roots - 1], ONE_LESS);
            decisions |= decision << (BITS * roots);
        }
        // Each node's decisions are written once, and read after all have been.
        self.decisions[first / 2].store(decisions, Ordering::Relaxed);
        Some(costs)
    }

    /// Returns how many binary nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, index: u32) -> &Bvh2Node {
        &self.nodes[index as usize]
    }

    /// Returns the binary nodes that become the children of the wide node that a node becomes; of a
    /// leaf, the leaf itself.
    pub fn children(&self, index: u32) -> ArrayVec<u32, CHILDREN> {
        let mut children = ArrayVec::new();
        let node = self.node(index);
        if node.is_leaf() {
            children.push(index);
        } else {
            self.split(node, ROOTS, self.decision(node, 0), &mut children);
        }
        children
    }

    fn decision(&self, node: &Bvh2Node, roots: usize) -> u32 {
        let decisions = self.decisions[node.first_index as usize / 2].load(Ordering::Relaxed);
        decisions >> (BITS * roots) & ONE_LESS
    }

    /// Adds the roots of both children of a node, which are up to `roots` + 1.
    fn split(
        &self,
        node: &Bvh2Node,
        roots: usize,
        from_left: u32,
        found: &mut ArrayVec<u32, CHILDREN>,
    ) {
        let left = from_left as usize;
        self.add_roots(node.first_index, left, found);
        self.add_roots(node.first_index + 1, roots - 1 - left, found);
    }

    /// Adds the roots that a subtree becomes if they may be up to `more` + 1.
    fn add_roots(&self, index: u32, mut more: usize, found: &mut ArrayVec<u32, CHILDREN>) {
        let node = self.node(index);
        if !node.is_leaf() {
            while more > 0 {
                match self.decision(node, more) {
                    ONE_LESS => more -= 1,
                    from_left => return self.split(node, more, from_left, found),
                }
            }
        }
        found.push(index);
    }
}
