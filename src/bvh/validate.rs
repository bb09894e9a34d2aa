//! What a tree must be, whoever built it.

use super::{Child, Link, MAX_DEPTH, Node};
use crate::math::Bounds;
use crate::ray::NONE;
use thiserror::Error;

/// What a tree can have wrong; all but [`Self::Large`] are defects of the builder, not of a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TreeError {
    /// A link leads out of the tree.
    #[error("the tree's node {node} links to {link}, of which there is none")]
    Link {
        /// Where the link is.
        node: u32,
        /// Where it leads.
        link: u32,
    },
    /// A node is reached twice.
    #[error("the tree's node {0} is reached twice")]
    Twice(u32),
    /// A shape is in two leaves or in none.
    #[error("item {geometry} is in {leaves} leaves of the tree, not in one")]
    Leaves {
        /// Which.
        geometry: u32,
        /// In how many.
        leaves: usize,
    },
    /// A shape sticks out of a box above it.
    #[error("item {geometry} sticks out of its box in the tree's node {node}")]
    Outside {
        /// Which.
        geometry: u32,
        /// Whose box.
        node: u32,
    },
    /// The items and nodes outgrow the numbers that the wide layout has for them.
    #[error("{0} items and their nodes need more than 2^24 slots of a wide tree: use a binary one")]
    Large(usize),
    /// The tree is deeper than the GPU's largest stack.
    #[error("the tree is {0} levels deep, and at most {MAX_DEPTH} can be walked")]
    Deep(usize),
}

/// Checks that every item is in one leaf and inside every box above it, and returns how many levels of nodes there
/// are.
pub(super) fn validate<N: Node>(
    nodes: &[N],
    order: &[u32],
    bounds: &[Bounds],
) -> Result<usize, TreeError> {
    if bounds.is_empty() {
        return Ok(0);
    }
    let mut reached = vec![false; nodes.len()];
    let mut leaves = vec![0_usize; bounds.len()];
    let mut deepest = 0;
    // A node with the boxes above it: only the innermost of a chain of nested boxes binds.
    let mut waiting = vec![(N::ROOT, 1_usize, None::<Bounds>)];
    while let Some((number, depth, above)) = waiting.pop() {
        deepest = deepest.max(depth);
        if std::mem::replace(&mut reached[number as usize], true) {
            return Err(TreeError::Twice(number));
        }
        for Child { bounds: own, link } in nodes[number as usize].children() {
            let binding = above.map_or(own, |above| Bounds {
                min: own.min.max(above.min),
                max: own.max.min(above.max),
            });
            let leaf = match link {
                Link::Node(below) if below as usize >= nodes.len() => {
                    return Err(TreeError::Link { node: number, link: below });
                }
                Link::Node(below) => {
                    waiting.push((below, depth + 1, Some(binding)));
                    continue;
                }
                Link::Leaf(leaf) => leaf,
            };
            let first = leaf.start as u32;
            let Some(items) = order.get(leaf) else {
                return Err(TreeError::Link { node: number, link: first });
            };
            for &item in items.iter().filter(|&&item| item != NONE) {
                if item as usize >= bounds.len() {
                    return Err(TreeError::Link { node: number, link: first });
                }
                leaves[item as usize] += 1;
                if !binding.contains(&bounds[item as usize]) {
                    return Err(TreeError::Outside { geometry: item, node: number });
                }
            }
        }
    }
    if let Some(item) = leaves.iter().position(|&count| count != 1) {
        return Err(TreeError::Leaves { geometry: item as u32, leaves: leaves[item] });
    }
    if deepest > MAX_DEPTH {
        return Err(TreeError::Deep(deepest));
    }
    Ok(deepest)
}
