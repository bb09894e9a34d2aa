//! Makes a tree faster to walk: nodes are put elsewhere where that makes boxes smaller (Meister and Bittner, Parallel
//! Reinsertion for Bounding Volume Hierarchy Optimization, 2018; that the first nodes are tried and not all is of the
//! library obvhs).
//!
//! The search for a node's best place leaves out what cannot be better. Where boxes lie within each other that is
//! nothing: each of n nodes would be held against all others. So a search has an allowance of steps, and is content with
//! the best place that it has found when that is spent.

use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::bvh2::reinsertion::reinsert_node;
use rayon::prelude::*;
use rdst::{RadixKey, RadixSort};

/// How many steps a search may take; what it does not need is left to those after it. Of a million spread boxes the
/// mean is about 60, and the largest 250.
const STEPS: usize = 128;

/// How many steps the first search may take besides, and those after it as far as they are left.
const RESERVE: usize = 1 << 12;

/// How many searches share what they leave. The allowance is not that of a thread, so that a tree does not depend on
/// threads.
const GROUP: usize = 1 << 10;

/// A node that may be put elsewhere: the largest are first.
#[derive(Clone, Copy)]
struct Candidate {
    node: u32,
    area: f32,
}

impl RadixKey for Candidate {
    const LEVELS: usize = 4;

    fn get_level(&self, level: usize) -> u8 {
        (-self.area).get_level(level)
    }
}

/// A node with the one that it is to be a sibling of.
#[derive(Clone, Copy, Debug, Default)]
struct Reinsertion {
    from: u32,
    to: u32,
    /// By how much less the areas of all boxes add up to.
    gain: f32,
}

/// Tries a share of the nodes, then a third of as many, a fifth and so on. Returns how many steps the searches took.
pub(super) fn reinsert(tree: &mut Bvh2, share: f32) -> usize {
    let mut steps = 0;
    if tree.nodes.len() == 1 || share == 0.0 {
        return steps;
    }
    tree.init_parents_if_uninit();
    tree.children_are_ordered_after_parents = false;
    for part in (1_u8..32).step_by(2).map(f32::from) {
        let count = (tree.nodes.len() as f32 * share * (1.0 / part)) as usize;
        let candidates = candidates(tree, count.clamp(1, tree.nodes.len() - 1));
        let mut found = vec![Reinsertion::default(); candidates.len()];
        let groups = candidates.par_chunks(GROUP).zip(found.par_chunks_mut(GROUP));
        let search = |(candidates, found)| search(tree, candidates, found);
        steps += groups.map(search).sum::<usize>();
        found.par_sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain));
        let mut is_touched = vec![false; tree.nodes.len()];
        for Reinsertion { from, to, .. } in found.into_iter().take_while(|own| own.gain > 0.0) {
            let [from, to] = [from, to].map(|node| node as usize);
            let parents = [from, to].map(|node| tree.parents[node] as usize);
            let near = [from, to, Bvh2Node::get_sibling_id(from), parents[0], parents[1]];
            if !near.iter().any(|&node| is_touched[node]) {
                near.iter().for_each(|&node| is_touched[node] = true);
                reinsert_node(tree, from, to);
            }
        }
    }
    steps
}

/// The largest of about twice as many nodes, which are the first, and so near the root.
fn candidates(tree: &Bvh2, count: usize) -> Vec<Candidate> {
    let nodes = (0_u32..).zip(&tree.nodes).take(2 * (count + 1)).skip(1);
    let mut candidates: Vec<_> =
        nodes.map(|(node, own)| Candidate { node, area: own.aabb().half_area() }).collect();
    candidates.radix_sort_unstable();
    candidates.truncate(count);
    candidates
}

/// Finds the best place of each candidate, and returns how many steps that took.
fn search(tree: &Bvh2, candidates: &[Candidate], found: &mut [Reinsertion]) -> usize {
    let mut left = RESERVE;
    let mut waiting = Vec::new();
    for (candidate, found) in candidates.iter().zip(found) {
        left += STEPS;
        *found = best_place(tree, candidate.node, &mut left, &mut waiting);
    }
    RESERVE + STEPS * candidates.len() - left
}

/// Where a node makes boxes smallest; no gain where it stays. On the way from it to the root, what lies beside the way
/// is searched as far as it may hold a better place than the best so far.
fn best_place(
    tree: &Bvh2,
    from: u32,
    left: &mut usize,
    waiting: &mut Vec<(f32, u32)>,
) -> Reinsertion {
    let bounds = |node: u32| tree.nodes[node as usize].aabb();
    let parent_of = |node: u32| tree.parents[node as usize];
    let parent = parent_of(from);
    let sibling = Bvh2Node::get_sibling_id32(from);
    let own_area = bounds(from).half_area();
    let mut best = Reinsertion { from, to: parent, gain: 0.0 };
    // All that is below a node of the way but for the one that is taken out, and what is gained by that.
    let mut rest = *bounds(sibling);
    let mut gain = bounds(parent).half_area();
    let [mut above, mut beside] = [parent, sibling];
    loop {
        waiting.clear();
        waiting.push((gain, beside));
        while let Some((gain, to)) = waiting.pop() {
            if gain - own_area <= best.gain {
                continue;
            }
            if *left == 0 {
                return best;
            }
            *left -= 1;
            let node = &tree.nodes[to as usize];
            let here = gain - node.aabb().union(bounds(from)).half_area();
            if here > best.gain {
                best = Reinsertion { from, to, gain: here };
            }
            if !node.is_leaf() {
                let below = here + node.aabb().half_area();
                waiting.extend([(below, node.first_index), (below, node.first_index + 1)]);
            }
        }
        if above != parent {
            rest = rest.union(bounds(beside));
            gain += bounds(above).half_area() - rest.half_area();
        }
        if above == 0 || *left == 0 {
            return best;
        }
        *left -= 1;
        beside = Bvh2Node::get_sibling_id32(above);
        above = parent_of(above);
    }
}
