//! The node of the wide layout: up to eight children in one cache line, whose boxes are given in
//! 256ths of the node's box (after Ylitie, Karras and Laine, Efficient Incoherent Ray Traversal on
//! GPUs Through Compressed Wide BVHs, 2017).
//!
//! The children of a node stand side by side in the tree's row of slots, so a child's slot is its
//! node's base plus its number: no ranks are counted, and a stack entry is one number for a whole
//! node. Bases are multiples of four, so that 24 bits number 2^26 slots.

use super::planes::{CHILDREN, Sides};
use super::traversal_ray::{MARGIN, TraversalRay};
use crate::math::power_of_two;
use bytemuck::{Pod, Zeroable};
use obvhs::aabb::Aabb;

/// A node: its box, and its children's boxes in steps of it.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct WideNode {
    /// For each axis the upper 24 bits of the lower corner's coordinate, and below them the
    /// exponent e of a step of 2^(e − 127).
    axes: [u32; 3],
    /// The slot of child 0, in multiples of [`ALIGNMENT`], << 8, and a bit for each child that is
    /// an inner node.
    base: u32,
    /// Each child's sides in steps from the corner: low x, high x, low y, high y, low z, high z.
    /// The box of an absent child is inside out.
    pub(super) planes: [[u8; CHILDREN]; 6],
}

/// The slot of child 0 is a multiple of this.
pub(crate) const ALIGNMENT: u32 = 4;

/// The bits of `base` and of an axis that do not belong to the slot or the corner.
pub(super) const LOWER_BITS: u32 = 0xff;

/// Returns the slot of child 0, given a node's children as one number.
#[inline(always)]
pub(super) fn first_child_of(children: u32) -> u32 {
    (children >> 8) * ALIGNMENT
}

/// The t at which a ray reaches the planes across one axis: `step` times the plane's number, after
/// `near` for planes that it enters by and after `far` for planes that it leaves by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    pub step: f32,
    pub near: f32,
    pub far: f32,
}

impl WideNode {
    /// Makes a node of its children's boxes, its first child's slot and the bits of its inner
    /// children.
    pub(super) fn new(base: u32, inner: u8, children: &[Option<Aabb>; CHILDREN]) -> Self {
        let all = children.iter().flatten().fold(Aabb::INVALID, |all, child| all.union(child));
        let base = ((base / ALIGNMENT) << 8) | u32::from(inner);
        let mut node = Self { axes: [0; 3], base, planes: [[0; CHILDREN]; 6] };
        for axis in 0..3 {
            let corner_bits = upper_bits(all.min[axis]);
            let corner = f64::from(f32::from_bits(corner_bits));
            let [_, extent] = difference(all.max[axis].into(), corner);
            // The step is the smallest power of two, among the normal numbers, of which 255 reach
            // the upper corner.
            let power = exponent(extent / 255.0).clamp(-126, 126);
            let power = if 255.0 * power_of_two(power) < extent { power + 1 } else { power };
            node.axes[axis] = corner_bits | (power + 127) as u32;
            // A product by a power of two is exact, as the quotient is.
            let inverse_step = power_of_two(-power);
            for (slot, child) in children.iter().enumerate() {
                let [low, high] = match child {
                    Some(child) => {
                        let [low, _] = difference(child.min[axis].into(), corner);
                        let [_, high] = difference(child.max[axis].into(), corner);
                        let [low, high] = [low, high].map(|offset| offset * inverse_step);
                        // A cast rounds towards zero, and to the nearest of those that there are.
                        let below = high as u8;
                        [low as u8, below.saturating_add((f64::from(below) < high).into())]
                    }
                    None => [u8::MAX, 0],
                };
                node.planes[2 * axis][slot] = low;
                node.planes[2 * axis + 1][slot] = high;
            }
        }
        node
    }

    /// The first child's slot.
    #[inline(always)]
    pub(super) fn first_child(&self) -> u32 {
        first_child_of(self.base)
    }

    #[inline(always)]
    pub(super) fn base(&self) -> u32 {
        self.base
    }

    /// Returns a bit for each child that is an inner node.
    #[inline(always)]
    pub(super) fn inner(&self) -> u32 {
        self.base & LOWER_BITS
    }

    /// Returns the same node with its children this many slots further.
    pub(super) fn moved_by(&self, slots: u32) -> Self {
        Self { base: self.base + ((slots / ALIGNMENT) << 8), ..*self }
    }

    #[cfg(test)]
    pub(super) fn set_base(&mut self, base: u32) {
        self.base = ((base / ALIGNMENT) << 8) | self.base & LOWER_BITS;
    }

    /// Returns true if a slot that holds no item holds a node; the slots of absent children are all
    /// zero.
    pub(super) fn is_node(&self) -> bool {
        self.base != 0
    }

    /// Returns true if there is a child in a slot. Box tests alone do not show it: a box that is
    /// inside out stays so when it grows a little, but a ray from very far away has a margin wider
    /// than the node and meets it. Its slot may hold another node's item, or lie beyond the row.
    #[inline(always)]
    pub(super) fn has_child(&self, slot: usize) -> bool {
        self.planes[0][slot] <= self.planes[1][slot]
    }

    /// Returns a bit for each slot that holds no inner node: leaves, and absent children.
    pub(super) fn leaves(&self) -> u32 {
        !self.base & LOWER_BITS
    }

    /// Returns for each axis the numbers from which the t of a plane is computed.
    #[inline(always)]
    pub(super) fn slabs(&self, ray: &TraversalRay) -> [Slab; 3] {
        std::array::from_fn(|axis| {
            let inverse = ray.inverse[axis];
            let step = self.step(axis) * inverse;
            let corner = (self.corner(axis) - ray.origin[axis]) * inverse;
            // This bounds the t of every plane of the node, and every term of the sum that gives
            // it.
            let slack = MARGIN * (corner.abs() + 256.0 * step.abs()) + ray.pad[axis];
            Slab { step, near: corner - slack, far: corner + slack }
        })
    }

    /// Returns the sides of the children's boxes.
    #[inline(always)]
    pub(super) fn sides(&self) -> Sides {
        let mut sides = [[0.0; CHILDREN]; 6];
        for (row, sides) in sides.iter_mut().enumerate() {
            let (step, corner) = (self.step(row / 2), self.corner(row / 2));
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

/// Returns float64 numbers between which the exact difference of two numbers lies. They are one
/// number unless rounding moved it, as where a box of 1e-30 at the origin lies in a node of size 1.
fn difference(a: f64, b: f64) -> [f64; 2] {
    let rounded = a - b;
    // What rounding took away (Knuth's sum of two numbers, with the second one negated).
    let of_b = a - rounded;
    let rest = (a - (rounded + of_b)) + (of_b - b);
    let [below, above] = [rest < 0.0, rest > 0.0];
    [
        if below { rounded.next_down() } else { rounded },
        if above { rounded.next_up() } else { rounded },
    ]
}

/// Returns the exponent of a number, between that of 1 and those of the largest and the smallest.
fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Returns the bits of the largest float32 number not above `x` whose lower eight bits are 0.
fn upper_bits(x: f32) -> u32 {
    let cut = x.to_bits() & !LOWER_BITS;
    if f32::from_bits(cut) > x { cut + LOWER_BITS + 1 } else { cut }
}

/// For each octant and each set of children, the same set with bit k standing for the child
/// `k ^ octant`.
pub(super) static ORDER: [[u8; 256]; CHILDREN] = {
    let mut order = [[0; 256]; CHILDREN];
    let mut index = 0;
    while index < CHILDREN * 256 * CHILDREN {
        let (octant, bits, slot) = (index / 2048, index / 8 % 256, index % 8);
        if bits >> slot & 1 == 1 {
            order[octant][bits] |= 1 << (slot ^ octant);
        }
        index += 1;
    }
    order
};
