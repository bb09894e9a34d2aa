//! Builds a binary tree over boxes bottom up: the boxes stand in a row along Morton's curve, and each round merges
//! neighbours that prefer each other (PLOC: Meister and Bittner, Parallel Locally-Ordered Clustering for Bounding
//! Volume Hierarchy Construction, 2018).
//!
//! Equal boxes, nested shells and rows that thin out all prefer the neighbour on the same side. A round merges only one
//! pair of them, so n boxes would take n rounds. Such a round is said to stall. It then also merges nodes that stand
//! side by side, two by two, so that every round shortens the row by at least a sixteenth, whatever the boxes are.

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::ploc::morton::morton_encode_u128_unorm;
use rayon::prelude::*;

/// How far along the row a node looks for a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// How many rounds look at only the two neighbours: the first rounds, which have the most nodes.
    pub short_rounds: usize,
    /// How many nodes on either side later rounds look at.
    pub distance: usize,
}

/// A round stalls if it merges fewer pairs than one in so many nodes. Among spread boxes it merges one in three to ten.
const STALL: usize = 16;

/// This many nodes side by side that would not merge are a run. A round that stalls has at least one. Spread boxes
/// beside it seldom have runs, so they are merged as they would be alone.
const RUN: usize = 8;

/// Builds a tree with a leaf for each box. Returns it with the number of nodes that all rounds looked at. There must be
/// at least one box.
pub(super) fn cluster(boxes: &[Aabb], search: Search) -> (Bvh2, usize) {
    let mut tree = Bvh2::zeroed(boxes.len());
    tree.primitive_indices = (0_u32..).take(boxes.len()).collect();
    let mut row = along_curve(boxes);
    let mut next = Vec::with_capacity(row.len());
    // Nodes are filled in from the end, so that a parent stands before its children.
    let mut first_used = tree.nodes.len();
    let [mut round, mut work] = [0, 0];
    while row.len() > 1 {
        let distance = if round < search.short_rounds { 1 } else { search.distance };
        let mut partners = partners(&row, distance);
        pair_runs(&mut partners);
        for (index, node) in row.iter().enumerate() {
            let partner = partners[index] as usize;
            if !is_merged(&partners, index) {
                next.push(*node);
            } else if partner < index {
                let bounds = node.aabb().union(row[partner].aabb());
                first_used -= 2;
                tree.nodes[first_used..first_used + 2].copy_from_slice(&[*node, row[partner]]);
                next.push(Bvh2Node::new(bounds, 0, first_used as u32));
            }
        }
        round += 1;
        work += row.len();
        std::mem::swap(&mut row, &mut next);
        next.clear();
    }
    tree.nodes[0] = row[0];
    (tree, work)
}

/// Returns a leaf for each box, sorted by the position of its centre on Morton's curve; of equal centres the smaller
/// box comes first.
fn along_curve(boxes: &[Aabb]) -> Vec<Bvh2Node> {
    let all = boxes.iter().fold(Aabb::INVALID, |all, aabb| all.union(aabb));
    let scale = 1.0 / all.diagonal().as_dvec3();
    let offset = -all.min.as_dvec3() * scale;
    let key = |(index, aabb): (usize, &Aabb)| {
        let center = aabb.center().as_dvec3() * scale + offset;
        // An area is not negative, so its bits are in the order of its value.
        (morton_encode_u128_unorm(center), aabb.half_area().to_bits(), index as u32)
    };
    let mut keys: Vec<_> = boxes.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    keys.par_iter().map(|&(.., index)| Bvh2Node::new(boxes[index as usize], 1, index)).collect()
}

/// Returns the partner that each node prefers: the node within a distance along the row that makes the smallest box
/// with it, or the last of several such nodes.
fn partners(row: &[Bvh2Node], distance: usize) -> Vec<u32> {
    const CHUNK: usize = 1 << 12;
    let mut partners = vec![0; row.len()];
    partners.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, partners)| {
        let start = chunk * CHUNK;
        let end = start + partners.len();
        let first = start.saturating_sub(distance);
        let mut best = vec![(f32::INFINITY, 0); end + distance - first];
        for index in first..end {
            for other in index + 1..row.len().min(index + 1 + distance) {
                // One union serves both nodes of a pair.
                let cost = row[index].aabb().union(row[other].aabb()).half_area();
                for (node, partner) in [(index, other), (other, index)] {
                    let best = &mut best[node - first];
                    if cost <= best.0 {
                        *best = (cost, partner as u32);
                    }
                }
            }
        }
        for (partner, (_, best)) in partners.iter_mut().zip(&best[start - first..]) {
            *partner = *best;
        }
    });
    partners
}

/// Returns true if a node and its partner prefer each other.
fn is_merged(partners: &[u32], index: usize) -> bool {
    partners[partners[index] as usize] as usize == index
}

/// If the round stalls, makes partners of the nodes in each run, two by two.
fn pair_runs(partners: &mut [u32]) {
    let merged = (0..partners.len()).filter(|&index| is_merged(partners, index)).count();
    if merged / 2 * STALL >= partners.len() {
        return;
    }
    let mut start = 0;
    for index in 0..=partners.len() {
        if index < partners.len() && !is_merged(partners, index) {
            continue;
        }
        if index - start >= RUN {
            for left in (start..index - 1).step_by(2) {
                partners[left] = left as u32 + 1;
                partners[left + 1] = left as u32;
            }
        }
        start = index + 1;
    }
}
