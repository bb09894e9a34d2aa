//! The traversal of a packet of rays: a node is read once for all of them.

use super::box_tester::BoxTester;
use super::node::{Node, take_lowest};
use super::ray_packet::{PACKET, RayPacket};
use super::traversal_ray::TraversalRay;
use super::walk::{INTERLEAVED_RAYS, RayFeeder, Start, TraversalState, walk as walk_interleaved};
use super::wide_node::{CHILDREN, WideNode};

/// A node on the stack, with the t at which each ray enters it; NaN for a ray that does not.
struct Waiting {
    node: u32,
    enter: [f32; PACKET],
}

/// Memory for a traversal, kept from one packet to the next.
#[derive(Default)]
pub(super) struct PacketStack {
    waiting: Vec<Waiting>,
    /// The nodes from which single rays go on alone, with the ray's lane.
    alone: Vec<(u32, usize)>,
}

/// If no more rays of a packet than this meet a node, each goes on from there alone, once the packet is done.
const ALONE: u32 = 1;

/// Feeds the rays that go on alone.
struct Alone<'a, V> {
    /// The nodes to start from, each with the ray's lane in the packet.
    from: &'a [(u32, usize)],
    rays: &'a [TraversalRay; PACKET],
    reach: &'a [f32; PACKET],
    /// The lane in the packet of the ray in each lane of the traversal.
    ray_in_lane: [usize; INTERLEAVED_RAYS],
    visit: V,
}

impl<V: FnMut(u32, usize) -> f64> RayFeeder for Alone<'_, V> {
    // A ray that is done meets no box that it has not entered yet.
    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        let (&(node, ray), rest) = self.from.split_first()?;
        self.from = rest;
        self.ray_in_lane[lane] = ray;
        Some(Start { ray: self.rays[ray], reach: self.reach[ray], node })
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, leaf_index: u32) -> f64 {
        (self.visit)(leaf_index, self.ray_in_lane[lane])
    }
}

/// Returns the t at which each ray enters a child's box, and a bit for each ray that meets it.
#[inline(always)]
fn intersect_child(
    packet: &RayPacket,
    boxes: impl BoxTester,
    sides: &[[f32; CHILDREN]; 6],
    child: usize,
    reach: &[f32; PACKET],
) -> ([f32; PACKET], u32) {
    let [x, y, z] = packet.near_row;
    let near = [sides[x][child], sides[y][child], sides[z][child]];
    let far = [sides[x ^ 1][child], sides[y ^ 1][child], sides[z ^ 1][child]];
    boxes.rays(packet, near, far, reach)
}

/// Visits the leaf index and the lane of every item and ray that meet at or before the t that the ray's last visit
/// returned, at first its `reach`.
#[inline(always)]
pub(super) fn walk(
    boxes: impl BoxTester,
    nodes: &[WideNode],
    rays: &[TraversalRay; PACKET],
    reach: &mut [f32; PACKET],
    stack: &mut PacketStack,
    states: &mut [TraversalState; INTERLEAVED_RAYS],
    mut visit: impl FnMut(u32, usize) -> f64,
) {
    let packet = &RayPacket::new(rays);
    let PacketStack { waiting, alone } = stack;
    waiting.clear();
    alone.clear();
    let mut index = WideNode::ROOT;
    'nodes: loop {
        let node = &nodes[index as usize];
        let sides = node.sides(packet.margins(node));
        let mut leaves = node.leaves();
        while leaves != 0 {
            let child = take_lowest(&mut leaves) as usize;
            if node.items(child) == 0 {
                continue;
            }
            let (_, mut met) = intersect_child(packet, boxes, &sides, child, reach);
            while met != 0 {
                let lane = take_lowest(&mut met) as usize;
                reach[lane] = rays[lane].reach(visit(node.child(child), lane));
            }
        }
        // The farthest child is pushed first.
        let mut inner = node.inner_from(packet.octant);
        while inner != 0 {
            let highest = 31 - inner.leading_zeros();
            inner ^= 1 << highest;
            let child = (highest ^ packet.octant) as usize;
            let (mut enter, met) = intersect_child(packet, boxes, &sides, child, reach);
            if met != 0 {
                for (lane, t) in enter.iter_mut().enumerate() {
                    *t = if met >> lane & 1 == 1 { *t } else { f32::NAN };
                }
                waiting.push(Waiting { node: node.child(child), enter });
            }
        }
        index = loop {
            let Some(next) = waiting.pop() else { break 'nodes };
            // An equal t counts too, because the node may hold a hit at the same t with a lower id.
            let mut wanted = 0;
            for (lane, reach) in reach.iter().enumerate() {
                wanted |= u32::from(next.enter[lane] <= *reach) << lane;
            }
            if wanted.count_ones() > ALONE {
                break next.node;
            }
            while wanted != 0 {
                alone.push((next.node, take_lowest(&mut wanted) as usize));
            }
        };
    }
    let mut alone = Alone { from: alone, rays, reach, ray_in_lane: [0; INTERLEAVED_RAYS], visit };
    walk_interleaved(boxes, nodes, states, &mut alone);
}
