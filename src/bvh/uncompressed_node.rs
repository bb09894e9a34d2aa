//! The wide node with its children's boxes in float32: more than three times the bytes of a
//! [`WideNode`], and a third of the instructions of its box test. A core's own cache holds the
//! nodes of a small tree, where a traversal waits for instructions.
//!
//! A ray reaches a plane at `plane · inverse − origin · inverse`. Rounding moves that by at most
//! 4 u of itself and 4 u of |origin · inverse|, also in the space of an object, to which lines are
//! rounded. The ray's offsets hold a margin for the second. The first is covered where boxes are
//! left later, by a part of that t: growing by a part of itself changes no order, so this is done
//! once, after the axes are compared.

use super::planes::{CHILDREN, Sides};
use super::wide_node::{WideNode, first_child_of};
use crate::math::U;

/// A [`WideNode`] with its children's sides as numbers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct UncompressedNode {
    /// The box of an absent child is inside out, from infinity to −infinity, so that no ray meets
    /// it.
    pub(super) sides: Sides,
    /// As [`WideNode`] has it.
    base: u32,
}

/// A box is left later by this part of the t.
pub(super) const LATER: f32 = 16.0 * U as f32;

impl UncompressedNode {
    pub(super) const EMPTY: Self = Self { sides: [[0.0; CHILDREN]; 6], base: 0 };

    pub(super) fn new(node: &WideNode) -> Self {
        let mut sides = node.sides();
        for (row, sides) in sides.iter_mut().enumerate() {
            let outwards = if row % 2 == 0 { -1.0 } else { 1.0 };
            for (slot, side) in sides.iter_mut().enumerate() {
                *side = match node.has_child(slot) {
                    // It was rounded, by at most u of itself.
                    true => *side + outwards * (2.0 * U as f32) * side.abs(),
                    false => -outwards * f32::INFINITY,
                };
            }
        }
        Self { sides, base: node.base() }
    }

    #[inline(always)]
    pub(super) fn base(&self) -> u32 {
        self.base
    }

    /// Returns the slot of a child.
    #[inline(always)]
    pub(super) fn child(&self, slot: usize) -> u32 {
        first_child_of(self.base) + slot as u32
    }
}
