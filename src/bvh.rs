//! The tree over the shapes' boxes that both tracers walk.
//!
//! A node is a pair of boxes, 64 bytes, so that one read tells where to go next. The library `obvhs`
//! builds; `validate` believes nothing and measures the depth, from which the GPU's stack is
//! sized. Boxes are taken in float64, rounded outwards and grown by 8 u of their own largest
//! coordinate, so that a walk in float32 with its margin loses no hit.

use crate::math::{Bounds, U};
use crate::ray::Line;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3, Vec3A};
use obvhs::bvh2::{Bvh2, leaf_collapser::collapse, reinsertion::ReinsertionOptimizer};
use obvhs::ploc::PlocBuilder;
use obvhs::{BvhBuildParams, aabb::Aabb};
use rayon::prelude::*;
use thiserror::Error;

/// One of a node's two boxes, and what is inside.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Child {
    pub min: [f32; 3],
    /// Of an inner child its node; of a leaf its first place in the order of shapes.
    pub link: u32,
    pub max: [f32; 3],
    /// How many shapes a leaf holds; 0 marks an inner child.
    pub count: u32,
}

/// Two boxes side by side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Node {
    pub children: [Child; 2],
}

/// What a tree can have wrong; each is a defect of the builder, not of a scene.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TreeError {
    /// A link leads out of the tree.
    #[error("the tree's node {node} links to {link}, of which there is none")]
    Link {
        /// Where the link is.
        node: u32,
        /// Where it leads.
        link: u32,
    },
    /// A node is reached twice.
    #[error("the tree's node {0} is reached twice")]
    Twice(u32),
    /// A shape is in two leaves or in none.
    #[error("geometry {geometry} is in {leaves} leaves of the tree, not in one")]
    Leaves {
        /// Which.
        geometry: u32,
        /// In how many.
        leaves: usize,
    },
    /// A shape sticks out of a box above it.
    #[error("geometry {geometry} sticks out of its box in the tree's node {node}")]
    Outside {
        /// Which.
        geometry: u32,
        /// Whose box.
        node: u32,
    },
    /// The tree is deeper than the GPU's largest stack.
    #[error("the tree is {0} levels deep, and at most {MAX_DEPTH} can be walked")]
    Deep(usize),
}

/// The deepest tree that is walked: a stack of more entries would not fit a GPU thread.
pub const MAX_DEPTH: usize = 128;

/// A binary tree of boxes over numbered things.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub nodes: Vec<Node>,
    /// The things' numbers, leaf by leaf.
    pub order: Vec<u32>,
}

impl Tree {
    /// Builds over boxes, of which there is at least one.
    pub fn build(bounds: &[Bounds]) -> Self {
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

    /// Sorts the things within each leaf.
    pub fn sort_leaves<K: Ord>(&mut self, key: impl Fn(u32) -> K) {
        for child in self.nodes.iter().flat_map(|node| &node.children) {
            // An inner child counts none.
            let leaf = child.link as usize..(child.link + child.count) as usize;
            if child.count > 0 {
                self.order[leaf].sort_by_key(|&thing| key(thing));
            }
        }
    }

    /// Checks that every thing is in one leaf and inside every box above it, and returns how many
    /// levels of nodes there are.
    pub fn validate(&self, bounds: &[Bounds]) -> Result<usize, TreeError> {
        let mut reached = vec![false; self.nodes.len()];
        let mut leaves = vec![0_usize; bounds.len()];
        let mut deepest = 0;
        // A node with the boxes above it: only the innermost of a chain of nested boxes binds.
        let mut waiting = vec![(0_u32, 1_usize, None::<Bounds>)];
        while let Some((number, depth, above)) = waiting.pop() {
            deepest = deepest.max(depth);
            if std::mem::replace(&mut reached[number as usize], true) {
                return Err(TreeError::Twice(number));
            }
            for child in &self.nodes[number as usize].children {
                let own = Bounds {
                    min: Vec3::from(child.min).as_dvec3(),
                    max: Vec3::from(child.max).as_dvec3(),
                };
                let binding = above.map_or(own, |above| Bounds {
                    min: own.min.max(above.min),
                    max: own.max.min(above.max),
                });
                let end = match child.count {
                    0 => self.nodes.len(),
                    _ => self.order.len(),
                };
                let last = child.link as usize + (child.count as usize).max(1) - 1;
                if last >= end {
                    return Err(TreeError::Link { node: number, link: child.link });
                }
                if child.count == 0 {
                    waiting.push((child.link, depth + 1, Some(binding)));
                    continue;
                }
                for place in child.link..child.link + child.count {
                    let thing = self.order[place as usize] as usize;
                    leaves[thing] += 1;
                    if !binding.contains(&bounds[thing]) {
                        return Err(TreeError::Outside { geometry: thing as u32, node: number });
                    }
                }
            }
        }
        // A thing alone stands in both leaves of its only node.
        let expected = if bounds.len() == 1 { 2 } else { 1 };
        if let Some(thing) = leaves.iter().position(|&count| count != expected) {
            return Err(TreeError::Leaves { geometry: thing as u32, leaves: leaves[thing] });
        }
        if deepest > MAX_DEPTH {
            return Err(TreeError::Deep(deepest));
        }
        Ok(deepest)
    }

    /// Visits the place in [`Self::order`] of everything whose box, grown by `pad`, the line meets
    /// between `t_min` and the value that the last visit returned, at first `t_max`.
    pub fn walk(
        &self,
        line: &Line,
        [t_min, mut t_max]: [f64; 2],
        pad: f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        let slabs = Slabs::new(line, t_min, pad);
        let mut stack = [(0_u32, 0.0_f64); MAX_DEPTH];
        let mut waiting = 0;
        let mut current = 0;
        loop {
            let [a, b] = &self.nodes[current as usize].children;
            let mut children = [(slabs.entry(a, t_max), a), (slabs.entry(b, t_max), b)];
            if children[1].0 < children[0].0 {
                children.swap(0, 1);
            }
            let mut next = None;
            for (entry, child) in children {
                // A leaf's shapes may have brought t_max nearer, so the second is asked again.
                let is_met = entry <= t_max;
                if !is_met {
                    continue;
                }
                if child.count > 0 {
                    for place in child.link..child.link + child.count {
                        t_max = visit(place);
                    }
                } else if next.is_none() {
                    next = Some(child.link);
                } else {
                    stack[waiting] = (child.link, entry);
                    waiting += 1;
                }
            }
            current = match next {
                Some(link) => link,
                None => loop {
                    if waiting == 0 {
                        return;
                    }
                    waiting -= 1;
                    let (link, entry) = stack[waiting];
                    if entry <= t_max {
                        break link;
                    }
                },
            };
        }
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

/// A line prepared for tests of boxes, in float64 with a margin above its own rounding.
struct Slabs {
    origin: DVec3,
    inverse: DVec3,
    t_min: f64,
    pad: f64,
}

impl Slabs {
    const MARGIN: f64 = 1e-14;

    fn new(line: &Line, t_min: f64, pad: f64) -> Self {
        // No infinity: 0 × ∞ would be NaN on a box's face.
        let nonzero = |d: f64| if d.abs() < 1e-200 { 1e-200_f64.copysign(d) } else { d };
        Self { origin: line.origin, inverse: line.direction.map(nonzero).recip(), t_min, pad }
    }

    /// Where the line enters the box; NaN, which is at most nothing, where it does not between `t_min`
    /// and `t_max`. An infinity would be at most a `t_max` of infinity.
    fn entry(&self, child: &Child, t_max: f64) -> f64 {
        let low = Vec3::from(child.min).as_dvec3() - self.pad;
        let high = Vec3::from(child.max).as_dvec3() + self.pad;
        let a = (low - self.origin) * self.inverse;
        let b = (high - self.origin) * self.inverse;
        let enter = a.min(b).max_element();
        let leave = a.max(b).min_element();
        let enter = enter - Self::MARGIN * enter.abs();
        let leave = leave + Self::MARGIN * leave.abs();
        if enter <= leave && leave >= self.t_min && enter <= t_max { enter } else { f64::NAN }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cubes(count: usize) -> Vec<Bounds> {
        (0..count)
            .map(|i| {
                let place = DVec3::new(i as f64, (i * i % 17) as f64, (i * 7 % 11) as f64);
                Bounds::around(place, DVec3::splat(0.75))
            })
            .collect()
    }

    #[test]
    fn a_tree_of_any_size_is_valid_and_a_walk_visits_what_the_line_meets() {
        for count in [1, 2, 3, 5, 8, 100, 1000] {
            let bounds = cubes(count);
            let tree = Tree::build(&bounds);
            let depth = tree.validate(&bounds).unwrap();
            assert!(depth <= 64, "{count} shapes, {depth} levels");
            for (target, own) in bounds.iter().enumerate() {
                let line = Line {
                    origin: DVec3::new(-5.0, 3.0, 40.0),
                    direction: own.center() - DVec3::new(-5.0, 3.0, 40.0),
                };
                let mut met = Vec::new();
                tree.walk(&line, [0.0, f64::INFINITY], 0.0, |place| {
                    met.push(tree.order[place as usize] as usize);
                    f64::INFINITY
                });
                assert!(met.contains(&target), "{target} of {count}");
            }
        }
    }

    #[test]
    fn shapes_about_one_centre_make_a_tree_that_can_be_walked() {
        let identical = vec![Bounds::around(DVec3::ONE, DVec3::ONE); 5000];
        Tree::build(&identical).validate(&identical).unwrap();
        let shells: Vec<_> = (1..5000)
            .map(|radius| Bounds::around(DVec3::ONE, DVec3::splat(radius.into())))
            .collect();
        Tree::build(&shells).validate(&shells).unwrap();
    }

    #[test]
    fn validation_sees_a_shape_outside_its_box_a_lost_shape_and_a_wrong_link() {
        let bounds = cubes(64);
        let tree = Tree::build(&bounds);

        let mut moved = bounds.clone();
        moved[5].max.x += 100.0;
        assert!(matches!(tree.validate(&moved), Err(TreeError::Outside { geometry: 5, .. })));

        let mut lost = tree.clone();
        lost.order[3] = lost.order[4];
        assert!(lost.validate(&bounds).is_err());

        let mut astray = tree.clone();
        astray.nodes[0].children[0].link = 1_000_000;
        assert!(matches!(astray.validate(&bounds), Err(TreeError::Link { node: 0, .. })));

        let mut round = tree;
        round.nodes[0].children[0] = Child { link: 0, count: 0, ..round.nodes[0].children[0] };
        assert!(round.validate(&bounds).is_err());
    }
}
