//! The traversal of a packet of rays: a node is read once for all of them.

use super::box_tester::BoxTester;
use super::node::take_lowest;
use super::ray_lanes::OfRays;
use super::ray_packet::RayPacket;
use super::wide_node::{ORDER, WideNode};
use crate::lanes::{Floats, Lanes};
use crate::prefetch::prefetch;

/// A receiver of the items that a packet may meet. It is no closure because the compiler may not
/// inline one, and what is not inlined is not compiled for the processor's instructions.
pub(crate) trait PacketVisitor {
    /// Intersects the item at a leaf index with the rays, and lowers the `reach` of those that hit
    /// it.
    fn visit(&mut self, leaf_index: u32, reach: &mut OfRays);
}

/// A node on the stack, with the sides of its box through which the rays enter and leave.
struct Waiting {
    node: u32,
    near: [f32; 3],
    far: [f32; 3],
}

/// Memory for the traversal of packets, kept from one to the next.
#[derive(Default)]
pub(crate) struct PacketStack(Vec<Waiting>);

impl Waiting {
    /// Returns true if any ray meets the box at or before its `reach`. An equal t counts too,
    /// because the node may hold a hit at the same t with a lower id.
    #[inline(always)]
    fn is_met<L: Lanes>(&self, lanes: L, packet: &RayPacket, reach: &OfRays) -> bool {
        let mut enter = Floats::new(lanes, &packet.t_min[0]);
        let mut leave = Floats::new(lanes, reach);
        for axis in 0..3 {
            let origin = Floats::new(lanes, &packet.origin[axis]);
            let inverse = Floats::new(lanes, &packet.inverse[axis]);
            enter = enter.max((Floats::splat(lanes, self.near[axis]) - origin) * inverse);
            leave = leave.min((Floats::splat(lanes, self.far[axis]) - origin) * inverse);
        }
        enter.at_most(leave).bits() != 0
    }
}

/// Visits the leaf index of every item below a root that any of the rays may meet at or before its
/// `reach`, which the visits lower.
#[inline(always)]
pub(super) fn walk<B: BoxTester>(
    boxes: B,
    nodes: &[WideNode],
    root: u32,
    packet: &RayPacket,
    reach: &mut OfRays,
    PacketStack(waiting): &mut PacketStack,
    visitor: &mut impl PacketVisitor,
) {
    let lanes = boxes.lanes();
    let [enters, leaves] = &packet.bounding_rays;
    let [x, y, z] = enters.near_row;
    waiting.clear();
    let mut index = root;
    let mut farthest = Floats::new(lanes, reach).highest();
    'nodes: loop {
        let node = &nodes[index as usize];
        // The bounding rays reject most children of which no ray meets the box, all at once.
        let met = boxes.boxes_between(node, [enters, leaves], farthest);
        let mut items = met & node.leaves();
        let mut inner = ORDER[enters.octant as usize][(met & node.inner()) as usize];
        if inner != 0 {
            let sides = boxes.sides(node, packet.margins(node));
            // The farthest child is pushed first.
            while inner != 0 {
                let highest = 7 - inner.leading_zeros();
                inner ^= 1 << highest;
                let child = (highest ^ enters.octant) as usize;
                let near = [sides[x][child], sides[y][child], sides[z][child]];
                let far = [sides[x ^ 1][child], sides[y ^ 1][child], sides[z ^ 1][child]];
                let child = node.child(child);
                // It is fetched while the leaves are visited.
                prefetch(&nodes[child as usize]);
                waiting.push(Waiting { node: child, near, far });
            }
        }
        if items != 0 {
            while items != 0 {
                let child = take_lowest(&mut items) as usize;
                if let Some(leaf_index) = node.leaf(child) {
                    visitor.visit(leaf_index, reach);
                }
            }
            farthest = Floats::new(lanes, reach).highest();
        }
        index = loop {
            let Some(next) = waiting.pop() else { break 'nodes };
            if next.is_met(lanes, packet, reach) {
                break next.node;
            }
        };
    }
}
