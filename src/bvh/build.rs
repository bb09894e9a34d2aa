//! From boxes to a tree: the library builds, and what it returns is laid out depth first.

use super::{Child, MAX_DEPTH, Node, Tree};
use crate::math::{Bounds, U};
use glam::{DVec3, Vec3, Vec3A};
use obvhs::bvh2::{Bvh2, leaf_collapser::collapse, reinsertion::ReinsertionOptimizer};
use obvhs::ploc::PlocBuilder;
use obvhs::{BvhBuildParams, aabb::Aabb};
use rayon::prelude::*;

impl Tree {
    /// Builds over boxes; over none, a tree without a node.
    pub fn build(bounds: &[Bounds]) -> Self {
        if bounds.is_empty() {
            return Self { nodes: Vec::new(), order: Vec::new() };
        }
        let boxes: Vec<Aabb> = bounds.par_iter().map(outward).collect();
        let built = build(&boxes);
        let source = Source { built: &built, boxes: &boxes };
        let mut tree = Self {
            nodes: Vec::with_capacity(built.nodes.len() / 2 + 1),
            order: Vec::with_capacity(boxes.len()),
        };
        // Depth first, so that a walk's next node is often the next in memory.
        let mut waiting = vec![(Part::Built(0), 1, None::<(usize, usize)>)];
        while let Some((part, depth, parent)) = waiting.pop() {
            let number = tree.nodes.len();
            if let Some((node, side)) = parent {
                tree.nodes[node].children[side].link = number as u32;
            }
            let halves = source.split(part, depth);
            let mut node = Node { children: halves.each_ref().map(|half| source.bounds(half)) };
            for (child, half) in node.children.iter_mut().zip(&halves) {
                if let Some(things) = source.leaf(half) {
                    child.link = tree.order.len() as u32;
                    child.count = things.len() as u32;
                    tree.order.extend(things);
                }
            }
            for (side, half) in halves.into_iter().enumerate().rev() {
                if node.children[side].count == 0 {
                    waiting.push((half, depth + 1, Some((number, side))));
                }
            }
            tree.nodes.push(node);
        }
        if let [_] = boxes[..] {
            // One thing alone: both halves are the same leaf.
            tree.order.truncate(1);
            tree.nodes[0].children[1] = tree.nodes[0].children[0];
        }
        tree
    }
}

/// The library's tree. Its own function for this reads a clock, which a browser does not have.
fn build(boxes: &[Aabb]) -> Bvh2 {
    const PRESET: BvhBuildParams = BvhBuildParams::medium_build();
    // A shape here costs about twice a node to ask, so leaves are small: on spheres, cylinders and boxes
    // in equal parts this casts 1.2 (GPU in software) to 1.3 (CPU) times the rays of the preset, which is
    // made for triangles.
    const LEAF: u32 = 4;
    const NODE_COST: f32 = 0.5;
    let indices = (0_u32..).take(boxes.len()).collect();
    let mut tree = PlocBuilder::with_capacity(boxes.len()).build(
        PRESET.ploc_search_distance,
        boxes,
        indices,
        PRESET.sort_precision,
        PRESET.search_depth_threshold,
    );
    let mut optimizer = ReinsertionOptimizer::default();
    optimizer.run(&mut tree, PRESET.reinsertion_batch_ratio, None);
    collapse(&mut tree, LEAF, NODE_COST);
    let again = PRESET.post_collapse_reinsertion_batch_ratio_multiplier;
    optimizer.run(&mut tree, PRESET.reinsertion_batch_ratio * again, None);
    tree
}

/// Below this level things are halved by their order, whatever the builder thought of them: shapes
/// about one centre, such as nested shells, would else make a chain as long as there are shapes.
const CHAIN: usize = MAX_DEPTH / 2;

/// The most things of a leaf that is made here.
const LEAF: usize = 4;

/// What becomes a node or a leaf of the tree.
enum Part {
    /// What the library made of it.
    Built(usize),
    /// Things that are halved by their order.
    Crowd(Vec<u32>),
}

/// What the tree is made from.
struct Source<'a> {
    built: &'a Bvh2,
    boxes: &'a [Aabb],
}

impl Source<'_> {
    /// The things of a leaf; `None` for a part that has two halves.
    fn leaf<'b>(&'b self, part: &'b Part) -> Option<&'b [u32]> {
        match part {
            Part::Built(node) => {
                let node = &self.built.nodes[*node];
                let first = node.first_index as usize;
                let things = first..first + node.prim_count as usize;
                node.is_leaf().then(|| &self.built.primitive_indices[things])
            }
            Part::Crowd(things) => (things.len() <= LEAF).then_some(things),
        }
    }

    /// A part's box, as an inner child that links nowhere yet.
    fn bounds(&self, part: &Part) -> Child {
        let own = match part {
            Part::Built(node) => *self.built.nodes[*node].aabb(),
            Part::Crowd(things) => {
                let all = things.iter().map(|&thing| self.boxes[thing as usize]);
                all.fold(Aabb::INVALID, |all, own| all.union(&own))
            }
        };
        Child {
            min: Vec3::from(own.min).to_array(),
            link: 0,
            max: Vec3::from(own.max).to_array(),
            count: 0,
        }
    }

    fn split(&self, part: Part, depth: usize) -> [Part; 2] {
        let things = match part {
            Part::Built(node) => match self.leaf(&part) {
                // Only of a tree that is all one leaf.
                Some(things) => things.to_vec(),
                None if depth < CHAIN => {
                    let first = self.built.nodes[node].first_index as usize;
                    return [Part::Built(first), Part::Built(first + 1)];
                }
                None => self.things_below(node),
            },
            Part::Crowd(things) => things,
        };
        // A thing alone is both halves.
        let middle = things.len() / 2;
        [things[..middle.max(1)].to_vec(), things[middle..].to_vec()].map(Part::Crowd)
    }

    fn things_below(&self, node: usize) -> Vec<u32> {
        let mut things = Vec::new();
        let mut waiting = vec![Part::Built(node)];
        while let Some(part) = waiting.pop() {
            match self.leaf(&part) {
                Some(own) => things.extend(own),
                None => waiting.extend(self.split(part, 0)),
            }
        }
        things
    }
}

/// A box that surely holds the bounds, in float32 and against float32 arithmetic.
fn outward(bounds: &Bounds) -> Aabb {
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
