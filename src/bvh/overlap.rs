//! The traversal by a box: every item whose box meets it.

use super::build::outward;
use super::node::Link;
use super::wide::ROOT;
use super::wide_node::WideNode;
use crate::math::Bounds;

/// Visits the leaf index of every item whose box meets these bounds.
pub(super) fn walk(nodes: &[WideNode], bounds: &Bounds, mut visit: impl FnMut(u32)) {
    let asked = outward(bounds);
    let (low, high) = (asked.min.as_dvec3(), asked.max.as_dvec3());
    let mut waiting = vec![ROOT];
    while let Some(slot) = waiting.pop() {
        for child in nodes[slot as usize].children() {
            if !(child.bounds.min.cmple(high).all() && low.cmple(child.bounds.max).all()) {
                continue;
            }
            match child.link {
                Link::Leaf(leaf_index) => visit(leaf_index),
                Link::Node(node) => waiting.push(node),
            }
        }
    }
}
