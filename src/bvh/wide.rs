//! Trees of wide nodes: how they are laid out from the library's tree, and how a traversal reads them.

use super::box_tester::BoxTester;
use super::node::{Child, ChildHits, Link, Node, gap};
use super::traversal_ray::TraversalRay;
use super::wide_node::{CHILDREN, ORDER, WideNode};
use crate::math::Bounds;
use crate::ray::NONE;
use bytemuck::Zeroable;
use glam::DVec3;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::bvh2_to_cwbvh::bvh2_to_cwbvh;
use rayon::prelude::*;

/// The most slots that a tree may have: a base has 24 bits.
pub(super) const MAX_SLOTS: usize = 1 << 24;

/// The slot of the root. The slot before it is empty: GPU threads that wait for others read it.
pub(crate) const ROOT: u32 = 1;

impl Node for WideNode {
    const ROOT: u32 = ROOT;

    fn link(&self, slot: usize) -> Option<Link> {
        let index = self.child(slot);
        let is_node = self.inner() >> slot & 1 == 1;
        let leaf = || Link::Leaf(index as usize..index as usize + 1);
        self.has_child(slot).then(|| if is_node { Link::Node(index) } else { leaf() })
    }

    fn with_boxes(&self, boxes: &[Option<Aabb>; CHILDREN]) -> Self {
        Self::new(self.first_child(), self.inner() as u8, boxes)
    }

    fn children(&self) -> impl Iterator<Item = Child> {
        let vector = |of: &dyn Fn(usize) -> f64| DVec3::new(of(0), of(1), of(2));
        let corner = vector(&|axis| self.corner(axis).into());
        let step = vector(&|axis| self.step(axis).into());
        (0..CHILDREN).filter_map(move |slot| {
            let link = self.link(slot)?;
            let plane = |side: usize| vector(&|axis| self.planes[2 * axis + side][slot].into());
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
    fn items(&self, slot: usize) -> u32 {
        u32::from(self.has_child(slot))
    }
}

/// The slots that a node of the library's tree and its children take.
struct Placement {
    /// The node's index in the library's tree.
    source: usize,
    /// The node's own slot, and its first child's.
    slot: u32,
    base: u32,
    /// For each child its number among the children of the library's node.
    children: [Option<u8>; CHILDREN],
}

/// Gives every node and item of the library's tree a slot, depth first, and returns how many slots there are.
fn placements(wide: &CwBvh) -> (Vec<Placement>, usize) {
    let mut placements = Vec::with_capacity(wide.nodes.len());
    let mut waiting = vec![(0, ROOT)];
    let mut next = ROOT + 1;
    while let Some((source, slot)) = waiting.pop() {
        let node = &wide.nodes[source];
        let is_inner = |child: usize| node.imask >> child & 1 == 1;
        let mut leaves = (0..CHILDREN).filter(|&c| !is_inner(c) && node.child_meta[c] != 0);
        let children: [Option<u8>; CHILDREN] = std::array::from_fn(|child| {
            let source = if is_inner(child) { Some(child) } else { leaves.next() };
            source.map(|source| source as u8)
        });
        let width = children.iter().rposition(Option::is_some).map_or(0, |last| last as u32 + 1);
        let inner = (0..CHILDREN).filter(|&child| is_inner(child));
        let below: Vec<_> = (0..).zip(inner).collect();
        for (rank, child) in below.into_iter().rev() {
            waiting.push(((node.child_base_idx + rank) as usize, next + child as u32));
        }
        placements.push(Placement { source, slot, base: next, children });
        next += width;
    }
    (placements, next as usize)
}

/// Lays out the library's tree, in which each item has a leaf of its own, and computes the boxes anew, because the
/// library rounds them to nearest. Returns the nodes by slot and the items by slot, [`NONE`] where a slot holds a node
/// or nothing; `None` if there are more than [`MAX_SLOTS`].
pub(super) fn lay_out(built: &Bvh2, boxes: &[Aabb]) -> Option<(Vec<WideNode>, Vec<u32>)> {
    let wide = bvh2_to_cwbvh(built, 1, true, true);
    let exact = wide.exact_node_aabbs.as_deref().unwrap_or_default();
    let (placements, count) = placements(&wide);
    if count > MAX_SLOTS {
        return None;
    }
    let item = |source: usize, child: u8| {
        let node = &wide.nodes[source];
        let offset = u32::from(node.child_meta[usize::from(child)] & 0x1f);
        wide.primitive_indices[(node.primitive_base_idx + offset) as usize]
    };
    let nodes: Vec<WideNode> = placements
        .par_iter()
        .map(|placement| {
            let source = placement.source;
            let node = &wide.nodes[source];
            let bounds = placement.children.map(|child| {
                let child = child?;
                let before = node.imask & ((1_u16 << child) - 1) as u8;
                let below = (node.child_base_idx + before.count_ones()) as usize;
                let is_inner = node.imask >> child & 1 == 1;
                Some(if is_inner { exact[below] } else { boxes[item(source, child) as usize] })
            });
            WideNode::new(placement.base, node.imask, &bounds)
        })
        .collect();
    let mut slots = vec![WideNode::zeroed(); count];
    let mut items = vec![NONE; count];
    for (placement, node) in placements.iter().zip(nodes) {
        slots[placement.slot as usize] = node;
        for (slot, child) in (placement.base as usize..).zip(placement.children) {
            if let Some(child) = child
                && wide.nodes[placement.source].imask >> child & 1 == 0
            {
                items[slot] = item(placement.source, child);
            }
        }
    }
    Some((slots, items))
}
