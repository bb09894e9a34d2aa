//! Nodes of up to eight children, one cache line each: boxes in steps of a 256th of their node's (after Ylitie,
//! Karras and Laine, Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs, 2017).
//!
//! Nodes and items stand in one row of slots. The children of a node stand side by side, so that a child's
//! slot is its node's base and its own number: no rank is counted, and a walk's stack holds one number a node.

use super::box_tester::BoxTester;
use super::nearest::gap;
use super::walk::{ChildHits, MARGIN, TraversalRay};
use super::{Child, Link, Node};
use crate::math::Bounds;
use crate::ray::NONE;
use bytemuck::{Pod, Zeroable};
use glam::DVec3;
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::cwbvh::CwBvh;
use obvhs::cwbvh::bvh2_to_cwbvh::bvh2_to_cwbvh;
use rayon::prelude::*;

/// How many children a node may have. An inner one stands where it lies in the node, so that a walk by the ray's
/// octant meets near ones first; items take what is left.
pub(crate) const CHILDREN: usize = 8;

/// The most slots that there may be: a base has 24 bits.
pub(crate) const MAX_SLOTS: usize = 1 << 24;

/// Where the root stands. The slot before holds nothing: on a GPU, threads that wait for others read it.
pub(crate) const ROOT: u32 = 1;

/// A node's box, and its children in steps of it.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Wide {
    /// For each axis the upper 24 bits of the lower corner's coordinate, and below them the exponent e of a step:
    /// it is 2^(e − 127).
    axes: [u32; 3],
    /// The first child's slot << 8, and a bit for each child that is a node.
    base: u32,
    /// Of each child, in steps from the corner: low x, high x, low y, high y, low z, high z. Of one that is none
    /// the box is turned inside out.
    pub(super) planes: [[u8; CHILDREN]; 6],
}

pub(super) const LOWER_BITS: u32 = 0xff;

/// How a ray comes to a node's planes across one axis: at `step` times a plane's number after `near` or `far`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub step: f32,
    pub near: f32,
    pub far: f32,
}

impl Wide {
    /// Of children, and of where they stand.
    fn new(base: u32, inner: u8, children: &[Option<Aabb>; CHILDREN]) -> Self {
        let all = children.iter().flatten().fold(Aabb::INVALID, |all, own| all.union(own));
        let mut node =
            Self { axes: [0; 3], base: base << 8 | u32::from(inner), planes: [[0; CHILDREN]; 6] };
        for axis in 0..3 {
            let corner_bits = upper_bits(all.min[axis]);
            let corner = f64::from(f32::from_bits(corner_bits));
            let extent = f64::from(all.max[axis]) - corner;
            // Large enough for 255 steps to reach all, and of the normal numbers.
            let power = libm::ilogb(extent / 255.0).clamp(-126, 126);
            let power = if libm::scalbn(255.0, power) < extent { power + 1 } else { power };
            node.axes[axis] = corner_bits | (power + 127) as u32;
            let step = libm::scalbn(1.0, power);
            for (slot, own) in children.iter().enumerate() {
                let [low, high] = match own {
                    Some(own) => [
                        ((f64::from(own.min[axis]) - corner) / step).floor() as u8,
                        ((f64::from(own.max[axis]) - corner) / step).ceil() as u8,
                    ],
                    None => [u8::MAX, 0],
                };
                node.planes[2 * axis][slot] = low;
                node.planes[2 * axis + 1][slot] = high;
            }
        }
        node
    }

    #[cfg(test)]
    pub(super) fn set_base(&mut self, base: u32) {
        self.base = base << 8 | self.base & LOWER_BITS;
    }

    /// Of a slot in which no item stands; what a wider node leaves free is zero.
    pub(super) fn is_node(&self) -> bool {
        self.base != 0
    }

    /// A box turned inside out is one still where it is grown a little; grown by more than the node's size, as for
    /// rays from very far away, it is one that a walk meets.
    #[inline(always)]
    fn has_child(&self, slot: usize) -> bool {
        self.planes[0][slot] <= self.planes[1][slot]
    }

    /// A bit for each child that is a item, and for each that is nothing.
    pub(super) fn leaves(&self) -> u32 {
        !self.base & LOWER_BITS
    }

    /// A bit for each child that is a node, bit k for the child `k ^ octant`.
    pub(super) fn inner_from(&self, octant: u32) -> u32 {
        ORDER[octant as usize][(self.base & LOWER_BITS) as usize].into()
    }

    /// What a ray's t of a plane is made of, for each axis: how much a step takes, and where the corner is reached, for
    /// planes that the ray enters by and for those that it leaves by.
    #[inline(always)]
    pub(super) fn slabs(&self, ray: &TraversalRay) -> [Slab; 3] {
        std::array::from_fn(|axis| {
            let inverse = ray.inverse[axis];
            let step = self.step(axis) * inverse;
            let corner = (self.corner(axis) - ray.origin[axis]) * inverse;
            // No plane takes longer to reach, nor is a term of the sum larger.
            let slack = MARGIN * (corner.abs() + 256.0 * step.abs()) + ray.pad[axis];
            Slab { step, near: corner - slack, far: corner + slack }
        })
    }

    /// The sides of the children's boxes, grown, in the order of the planes.
    #[inline(always)]
    pub(super) fn sides(&self, grown: [f32; 3]) -> [[f32; CHILDREN]; 6] {
        let mut sides = [[0.0; CHILDREN]; 6];
        for (row, sides) in sides.iter_mut().enumerate() {
            let axis = row / 2;
            let away = if row % 2 == 0 { -grown[axis] } else { grown[axis] };
            let (step, corner) = (self.step(axis), self.corner(axis) + away);
            for (side, plane) in sides.iter_mut().zip(self.planes[row]) {
                *side = f32::from(plane) * step + corner;
            }
        }
        sides
    }

    #[inline(always)]
    pub(super) fn corner(&self, axis: usize) -> f32 {
        f32::from_bits(self.axes[axis] & !LOWER_BITS)
    }

    #[inline(always)]
    pub(super) fn step(&self, axis: usize) -> f32 {
        f32::from_bits((self.axes[axis] & LOWER_BITS) << 23)
    }
}

/// The bits of the largest float32 number not above `x` whose lower eight are 0.
fn upper_bits(x: f32) -> u32 {
    let cut = x.to_bits() & !LOWER_BITS;
    if f32::from_bits(cut) > x { cut + LOWER_BITS + 1 } else { cut }
}

impl Node for Wide {
    const ROOT: u32 = ROOT;

    fn children(&self) -> impl Iterator<Item = Child> {
        let vector = |of: &dyn Fn(usize) -> f64| DVec3::new(of(0), of(1), of(2));
        let corner = vector(&|axis| self.corner(axis).into());
        let step = vector(&|axis| self.step(axis).into());
        (0..CHILDREN).filter(|&slot| self.has_child(slot)).map(move |slot| {
            let plane = |side: usize| vector(&|axis| self.planes[2 * axis + side][slot].into());
            let bounds = Bounds { min: corner + step * plane(0), max: corner + step * plane(1) };
            let place = self.child(slot);
            let link = if self.base >> slot & 1 == 1 {
                Link::Node(place)
            } else {
                Link::Leaf(place as usize..place as usize + 1)
            };
            Child { bounds, link }
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
        let inner = hit & self.base & LOWER_BITS;
        ChildHits {
            leaves: hit & !self.base,
            inner: ORDER[ray.octant as usize][inner as usize].into(),
            turn: ray.octant,
        }
    }

    #[inline(always)]
    fn family(&self, _number: u32) -> u32 {
        self.base >> 8
    }

    #[inline(always)]
    fn child_of(_nodes: &[Self], family: u32, slot: usize) -> u32 {
        family + slot as u32
    }

    #[inline(always)]
    fn child(&self, slot: usize) -> u32 {
        (self.base >> 8) + slot as u32
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

/// For each octant, what becomes of a bit for each child when bit k is made that of the child `k ^ octant`.
static ORDER: [[u8; 256]; CHILDREN] = {
    let mut order = [[0; 256]; CHILDREN];
    let mut place = 0;
    while place < CHILDREN * 256 * CHILDREN {
        let (octant, bits, slot) = (place / 2048, place / 8 % 256, place % 8);
        if bits >> slot & 1 == 1 {
            order[octant][bits] |= 1 << (slot ^ octant);
        }
        place += 1;
    }
    order
};

/// Where the children of a node of the library's tree come to stand.
struct Row {
    /// The library's number of the node.
    source: usize,
    /// Its own slot, and its first child's.
    slot: u32,
    base: u32,
    /// Of each child the library's number of it among the node's.
    children: [Option<u8>; CHILDREN],
}

/// Gives every node and item of the library's tree a slot, depth first; returns how many there are.
fn rows(wide: &CwBvh) -> (Vec<Row>, usize) {
    let mut rows = Vec::with_capacity(wide.nodes.len());
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
        rows.push(Row { source, slot, base: next, children });
        next += width;
    }
    (rows, next as usize)
}

/// Makes slots of the library's tree, each item of which has a leaf of its own, and sets the boxes anew, for the
/// library rounds to nearest. Returns them, and the item in each, [`NONE`] where there is a node or nothing.
/// `None` where there are more than [`MAX_SLOTS`].
pub(super) fn lay_out(built: &Bvh2, boxes: &[Aabb]) -> Option<(Vec<Wide>, Vec<u32>)> {
    let wide = bvh2_to_cwbvh(built, 1, true, true);
    let exact = wide.exact_node_aabbs.as_deref().unwrap_or_default();
    let (rows, count) = rows(&wide);
    if count > MAX_SLOTS {
        return None;
    }
    let item = |source: usize, child: u8| {
        let node = &wide.nodes[source];
        let offset = u32::from(node.child_meta[usize::from(child)] & 0x1f);
        wide.primitive_indices[(node.primitive_base_idx + offset) as usize]
    };
    let nodes: Vec<Wide> = rows
        .par_iter()
        .map(|row| {
            let node = &wide.nodes[row.source];
            let bounds = row.children.map(|child| {
                let child = child?;
                let before = node.imask & ((1_u16 << child) - 1) as u8;
                let below = (node.child_base_idx + before.count_ones()) as usize;
                let is_inner = node.imask >> child & 1 == 1;
                Some(if is_inner { exact[below] } else { boxes[item(row.source, child) as usize] })
            });
            Wide::new(row.base, node.imask, &bounds)
        })
        .collect();
    let mut slots = vec![Wide::zeroed(); count];
    let mut order = vec![NONE; count];
    for (row, node) in rows.iter().zip(nodes) {
        slots[row.slot as usize] = node;
        for (slot, child) in (row.base as usize..).zip(row.children) {
            if let Some(child) = child
                && wide.nodes[row.source].imask >> child & 1 == 0
            {
                order[slot] = item(row.source, child);
            }
        }
    }
    Some((slots, order))
}
