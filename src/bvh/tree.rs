//! A tree over boxes, and its traversals. It identifies boxes by their index, and does not know
//! their contents.

use super::box_tester::BoxTester;
use super::build::{self, Quality};
use super::collapse::Collapse;
use super::nearest::{self, NearestStack};
use super::node::Link;
use super::nodes::Nodes;
use super::overlap;
use super::packet::{self, PacketStack, PacketVisitor};
use super::planes::CHILDREN;
use super::ray_lanes::{OfRays, RayLanes};
use super::ray_packet::RayPacket;
use super::refit::Refitter;
use super::traversal_ray::TraversalRay;
use super::uncompressed_node::UncompressedNode;
use super::validate::{TreeError, validate};
use super::walk::{self, RayFeeder, Start, TraversalState};
use super::wide::{MAX_SLOTS, ROOT};
use super::wide_layout;
use super::wide_node::WideNode;
use crate::lanes::Lanes;
use crate::math::Bounds;
use crate::parallel::mapped;
use crate::ray::{Line, NONE, Ray};
use obvhs::aabb::Aabb;
use std::sync::OnceLock;

/// The number of boxes that one thread rounds.
const CHUNK: usize = 1 << 12;

/// A tree over boxes, which are its *items*. Nodes and items share a row of slots; that of an item
/// is its *leaf index*.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The node in each slot, zero in a slot without one.
    nodes: Vec<WideNode>,
    /// The item in each slot, [`NONE`] in a slot without one.
    items: Vec<u32>,
    /// The longest side of the box around all items.
    size: f32,
    depth: usize,
    /// How many roots there are, side by side: several in a forest.
    roots: u32,
    /// Made when the first box moves.
    refitter: Option<Refitter>,
    /// The nodes of a small tree uncompressed, made when the first ray traverses it.
    uncompressed: OnceLock<Vec<UncompressedNode>>,
}

/// A tree of at most this many slots is small: a core's own cache holds its uncompressed nodes.
const SMALL: usize = 1 << 14;

impl Tree {
    pub(crate) fn over_nothing() -> Self {
        Self::of_slots(Vec::new(), Vec::new(), 1, 0.0, 0)
    }

    /// Builds a tree over boxes and checks it: every box is in one leaf and inside every box above
    /// it. A tree over no boxes has no nodes.
    ///
    /// # Errors
    /// [`TreeError::Large`] if the boxes need more slots than a tree can number. All other errors
    /// are defects of the builder.
    pub fn build(bounds: &[Bounds], quality: Quality) -> Result<Self, TreeError> {
        let boxes = mapped(bounds.len(), CHUNK, |index| build::outward(&bounds[index]));
        let all = boxes.iter().fold(Aabb::INVALID, |all, aabb| all.union(aabb));
        let size = (all.max - all.min).max_element();
        let (nodes, items) = match &boxes[..] {
            [] => return Ok(Self::over_nothing()),
            // This is known without building.
            all if all.len() >= MAX_SLOTS => return Err(TreeError::Large(all.len())),
            _ => {
                let collapse = Collapse::new(build::single_leaves(&boxes, quality));
                wide_layout::lay_out(&collapse, MAX_SLOTS).ok_or(TreeError::Large(boxes.len()))?
            }
        };
        let mut tree = Self::of_slots(nodes, items, 1, size, 0);
        tree.depth = tree.validated_depth(bounds)?;
        Ok(tree)
    }

    /// Returns a tree of nodes which were checked, or a forest of several roots.
    pub(super) fn of_slots(
        nodes: Vec<WideNode>,
        items: Vec<u32>,
        roots: u32,
        size: f32,
        depth: usize,
    ) -> Self {
        Self { nodes, items, size, depth, roots, refitter: None, uncompressed: OnceLock::new() }
    }

    /// Moves the boxes of some items, given by their indices. Recomputes the boxes above them, and
    /// returns the indices of the nodes that changed. `bounds` are all boxes before the change.
    /// Only the first refit reads them.
    pub fn refit(&mut self, bounds: &[Bounds], changed: &[(u32, Bounds)]) -> Vec<u32> {
        let Self { nodes, items, roots, refitter, size, uncompressed, .. } = self;
        let new = || Refitter::new(nodes, items, *roots, bounds);
        let refitter = refitter.get_or_insert_with(new);
        let dirty = refitter.refit(nodes, items, changed);
        *size = refitter.size();
        if let Some(uncompressed) = uncompressed.get_mut() {
            for &index in &dirty {
                let index = index as usize;
                uncompressed[index] = UncompressedNode::new(&nodes[index]);
            }
        }
        dirty
    }

    /// Returns true if boxes have moved since the tree was built.
    pub(crate) fn was_refitted(&self) -> bool {
        self.refitter.is_some()
    }

    /// Returns the surface-area cost (the expected number of nodes that a random ray visits) as a
    /// multiple of what it was when the tree was built; 1 if no box has moved since.
    pub fn degradation(&self) -> f64 {
        let Some(refitter) = &self.refitter else { return 1.0 };
        refitter.degradation()
    }

    /// Checks the tree against the boxes that it was built over, and returns how many levels of
    /// nodes it has.
    fn validated_depth(&self, bounds: &[Bounds]) -> Result<usize, TreeError> {
        validate(&self.nodes, &self.items, bounds)
    }

    /// Returns how many levels of nodes there are.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns how many nodes there are.
    pub fn node_count(&self) -> usize {
        let slots = self.nodes.iter().zip(&self.items);
        slots.filter(|(node, item)| **item == NONE && node.is_node()).count()
    }

    /// Returns how many bytes the nodes need, including the slots of items.
    pub fn node_bytes(&self) -> usize {
        size_of_val(&self.nodes[..])
    }

    /// Returns the longest side of the box around all items.
    pub(crate) fn size(&self) -> f32 {
        self.size
    }

    /// Returns the item at each leaf index, [`NONE`] where there is none.
    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Returns the node at which the traversal of a world begins; `None` for a tree without items.
    pub(crate) fn root(&self, world: u32) -> Option<u32> {
        (!self.items.is_empty()).then_some(ROOT + world)
    }

    pub(crate) fn links(&self, node: u32) -> Vec<Link> {
        (0..CHILDREN).filter_map(|slot| self.nodes[node as usize].link(slot)).collect()
    }

    /// Returns the row of slots, zero where an item stands.
    pub(crate) fn slots(&self) -> &[WideNode] {
        &self.nodes
    }

    /// Returns the nodes as rays read them.
    #[inline(always)]
    fn nodes(&self) -> Nodes<'_> {
        let uncompressed = match self.nodes.len() <= SMALL {
            true => &**self.uncompressed.get_or_init(|| self.uncompress()),
            false => &[],
        };
        Nodes::new(&self.nodes, uncompressed)
    }

    #[cold]
    fn uncompress(&self) -> Vec<UncompressedNode> {
        let uncompressed = |(node, item): (&WideNode, &u32)| match *item == NONE && node.is_node() {
            true => UncompressedNode::new(node),
            false => UncompressedNode::EMPTY,
        };
        self.nodes.iter().zip(&self.items).map(uncompressed).collect()
    }

    /// Prepares a valid ray to be traversed up to `t_max` from the root of a world; `None` for a
    /// tree without items.
    #[inline(always)]
    pub(crate) fn start(&self, ray: &Ray, t_max: f64, world: u32) -> Option<Start> {
        self.start_at_root(TraversalRay::new(ray, 0.0), t_max, world)
    }

    /// Prepares a line to be traversed, as [`Self::start`] does a ray, with every box grown by
    /// `pad`.
    #[inline(always)]
    pub(crate) fn start_line(
        &self,
        line: &Line,
        [t_min, t_max]: [f64; 2],
        pad: f64,
        world: u32,
    ) -> Option<Start> {
        self.start_at_root(TraversalRay::of_line(line, t_min, pad), t_max, world)
    }

    #[inline(always)]
    fn start_at_root(&self, ray: TraversalRay, t_max: f64, world: u32) -> Option<Start> {
        let node = self.root(world)?;
        let reach = ray.reach(t_max);
        Some(Start { ray, reach, node })
    }

    /// Traverses one ray, and visits the leaf index of every item whose box it meets at or before
    /// the t that the last visit returned.
    #[inline(always)]
    pub(crate) fn traverse_one(
        &self,
        boxes: impl BoxTester,
        state: &mut TraversalState,
        start: Start,
        ends_early: bool,
        visit: impl FnMut(u32) -> f64,
    ) {
        walk::walk_one(boxes, self.nodes(), state, start, ends_early, visit);
    }

    /// Traverses a feeder's rays; the feeder visits the leaf index of every item whose box a ray
    /// meets.
    #[inline(always)]
    pub(crate) fn traverse(&self, boxes: impl BoxTester, feeder: &mut impl RayFeeder) {
        walk::walk(boxes, self.nodes(), feeder);
    }

    /// Visits the leaf index of every item that may be as near to a point as the nearest one so
    /// far. That distance, squared, is what the last visit returned, at first `within`.
    #[inline(always)]
    pub(crate) fn traverse_by_distance(
        &self,
        point: [f32; 3],
        within: f64,
        stack: &mut NearestStack,
        visit: impl FnMut(u32) -> f64,
    ) {
        if !self.items.is_empty() {
            nearest::walk(&self.nodes, point, within, stack, visit);
        }
    }

    /// Visits every item whose box meets these bounds.
    pub(crate) fn visit_overlapping(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        if !self.items.is_empty() {
            overlap::walk(&self.nodes, bounds, |leaf_index| visit(self.items[leaf_index as usize]));
        }
    }

    /// Returns true if these are valid rays for which a traversal as a packet is faster.
    #[inline(always)]
    pub(crate) fn suits(&self, lanes: impl Lanes, rays: &RayLanes) -> bool {
        !self.items.is_empty() && rays.are_alike(lanes, self.size)
    }

    /// Traverses a packet of rays of one world that this tree [`suits`](Self::suits). The visitor
    /// gets every item that any of the rays may meet at or before its `reach`.
    #[inline(always)]
    pub(crate) fn traverse_packet(
        &self,
        boxes: impl BoxTester,
        packet: &RayPacket,
        world: u32,
        reach: &mut OfRays,
        stack: &mut PacketStack,
        visitor: &mut impl PacketVisitor,
    ) {
        if let Some(root) = self.root(world) {
            packet::walk(boxes, self.nodes(), root, packet, reach, stack, visitor);
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
