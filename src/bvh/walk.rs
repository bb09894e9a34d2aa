//! The traversal of a tree by single rays, several of them interleaved: near children first, in float32, with margins
//! that lose no box that a ray meets.

use super::box_tester::BoxTester;
use super::node::{ChildHits, MAX_DEPTH, Node, take_lowest};
use super::traversal_ray::TraversalRay;
use crate::ray::NONE;

/// A ray whose largest t of interest is below this can hit no box: it is done.
const NOWHERE: f32 = -1e38;

/// The inner children of one node that are still to be visited. The t at which the ray enters each is not kept:
/// visiting a child that lies behind a hit found since costs one box test, which is less than keeping the t costs all
/// others.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    /// See [`Node::family`].
    family: u32,
    /// The children as in [`ChildHits::inner`], and above them the `turn`. Both are in one number because a processor
    /// that reads at once what was just written in two parts waits until both are in memory.
    inner: u32,
}

const TURN_SHIFT: u32 = 8;

/// The most entries on a stack: one for each level of nodes.
const STACK_SIZE: usize = MAX_DEPTH + 1;

/// How far the traversal of one ray is.
pub(crate) struct TraversalState {
    /// The next node, or [`NONE`] after the last one.
    node: u32,
    /// The last node, and a bit for each of its leaves whose items are still to be visited. They are visited in the next
    /// turn, so that they are fetched from memory while other rays have theirs.
    last: u32,
    leaves: u32,
    /// How many entries the stack has.
    count: usize,
    stack: [Waiting; STACK_SIZE],
}

impl Default for TraversalState {
    fn default() -> Self {
        Self { node: 0, last: 0, leaves: 0, count: 0, stack: [Waiting::default(); STACK_SIZE] }
    }
}

impl TraversalState {
    /// Visits the items that the last node's leaves hold.
    #[inline(always)]
    fn visit_leaves<N: Node>(&mut self, nodes: &[N], mut visit: impl FnMut(u32)) {
        let node = &nodes[self.last as usize];
        while self.leaves != 0 {
            let slot = take_lowest(&mut self.leaves) as usize;
            let first = node.child(slot);
            for leaf_index in first..first + node.items(slot) {
                visit(leaf_index);
            }
        }
    }

    /// Tests the next node's children, and goes on to the node after it; returns false if there is nothing left to do.
    #[inline(always)]
    fn step<N: Node>(
        &mut self,
        boxes: impl BoxTester,
        nodes: &[N],
        ray: &TraversalRay,
        reach: f32,
        expect: impl Fn(u32),
    ) -> bool {
        let index = self.node;
        let node = &nodes[index as usize];
        let ChildHits { leaves, inner, turn } = node.intersect_children(boxes, ray, reach);
        self.last = index;
        self.leaves = leaves;
        // More than two are rare, and a loop would be one more branch that no processor predicts.
        if leaves != 0 {
            expect(node.child(leaves.trailing_zeros() as usize));
            expect(node.child(31 - leaves.leading_zeros() as usize));
        }
        // The children are pushed and the next one is popped without asking whether there are any: no processor
        // predicts that branch, and each misprediction costs as much as a node.
        let pushed = Waiting { family: node.family(index), inner: inner | turn << TURN_SHIFT };
        self.stack[self.count] = pushed;
        self.count += usize::from(inner != 0);
        if self.count == 0 {
            self.node = NONE;
            return leaves != 0;
        }
        let Waiting { family, inner } = self.stack[self.count - 1];
        let slot = (inner.trailing_zeros() ^ inner >> TURN_SHIFT) as usize;
        let others = inner & (inner - 1);
        self.stack[self.count - 1].inner = others;
        self.count -= usize::from(others & 0xff == 0);
        self.node = N::child_of(nodes, family, slot);
        boxes.prefetch(&nodes[self.node as usize]);
        true
    }
}

/// How many rays are traversed in turn. Each step waits for the step before it and for memory; the steps of other rays
/// fill that time.
pub(crate) const INTERLEAVED_RAYS: usize = 4;

/// A ray and the node from which it is traversed.
pub(crate) struct Start {
    pub ray: TraversalRay,
    /// The largest t of interest.
    pub reach: f32,
    pub node: u32,
}

/// A source of rays to traverse, and the receiver of what they visit. Several rays are under way, each in a lane.
pub(crate) trait RayFeeder {
    /// True if a visit may return −∞ for a ray that is done.
    const ENDS_EARLY: bool;
    /// Returns the next ray for a free lane, at first and whenever the lane's last ray is done.
    fn next(&mut self, lane: usize) -> Option<Start>;
    /// Is told that the item at a leaf index, if there is one, will be visited in the lane's next turn.
    #[inline(always)]
    fn expect(&self, _: impl BoxTester, _leaf_index: u32) {}
    /// Intersects the item at a leaf index, whose box the ray in a lane meets, and returns the largest t that is still
    /// of interest to that ray.
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64;
}

/// Visits every item whose box a feeder's rays meet at or before the t that their last visit returned. `states` is
/// memory to work in.
#[inline(always)]
pub(super) fn walk<N: Node, F: RayFeeder>(
    boxes: impl BoxTester,
    nodes: &[N],
    states: &mut [TraversalState; INTERLEAVED_RAYS],
    feeder: &mut F,
) {
    let mut rays = [TraversalRay::default(); INTERLEAVED_RAYS];
    let mut reach = [0.0; INTERLEAVED_RAYS];
    let mut is_busy = [false; INTERLEAVED_RAYS];
    let mut is_any = true;
    while is_any {
        is_any = false;
        for lane in 0..INTERLEAVED_RAYS {
            if !is_busy[lane] {
                let Some(start) = feeder.next(lane) else { continue };
                rays[lane] = start.ray;
                reach[lane] = start.reach;
                states[lane].node = start.node;
                states[lane].leaves = 0;
                states[lane].count = 0;
            }
            is_any = true;
            let (state, ray, reach) = (&mut states[lane], &rays[lane], &mut reach[lane]);
            state.visit_leaves(nodes, |leaf_index| {
                *reach = ray.reach(feeder.visit(lane, leaf_index));
            });
            let is_done = state.node == NONE || F::ENDS_EARLY && *reach < NOWHERE;
            let expect = |leaf_index| feeder.expect(boxes, leaf_index);
            is_busy[lane] = !is_done && state.step(boxes, nodes, ray, *reach, expect);
        }
    }
}
