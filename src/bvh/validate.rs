//! The check of a tree, whoever built it.

use super::node::{Child, Link, MAX_DEPTH, Node};
use crate::math::Bounds;
use crate::ray::NONE;
use thiserror::Error;

/// A fault of a tree. All but [`Self::Large`] are defects of the builder, not of a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// A link leads out of the tree.
    #[error("node {node} of the tree links to {link}, which does not exist")]
    Link {
        /// The node that has the link.
        node: u32,
        /// The link's target.
        link: u32,
    },
    /// A node is reached twice.
    #[error("node {0} of the tree is reached twice")]
    Twice(u32),
    /// An item is in two leaves or in none.
    #[error("item {item} is in {leaves} leaves of the tree, not in one")]
    Leaves {
        /// The item.
        item: u32,
        /// How many leaves hold it.
        leaves: usize,
    },
    /// An item reaches beyond a box above it.
    #[error("item {item} reaches beyond its box in node {node} of the tree")]
    Outside {
        /// The item.
        item: u32,
        /// The node that has the box.
        node: u32,
    },
    /// The items and nodes need more slots than the wide layout can number.
    #[error(
        "{0} items and their nodes need more than 2^24 slots of a wide tree: use a binary tree"
    )]
    Large(usize),
    /// The tree is deeper than the GPU's largest stack.
    #[error("the tree is {0} levels deep, and at most {MAX_DEPTH} can be traversed")]
    Deep(usize),
}

/// Checks that every item is in one leaf and inside every box above it, and returns how many levels of nodes there
/// are.
pub(super) fn validate<N: Node>(
    nodes: &[N],
    items: &[u32],
    bounds: &[Bounds],
) -> Result<usize, TreeError> {
    if bounds.is_empty() {
        return Ok(0);
    }
    let mut reached = vec![false; nodes.len()];
    let mut leaves = vec![0_usize; bounds.len()];
    let mut deepest = 0;
    // Each entry has a node's index, its level, and the intersection of the boxes above it.
    let mut waiting = vec![(N::ROOT, 1_usize, None::<Bounds>)];
    while let Some((index, depth, above)) = waiting.pop() {
        deepest = deepest.max(depth);
        if std::mem::replace(&mut reached[index as usize], true) {
            return Err(TreeError::Twice(index));
        }
        for Child { bounds: child, link } in nodes[index as usize].children() {
            let binding = above.map_or(child, |above| Bounds {
                min: child.min.max(above.min),
                max: child.max.min(above.max),
            });
            let leaf = match link {
                Link::Node(below) if below as usize >= nodes.len() => {
                    return Err(TreeError::Link { node: index, link: below });
                }
                Link::Node(below) => {
                    waiting.push((below, depth + 1, Some(binding)));
                    continue;
                }
                Link::Leaf(leaf) => leaf,
            };
            let first = leaf.start as u32;
            let Some(items) = items.get(leaf) else {
                return Err(TreeError::Link { node: index, link: first });
            };
            for &item in items.iter().filter(|&&item| item != NONE) {
                if item as usize >= bounds.len() {
                    return Err(TreeError::Link { node: index, link: first });
                }
                leaves[item as usize] += 1;
                if !binding.contains(&bounds[item as usize]) {
                    return Err(TreeError::Outside { item, node: index });
                }
            }
        }
    }
    if let Some(item) = leaves.iter().position(|&count| count != 1) {
        return Err(TreeError::Leaves { item: item as u32, leaves: leaves[item] });
    }
    if deepest > MAX_DEPTH {
        return Err(TreeError::Deep(deepest));
    }
    Ok(deepest)
}
