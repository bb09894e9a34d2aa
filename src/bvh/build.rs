//! From boxes to the library's binary tree, of which both layouts are made.

use super::{MAX_DEPTH, Quality};
use crate::math::{Bounds, U};
use glam::{DVec3, Vec3A};
use obvhs::BvhBuildParams;
use obvhs::aabb::Aabb;
use obvhs::bvh2::node::Bvh2Node;
use obvhs::bvh2::{Bvh2, leaf_collapser::collapse, reinsertion::ReinsertionOptimizer};
use obvhs::ploc::PlocBuilder;

fn preset(quality: Quality) -> BvhBuildParams {
    match quality {
        Quality::Fast => BvhBuildParams::fast_build(),
        Quality::Medium => BvhBuildParams::medium_build(),
        Quality::Best => BvhBuildParams::very_slow_build(),
    }
}

/// A tree with a leaf for each box. The library's own function for this reads a clock, which a browser does
/// not have.
fn build(boxes: &[Aabb], preset: &BvhBuildParams) -> Bvh2 {
    let indices = (0_u32..).take(boxes.len()).collect();
    let mut tree = PlocBuilder::with_capacity(boxes.len()).build(
        preset.ploc_search_distance,
        boxes,
        indices,
        preset.sort_precision,
        preset.search_depth_threshold,
    );
    ReinsertionOptimizer::default().run(&mut tree, preset.reinsertion_batch_ratio, None);
    tree
}

/// Of leaves that hold one thing each, as the wide layout is made from.
pub(super) fn of_single_leaves(boxes: &[Aabb], quality: Quality) -> Bvh2 {
    let mut tree = build(boxes, &preset(quality));
    balance_chains(&mut tree);
    tree
}

/// Of leaves that hold a few things where that is the less to ask.
pub(super) fn of_small_leaves(boxes: &[Aabb], quality: Quality) -> Bvh2 {
    // A shape here costs about twice a node to ask, so leaves are small: on spheres, cylinders and boxes
    // in equal parts this casts 1.2 (GPU in software) to 1.3 (CPU) times the rays of the preset, which is
    // made for triangles.
    const LEAF: u32 = 4;
    const NODE_COST: f32 = 0.5;
    let preset = preset(quality);
    let mut tree = build(boxes, &preset);
    collapse(&mut tree, LEAF, NODE_COST);
    let again = preset.post_collapse_reinsertion_batch_ratio_multiplier;
    let ratio = preset.reinsertion_batch_ratio * again;
    ReinsertionOptimizer::default().run(&mut tree, ratio, None);
    balance_chains(&mut tree);
    tree
}

/// Below this level leaves are halved by their order, whatever the builder thought of them: shapes about one
/// centre, such as nested shells, would else make a chain as long as there are shapes.
const CHAIN: usize = MAX_DEPTH / 2;

fn balance_chains(tree: &mut Bvh2) {
    let mut waiting = vec![(0, 1)];
    while let Some((node, depth)) = waiting.pop() {
        let own = tree.nodes[node];
        if own.is_leaf() {
            continue;
        }
        let first = own.first_index as usize;
        if depth < CHAIN {
            waiting.extend([(first, depth + 1), (first + 1, depth + 1)]);
        } else {
            balance(&mut tree.nodes, node);
        }
    }
}

/// Makes a tree of the least depth of what is below a node, in the places that it has.
fn balance(nodes: &mut [Bvh2Node], root: usize) {
    let mut leaves = Vec::new();
    let mut pairs = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        let own = nodes[node];
        if own.is_leaf() {
            leaves.push(own);
        } else {
            pairs.push(own.first_index);
            waiting.extend([own.first_index as usize + 1, own.first_index as usize]);
        }
    }
    // Both go out from the same end: a node of n leaves takes n - 1 pairs.
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

/// A box that surely holds the bounds, in float32 and against float32 arithmetic.
pub(super) fn outward(bounds: &Bounds) -> Aabb {
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let pad = DVec3::splat(8.0 * U * largest);
    let below = (bounds.min - pad).to_array().map(|exact| {
        let near = exact as f32;
        if f64::from(near) > exact { near.next_down() } else { near }
    });
    let above = (bounds.max + pad).to_array().map(|exact| {
        let near = exact as f32;
        if f64::from(near) < exact { near.next_up() } else { near }
    });
    Aabb::new(Vec3A::from(below), Vec3A::from(above))
}
