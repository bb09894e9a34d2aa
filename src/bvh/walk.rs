//! The walk of a tree on the CPU: in float32, with margins that lose no box that the ray meets, near children
//! first.

use super::Node;
use crate::math::U;
use crate::ray::Ray;
use obvhs::aabb::Aabb;

/// A ray prepared for tests of boxes. Its direction is scaled by a power of two so that the largest component
/// lies in [1, 2); t is scaled the other way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// x, y, z, and a lane that makes a vector whole; so of the next two.
    pub origin: [f32; 4],
    pub inverse: [f32; 4],
    /// By how much of t every box is grown along each axis: a margin above all roundings, and what was asked
    /// for.
    pub slack: [f32; 4],
    /// Of a box's sides, low x, high x, low y and so on, those which the ray enters by.
    pub near_row: [usize; 3],
    /// Of the direction's components, a bit for each that is below zero: 4 for x, 2 for y, 1 for z.
    pub octant: u32,
    pub t_min: f32,
    /// t here = t of the ray * scale.
    scale: f64,
}

/// A direction's component below this is as good as none, and its inverse is still a number.
const MIN_SPEED: f32 = 1.0 / (1_u64 << 60) as f32;

impl Path {
    /// Of a valid ray, at a tree inside of `bounds`.
    #[inline(always)]
    pub fn new(ray: &Ray, bounds: &Aabb, pad: f64) -> Self {
        let [x, y, z] = ray.direction.map(f32::abs);
        // The power of two at or below it, a normal number: the ray is valid.
        let scale = f32::from_bits(x.max(y).max(z).to_bits() & 0x7f80_0000);
        let inverse = ray.direction.map(|speed| {
            let speed = speed / scale;
            1.0 / if speed.abs() < MIN_SPEED { MIN_SPEED.copysign(speed) } else { speed }
        });
        // No corner is farther from the origin along an axis, nor two sides from each other than twice that:
        // of the first distance four roundings, of the second three.
        let slack = |axis: usize| {
            let far = (bounds.min[axis] - ray.origin[axis])
                .abs()
                .max((bounds.max[axis] - ray.origin[axis]).abs());
            (above(pad) + 16.0 * U as f32 * far) * inverse[axis].abs()
        };
        let rows = [0, 2, 4];
        let whole = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        Self {
            origin: whole(ray.origin),
            inverse: whole(inverse),
            slack: whole(std::array::from_fn(slack)),
            near_row: std::array::from_fn(|axis| rows[axis] + usize::from(inverse[axis] < 0.0)),
            octant: (0..3).fold(0, |bits, axis| bits << 1 | u32::from(inverse[axis] < 0.0)),
            t_min: -above(-f64::from(ray.t_min) * f64::from(scale)),
            scale: scale.into(),
        }
    }

    /// Not before a t of the ray.
    #[inline(always)]
    fn reach(&self, t: f64) -> f32 {
        above(t * self.scale)
    }
}

/// Not below a number, in float32; zero for zero. Never one of the subnormal numbers, with which a processor
/// takes a hundred times as long.
#[inline(always)]
fn above(exact: f64) -> f32 {
    let near = exact as f32;
    let up = near + near.abs() * (2.0 * U as f32);
    if up.abs() >= f32::MIN_POSITIVE {
        up.clamp(f32::MIN, f32::INFINITY)
    } else if exact > 0.0 {
        f32::MIN_POSITIVE
    } else {
        0.0
    }
}

/// Those of a node's children that a path meets.
pub(crate) struct Met<E> {
    /// Where it enters each slot's box.
    pub enter: E,
    /// A bit for each leaf.
    pub leaves: u32,
    /// One for each inner child, in the order in which to look at them: bit k is for the child `k ^ turn`.
    pub inner: u32,
    pub turn: u32,
}

/// Inner children of one node that wait to be looked at, unless something nearer is found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting<E> {
    enter: E,
    node: u32,
    /// Ordered as in [`Met`].
    inner: u32,
    turn: u32,
}

/// The lowest of the bits, taken out of them.
#[inline(always)]
fn take_lowest(bits: &mut u32) -> u32 {
    let lowest = bits.trailing_zeros();
    *bits &= *bits - 1;
    lowest
}

/// Visits every thing whose box the path meets at or before the t that the last visit returned, at first
/// `t_max`. `stack` is room to work in; there is a node.
#[inline(always)]
pub(super) fn walk<N: Node>(
    nodes: &[N],
    path: &Path,
    t_max: f64,
    stack: &mut Vec<Waiting<N::Enter>>,
    mut visit: impl FnMut(u32) -> f64,
) {
    stack.clear();
    let mut reach = path.reach(t_max);
    let mut number = N::ROOT;
    loop {
        let node = &nodes[number as usize];
        let Met { enter, mut leaves, inner, turn } = node.meet(path, reach);
        while leaves != 0 {
            let slot = take_lowest(&mut leaves) as usize;
            // Equal stays: a tie may be there.
            if enter[slot] <= reach {
                let first = node.child(slot);
                for place in first..first + node.things(slot) {
                    reach = path.reach(visit(place));
                }
            }
        }
        let mut group = Waiting { enter, node: number, inner, turn };
        number = loop {
            if group.inner == 0 {
                match stack.pop() {
                    None => return,
                    Some(waiting) => group = waiting,
                }
            }
            let slot = (take_lowest(&mut group.inner) ^ group.turn) as usize;
            if group.enter[slot] <= reach {
                if group.inner != 0 {
                    stack.push(group);
                }
                break nodes[group.node as usize].child(slot);
            }
        };
    }
}
