//! The check of a tree, independent of its builder.

use super::node::{Child, Link, MAX_DEPTH};
use super::planes::CHILDREN;
use super::wide::ROOT;
use super::wide_node::WideNode;
use crate::math::Bounds;
use crate::prefetch::prefetch;
use arrayvec::ArrayVec;
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use thiserror::Error;

/// An error in a tree. All except [`Self::Large`] are defects of the builder, not of a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TreeError {
    /// A link points out of the tree.
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
    #[error("item {item} is in {leaves} leaves of the tree, but it must be in one")]
    Leaves {
        /// The item.
        item: u32,
        /// The number of leaves that contain it.
        leaves: usize,
    },
    /// An item extends outside a box above it.
    #[error("item {item} extends outside its box in node {node} of the tree")]
    Outside {
        /// The item.
        item: u32,
        /// The node that has the box.
        node: u32,
    },
    /// The items and nodes need more slots than a tree can number.
    #[error("{0} items and their nodes need more than 2^26 slots")]
    Large(usize),
    /// The tree is deeper than the GPU's largest stack.
    #[error("the tree is {0} levels deep, but at most {MAX_DEPTH} can be traversed")]
    Deep(usize),
}

/// The number of subtrees that are checked in parallel.
const PARTS: usize = 1 << 8;

/// Checks that every item is in one leaf and inside every box above it, and returns how many levels
/// of nodes there are.
pub(super) fn validate(
    nodes: &[WideNode],
    items: &[u32],
    bounds: &[Bounds],
) -> Result<usize, TreeError> {
    if bounds.is_empty() {
        return Ok(0);
    }
    let check = Check {
        nodes,
        items,
        bounds,
        reached: nodes.iter().map(|_| AtomicBool::new(false)).collect(),
        found: bounds.iter().map(|_| AtomicBool::new(false)).collect(),
    };
    // The upper levels are checked one after the other, until there are many subtrees.
    let mut waiting = vec![Visit { node: ROOT, level: 1, above: EVERYWHERE }];
    let mut deepest = 0;
    while (1..PARTS).contains(&waiting.len()) {
        let mut below = Vec::new();
        for visit in waiting {
            deepest = visit.level;
            check.node(visit, &mut below)?;
        }
        waiting = below;
    }
    let subtree = |visit| check.subtree(visit);
    let deepest = waiting.into_par_iter().map(subtree).try_reduce(|| deepest, deeper)?;
    if let Some((item, _)) = (0..).zip(check.found).find(|(_, found)| !found.load(Relaxed)) {
        return Err(TreeError::Leaves { item, leaves: 0 });
    }
    if deepest > MAX_DEPTH {
        return Err(TreeError::Deep(deepest));
    }
    Ok(deepest)
}

fn deeper(a: usize, b: usize) -> Result<usize, TreeError> {
    Ok(a.max(b))
}

/// The box that the root lies in.
const EVERYWHERE: Bounds = Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

/// A node that is to be checked.
struct Visit {
    node: u32,
    level: usize,
    /// The intersection of the boxes above it.
    above: Bounds,
}

/// A check of a tree, by several threads.
struct Check<'a> {
    nodes: &'a [WideNode],
    items: &'a [u32],
    bounds: &'a [Bounds],
    /// The nodes that were reached.
    reached: Vec<AtomicBool>,
    /// The items that were.
    found: Vec<AtomicBool>,
}

impl Check<'_> {
    /// Checks a subtree, and returns its deepest level.
    fn subtree(&self, root: Visit) -> Result<usize, TreeError> {
        let mut deepest = 0;
        let mut waiting = vec![root];
        while let Some(visit) = waiting.pop() {
            deepest = deepest.max(visit.level);
            self.node(visit, &mut waiting)?;
        }
        Ok(deepest)
    }

    /// Checks a node and its leaves, and adds the nodes below it.
    fn node(&self, visit: Visit, waiting: &mut Vec<Visit>) -> Result<(), TreeError> {
        let Visit { node, level, above } = visit;
        if self.reached[node as usize].swap(true, Relaxed) {
            return Err(TreeError::Twice(node));
        }
        let mut leaves = ArrayVec::<_, CHILDREN>::new();
        for Child { bounds, link } in self.nodes[node as usize].children() {
            let binding = Bounds { min: bounds.min.max(above.min), max: bounds.max.min(above.max) };
            let leaf = match link {
                Link::Node(below) if below as usize >= self.nodes.len() => {
                    return Err(TreeError::Link { node, link: below });
                }
                Link::Node(below) => {
                    waiting.push(Visit { node: below, level: level + 1, above: binding });
                    continue;
                }
                Link::Leaf(leaf) => leaf,
            };
            let missing = TreeError::Link { node, link: leaf };
            let item = *self.items.get(leaf as usize).ok_or(missing.clone())? as usize;
            // Items lie at random places of memory, so those of a node are fetched at once.
            prefetch(self.bounds.get(item).ok_or(missing)?);
            prefetch(&self.found[item]);
            leaves.push((item, binding));
        }
        for (item, binding) in leaves {
            if !binding.contains(&self.bounds[item]) {
                return Err(TreeError::Outside { item: item as u32, node });
            }
            if self.found[item].swap(true, Relaxed) {
                let holds = |&&leaf: &&u32| leaf as usize == item;
                let leaves = self.items.iter().filter(holds).count().max(2);
                return Err(TreeError::Leaves { item: item as u32, leaves });
            }
        }
        Ok(())
    }
}
