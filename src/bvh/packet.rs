//! The walk of rays that go nearly the same way, together: a node is read once for all of them.

use super::box_tester::BoxTester;
use super::walk::{
    INTERLEAVED_RAYS, MARGIN, RayFeeder, Start, TraversalRay, take_lowest, walk as walk_abreast,
};
use super::wide::{CHILDREN, Wide};
use super::{Node, Stack};
use crate::ray::Ray;

/// How many rays go together.
pub(crate) const PACKET: usize = 8;

/// Paths whose directions lie in the same octant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// For each axis a lane a ray; so of the next.
    pub origin: [[f32; PACKET]; 3],
    pub inverse: [[f32; PACKET]; 3],
    pub t_min: [f32; PACKET],
    /// Along each axis the lowest origin and the highest.
    origins: [[f32; 2]; 3],
    near_row: [usize; 3],
    octant: u32,
}

/// Rays are worth walking together whose directions' cosine squared is above this, and whose origins lie no farther
/// apart along an axis than this part of the tree's size.
const COMMON: f32 = 0.99;
const APART: f32 = 0.02;

/// Whether rays, valid ones, at a tree of that size go so much the same way that it pays to walk them together.
#[inline(always)]
pub(super) fn are_alike(rays: &[Ray; PACKET], size: f32) -> bool {
    let first = &rays[0];
    let [dx, dy, dz] = first.direction;
    let own_square = dx * dx + dy * dy + dz * dz;
    for ray in &rays[1..] {
        let [x, y, z] = ray.direction;
        // Most that are not alike differ in a sign. That of a zero counts too: it says by which side of a box a ray
        // is taken to enter.
        for (a, b) in ray.direction.iter().zip(first.direction) {
            if a.is_sign_negative() != b.is_sign_negative() {
                return false;
            }
        }
        // Lengths whose squares float32 does not hold are too rare to mind: nothing is then above infinity.
        let cosine = x * dx + y * dy + z * dz;
        if cosine * cosine <= COMMON * own_square * (x * x + y * y + z * z) {
            return false;
        }
        for axis in 0..3 {
            if (ray.origin[axis] - first.origin[axis]).abs() > APART * size {
                return false;
            }
        }
    }
    true
}

impl Packet {
    /// Of rays that are alike.
    #[inline(always)]
    pub fn new(rays: &[TraversalRay; PACKET]) -> Self {
        let first = &rays[0];
        let [x, y, z, _] = first.origin;
        let mut origins = [x, y, z].map(|first| [first; 2]);
        for ray in rays {
            for ([lowest, highest], own) in origins.iter_mut().zip(ray.origin) {
                *lowest = own.min(*lowest);
                *highest = own.max(*highest);
            }
        }
        let mut packet = Self {
            origin: [[0.0; PACKET]; 3],
            inverse: [[0.0; PACKET]; 3],
            t_min: [0.0; PACKET],
            origins,
            near_row: first.near_row,
            octant: first.octant,
        };
        for (lane, ray) in rays.iter().enumerate() {
            for axis in 0..3 {
                packet.origin[axis][lane] = ray.origin[axis];
                packet.inverse[axis][lane] = ray.inverse[axis];
            }
            packet.t_min[lane] = ray.t_min;
        }
        packet
    }

    /// By how much a node's boxes are grown along each axis, a margin above all roundings: no side is farther from a ray's
    /// origin than the corner and the whole node.
    #[inline(always)]
    fn margins(&self, node: &Wide) -> [f32; 3] {
        std::array::from_fn(|axis| {
            let [from_lowest, from_highest] =
                self.origins[axis].map(|origin| (node.corner(axis) - origin).abs());
            let far = if from_lowest > from_highest { from_lowest } else { from_highest };
            MARGIN * (far + 256.0 * node.step(axis))
        })
    }

    /// Where each ray enters a child's box, and a bit for each that meets it.
    #[inline(always)]
    fn intersect_children(
        &self,
        boxes: impl BoxTester,
        sides: &[[f32; CHILDREN]; 6],
        child: usize,
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32) {
        let [x, y, z] = self.near_row;
        let near = [sides[x][child], sides[y][child], sides[z][child]];
        let far = [sides[x ^ 1][child], sides[y ^ 1][child], sides[z ^ 1][child]];
        boxes.rays(self, near, far, reach)
    }
}

/// A node that waits, with where each ray enters it; NaN of a ray that does not.
pub(super) struct WaitingNode {
    node: u32,
    enter: [f32; PACKET],
}

/// Where so many rays of a packet meet a node, or fewer, they are walked on from there each by itself, when the others
/// are done.
const ALONE: u32 = 1;

/// Rays of a packet that are walked by themselves.
struct Alone<'a, V> {
    /// From which node, and which ray.
    from: &'a [(u32, usize)],
    rays: &'a [TraversalRay; PACKET],
    reach: &'a [f32; PACKET],
    /// Which ray each lane has.
    ray_in_lane: [usize; INTERLEAVED_RAYS],
    visit: V,
}

impl<V: FnMut(u32, usize) -> f64> RayFeeder for Alone<'_, V> {
    // One that is done meets no box that it has not entered yet.
    const ENDS_EARLY: bool = false;

    #[inline(always)]
    fn next(&mut self, lane: usize) -> Option<Start> {
        let (&(node, ray), rest) = self.from.split_first()?;
        self.from = rest;
        self.ray_in_lane[lane] = ray;
        Some(Start { ray: self.rays[ray], reach: self.reach[ray], node })
    }

    #[inline(always)]
    fn visit(&mut self, lane: usize, place: u32) -> f64 {
        (self.visit)(place, self.ray_in_lane[lane])
    }
}

/// Visits every item whose box a ray meets at or before what its last visit returned, at first its own `reach`,
/// and tells which ray it is.
#[inline(always)]
pub(super) fn walk(
    boxes: impl BoxTester,
    nodes: &[Wide],
    rays: &[TraversalRay; PACKET],
    reach: &mut [f32; PACKET],
    stack: &mut Stack,
    mut visit: impl FnMut(u32, usize) -> f64,
) {
    let packet = &Packet::new(rays);
    stack.packet.clear();
    stack.alone.clear();
    let mut number = Wide::ROOT;
    'nodes: loop {
        let node = &nodes[number as usize];
        let sides = node.sides(packet.margins(node));
        let mut leaves = node.leaves();
        while leaves != 0 {
            let child = take_lowest(&mut leaves) as usize;
            if node.items(child) == 0 {
                continue;
            }
            let (_, mut met) = packet.intersect_children(boxes, &sides, child, reach);
            while met != 0 {
                let lane = take_lowest(&mut met) as usize;
                reach[lane] = rays[lane].reach(visit(node.child(child), lane));
            }
        }
        // The farthest is put down first.
        let mut inner = node.inner_from(packet.octant);
        while inner != 0 {
            let highest = 31 - inner.leading_zeros();
            inner ^= 1 << highest;
            let child = (highest ^ packet.octant) as usize;
            let (mut enter, met) = packet.intersect_children(boxes, &sides, child, reach);
            if met != 0 {
                for (lane, t) in enter.iter_mut().enumerate() {
                    *t = if met >> lane & 1 == 1 { *t } else { f32::NAN };
                }
                stack.packet.push(WaitingNode { node: node.child(child), enter });
            }
        }
        number = loop {
            let Some(waiting) = stack.packet.pop() else { break 'nodes };
            // Equal stays: a tie may wait there.
            let mut wanted = 0;
            for (lane, reach) in reach.iter().enumerate() {
                wanted |= u32::from(waiting.enter[lane] <= *reach) << lane;
            }
            if wanted.count_ones() > ALONE {
                break waiting.node;
            }
            while wanted != 0 {
                stack.alone.push((waiting.node, take_lowest(&mut wanted) as usize));
            }
        };
    }
    let Stack { alone, places, .. } = stack;
    let mut alone = Alone { from: alone, rays, reach, ray_in_lane: [0; INTERLEAVED_RAYS], visit };
    walk_abreast(boxes, nodes, places, &mut alone);
}
