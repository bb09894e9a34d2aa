//! Trees of wide nodes: how a traversal reads them.

use super::node::{Child, Link, gap};
use super::planes::CHILDREN;
use super::wide_node::{ALIGNMENT, WideNode};
use crate::math::Bounds;
use glam::DVec3;
use obvhs::aabb::Aabb;

/// The most slots that a tree may have: a base has 24 bits, and is a multiple of [`ALIGNMENT`].
pub(super) const MAX_SLOTS: usize = (ALIGNMENT as usize) << 24;

/// The slot of the root. The slot before it is empty: GPU threads that wait for others read it.
pub(crate) const ROOT: u32 = 1;

/// The first slot after the root's that may be a child 0.
pub(super) const FIRST: u32 = ALIGNMENT;
const _: () = assert!(ROOT < FIRST);

impl WideNode {
    /// Returns the target of a child; `None` if there is no such child.
    pub(super) fn link(&self, slot: usize) -> Option<Link> {
        match self.is_leaf(slot) {
            true => self.leaf(slot).map(Link::Leaf),
            false => Some(Link::Node(self.child(slot))),
        }
    }

    pub(super) fn with_boxes(&self, boxes: &[Option<Aabb>; CHILDREN]) -> Self {
        Self::new(self.first_child(), self.inner() as u8, boxes)
    }

    /// Iterates over the children, with the boxes that a traversal tests.
    pub(super) fn children(&self) -> impl Iterator<Item = Child> {
        let corner = DVec3::from_array([0, 1, 2].map(|axis| self.corner(axis).into()));
        let step = DVec3::from_array([0, 1, 2].map(|axis| self.step(axis).into()));
        (0..CHILDREN).filter_map(move |slot| {
            let link = self.link(slot)?;
            let plane = |side: usize| {
                DVec3::from_array([0, 2, 4].map(|row| self.planes[row + side][slot].into()))
            };
            let bounds = Bounds { min: corner + step * plane(0), max: corner + step * plane(1) };
            Some(Child { bounds, link })
        })
    }

    /// Returns the node index of an inner child.
    #[inline(always)]
    pub(super) fn child(&self, slot: usize) -> u32 {
        self.first_child() + slot as u32
    }

    /// Returns a lower bound on the squared distance from a point to each child's box; infinity
    /// where there is no child.
    #[inline(always)]
    pub(super) fn distances_squared(&self, point: [f32; 3]) -> [f32; CHILDREN] {
        let mut squares = [0.0; CHILDREN];
        for (axis, &x) in point.iter().enumerate() {
            let (step, corner) = (self.step(axis), self.corner(axis));
            for (slot, squared) in squares.iter_mut().enumerate() {
                let [low, high] = [0, 1]
                    .map(|side| f32::from(self.planes[2 * axis + side][slot]) * step + corner);
                let gap = gap(x, low, high);
                *squared += gap * gap;
            }
        }
        for (slot, squared) in squares.iter_mut().enumerate() {
            *squared = if self.has_child(slot) { *squared } else { f32::INFINITY };
        }
        squares
    }

    /// Returns true for a child that is no inner node: a leaf, or an absent child.
    #[inline(always)]
    pub(super) fn is_leaf(&self, slot: usize) -> bool {
        self.leaves() >> slot & 1 == 1
    }

    /// Returns the leaf index of a child that is no inner node: none for an absent child, whose box
    /// is met by a ray from very far away.
    #[inline(always)]
    pub(super) fn leaf(&self, slot: usize) -> Option<u32> {
        self.has_child(slot).then(|| self.child(slot))
    }
}
