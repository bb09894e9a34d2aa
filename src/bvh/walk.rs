//! The traversal of a tree by single rays, several of them interleaved: near children first, in
//! float32, with margins that lose no box that a ray meets.

use super::box_tester::BoxTester;
use super::node::{ChildHits, MAX_DEPTH, take_lowest};
use super::nodes::Nodes;
use super::traversal_ray::TraversalRay;
use super::wide_node::{LOWER_BITS, first_child_of};
use std::hint::select_unpredictable;
use std::mem::replace;

/// A ray whose largest t of interest is below this can hit no box: it is done.
const NOWHERE: f32 = -1e38;

/// The room for entries on a stack, as many as a `u8` counts: one for each level of nodes, and one
/// below them.
const STACK_SIZE: usize = 256;
const _: () = assert!(MAX_DEPTH + 2 <= STACK_SIZE);

/// How far the traversal of one ray is.
pub(crate) struct TraversalState {
    /// The node that is tested next.
    node: u32,
    /// The node that was tested last, and its leaves that are still to be visited.
    tested: u32,
    leaves: u32,
    /// The number of entries on the stack; 0 if no node is left to be tested. The lowest is a
    /// sentinel: it names a node that is never tested, so that no branch asks whether the stack is
    /// empty.
    count: u8,
    /// Entries as [`ChildHits::inner`] has them: the inner children of one node that are still to
    /// be visited. The t at which the ray enters each is not kept: visiting a child that lies
    /// behind a hit found since costs one box test, which is less than keeping the t costs all
    /// others. An entry is one number because a processor that reads at once what was just written
    /// in two parts waits until both are in memory.
    stack: [u32; STACK_SIZE],
}

impl Default for TraversalState {
    fn default() -> Self {
        Self { node: 0, tested: 0, leaves: 0, count: 0, stack: [0; STACK_SIZE] }
    }
}

impl TraversalState {
    #[inline(always)]
    fn begin(&mut self, root: u32) {
        self.stack[0] = 1;
        (self.node, self.leaves, self.count) = (root, 0, 1);
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.count == 0
    }

    /// Visits the items in the leaves of the node that was tested last.
    #[inline(always)]
    fn visit_leaves(
        &mut self,
        nodes: Nodes<'_>,
        ray: &TraversalRay,
        reach: &mut f32,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        while self.leaves != 0 {
            let slot = take_lowest(&mut self.leaves) as usize;
            if let Some(leaf_index) = nodes.leaf(self.tested, slot) {
                *reach = ray.reach(visit(leaf_index));
            }
        }
    }

    /// Tests a node's children, and chooses the next node. No branch depends on what is met: no
    /// processor predicts it, and that it was wrong would be known only after the whole test.
    #[inline(always)]
    fn test(&mut self, boxes: impl BoxTester, nodes: Nodes<'_>, ray: &TraversalRay, reach: f32) {
        let index = self.node;
        let ChildHits { leaves, inner } = nodes.intersect_children(index, boxes, [ray; 2], reach);
        (self.tested, self.leaves) = (index, leaves);
        // The top of the stack is read before the test is over.
        let below = self.count.wrapping_sub(1);
        let top = self.stack[usize::from(below)];
        let is_inner = inner & LOWER_BITS != 0;
        let children = select_unpredictable(is_inner, inner, top);
        let place = below.wrapping_add(is_inner.into());
        let others = children & (children - 1);
        self.stack[usize::from(place)] = others;
        self.count = place.wrapping_add((others & LOWER_BITS != 0).into());
        self.node = first_child_of(children) + (children.trailing_zeros() ^ ray.octant);
        nodes.prefetch(self.node);
    }
}

/// Visits every item whose box one ray meets at or before the t that the last visit returned.
#[inline(always)]
pub(super) fn walk_one(
    boxes: impl BoxTester,
    nodes: Nodes<'_>,
    state: &mut TraversalState,
    start: Start,
    ends_early: bool,
    mut visit: impl FnMut(u32) -> f64,
) {
    let mut reach = start.reach;
    state.begin(start.node);
    while !(state.is_over() || ends_early && reach < NOWHERE) {
        state.test(boxes, nodes, &start.ray, reach);
        state.visit_leaves(nodes, &start.ray, &mut reach, &mut visit);
    }
}

/// How many rays are traversed in turn. Each step waits for the step before it and for memory; the
/// steps of other rays fill that time. In a large tree memory takes as long as the steps of 32 rays;
/// a small one needs no more than 8, and is not slower with more.
pub(crate) const INTERLEAVED_RAYS: usize = 32;

/// A ray that is ready to be traversed.
#[derive(Default)]
pub(crate) struct Start {
    pub ray: TraversalRay,
    /// The largest t of interest.
    pub reach: f32,
    /// The node from which it is traversed.
    pub node: u32,
}

/// A source of rays to traverse, and the receiver of what they visit. Several rays are under way,
/// each in a lane.
pub(crate) trait RayFeeder {
    /// True if a visit may return −∞ for a ray that is done.
    const ENDS_EARLY: bool;
    /// Puts the next ray into a free lane, at first and whenever the lane's last ray is done;
    /// returns false if none is left.
    fn next(&mut self, lane: usize, start: &mut Start) -> bool;
    /// Returns those leaves of a node that the ray in a lane may hit. They are given by their numbers
    /// among the node's children, the first of which has this slot.
    fn sift(&self, _lane: usize, _first: u32, leaves: u32) -> u32 {
        leaves
    }
    /// Intersects the item at a leaf index, whose box the ray in a lane meets, and returns the
    /// largest t that is still of interest to that ray.
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64;
    /// Prefetches what a visit of the item at a leaf index will read.
    fn prefetch(&self, _leaf_index: u32) {}
}

/// A ray under way.
#[derive(Default)]
struct Lane {
    start: Start,
    state: TraversalState,
    /// True if no rays are left for it.
    is_idle: bool,
}

/// Visits every item whose box a feeder's rays meet at or before the t that their last visit
/// returned.
#[inline(always)]
pub(super) fn walk<F: RayFeeder>(boxes: impl BoxTester, nodes: Nodes<'_>, feeder: &mut F) {
    let mut lanes: [Lane; INTERLEAVED_RAYS] = Default::default();
    let are_many = nodes.are_many();
    // The node that the lane before has tested, and its leaves.
    let mut before = (0, 0);
    let mut busy = INTERLEAVED_RAYS;
    while busy > 0 {
        for (number, lane) in lanes.iter_mut().enumerate() {
            let Lane { start, state, is_idle } = lane;
            // The test of this lane's last turn is over by now, so a branch that depends on it
            // costs little where it is predicted wrongly.
            if state.leaves != 0 {
                state.leaves = feeder.sift(number, nodes.first_child(state.tested), state.leaves);
            }
            let visit = |leaf_index| feeder.visit(number, leaf_index);
            state.visit_leaves(nodes, &start.ray, &mut start.reach, visit);
            if state.is_over() || F::ENDS_EARLY && start.reach < NOWHERE {
                if *is_idle {
                    continue;
                }
                if feeder.next(number, start) {
                    state.begin(start.node);
                } else {
                    (*is_idle, state.count) = (true, 0);
                    busy -= 1;
                }
                // A test would wait until the numbers of the ray that were just written are in
                // memory.
                continue;
            }
            state.test(boxes, nodes, &start.ray, start.reach);
            if are_many {
                // The test of the lane before this one is over by now, so its leaves are known.
                let (tested, leaves) = replace(&mut before, (state.tested, state.leaves));
                nodes.each_leaf(tested, leaves, |leaf| feeder.prefetch(leaf));
            }
        }
    }
}
