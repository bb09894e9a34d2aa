//! Builds a binary tree over boxes bottom up: the boxes stand in a row along Morton's curve, and
//! each round merges neighbours that prefer each other (PLOC: Meister and Bittner, Parallel
//! Locally-Ordered Clustering for Bounding Volume Hierarchy Construction, 2018).
//!
//! Equal boxes, nested shells and rows that thin out all prefer the neighbour on the same side. A
//! round merges only one pair of them, so n boxes would take n rounds. Such a round is said to
//! stall. It then also merges nodes that stand side by side, two by two, so that every round
//! shortens the row by at least a sixteenth, whatever the boxes are.

use super::partners::{CHUNK, find_partners};
use crate::parallel::{filled, mapped};
use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::ploc::morton::{morton_encode_u64_unorm, morton_encode_u128_unorm};
use rayon::prelude::*;
use std::ops::Range;

/// How far along the row a node looks for a partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// How many rounds look at only the two neighbours: the first rounds, which have the most
    /// nodes.
    pub short_rounds: usize,
    /// How many nodes on either side later rounds look at.
    pub distance: usize,
}

/// A round stalls if it merges fewer pairs than one in this many nodes. Among spread boxes it
/// merges one in three to ten.
const STALL: usize = 16;

/// This many nodes side by side that would not merge are a run. A round that stalls has at least
/// one. Spread boxes beside it seldom have runs, so they are merged as they would be alone.
const RUN: usize = 8;

/// Builds a tree with a leaf for each box. Returns it with the number of nodes that all rounds
/// looked at. There must be at least one box.
pub(super) fn cluster(boxes: &[Aabb], search: Search) -> (Bvh2, usize) {
    // `Bvh2::zeroed` panics where there is no memory, in place of failing as an allocation does. A
    // leaf has the number of its box, so the tree needs no list of them.
    let nodes = filled(2 * boxes.len() - 1, Bvh2Node::default);
    let mut tree = Bvh2 { nodes, ..Bvh2::default() };
    let mut row = along_curve(boxes);
    let mut next = filled(row.len(), Bvh2Node::default);
    let mut partners = vec![0; row.len()];
    // Nodes are filled in from the end, so that a parent stands before its children.
    let mut first_used = tree.nodes.len();
    let mut length = row.len();
    let [mut round, mut work] = [0, 0];
    while length > 1 {
        let distance = if round < search.short_rounds { 1 } else { search.distance };
        let (row_now, partners) = (&row[..length], &mut partners[..length]);
        find_partners(row_now, distance, partners);
        let mut merges = count_merges(partners);
        if is_stalled(&merges, length) {
            pair_runs(partners);
            merges = count_merges(partners);
        }
        let merged = merge(row_now, partners, merges, &mut next, &mut tree.nodes[..first_used]);
        round += 1;
        work += length;
        length -= merged;
        first_used -= 2 * merged;
        std::mem::swap(&mut row, &mut next);
    }
    tree.nodes[0] = row[0];
    (tree, work)
}

/// Returns a leaf for each box, sorted by the position of its centre on Morton's curve; of equal
/// centres the smaller box comes first.
fn along_curve(boxes: &[Aabb]) -> Vec<Bvh2Node> {
    let around = |boxes: &[Aabb]| boxes.iter().fold(Aabb::INVALID, |all, aabb| all.union(aabb));
    let parts: Vec<&[Aabb]> = boxes.chunks(CHUNK).collect();
    let all = around(&mapped(parts.len(), 1, |part| around(parts[part])));
    let scale = 1.0 / all.diagonal().as_dvec3();
    let offset = -all.min.as_dvec3() * scale;
    let center = |aabb: &Aabb| aabb.center().as_dvec3() * scale + offset;
    let full_key = |index: u32| {
        let aabb = &boxes[index as usize];
        // An area is not negative, so its bits are in the order of its value.
        (morton_encode_u128_unorm(center(aabb)), aabb.half_area().to_bits(), index)
    };
    // The upper half of a position decides nearly always.
    let key = |index: usize| (morton_encode_u64_unorm(center(&boxes[index])), index as u32);
    let mut keys = mapped(boxes.len(), CHUNK, key);
    keys.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| full_key(a.1).cmp(&full_key(b.1))));
    let leaf = |rank: usize| {
        let (_, index) = keys[rank];
        Bvh2Node::new(boxes[index as usize], 1, index)
    };
    mapped(keys.len(), CHUNK, leaf)
}

/// Nodes side by side, and how many of them have partners with which they merge.
struct Merges {
    range: Range<usize>,
    /// Those that come before their partner.
    firsts: usize,
    seconds: usize,
}

/// Counts the nodes of each chunk that merge.
fn count_merges(partners: &[u32]) -> Vec<Merges> {
    mapped(partners.len().div_ceil(CHUNK), 1, |chunk| {
        let start = chunk * CHUNK;
        let range = start..partners.len().min(start + CHUNK);
        let [mut firsts, mut seconds] = [0; 2];
        for index in range.clone().filter(|&index| is_merged(partners, index)) {
            let is_second = (partners[index] as usize) < index;
            firsts += usize::from(!is_second);
            seconds += usize::from(is_second);
        }
        Merges { range, firsts, seconds }
    })
}

fn is_stalled(merges: &[Merges], nodes: usize) -> bool {
    merges.iter().map(|chunk| chunk.firsts).sum::<usize>() * STALL < nodes
}

/// Merges the partners that prefer each other. Writes the row that is left into `next`, and the
/// nodes of each pair side by side into `nodes`, from the end. Returns how many pairs there are.
fn merge(
    row: &[Bvh2Node],
    partners: &[u32],
    merges: Vec<Merges>,
    next: &mut [Bvh2Node],
    nodes: &mut [Bvh2Node],
) -> usize {
    let (mut rest_of_next, mut rest_of_nodes) = (next, nodes);
    let mut work = Vec::with_capacity(merges.len());
    let mut merged = 0;
    for Merges { range, firsts, seconds } in merges {
        let (next, pairs);
        (next, rest_of_next) = rest_of_next.split_at_mut(range.len() - firsts);
        let first_pair = rest_of_nodes.len() - 2 * seconds;
        (rest_of_nodes, pairs) = rest_of_nodes.split_at_mut(first_pair);
        work.push((range, next, pairs, first_pair));
        merged += seconds;
    }
    work.into_par_iter().for_each(|(range, next, pairs, first_pair)| {
        let mut next = next.iter_mut();
        let mut pairs = pairs.chunks_exact_mut(2).enumerate().rev();
        for index in range {
            let node = row[index];
            let partner = partners[index] as usize;
            let left = if !is_merged(partners, index) {
                node
            } else if partner < index
                && let Some((number, pair)) = pairs.next()
            {
                pair.copy_from_slice(&[node, row[partner]]);
                let bounds = node.aabb().union(row[partner].aabb());
                Bvh2Node::new(bounds, 0, (first_pair + 2 * number) as u32)
            } else {
                continue;
            };
            if let Some(next) = next.next() {
                *next = left;
            }
        }
    });
    merged
}

/// Returns true if a node and its partner prefer each other.
fn is_merged(partners: &[u32], index: usize) -> bool {
    partners[partners[index] as usize] as usize == index
}

/// Makes partners of the nodes in each run, two by two.
fn pair_runs(partners: &mut [u32]) {
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
