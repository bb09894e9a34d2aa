//! The walk of rays that go nearly the same way, together: a node is read once for all of them.

use super::lanes::Lanes;
use super::walk::{Path, take_lowest, walk as walk_alone};
use super::wide::{CHILDREN, Wide};
use super::{Node, Stack};

/// How many rays go together.
pub(crate) const PACKET: usize = 8;

/// Paths whose directions lie in the same octant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet {
    /// For each axis a lane a ray; so of the next.
    pub origin: [[f32; PACKET]; 3],
    pub inverse: [[f32; PACKET]; 3],
    pub t_min: [f32; PACKET],
    /// By how much boxes are grown along each axis: a margin above all roundings.
    grown: [f32; 3],
    near_row: [usize; 3],
    octant: u32,
}

/// Rays are worth walking together whose directions' cosine squared is above this, and whose origins lie no farther
/// apart along an axis than this part of the tree's size.
const COMMON: f32 = 0.99;
const APART: f32 = 0.02;

impl Packet {
    /// `None` where the rays go too different ways.
    #[inline(always)]
    pub fn new(paths: &[Path; PACKET], size: f32) -> Option<Self> {
        let first = &paths[0];
        for path in paths {
            let mut dot = 0.0;
            let mut lengths = [0.0_f32; 2];
            for axis in 0..3 {
                let (a, b) = (1.0 / first.inverse[axis], 1.0 / path.inverse[axis]);
                dot += a * b;
                lengths[0] += a * a;
                lengths[1] += b * b;
                if (path.origin[axis] - first.origin[axis]).abs() > APART * size {
                    return None;
                }
            }
            let is_common = dot > 0.0 && dot * dot > COMMON * lengths[0] * lengths[1];
            if path.octant != first.octant || !is_common {
                return None;
            }
        }
        let grown = std::array::from_fn(|axis| {
            let distance = |path: &Path| path.slack[axis] / path.inverse[axis].abs();
            paths.iter().map(distance).fold(0.0, f32::max) * 1.0001
        });
        let lanes = |of: &dyn Fn(&Path) -> f32| std::array::from_fn(|lane| of(&paths[lane]));
        Some(Self {
            origin: [0, 1, 2].map(|axis| lanes(&|path| path.origin[axis])),
            inverse: [0, 1, 2].map(|axis| lanes(&|path| path.inverse[axis])),
            t_min: lanes(&|path| path.t_min),
            grown,
            near_row: first.near_row,
            octant: first.octant,
        })
    }
}

impl Packet {
    /// Where each ray enters a child's box, and a bit for each that meets it.
    #[inline(always)]
    fn meet(
        &self,
        lanes: impl Lanes,
        sides: &[[f32; CHILDREN]; 6],
        child: usize,
        reach: &[f32; PACKET],
    ) -> ([f32; PACKET], u32) {
        let [x, y, z] = self.near_row;
        let near = [sides[x][child], sides[y][child], sides[z][child]];
        let far = [sides[x ^ 1][child], sides[y ^ 1][child], sides[z ^ 1][child]];
        lanes.rays(self, near, far, reach)
    }
}

/// A node that waits, with where each ray enters it; NaN of a ray that does not.
pub(super) struct Waiting {
    node: u32,
    enter: [f32; PACKET],
}

/// So many rays are walked on from a node one by one.
const ALONE: u32 = 2;

/// Visits every thing whose box a ray meets at or before what its last visit returned, at first its own `reach`,
/// and tells which ray it is.
#[inline(always)]
pub(super) fn walk(
    lanes: impl Lanes,
    nodes: &[Wide],
    packet: &Packet,
    paths: &[Path; PACKET],
    reach: &mut [f32; PACKET],
    stack: &mut Stack,
    mut visit: impl FnMut(u32, usize) -> f64,
) {
    if nodes.is_empty() {
        return;
    }
    stack.packet.clear();
    let mut number = Wide::ROOT;
    loop {
        let node = &nodes[number as usize];
        let sides = node.sides(packet.grown);
        let mut leaves = node.leaves();
        while leaves != 0 {
            let child = take_lowest(&mut leaves) as usize;
            if sides[0][child] > sides[1][child] {
                // Nothing stands there.
                continue;
            }
            let (_, mut met) = packet.meet(lanes, &sides, child, reach);
            while met != 0 {
                let lane = take_lowest(&mut met) as usize;
                reach[lane] = paths[lane].reach(visit(node.child(child), lane));
            }
        }
        // The farthest is put down first.
        let mut inner = node.inner_from(packet.octant);
        while inner != 0 {
            let highest = 31 - inner.leading_zeros();
            inner ^= 1 << highest;
            let child = (highest ^ packet.octant) as usize;
            let (mut enter, met) = packet.meet(lanes, &sides, child, reach);
            if met != 0 {
                for (lane, t) in enter.iter_mut().enumerate() {
                    *t = if met >> lane & 1 == 1 { *t } else { f32::NAN };
                }
                stack.packet.push(Waiting { node: node.child(child), enter });
            }
        }
        number = loop {
            let Some(waiting) = stack.packet.pop() else { return };
            // Equal stays: a tie may wait there.
            let mut wanted = 0;
            for lane in 0..PACKET {
                wanted |= u32::from(waiting.enter[lane] <= reach[lane]) << lane;
            }
            if wanted.count_ones() > ALONE {
                break waiting.node;
            }
            while wanted != 0 {
                let lane = take_lowest(&mut wanted) as usize;
                let (root, path) = (waiting.node, &paths[lane]);
                let visit = |place| visit(place, lane);
                reach[lane] =
                    walk_alone(lanes, nodes, root, path, reach[lane], &mut stack.wide, visit);
            }
        };
    }
}
