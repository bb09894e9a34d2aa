//! Makes a tree faster to traverse: nodes are reinserted elsewhere if that makes boxes smaller
//! (Meister and Bittner, Parallel Reinsertion for Bounding Volume Hierarchy Optimization, 2018). As
//! in the library obvhs, only the first nodes are tried.
//!
//! The search for a node's best new sibling prunes subtrees that cannot hold a better one. If boxes
//! lie within each other, it prunes nothing, and each of n nodes would be compared with all others.
//! So a search has an allowance of steps, and settles for the best sibling found when that is
//! spent.

use crate::parallel::for_each;
use obvhs::bvh2::Bvh2;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::bvh2::reinsertion::reinsert_node;
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// How many steps a search may take; it leaves unused steps to later searches. For a million spread
/// boxes the mean is about 60 steps, and the largest number 250.
const STEPS: usize = 128;

/// How many additional steps the searches of a group share.
const RESERVE: usize = 1 << 12;

/// How many searches share an allowance. It does not belong to a thread, so that the tree does not
/// depend on threads.
const GROUP: usize = 1 << 10;

/// The number of nodes whose children's parents one thread notes.
const NODES_A_TASK: usize = 1 << 14;

/// A node that may be reinserted.
#[derive(Clone, Copy)]
struct Candidate {
    node: u32,
    area: f32,
}

/// A node, and the node whose sibling it may become.
#[derive(Clone, Copy, Debug, Default)]
struct Reinsertion {
    from: u32,
    to: u32,
    /// How much smaller the sum of the areas of all boxes becomes.
    gain: f32,
}

/// Tries a share of the nodes, then a third of as many, a fifth and so on. Returns how many steps
/// the searches took.
pub(super) fn reinsert(tree: &mut Bvh2, share: f32) -> usize {
    let mut steps = 0;
    if tree.nodes.len() == 1 || share == 0.0 {
        return steps;
    }
    if tree.parents.is_empty() {
        tree.parents = parents(&tree.nodes);
    }
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
        for Reinsertion { from, to, .. } in found.into_iter().take_while(|best| best.gain > 0.0) {
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

/// Returns the parent of each node, and 0 for the root. The library's function does this on all
/// threads also for a small tree, and waking them takes longer than to build that.
fn parents(nodes: &[Bvh2Node]) -> Vec<u32> {
    let parents: Vec<AtomicU32> = nodes.iter().map(|_| AtomicU32::new(0)).collect();
    let parts: Vec<&[Bvh2Node]> = nodes.chunks(NODES_A_TASK).collect();
    let note = |part: usize| {
        let first = (part * NODES_A_TASK) as u32;
        for (index, node) in (first..).zip(parts[part]).filter(|(_, node)| !node.is_leaf()) {
            let children = &parents[node.first_index as usize..][..2];
            children.iter().for_each(|child| child.store(index, Relaxed));
        }
    };
    for_each(0..parts.len(), &note);
    parents.into_iter().map(AtomicU32::into_inner).collect()
}

/// Returns the `count` largest of about twice as many nodes, which are the first ones and so near
/// the root.
fn candidates(tree: &Bvh2, count: usize) -> Vec<Candidate> {
    let nodes = (0_u32..).zip(&tree.nodes).take(2 * (count + 1)).skip(1);
    let candidate =
        |(index, node): (u32, &Bvh2Node)| Candidate { node: index, area: node.aabb().half_area() };
    let mut candidates: Vec<_> = nodes.map(candidate).collect();
    let larger_first =
        |a: &Candidate, b: &Candidate| b.area.total_cmp(&a.area).then_with(|| a.node.cmp(&b.node));
    if count < candidates.len() {
        candidates.select_nth_unstable_by(count, larger_first);
        candidates.truncate(count);
    }
    candidates.par_sort_unstable_by(larger_first);
    candidates
}

/// Finds the best sibling of each candidate, and returns how many steps that took.
fn search(tree: &Bvh2, candidates: &[Candidate], found: &mut [Reinsertion]) -> usize {
    let mut left = RESERVE;
    let mut waiting = Vec::new();
    for (candidate, found) in candidates.iter().zip(found) {
        left += STEPS;
        *found = best_sibling(tree, candidate.node, &mut left, &mut waiting);
    }
    RESERVE + STEPS * candidates.len() - left
}

/// Finds the sibling with which a node makes boxes smallest; the gain is 0 if it should stay. On
/// the path from the node to the root, the subtree beside each node of the path is searched as far
/// as it may hold a better sibling than the best so far.
fn best_sibling(
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
    // The box of what is left below a node of the path once `from` is removed, and the gain of that
    // removal.
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
