//! The tree over the shapes' boxes that both tracers walk.
//!
//! A node is a pair of boxes, 64 bytes, so that one read tells where to go next. The library `obvhs`
//! builds; `validate` believes nothing and measures the depth, from which the GPU's stack is
//! sized. Boxes are taken in float64, rounded outwards and grown by 8 u of their own largest
//! coordinate, so that a walk in float32 with its margin loses no hit.

mod build;

use crate::math::Bounds;
use crate::ray::Line;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};
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
    #[error("item {geometry} is in {leaves} leaves of the tree, not in one")]
    Leaves {
        /// Which.
        geometry: u32,
        /// In how many.
        leaves: usize,
    },
    /// A shape sticks out of a box above it.
    #[error("item {geometry} sticks out of its box in the tree's node {node}")]
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
        if bounds.is_empty() {
            return Ok(0);
        }
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
        if self.nodes.is_empty() {
            return;
        }
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
        for count in [0, 1, 2, 3, 5, 8, 100, 1000] {
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
