//! The build of the library's binary tree, from which the wide one is made.

use super::cluster::{Search, cluster};
use super::node::MAX_DEPTH;
use super::reinsert::reinsert;
use crate::math::{Bounds, U};
use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;

/// The effort of a build: the more, the faster the tree is to traverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quality {
    /// For scenes that change often.
    Fast,
    /// For most uses.
    #[default]
    Medium,
    /// For scenes into which very many rays are cast.
    Best,
}

impl Quality {
    /// Returns its name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Medium => "medium",
            Self::Best => "best",
        }
    }
}

/// The parameters of a build; the figures are those of the library's presets.
pub(super) struct Effort {
    search: Search,
    /// The share of the nodes that are reinserted.
    share: f32,
}

impl Effort {
    pub(super) const fn of(quality: Quality) -> Self {
        let (short_rounds, distance, share) = match quality {
            Quality::Fast => (2, 6, 0.02),
            Quality::Medium => (3, 14, 0.05),
            Quality::Best => (1, 14, 1.0),
        };
        Self { search: Search { short_rounds, distance }, share }
    }

    /// Builds a tree with a leaf for each box, and returns how many steps it took.
    pub(super) fn build(&self, boxes: &[Aabb]) -> (Bvh2, usize) {
        let (mut tree, looks) = cluster(boxes, self.search);
        let steps = reinsert(&mut tree, self.share);
        (tree, looks + steps)
    }
}

/// Builds a tree whose leaves hold one item each.
pub(super) fn single_leaves(boxes: &[Aabb], quality: Quality) -> Bvh2 {
    Effort::of(quality).build(boxes).0
}

/// Below this level a subtree is replaced by one that halves its leaves in their order. Shapes
/// about one centre, such as nested shells, would otherwise make a chain as long as there are
/// shapes.
pub(super) const CHAIN: usize = MAX_DEPTH / 2;

pub(super) fn balance_chains(nodes: &mut [Bvh2Node]) {
    let mut waiting = vec![(0, 1)];
    while let Some((node, depth)) = waiting.pop() {
        let current = nodes[node];
        if current.is_leaf() {
            continue;
        }
        let first = current.first_index as usize;
        if depth < CHAIN {
            waiting.extend([(first, depth + 1), (first + 1, depth + 1)]);
        } else {
            balance(nodes, node);
        }
    }
}

/// Rebuilds the subtree below a node with the least depth, in the memory that it has.
fn balance(nodes: &mut [Bvh2Node], root: usize) {
    let mut leaves = Vec::new();
    let mut pairs = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let current = nodes[node];
        if current.is_leaf() {
            leaves.push(current);
        } else {
            pairs.push(current.first_index);
            waiting.extend([current.first_index as usize + 1, current.first_index as usize]);
        }
    }
    // A subtree of n leaves takes n - 1 pairs, so the pairs suffice.
    let mut waiting = vec![(root, leaves)];
    while let Some((node, mut leaves)) = waiting.pop() {
        let bounds = leaves.iter().fold(Aabb::INVALID, |all, leaf| all.union(leaf.aabb()));
        let pair = if leaves.len() > 1 { pairs.pop() } else { None };
        let Some(pair) = pair else {
            if let Some(leaf) = leaves.pop() {
                nodes[node] = leaf;
            }
            continue;
        };
        let rest = leaves.split_off(leaves.len() / 2);
        nodes[node] = Bvh2Node::new(bounds, 0, pair);
        waiting.extend([(pair as usize, leaves), (pair as usize + 1, rest)]);
    }
}

/// Returns a float32 box that holds the bounds, grown to cover the float32 arithmetic of a
/// traversal.
pub(crate) fn outward(bounds: &Bounds) -> Aabb {
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let pad = DVec3::splat(8.0 * U * largest);
    let below = (bounds.min - pad).to_array().map(|exact| {
        let near = exact as f32;
        if f64::from(near) > exact { near.next_down() } else { near }
    });
    let above = (bounds.max + pad).to_array().map(|exact| {
        let near = exact as f32;
        if f64::from(near) < exact { near.next_up() } else { near }
    });
    Aabb::new(Vec3A::from(below), Vec3A::from(above))
}
