//! The walk of a tree on the CPU: in float32, with margins that lose no box that the ray meets, near children
//! first.

use super::box_tester::BoxTester;
use super::{MAX_DEPTH, Node};
use crate::math::U;
use crate::ray::Ray;

/// A ray prepared for tests of boxes. Its direction is scaled by a power of two so that the largest component
/// lies in [1, 2); t is scaled the other way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TraversalRay {
    /// For each axis, and 0 to fill four boxes; so of the next two.
    pub origin: [f32; 4],
    pub inverse: [f32; 4],
    /// How much of t it takes to grow a box, beside the margin above roundings.
    pub pad: [f32; 4],
    /// Of a box's sides, low x, high x, low y and so on, those which the ray enters by.
    pub near_row: [usize; 3],
    /// Of the direction's components, a bit for each that is below zero: 4 for x, 2 for y, 1 for z.
    pub octant: u32,
    pub t_min: f32,
    /// t here = t of the ray * scale.
    scale: f64,
}

/// A direction's component below this is as good as none, and its inverse is still a number.
const MIN_SPEED: f32 = 1.0 / (1_u64 << 60) as f32;

/// A box's side is reached at (side − origin) · inverse, which three roundings take by no more than 3 u of itself from
/// the true t, and the sums and products that lead to the side by no more than 2 u of the largest among them.
pub(super) const MARGIN: f32 = 8.0 * U as f32;

impl TraversalRay {
    /// A valid ray's, with every box grown by `pad`.
    #[inline(always)]
    pub fn new(ray: &Ray, pad: f64) -> Self {
        let (direction, scale) = ray.near_unit_direction();
        let inverse = direction.map(|speed| {
            1.0 / if speed.abs() < MIN_SPEED { MIN_SPEED.copysign(speed) } else { speed }
        });
        let rows = [0, 2, 4];
        let pad = above(pad);
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        Self {
            origin: four(ray.origin),
            inverse: four(inverse),
            pad: four(inverse.map(|inverse| pad * inverse.abs())),
            near_row: std::array::from_fn(|axis| rows[axis] + usize::from(inverse[axis] < 0.0)),
            octant: (0..3).fold(0, |bits, axis| bits << 1 | u32::from(inverse[axis] < 0.0)),
            t_min: -above(-f64::from(ray.t_min) * f64::from(scale)),
            scale: scale.into(),
        }
    }

    /// Not before a t of the ray.
    #[inline(always)]
    pub fn reach(&self, t: f64) -> f32 {
        above(t * self.scale)
    }
}

/// What reaches less than this reaches no box.
const NOWHERE: f32 = -1e38;

/// Not below a number, in float32; zero for zero. Never one of the subnormal numbers, with which a processor
/// takes a hundred times as long.
#[inline(always)]
pub(super) fn above(exact: f64) -> f32 {
    let near = (exact as f32).max(f32::MIN);
    let up = near + near.abs() * (2.0 * U as f32);
    if up.abs() >= f32::MIN_POSITIVE {
        up.clamp(f32::MIN, f32::INFINITY)
    } else if exact > 0.0 {
        f32::MIN_POSITIVE
    } else {
        0.0
    }
}

/// Those of a node's children that a ray meets.
pub(crate) struct ChildHits {
    /// A bit for each leaf.
    pub leaves: u32,
    /// One for each inner child, in the order in which to look at them: bit k is for the child `k ^ turn`.
    pub inner: u32,
    pub turn: u32,
}

/// Inner children of one node that wait to be looked at. Where the ray enters them is not kept: one that lies behind
/// what has been found since costs a look at its children, which is less than the keeping costs all others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Waiting {
    /// See [`Node::family`].
    family: u32,
    /// Ordered as in [`ChildHits`], and above them what they are turned by. In one number, for a processor that reads
    /// at once what was just written in two parts waits until both are in memory.
    inner: u32,
}

const TURN_SHIFT: u32 = 8;

/// The families that may wait at once: of each level of nodes one.
pub(crate) const WAITING: usize = MAX_DEPTH + 1;

/// The lowest of the bits, taken out of them.
#[inline(always)]
pub(super) fn take_lowest(bits: &mut u32) -> u32 {
    let lowest = bits.trailing_zeros();
    *bits &= *bits - 1;
    lowest
}

/// Where a walk stands.
pub(crate) struct TraversalState {
    node: u32,
    /// How many families wait.
    count: usize,
    stack: [Waiting; WAITING],
}

impl Default for TraversalState {
    fn default() -> Self {
        Self { node: 0, count: 0, stack: [Waiting::default(); WAITING] }
    }
}

impl TraversalState {
    /// Looks at a node, visits the items in its leaves, and goes on to the next node; `false` where there is none.
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
        let number = self.node;
        let node = &nodes[number as usize];
        let ChildHits { mut leaves, inner, turn } = node.intersect_children(boxes, ray, *reach);
        while leaves != 0 {
            let slot = take_lowest(&mut leaves) as usize;
            let first = node.child(slot);
            for place in first..first + node.items(slot) {
                *reach = ray.reach(visit(place));
            }
        }
        if ends_early && *reach < NOWHERE {
            return false;
        }
        // A family is put down and the next child taken up without asking whether there is one: which way such a
        // question goes no processor foresees, and each wrong guess costs as much as a node.
        let own = Waiting { family: node.family(number), inner: inner | turn << TURN_SHIFT };
        self.stack[self.count] = own;
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
        true
    }
}

/// How many rays are walked in turn. Each step waits for the one before it and for memory; those of other rays fill the
/// time.
pub(crate) const INTERLEAVED_RAYS: usize = 4;

/// From where a ray is walked.
pub(crate) struct Start {
    pub ray: TraversalRay,
    /// What it reaches at most.
    pub reach: f32,
    pub node: u32,
}

/// Who has rays walked, some at a time, each in a lane.
pub(crate) trait RayFeeder {
    /// Whether a visit may return −∞, for a ray that is done.
    const ENDS_EARLY: bool;
    /// The next ray for a lane that is free: at first, and when its last ray is done.
    fn next(&mut self, lane: usize) -> Option<Start>;
    /// Asks the item at a place, whose box the ray in a lane meets, and returns the ray's largest t from now on.
    fn visit(&mut self, lane: usize, place: u32) -> f64;
}

/// Visits everything whose box a feeder's rays meet at or before the t that their last visit returned. `places` is room
/// to work in.
#[inline(always)]
pub(super) fn walk<N: Node, C: RayFeeder>(
    boxes: impl BoxTester,
    nodes: &[N],
    places: &mut [TraversalState; INTERLEAVED_RAYS],
    feeder: &mut C,
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
                places[lane].node = start.node;
                places[lane].count = 0;
            }
            is_any = true;
            let (place, ray, reach) = (&mut places[lane], &rays[lane], &mut reach[lane]);
            let visit = |place| feeder.visit(lane, place);
            is_busy[lane] = place.step(boxes, nodes, ray, reach, C::ENDS_EARLY, visit);
        }
    }
}
