//! The binary layout: nodes of two children in 64 bytes, with both boxes in full, so that one read
//! decides where the traversal goes next.

use super::box_tester::BoxTester;
use super::node::{Child, ChildHits, Link, Node, gap};
use super::traversal_ray::{MARGIN, TraversalRay};
use super::wide_node::CHILDREN;
use crate::math::Bounds;
use crate::ray::NONE;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use std::ops::Range;

/// One child of a node: its box, and its node or leaf.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Half {
    pub min: [f32; 3],
    /// An inner child's node, or a leaf's first leaf index.
    pub link: u32,
    pub max: [f32; 3],
    /// How many items a leaf holds; 0 marks an inner child.
    pub count: u32,
}

impl Half {
    fn target(&self) -> Link {
        match self.count {
            0 => Link::Node(self.link),
            count => Link::Leaf(self.link as usize..(self.link + count) as usize),
        }
    }
}

/// A node: its two children side by side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Pair {
    pub halves: [Half; 2],
}

impl Node for Pair {
    const ROOT: u32 = 0;

    fn link(&self, slot: usize) -> Option<Link> {
        self.halves.get(slot).map(Half::target)
    }

    fn with_boxes(&self, boxes: &[Option<Aabb>; CHILDREN]) -> Self {
        let mut pair = *self;
        for (half, aabb) in pair.halves.iter_mut().zip(boxes) {
            if let Some(aabb) = aabb {
                half.min = Vec3::from(aabb.min).to_array();
                half.max = Vec3::from(aabb.max).to_array();
            }
        }
        pair
    }

    fn children(&self) -> impl Iterator<Item = Child> {
        self.halves.iter().map(|half| Child {
            bounds: Bounds {
                min: Vec3::from(half.min).as_dvec3(),
                max: Vec3::from(half.max).as_dvec3(),
            },
            link: half.target(),
        })
    }

    #[inline(always)]
    fn intersect_children(&self, _: impl BoxTester, ray: &TraversalRay, t_max: f32) -> ChildHits {
        let mut enters = [ray.t_min; 2];
        let [mut leaves, mut inner] = [0, 0];
        for (slot, half) in self.halves.iter().enumerate() {
            let (mut enter, mut leave) = (ray.t_min, t_max);
            for axis in 0..3 {
                let is_back = ray.inverse[axis] < 0.0;
                let [near, far] = if is_back { [half.max, half.min] } else { [half.min, half.max] };
                let [near, far] = [near[axis], far[axis]]
                    .map(|side| (side - ray.origin[axis]) * ray.inverse[axis]);
                enter = enter.max(near - (MARGIN * near.abs() + ray.pad[axis]));
                leave = leave.min(far + (MARGIN * far.abs() + ray.pad[axis]));
            }
            enters[slot] = enter;
            let is_met = u32::from(enter <= leave);
            let is_leaf = u32::from(half.count > 0);
            leaves |= (is_met & is_leaf) << slot;
            inner |= (is_met & !is_leaf & 1) << slot;
        }
        // The nearer child comes first.
        let turn = u32::from(enters[1] < enters[0]);
        let turned = |bits: u32| if turn == 1 { bits >> 1 | bits << 1 & 2 } else { bits };
        ChildHits { leaves, inner: turned(inner), turn }
    }

    #[inline(always)]
    fn family(&self, index: u32) -> u32 {
        index
    }

    #[inline(always)]
    fn child_of(nodes: &[Self], family: u32, slot: usize) -> u32 {
        nodes[family as usize].child(slot)
    }

    #[inline(always)]
    fn child(&self, slot: usize) -> u32 {
        self.halves[slot].link
    }

    #[inline(always)]
    fn distances_squared(&self, point: [f32; 3]) -> [f32; CHILDREN] {
        let mut squares = [f32::INFINITY; CHILDREN];
        for (squared, half) in squares.iter_mut().zip(&self.halves) {
            let gaps = [0, 1, 2].map(|axis| gap(point[axis], half.min[axis], half.max[axis]));
            *squared = gaps[0] * gaps[0] + gaps[1] * gaps[1] + gaps[2] * gaps[2];
        }
        squares
    }

    #[inline(always)]
    fn is_leaf(&self, slot: usize) -> bool {
        self.halves.get(slot).is_none_or(|half| half.count > 0)
    }

    #[inline(always)]
    fn leaf(&self, slot: usize) -> Range<u32> {
        self.halves.get(slot).map_or(0..0, |half| half.link..half.link + half.count)
    }
}

/// Lays out the library's tree depth first, so that a traversal's next node is often the next in
/// memory. Returns the nodes, and the items leaf by leaf.
pub(super) fn lay_out(built: &Bvh2) -> (Vec<Pair>, Vec<u32>) {
    let mut nodes = Vec::with_capacity(built.nodes.len() / 2 + 1);
    let mut items = Vec::with_capacity(built.primitive_indices.len());
    let items_of = |node: &Bvh2Node| {
        let first = node.first_index as usize;
        &built.primitive_indices[first..first + node.prim_count as usize]
    };
    let half_of = |node: &Bvh2Node, items: &mut Vec<u32>| {
        let first = items.len() as u32;
        if node.is_leaf() {
            items.extend(items_of(node));
        }
        Half {
            min: Vec3::from(node.aabb().min).to_array(),
            link: first,
            max: Vec3::from(node.aabb().max).to_array(),
            count: node.prim_count,
        }
    };
    let root = &built.nodes[0];
    if root.is_leaf() {
        // All items are in one leaf, which is halved; a single item gets an empty leaf index beside
        // it.
        let all = half_of(root, &mut items);
        if all.count == 1 {
            items.push(NONE);
        }
        let count = all.count.div_ceil(2);
        let first = Half { count, ..all };
        let second = Half { link: count, count: items.len() as u32 - count, ..all };
        return (vec![Pair { halves: [first, second] }], items);
    }
    let mut waiting = vec![(root, None::<(usize, usize)>)];
    while let Some((node, parent)) = waiting.pop() {
        let index = nodes.len();
        if let Some((parent, side)) = parent {
            let parent: &mut Pair = &mut nodes[parent];
            parent.halves[side].link = index as u32;
        }
        let first = node.first_index as usize;
        let children = [&built.nodes[first], &built.nodes[first + 1]];
        nodes.push(Pair { halves: children.map(|node| half_of(node, &mut items)) });
        for side in [1, 0] {
            if !children[side].is_leaf() {
                waiting.push((children[side], Some((index, side))));
            }
        }
    }
    (nodes, items)
}
