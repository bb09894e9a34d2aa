//! The tree over the shapes' boxes that both tracers walk, in one of two layouts.
//!
//! The library `obvhs` builds; `validate` believes nothing and measures the depth, from which the GPU's stack
//! is sized. Boxes are taken in float64, rounded outwards and grown by 8 u of their own largest
//! coordinate, so that a walk in float32 with its margin loses no hit.

mod binary;
mod box_tester;
mod build;
mod cluster;
mod nearest;
mod packet;
mod reinsert;
mod validate;
mod walk;
mod wide;

#[cfg(test)]
pub(crate) use binary::{Half, Pair};
pub(crate) use box_tester::{BoxTester, Portable};
pub(crate) use packet::PACKET;
pub use validate::TreeError;
pub(crate) use walk::{INTERLEAVED_RAYS, RayFeeder, Start};
#[cfg(test)]
pub(crate) use wide::ROOT;

use crate::math::Bounds;
use crate::ray::{NONE, Ray};
use bytemuck::{Pod, Zeroable};
use obvhs::aabb::Aabb;
use rayon::prelude::*;
use std::ops::Range;
use walk::TraversalRay;

/// How nodes lie in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Two children a node, in 64 bytes beside the shapes. The most memory, the least arithmetic.
    Binary,
    /// Up to eight children a node, in 64 bytes among the shapes.
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
    /// To places in the order of items.
    Leaf(Range<usize>),
}

/// A child of a node.
#[derive(Clone, Debug)]
struct Child {
    bounds: Bounds,
    link: Link,
}

/// What a GPU reads where a item stands: the tree keeps it, and does not read it.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Record([u32; 16]);

/// What the two layouts have in common.
trait Node: Pod + Sync {
    /// All that there are, with the boxes that a walk tests.
    fn children(&self) -> impl Iterator<Item = Child>;
    /// Where a walk begins.
    const ROOT: u32;
    /// Those that a ray meets between its beginning and `t_max`.
    fn intersect_children(
        &self,
        boxes: impl BoxTester,
        ray: &TraversalRay,
        t_max: f32,
    ) -> walk::ChildHits;
    /// By what the children of this node are found, of which the number is given.
    fn family(&self, number: u32) -> u32;
    /// The node in a slot of a family.
    fn child_of(nodes: &[Self], family: u32, slot: usize) -> u32;
    /// Of a child its node, or of a leaf its first place in the order of items.
    fn child(&self, slot: usize) -> u32;
    /// How far a point is from each child's box at least, squared; as far as can be from what is none.
    fn distances_squared(&self, point: [f32; 3]) -> [f32; wide::CHILDREN];
    /// Whether a child holds items.
    fn is_leaf(&self, slot: usize) -> bool;
    /// How many items a leaf has.
    fn items(&self, slot: usize) -> u32;
}

/// The deepest tree that is walked: a stack of more entries would not fit a GPU thread.
pub const MAX_DEPTH: usize = 128;

/// A tree of boxes over numbered items.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Nodes,
    /// The item at each place of leaves, [`NONE`] at a place that has none.
    pub(crate) order: Vec<u32>,
    /// Of a binary tree, what stands at each place; in a wide one it stands among the nodes.
    slots: Vec<Record>,
    /// The longest side of the box around all nodes.
    pub(crate) size: f32,
}

/// Room for a walk.
#[derive(Default)]
pub(crate) struct Stack {
    places: [walk::TraversalState; INTERLEAVED_RAYS],
    packet: Vec<packet::WaitingNode>,
    alone: Vec<(u32, usize)>,
    far: Vec<nearest::Far>,
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
        let all = boxes.iter().fold(Aabb::INVALID, |all, own| all.union(own));
        let size = (all.max - all.min).max_element();
        let (nodes, order) = match layout {
            Layout::Binary => {
                let (nodes, order) = match &boxes[..] {
                    [] => Default::default(),
                    _ => binary::lay_out(&build::of_small_leaves(&boxes, quality)),
                };
                (Nodes::Binary(nodes), order)
            }
            Layout::Wide => {
                let (nodes, order) = match &boxes[..] {
                    [] => Default::default(),
                    // Without the time that it takes to build one.
                    all if all.len() >= wide::MAX_SLOTS => return Err(TreeError::Large(all.len())),
                    _ => wide::lay_out(&build::of_single_leaves(&boxes, quality), &boxes)
                        .ok_or(TreeError::Large(boxes.len()))?,
                };
                (Nodes::Wide(nodes), order)
            }
        };
        Ok(Self { nodes, order, slots: Vec::new(), size })
    }

    /// How its nodes lie.
    pub fn layout(&self) -> Layout {
        match self.nodes {
            Nodes::Binary(_) => Layout::Binary,
            Nodes::Wide(_) => Layout::Wide,
        }
    }

    /// Puts into each item's slot what stands for it, and `beyond` after the last.
    pub(crate) fn fill(&mut self, slot_of: impl Fn(u32) -> Record + Sync, beyond: &[Record]) {
        match &mut self.nodes {
            Nodes::Binary(_) => {
                self.slots.reserve_exact(self.order.len() + beyond.len());
                self.slots.par_extend(self.order.par_iter().map(|&item| slot_of(item)));
                self.slots.extend(beyond);
            }
            Nodes::Wide(row) => {
                row.par_iter_mut().zip(&self.order).for_each(|(slot, &item)| {
                    if item != NONE {
                        *slot = bytemuck::cast(slot_of(item));
                    }
                });
                row.reserve_exact(beyond.len());
                row.extend(bytemuck::cast_slice::<Record, wide::Wide>(beyond));
            }
        }
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        match &self.nodes {
            Nodes::Binary(nodes) => nodes.len(),
            Nodes::Wide(row) => {
                let places = row.iter().zip(&self.order);
                places.filter(|(slot, item)| **item == NONE && slot.is_node()).count()
            }
        }
    }

    /// How many bytes the nodes take, those of a wide tree with the items between them.
    pub fn node_bytes(&self) -> usize {
        with_nodes!(self, nodes => size_of_val(&nodes[..]))
    }

    /// Sorts the items within each leaf; a wide tree's leaves hold one.
    pub(crate) fn sort_leaves<K: Ord>(&mut self, key: impl Fn(u32) -> K) {
        let Nodes::Binary(nodes) = &self.nodes else { return };
        for child in nodes.iter().flat_map(Node::children) {
            if let Link::Leaf(leaf) = child.link {
                self.order[leaf].sort_by_key(|&item| key(item));
            }
        }
    }

    /// Checks that every item is in one leaf and inside every box above it, and returns how many
    /// levels of nodes there are.
    pub(crate) fn validate(&self, bounds: &[Bounds]) -> Result<usize, TreeError> {
        with_nodes!(self, nodes => validate::validate(nodes, &self.order, bounds))
    }

    /// How a ray, a valid one, is walked from the root, up to `t_max` and with every box grown by `pad`; `None` through
    /// a tree of nothing.
    #[inline(always)]
    pub(crate) fn start(&self, ray: &Ray, t_max: f64, pad: f64) -> Option<Start> {
        let ray = TraversalRay::new(ray, pad);
        let node = match &self.nodes {
            Nodes::Binary(_) => binary::Pair::ROOT,
            Nodes::Wide(_) => wide::Wide::ROOT,
        };
        let reach = ray.reach(t_max);
        (!self.order.is_empty()).then_some(Start { ray, reach, node })
    }

    /// Walks a feeder's rays: it is told the place in [`Self::order`] of everything whose box a ray meets.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        boxes: impl BoxTester,
        stack: &mut Stack,
        feeder: &mut impl RayFeeder,
    ) {
        with_nodes!(self, nodes => walk::walk(boxes, nodes, &mut stack.places, feeder))
    }

    /// Visits the place in [`Self::order`] of everything that may be as near to a point as the best so far, which is as
    /// far away, squared, as the last visit returned, at first `within`.
    #[inline(always)]
    pub(crate) fn walk_from(
        &self,
        point: [f32; 3],
        within: f64,
        stack: &mut Stack,
        visit: impl FnMut(u32) -> f64,
    ) {
        if !self.order.is_empty() {
            with_nodes!(self, nodes => nearest::walk(nodes, point, within, stack, visit));
        }
    }

    /// Whether it pays to walk these rays, valid ones, together.
    #[inline(always)]
    pub(crate) fn suits(&self, rays: &[Ray; PACKET]) -> bool {
        let is_wide = self.layout() == Layout::Wide && !self.order.is_empty();
        is_wide && packet::are_alike(rays, self.size)
    }

    /// As [`Self::walk`] of rays that this [`suits`](Self::suits); `visit` is also told which ray meets a place.
    #[inline(always)]
    pub(crate) fn walk_together(
        &self,
        boxes: impl BoxTester,
        rays: &[Ray; PACKET],
        t_max: &[f64; PACKET],
        stack: &mut Stack,
        visit: impl FnMut(u32, usize) -> f64,
    ) {
        let Nodes::Wide(nodes) = &self.nodes else {
            return;
        };
        let mut traversal_rays = [TraversalRay::default(); PACKET];
        let mut reach = [0.0; PACKET];
        for lane in 0..PACKET {
            traversal_rays[lane] = TraversalRay::new(&rays[lane], 0.0);
            reach[lane] = traversal_rays[lane].reach(t_max[lane]);
        }
        packet::walk(boxes, nodes, &traversal_rays, &mut reach, stack, visit);
    }
}

/// What a GPU reads.
#[cfg(feature = "gpu")]
impl Tree {
    /// The slots at the places of [`Self::order`] and beyond, which in a wide tree hold its nodes too.
    pub(crate) fn records(&self) -> &[Record] {
        match &self.nodes {
            Nodes::Binary(_) => &self.slots,
            Nodes::Wide(row) => bytemuck::cast_slice(row),
        }
    }

    /// The nodes of a binary tree.
    pub(crate) fn pairs(&self) -> &[binary::Pair] {
        match &self.nodes {
            Nodes::Binary(pairs) => pairs,
            Nodes::Wide(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests;
