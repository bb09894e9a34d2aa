//! The traversal of a tree by single rays, several of them interleaved: near children first, in
//! float32, with margins that lose no box that a ray meets.

use super::box_tester::BoxTester;
use super::node::{ChildHits, MAX_DEPTH, Node, take_lowest};
use super::traversal_ray::TraversalRay;

/// A ray whose largest t of interest is below this can hit no box: it is done.
const NOWHERE: f32 = -1e38;

/// The inner children of one node that are still to be visited. The t at which the ray enters each
/// is not kept: visiting a child that lies behind a hit found since costs one box test, which is
/// less than keeping the t costs all others.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    /// See [`Node::family`].
    family: u32,
    /// The children as in [`ChildHits::inner`], and above them the `turn`. Both are in one number
    /// because a processor that reads at once what was just written in two parts waits until both
    /// are in memory.
    inner: u32,
}

const TURN_SHIFT: u32 = 8;

/// The most entries on a stack: one for each level of nodes.
const STACK_SIZE: usize = MAX_DEPTH + 1;

/// How far the traversal of one ray is.
pub(crate) struct TraversalState {
    node: u32,
    /// How many entries the stack has.
    count: usize,
    stack: [Waiting; STACK_SIZE],
}

impl Default for TraversalState {
    fn default() -> Self {
        Self { node: 0, count: 0, stack: [Waiting::default(); STACK_SIZE] }
    }
}

impl TraversalState {
    /// Tests a node's children, visits the items in its leaves and goes on to the next node;
    /// returns false if there is none.
    #[inline(always)]
    fn step<N: Node>(
        &mut self,
        boxes: impl BoxTester,
        nodes: &[N],
        ray: &TraversalRay,
        reach: &mut f32,
        ends_early: bool,
        mut visit: impl FnMut(u32) -> f64,
    ) -> bool {
        let index = self.node;
        let node = &nodes[index as usize];
        let ChildHits { mut leaves, inner, turn } = node.intersect_children(boxes, ray, *reach);
        while leaves != 0 {
            let slot = take_lowest(&mut leaves) as usize;
            let first = node.child(slot);
            for leaf_index in first..first + node.items(slot) {
                *reach = ray.reach(visit(leaf_index));
            }
        }
        if ends_early && *reach < NOWHERE {
            return false;
        }
        // The children are pushed and the next one is popped without asking whether there are any:
        // no processor predicts that branch, and each misprediction costs as much as a node.
        let pushed = Waiting { family: node.family(index), inner: inner | turn << TURN_SHIFT };
        self.stack[self.count] = pushed;
        self.count += usize::from(inner != 0);
        if self.count == 0 {
            return false;
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

/// Visits every item whose box one ray meets at or before the t that the last visit returned.
#[inline(always)]
pub(super) fn walk_one<N: Node>(
    boxes: impl BoxTester,
    nodes: &[N],
    state: &mut TraversalState,
    start: Start,
    ends_early: bool,
    mut visit: impl FnMut(u32) -> f64,
) {
    let mut reach = start.reach;
    state.node = start.node;
    state.count = 0;
    while state.step(boxes, nodes, &start.ray, &mut reach, ends_early, &mut visit) {}
}

/// How many rays are traversed in turn. Each step waits for the step before it and for memory; the
/// steps of other rays fill that time.
pub(crate) const INTERLEAVED_RAYS: usize = 4;

/// A ray and the node from which it is traversed.
pub(crate) struct Start {
    pub ray: TraversalRay,
    /// The largest t of interest.
    pub reach: f32,
    pub node: u32,
}

/// A source of rays to traverse, and the receiver of what they visit. Several rays are under way,
/// each in a lane.
pub(crate) trait RayFeeder {
    /// True if a visit may return −∞ for a ray that is done.
    const ENDS_EARLY: bool;
    /// Returns the next ray for a free lane, at first and whenever the lane's last ray is done.
    fn next(&mut self, lane: usize) -> Option<Start>;
    /// Intersects the item at a leaf index, whose box the ray in a lane meets, and returns the
    /// largest t that is still of interest to that ray.
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64;
}

/// Visits every item whose box a feeder's rays meet at or before the t that their last visit
/// returned. `states` is memory to work in.
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
                states[lane].count = 0;
            }
            is_any = true;
            let (state, ray, reach) = (&mut states[lane], &rays[lane], &mut reach[lane]);
            let visit = |leaf_index| feeder.visit(lane, leaf_index);
            is_busy[lane] = state.step(boxes, nodes, ray, reach, F::ENDS_EARLY, visit);
        }
    }
}
