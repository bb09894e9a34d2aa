//! From boxes to a binary tree, bottom up: the boxes stand in a row along Morton's curve, and in each round neighbours
//! that prefer each other are merged (PLOC: Meister and Bittner, Parallel Locally-Ordered Clustering for Bounding
//! Volume Hierarchy Construction, 2018).
//!
//! Equal boxes, nested shells and rows that thin out all prefer the neighbour on the same side. A round merges one pair
//! of them, so that n boxes would take n rounds. Such a round is said to stall, and goes on by merging two by two what
//! stands side by side: every round shortens the row by at least a sixteenth, whatever the boxes are.

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::ploc::morton::morton_encode_u128_unorm;
use rayon::prelude::*;

/// How far along the row a node looks for a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// The first rounds, in which there are the most nodes, look at the two neighbours only.
    pub short_rounds: usize,
    /// How many nodes later rounds look at, on either side.
    pub distance: usize,
}

/// A round stalls that merges fewer pairs than one in so many nodes. Boxes that are spread merge one in three to ten.
const STALL: usize = 16;

/// How many nodes that stand side by side and would not merge are a run. A round that stalls has one. Spread
/// boxes beside it seldom have, and so are merged as they would be alone.
const RUN: usize = 8;

/// A tree with a leaf for each box, of which there is at least one, and how many nodes all rounds looked at.
pub(super) fn cluster(boxes: &[Aabb], search: Search) -> (Bvh2, usize) {
    let mut tree = Bvh2::zeroed(boxes.len());
    tree.primitive_indices = (0_u32..).take(boxes.len()).collect();
    let mut row = along_curve(boxes);
    let mut next = Vec::with_capacity(row.len());
    // Places are taken from the end, so that a parent stands before its children.
    let mut place = tree.nodes.len();
    let [mut round, mut work] = [0, 0];
    while row.len() > 1 {
        let distance = if round < search.short_rounds { 1 } else { search.distance };
        let mut partners = partners(&row, distance);
        pair_runs(&mut partners);
        for (own, node) in row.iter().enumerate() {
            let partner = partners[own] as usize;
            if !is_merged(&partners, own) {
                next.push(*node);
            } else if partner < own {
                let bounds = node.aabb().union(row[partner].aabb());
                place -= 2;
                tree.nodes[place..place + 2].copy_from_slice(&[*node, row[partner]]);
                next.push(Bvh2Node::new(bounds, 0, place as u32));
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

/// A leaf for each box, by where its centre is on Morton's curve; of equal centres the smaller box is first.
fn along_curve(boxes: &[Aabb]) -> Vec<Bvh2Node> {
    let all = boxes.iter().fold(Aabb::INVALID, |all, own| all.union(own));
    let scale = 1.0 / all.diagonal().as_dvec3();
    let offset = -all.min.as_dvec3() * scale;
    let key = |(index, own): (usize, &Aabb)| {
        let center = own.center().as_dvec3() * scale + offset;
        // An area is not negative, so its bits are in the order of its value.
        (morton_encode_u128_unorm(center), own.half_area().to_bits(), index as u32)
    };
    let mut keys: Vec<_> = boxes.par_iter().enumerate().map(key).collect();
    keys.par_sort_unstable();
    keys.par_iter().map(|&(.., index)| Bvh2Node::new(boxes[index as usize], 1, index)).collect()
}

/// For each node the one within a distance along the row that makes the smallest box with it, the last of several.
fn partners(row: &[Bvh2Node], distance: usize) -> Vec<u32> {
    const CHUNK: usize = 1 << 12;
    let mut partners = vec![0; row.len()];
    partners.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, partners)| {
        let start = chunk * CHUNK;
        let end = start + partners.len();
        let first = start.saturating_sub(distance);
        let mut best = vec![(f32::INFINITY, 0); end + distance - first];
        for own in first..end {
            for other in own + 1..row.len().min(own + 1 + distance) {
                // One union serves both of a pair.
                let cost = row[own].aabb().union(row[other].aabb()).half_area();
                for (node, partner) in [(own, other), (other, own)] {
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

/// Whether a node and its partner prefer each other.
fn is_merged(partners: &[u32], own: usize) -> bool {
    partners[partners[own] as usize] as usize == own
}

/// Where the round stalls, makes partners of the nodes in each run, two by two.
fn pair_runs(partners: &mut [u32]) {
    let merged = (0..partners.len()).filter(|&own| is_merged(partners, own)).count();
    if merged / 2 * STALL >= partners.len() {
        return;
    }
    let mut start = 0;
    for own in 0..=partners.len() {
        if own < partners.len() && !is_merged(partners, own) {
            continue;
        }
        if own - start >= RUN {
            for left in (start..own - 1).step_by(2) {
                partners[left] = left as u32 + 1;
                partners[left + 1] = left as u32;
            }
        }
        start = own + 1;
    }
}
