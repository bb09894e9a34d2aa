//! The build of the library's binary tree, from which the wide one is made.

use super::cluster::{Search, cluster};
use super::node::MAX_DEPTH;
use super::reinsert::reinsert;
use crate::math::{Bounds, U};
use glam::{DVec3, Vec3A};
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;

/// The effort of a build. With more effort, the tree is faster to traverse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quality {
    /// For scenes that change often.
    Fast,
    /// For most uses.
    #[default]
    Medium,
    /// For scenes into which a very large number of rays is cast.
    Best,
}

impl Quality {
    /// Returns its name in flags and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Medium => "medium",
            Self::Best => "best",
        }
    }
}

/// The parameters of a build; the figures are those of the library's presets.
pub(super) struct Effort {
    search: Search,
    /// The share of the nodes that are reinserted.
    share: f32,
}

impl Effort {
    pub(super) const fn of(quality: Quality) -> Self {
        let (short_rounds, distance, share) = match quality {
            Quality::Fast => (2, 6, 0.02),
            Quality::Medium => (3, 14, 0.05),
            Quality::Best => (1, 14, 1.0),
        };
        Self { search: Search { short_rounds, distance }, share }
    }

    /// Builds a tree with a leaf for each box, and returns how many steps it took.
    pub(super) fn build(&self, boxes: &[Aabb]) -> (Bvh2, usize) {
        let (mut tree, looks) = cluster(boxes, self.search);
        let steps = reinsert(&mut tree, self.share);
        (tree, looks + steps)
    }
}

/// Builds a tree whose leaves hold one item each.
pub(super) fn single_leaves(boxes: &[Aabb], quality: Quality) -> Bvh2 {
    Effort::of(quality).build(boxes).0
}

/// Below this level a subtree is replaced by one that halves its leaves in their order. Shapes
/// about one centre, such as nested shells, would otherwise make a chain as long as there are
/// shapes.
pub(super) const CHAIN: usize = MAX_DEPTH / 2;

pub(super) fn balance_chains(nodes: &mut [Bvh2Node]) {
    let mut waiting = vec![(0, 1)];
    while let Some((node, depth)) = waiting.pop() {
        let current = nodes[node];
        if current.is_leaf() {
            continue;
        }
        let first = current.first_index as usize;
        if depth < CHAIN {
            waiting.extend([(first, depth + 1), (first + 1, depth + 1)]);
        } else {
            balance(nodes, node);
        }
    }
}

/// Rebuilds the subtree below a node with the least depth, in the memory that it has.
fn balance(nodes: &mut [Bvh2Node], root: usize) {
    let mut leaves = Vec::new();
    let mut pairs = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let current = nodes[node];
        if current.is_leaf() {
            leaves.push(current);
        } else {
            pairs.push(current.first_index);
            waiting.extend([current.first_index as usize + 1, current.first_index as usize]);
        }
    }
    // A subtree of n leaves takes n - 1 pairs, so the pairs suffice.
    let mut waiting = vec![(root, leaves)];
    while let Some((node, mut leaves)) = waiting.pop() {
        let bounds = leaves.iter().fold(Aabb::INVALID, |all, leaf| all.union(leaf.aabb()));
        let pair = if leaves.len() > 1 { pairs.pop() } else { None };
        let Some(pair) = pair else {
            if let Some(leaf) = leaves.pop() {
                nodes[node] = leaf;
            }
            continue;
        };
        let rest = leaves.split_off(leaves.len() / 2);
        nodes[node] = Bvh2Node::new(bounds, 0, pair);
        waiting.extend([(pair as usize, leaves), (pair as usize + 1, rest)]);
    }
}

/// Returns a float32 box that holds the bounds, grown to cover the float32 arithmetic of a
/// traversal.
pub(crate) fn outward(bounds: &Bounds) -> Aabb {
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let pad = DVec3::splat(8.0 * U * largest);
    let below = (bounds.min - pad).to_array().map(|exact| {
        let near = exact as f32;
        moved(near, -i32::from(f64::from(near) > exact))
    });
    let above = (bounds.max + pad).to_array().map(|exact| {
        let near = exact as f32;
        moved(near, i32::from(f64::from(near) < exact))
    });
    Aabb::new(Vec3A::from(below), Vec3A::from(above))
}

/// Returns the float32 number that is this many numbers above another, given 0, or given 1 or −1
/// for what was rounded to it from that side. No branch depends on how a number is rounded, which
/// no processor predicts.
fn moved(near: f32, numbers: i32) -> f32 {
    // The bits of numbers below zero ascend the other way.
    let up = (near.to_bits() as i32 >> 31) | 1;
    f32::from_bits(near.to_bits().wrapping_add_signed(up * numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_rounded_to_the_next_numbers_outwards() {
        let mut rng = fastrand::Rng::with_seed(5);
        let special = [0.0, -0.0, 1.0, -1.0, 1e-50, -1e-50, 1e39, -1e39, 3e-39, 2.0_f64.powi(-149)];
        let random = (0..10_000).map(|_| (rng.f64() - 0.5) * 2.0_f64.powi(rng.i32(-160..130)));
        for exact in special.into_iter().chain(random.collect::<Vec<_>>()) {
            let Aabb { min, max } = outward(&Bounds::around(DVec3::splat(exact), DVec3::ZERO));
            let pad = 8.0 * U * exact.abs();
            let [low, high] = [exact - pad, exact + pad];
            let (below, above) = (low as f32, high as f32);
            let below = if f64::from(below) > low { below.next_down() } else { below };
            let above = if f64::from(above) < high { above.next_up() } else { above };
            assert_eq!([min.x, max.x].map(f32::to_bits), [below, above].map(f32::to_bits));
        }
    }
}
