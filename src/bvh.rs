//! The tree over the shapes' boxes that both tracers walk, in one of two layouts.
//!
//! The library `obvhs` builds; `validate` believes nothing and measures the depth, from which the GPU's stack
//! is sized. Boxes are taken in float64, rounded outwards and grown by 8 u of their own largest
//! coordinate, so that a walk in float32 with its margin loses no hit.

mod binary;
mod build;
mod lanes;
mod walk;
mod wide;

pub(crate) use lanes::{Lanes, Portable};

use crate::math::Bounds;
use crate::ray::Ray;
use bytemuck::Pod;
use obvhs::aabb::Aabb;
use rayon::prelude::*;
use std::ops::{Index, Range};
use thiserror::Error;
use walk::Path;

/// How nodes lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Two children a node, in 64 bytes. The most memory, the least arithmetic.
    Binary,
    /// Up to eight children a node, in 80 bytes.
    #[default]
    Wide,
}

/// How much time a tree is given to be built, so that it is faster to walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// For scenes that change often.
    Fast,
    /// What most want.
    #[default]
    Medium,
    /// For scenes at which very many rays are cast.
    Best,
}

/// Where a child leads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Link {
    Node(u32),
    /// To places in the order of things.
    Leaf(Range<usize>),
}

/// A child of a node.
#[derive(Clone, Debug)]
struct Child {
    bounds: Bounds,
    link: Link,
}

/// What the two layouts have in common.
trait Node: Pod + Sync {
    /// All that there are, with the boxes that a walk tests.
    fn children(&self) -> impl Iterator<Item = Child>;
    /// A number for each slot of a child.
    type Enter: Copy + Index<usize, Output = f32>;
    /// Where a walk begins.
    const ROOT: u32;
    /// Those that a path meets between its beginning and `t_max`.
    fn meet(&self, lanes: impl Lanes, path: &Path, t_max: f32) -> walk::Met<Self::Enter>;
    /// Of a child its node, or of a leaf its first place in the order of things.
    fn child(&self, slot: usize) -> u32;
    /// How many things a leaf has.
    fn things(&self, slot: usize) -> u32;
}

/// What a tree can have wrong; each is a defect of the builder, not of a scene.
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
    /// The things and nodes outgrow the numbers that the wide layout has for them.
    #[error("{0} items and their nodes need more than 2^24 slots of a wide tree: use a binary one")]
    Large(usize),
    /// The tree is deeper than the GPU's largest stack.
    #[error("the tree is {0} levels deep, and at most {MAX_DEPTH} can be walked")]
    Deep(usize),
}

/// The deepest tree that is walked: a stack of more entries would not fit a GPU thread.
pub const MAX_DEPTH: usize = 128;

/// A tree of boxes over numbered things.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Nodes,
    /// The thing at each place of leaves, [`NONE`](crate::ray::NONE) at a place that has none.
    pub(crate) order: Vec<u32>,
    /// Around all nodes.
    bounds: Aabb,
}

/// Room for a walk of either layout.
#[derive(Default)]
pub(crate) struct Stack {
    binary: Vec<walk::Waiting<[f32; 2]>>,
    wide: Vec<walk::Waiting<[f32; wide::CHILDREN]>>,
}

#[derive(Clone, Debug)]
enum Nodes {
    Binary(Vec<binary::Pair>),
    Wide(Vec<wide::Wide>),
}

/// The same code for each layout.
macro_rules! with_nodes {
    ($tree:expr, $nodes:ident => $body:expr) => {
        match &$tree.nodes {
            Nodes::Binary($nodes) => $body,
            Nodes::Wide($nodes) => $body,
        }
    };
}

impl Tree {
    /// Builds over boxes; over none, a tree without a node.
    ///
    /// # Errors
    /// [`TreeError::Large`].
    pub fn build(bounds: &[Bounds], layout: Layout, quality: Quality) -> Result<Self, TreeError> {
        let boxes: Vec<Aabb> = bounds.par_iter().map(build::outward).collect();
        let bounds = boxes.iter().fold(Aabb::INVALID, |all, own| all.union(own));
        match layout {
            Layout::Binary => {
                let (nodes, order) = match &boxes[..] {
                    [] => Default::default(),
                    _ => binary::lay_out(&build::of_small_leaves(&boxes, quality)),
                };
                Ok(Self { nodes: Nodes::Binary(nodes), order, bounds })
            }
            Layout::Wide => {
                let (nodes, order) = match &boxes[..] {
                    [] => Default::default(),
                    _ => wide::lay_out(&build::of_single_leaves(&boxes, quality), &boxes)
                        .ok_or(TreeError::Large(boxes.len()))?,
                };
                Ok(Self { nodes: Nodes::Wide(nodes), order, bounds })
            }
        }
    }

    /// How its nodes lie.
    pub fn layout(&self) -> Layout {
        match self.nodes {
            Nodes::Binary(_) => Layout::Binary,
            Nodes::Wide(_) => Layout::Wide,
        }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        with_nodes!(self, nodes => nodes.len())
    }

    /// The nodes as a GPU reads them.
    pub fn node_bytes(&self) -> &[u8] {
        with_nodes!(self, nodes => bytemuck::cast_slice(nodes))
    }

    /// Sorts the things within each leaf; a leaf of the wide layout holds but one.
    pub(crate) fn sort_leaves<K: Ord>(&mut self, key: impl Fn(u32) -> K) {
        let Nodes::Binary(nodes) = &self.nodes else { return };
        for child in nodes.iter().flat_map(Node::children) {
            if let Link::Leaf(leaf) = child.link {
                self.order[leaf].sort_by_key(|&thing| key(thing));
            }
        }
    }

    /// Checks that every thing is in one leaf and inside every box above it, and returns how many
    /// levels of nodes there are.
    pub(crate) fn validate(&self, bounds: &[Bounds]) -> Result<usize, TreeError> {
        with_nodes!(self, nodes => validate(nodes, &self.order, bounds))
    }

    /// Visits the place in [`Self::order`] of everything whose box, grown by `pad`, a valid ray meets at or
    /// before the t that the last visit returned, at first `t_max`. `stack` is room to work in.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        lanes: impl Lanes,
        ray: &Ray,
        t_max: f64,
        pad: f64,
        stack: &mut Stack,
        visit: impl FnMut(u32) -> f64,
    ) {
        let path = Path::new(ray, &self.bounds, pad);
        match &self.nodes {
            Nodes::Binary(nodes) => {
                walk::walk(lanes, nodes, &path, t_max, &mut stack.binary, visit)
            }
            Nodes::Wide(nodes) => walk::walk(lanes, nodes, &path, t_max, &mut stack.wide, visit),
        }
    }
}

fn validate<N: Node>(nodes: &[N], order: &[u32], bounds: &[Bounds]) -> Result<usize, TreeError> {
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
            let Some(things) = order.get(leaf) else {
                return Err(TreeError::Link { node: number, link: first });
            };
            for &thing in things {
                if thing as usize >= bounds.len() {
                    return Err(TreeError::Link { node: number, link: first });
                }
                leaves[thing as usize] += 1;
                if !binding.contains(&bounds[thing as usize]) {
                    return Err(TreeError::Outside { geometry: thing, node: number });
                }
            }
        }
    }
    // A thing alone stands in both halves of a binary tree's only node.
    let is_expected = |count: usize| count == 1 || (bounds.len() == 1 && count == 2);
    if let Some(thing) = leaves.iter().position(|&count| !is_expected(count)) {
        return Err(TreeError::Leaves { geometry: thing as u32, leaves: leaves[thing] });
    }
    if deepest > MAX_DEPTH {
        return Err(TreeError::Deep(deepest));
    }
    Ok(deepest)
}

#[cfg(test)]
mod tests;
