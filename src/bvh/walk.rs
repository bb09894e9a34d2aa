//! The traversal of a tree by single rays, several of them interleaved: near children first, in
//! float32, with margins that lose no box that a ray meets.

use super::box_tester::BoxTester;
use super::node::{ChildHits, MAX_DEPTH, take_lowest};
use super::traversal_ray::TraversalRay;
use super::wide_node::{LOWER_BITS, WideNode, first_child_of};
use crate::prefetch::prefetch;

/// A ray whose largest t of interest is below this can hit no box: it is done.
const NOWHERE: f32 = -1e38;

/// The most entries on a stack: one for each level of nodes, and one below them.
const STACK_SIZE: usize = MAX_DEPTH + 2;

/// How far the traversal of one ray is.
pub(crate) struct TraversalState {
    /// The node that is tested next.
    node: u32,
    /// The node that was tested last, and its leaves that are still to be visited.
    tested: u32,
    leaves: u32,
    /// True if no node is left to be tested.
    is_over: bool,
    /// The number of entries on the stack. The lowest is a sentinel: it names a node that is never
    /// tested, so that no branch asks whether the stack is empty.
    count: usize,
    /// Entries as [`WideNode::with_inner`] makes them: the inner children of one node that are
    /// still to be visited, in the order of [`ChildHits::inner`]. The t at which the ray enters each
    /// is not kept: visiting a child that lies behind a hit found since costs one box test, which is
    /// less than keeping the t costs all others. An entry is one number because a processor that
    /// reads at once what was just written in two parts waits until both are in memory.
    stack: [u32; STACK_SIZE],
}

impl Default for TraversalState {
    fn default() -> Self {
        Self { node: 0, tested: 0, leaves: 0, is_over: true, count: 0, stack: [0; STACK_SIZE] }
    }
}

impl TraversalState {
    /// Calls `prefetch` with the first leaf index of each leaf that is visited next.
    #[inline(always)]
    fn prefetch_leaves(&self, nodes: &[WideNode], prefetch: impl Fn(u32)) {
        let mut leaves = self.leaves;
        while leaves != 0 {
            let slot = take_lowest(&mut leaves) as usize;
            nodes[self.tested as usize].leaf(slot).into_iter().for_each(&prefetch);
        }
    }

    #[inline(always)]
    fn begin(&mut self, root: u32) {
        self.stack[0] = 1;
        (self.node, self.leaves, self.is_over, self.count) = (root, 0, false, 1);
    }

    /// Visits the items in the leaves of the node that was tested last.
    #[inline(always)]
    fn visit_leaves(
        &mut self,
        nodes: &[WideNode],
        ray: &TraversalRay,
        reach: &mut f32,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        while self.leaves != 0 {
            let slot = take_lowest(&mut self.leaves) as usize;
            if let Some(leaf_index) = nodes[self.tested as usize].leaf(slot) {
                *reach = ray.reach(visit(leaf_index));
            }
        }
    }

    /// Tests a node's children, and chooses the next node. No branch depends on what is met: no
    /// processor predicts it, and that it was wrong would be known only after the whole test.
    #[inline(always)]
    fn test(&mut self, boxes: impl BoxTester, nodes: &[WideNode], ray: &TraversalRay, reach: f32) {
        let index = self.node;
        let node = &nodes[index as usize];
        let ChildHits { leaves, inner } = node.intersect_children(boxes, ray, reach);
        (self.tested, self.leaves) = (index, leaves);
        self.stack[self.count] = node.with_inner(inner);
        self.count += usize::from(inner != 0);
        let top = self.count - 1;
        self.is_over = top == 0;
        let children = self.stack[top];
        let others = children & (children - 1);
        self.stack[top] = others;
        self.count = top + usize::from(others & LOWER_BITS != 0);
        self.node = first_child_of(children) + (children.trailing_zeros() ^ ray.octant);
        if let Some(node) = nodes.get(self.node as usize) {
            prefetch(node);
        }
    }
}

/// Visits every item whose box one ray meets at or before the t that the last visit returned.
#[inline(always)]
pub(super) fn walk_one(
    boxes: impl BoxTester,
    nodes: &[WideNode],
    state: &mut TraversalState,
    start: Start,
    ends_early: bool,
    mut visit: impl FnMut(u32) -> f64,
) {
    let mut reach = start.reach;
    state.begin(start.node);
    while !(state.is_over || ends_early && reach < NOWHERE) {
        state.test(boxes, nodes, &start.ray, reach);
        state.visit_leaves(nodes, &start.ray, &mut reach, &mut visit);
    }
}

/// How many rays are traversed in turn. Each step waits for the step before it and for memory; the
/// steps of other rays fill that time.
pub(crate) const INTERLEAVED_RAYS: usize = 8;

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
    /// Tells the processor to fetch what a visit of the item at a leaf index will read.
    fn prefetch(&self, _leaf_index: u32) {}
}

/// The items of a tree of more nodes than this are fetched before they are visited. Those of a
/// smaller tree are in a processor's own caches.
const LARGE: usize = 1 << 16;

/// Visits every item whose box a feeder's rays meet at or before the t that their last visit
/// returned. `states` is memory to work in.
#[inline(always)]
pub(super) fn walk<F: RayFeeder>(
    boxes: impl BoxTester,
    nodes: &[WideNode],
    states: &mut [TraversalState; INTERLEAVED_RAYS],
    feeder: &mut F,
) {
    let mut rays = [TraversalRay::default(); INTERLEAVED_RAYS];
    let mut reach = [0.0; INTERLEAVED_RAYS];
    for state in states.iter_mut() {
        (state.leaves, state.is_over) = (0, true);
    }
    let is_large = nodes.len() > LARGE;
    let mut is_any = true;
    while is_any {
        is_any = false;
        for lane in 0..INTERLEAVED_RAYS {
            let (state, reach) = (&mut states[lane], &mut reach[lane]);
            // The test of this lane's last turn is over by now, so a branch that depends on it costs
            // little where it is predicted wrongly.
            let visit = |leaf_index| feeder.visit(lane, leaf_index);
            state.visit_leaves(nodes, &rays[lane], reach, visit);
            if state.is_over || F::ENDS_EARLY && *reach < NOWHERE {
                state.is_over = true;
                let Some(start) = feeder.next(lane) else { continue };
                rays[lane] = start.ray;
                *reach = start.reach;
                state.begin(start.node);
                is_any = true;
                // A test reads several of the ray's numbers at once, and would wait until those
                // that were just written one by one are in memory.
                continue;
            }
            is_any = true;
            state.test(boxes, nodes, &rays[lane], *reach);
            // The test of the lane before this one is over by now, so its leaves are known.
            let before = &states[(lane + INTERLEAVED_RAYS - 1) % INTERLEAVED_RAYS];
            if is_large {
                before.prefetch_leaves(nodes, |leaf_index| feeder.prefetch(leaf_index));
            }
        }
    }
}
