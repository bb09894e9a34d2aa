//! The traversal of a packet of rays: a node is read once for all of them.

use super::box_tester::BoxTester;
use super::node::{ChildHits, take_lowest};
use super::nodes::{Node, Nodes};
use super::planes::{CHILDREN, Sides};
use super::ray_lanes::OfRays;
use super::ray_packet::RayPacket;
use super::traversal_ray::TraversalRay;
use super::wide_node::{LOWER_BITS, first_child_of};
use crate::lanes::{Floats, Lanes};

/// A receiver of the items that a packet may meet. It is no closure because the compiler may not
/// inline one, and what is not inlined is not compiled for the processor's instructions.
pub(crate) trait PacketVisitor {
    /// Intersects the item at a leaf index with the rays, and lowers the `reach` of those that hit
    /// it.
    fn visit(&mut self, leaf_index: u32, reach: &mut OfRays);
    /// Prefetches what a visit of the item at a leaf index will read.
    fn prefetch(&self, _leaf_index: u32) {}
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
    nodes: Nodes<'_>,
    root: u32,
    packet: &RayPacket,
    reach: &mut OfRays,
    PacketStack(waiting): &mut PacketStack,
    visitor: &mut impl PacketVisitor,
) {
    let lanes = boxes.lanes();
    let [enters, leaves] = &packet.bounding_rays;
    let are_many = nodes.are_many();
    waiting.clear();
    let mut index = root;
    // Uncompressed nodes have no numbers by which their own margins are found quickly.
    let of_root = packet.margins(nodes.wide(root));
    let mut farthest = Floats::new(lanes, reach).highest();
    'nodes: loop {
        // The bounding rays reject most children of which no ray meets the box, all at once.
        let ChildHits { leaves: mut items, inner } =
            nodes.intersect_children(index, boxes, [enters, leaves], farthest);
        if inner & LOWER_BITS != 0 {
            match nodes.node(index) {
                Node::Uncompressed(node) => {
                    push_inner(waiting, nodes, inner, &node.sides, enters, of_root);
                }
                Node::Wide(node) => {
                    let margins = packet.margins(node);
                    push_inner(waiting, nodes, inner, &boxes.sides(node), enters, margins);
                }
            }
        }
        if items != 0 {
            if are_many {
                nodes.each_leaf(index, items, |leaf| visitor.prefetch(leaf));
            }
            while items != 0 {
                let child = take_lowest(&mut items) as usize;
                if let Some(leaf_index) = nodes.leaf(index, child) {
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

/// Pushes inner children that are met, as [`ChildHits::inner`] has them, with their boxes grown by
/// margins along the axes.
#[inline(always)]
fn push_inner(
    waiting: &mut Vec<Waiting>,
    nodes: Nodes<'_>,
    mut inner: u32,
    sides: &Sides,
    enters: &TraversalRay,
    margins: [f32; 3],
) {
    // The farthest child is pushed first.
    while inner & LOWER_BITS != 0 {
        let highest = 31 - (inner & LOWER_BITS).leading_zeros();
        inner ^= 1 << highest;
        let child = highest ^ enters.octant;
        let [mut near, mut far] = [[0.0; 3]; 2];
        for axis in 0..3 {
            let [near_row, far_row] = enters.rows[axis];
            let outwards = margins[axis].copysign(enters.inverse[axis]);
            near[axis] = near_row.of(sides)[child as usize % CHILDREN] - outwards;
            far[axis] = far_row.of(sides)[child as usize % CHILDREN] + outwards;
        }
        let node = first_child_of(inner) + child;
        // It is fetched while the leaves are visited.
        nodes.prefetch(node);
        waiting.push(Waiting { node, near, far });
    }
}
