//! Trees of wide nodes: how a traversal reads them.

use super::box_tester::BoxTester;
use super::node::{Child, ChildHits, Link, Node, gap};
use super::traversal_ray::TraversalRay;
use super::wide_node::{CHILDREN, ORDER, WideNode};
use crate::math::Bounds;
use glam::DVec3;
use obvhs::aabb::Aabb;
use std::ops::Range;

/// The most slots that a tree may have: a base has 24 bits.
pub(super) const MAX_SLOTS: usize = 1 << 24;

/// The slot of the root. The slot before it is empty: GPU threads that wait for others read it.
pub(crate) const ROOT: u32 = 1;

impl Node for WideNode {
    const ROOT: u32 = ROOT;

    fn link(&self, slot: usize) -> Option<Link> {
        if !self.is_leaf(slot) {
            return Some(Link::Node(self.child(slot)));
        }
        let Range { start, end } = self.leaf(slot);
        (start < end).then_some(Link::Leaf(start as usize..end as usize))
    }

    fn with_boxes(&self, boxes: &[Option<Aabb>; CHILDREN]) -> Self {
        Self::new(self.first_child(), self.inner() as u8, boxes)
    }

    fn children(&self) -> impl Iterator<Item = Child> {
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

    #[inline(always)]
    fn intersect_children(
        &self,
        boxes: impl BoxTester,
        ray: &TraversalRay,
        t_max: f32,
    ) -> ChildHits {
        let hit = boxes.boxes(self, ray, t_max);
        let inner = hit & self.inner();
        ChildHits {
            leaves: hit & !self.inner(),
            inner: ORDER[ray.octant as usize][inner as usize].into(),
            turn: ray.octant,
        }
    }

    #[inline(always)]
    fn family(&self, _index: u32) -> u32 {
        self.first_child()
    }

    #[inline(always)]
    fn child_of(_nodes: &[Self], family: u32, slot: usize) -> u32 {
        family + slot as u32
    }

    #[inline(always)]
    fn child(&self, slot: usize) -> u32 {
        self.first_child() + slot as u32
    }

    #[inline(always)]
    fn distances_squared(&self, point: [f32; 3]) -> [f32; CHILDREN] {
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

    #[inline(always)]
    fn is_leaf(&self, slot: usize) -> bool {
        self.leaves() >> slot & 1 == 1
    }

    #[inline(always)]
    fn leaf(&self, slot: usize) -> Range<u32> {
        let first = self.child(slot);
        first..first + u32::from(self.has_child(slot))
    }
}
