//! Refits a tree whose boxes have moved: the boxes above them are recomputed, and the tree keeps
//! its shape. Lauterbach, Garland, Sengupta, Luebke and Manocha, Fast BVH Construction on GPUs
//! (2009), measure what a tree loses by it by the surface-area cost, and so does this.

use super::build::outward;
use super::node::Link;
use super::planes::CHILDREN;
use super::wide::ROOT;
use super::wide_node::WideNode;
use crate::math::Bounds;
use crate::parallel::mapped;
use crate::ray::NONE;
use obvhs::aabb::Aabb;
use std::ops::Range;

/// So many boxes are rounded in one task: with fewer, threads cost more than they spare.
const BOXES_A_TASK: usize = 2048;

/// The boxes of a tree before they were rounded into nodes, and the way up from each: a refit needs
/// both beside the tree.
#[derive(Clone, Debug)]
pub(super) struct Refitter {
    items: Vec<Aabb>,
    /// The box of each node, by its index; invalid where there is no node.
    nodes: Vec<Aabb>,
    /// The node above each node, and the node above each item; [`NONE`] for the root.
    above_nodes: Vec<u32>,
    above_items: Vec<u32>,
    /// How many roots there are, side by side.
    roots: u32,
    /// The sum of the areas of all boxes of nodes.
    areas: f64,
    /// The cost of the tree when it was built.
    built_cost: f64,
}

impl Refitter {
    /// Prepares a tree for refits, or a forest of several roots.
    pub fn new(nodes: &[WideNode], items: &[u32], roots: u32, bounds: &[Bounds]) -> Self {
        let mut refitter = Self {
            items: bounds.iter().map(outward).collect(),
            nodes: vec![Aabb::INVALID; nodes.len()],
            above_nodes: vec![NONE; nodes.len()],
            above_items: vec![NONE; bounds.len()],
            roots,
            areas: 0.0,
            built_cost: 1.0,
        };
        let mut all = Vec::new();
        let mut waiting: Vec<u32> =
            if bounds.is_empty() { Vec::new() } else { refitter.roots().collect() };
        while let Some(index) = waiting.pop() {
            all.push(index);
            for slot in 0..CHILDREN {
                match nodes[index as usize].link(slot) {
                    Some(Link::Node(below)) => {
                        // What the roots of a forest share is never refitted.
                        let above = &mut refitter.above_nodes[below as usize];
                        if std::mem::replace(above, index) == NONE {
                            waiting.push(below);
                        }
                    }
                    Some(Link::Leaf(leaf)) => {
                        refitter.above_items[items[leaf as usize] as usize] = index;
                    }
                    None => {}
                }
            }
        }
        // A node has a lower number than those below it.
        all.sort_unstable();
        for &index in all.iter().rev() {
            let boxes = refitter.children_of(&nodes[index as usize], items);
            refitter.set_node(index, &boxes);
        }
        refitter.built_cost = refitter.cost();
        refitter
    }

    fn children_of(&self, node: &WideNode, items: &[u32]) -> [Option<Aabb>; CHILDREN] {
        std::array::from_fn(|slot| {
            Some(match node.link(slot)? {
                Link::Node(below) => self.nodes[below as usize],
                Link::Leaf(leaf) => self.items[items[leaf as usize] as usize],
            })
        })
    }

    fn set_node(&mut self, index: u32, children: &[Option<Aabb>; CHILDREN]) {
        let node = &mut self.nodes[index as usize];
        self.areas -= area(node);
        *node = children.iter().flatten().fold(Aabb::INVALID, |all, child| all.union(child));
        self.areas += area(node);
    }

    fn roots(&self) -> Range<u32> {
        ROOT..ROOT + self.roots
    }

    fn root_boxes(&self) -> impl Iterator<Item = &Aabb> {
        self.roots().filter_map(|root| self.nodes.get(root as usize))
    }

    /// Returns the sum of the nodes' areas, as a multiple of the roots': how many nodes a random
    /// ray visits.
    fn cost(&self) -> f64 {
        let roots: f64 = self.root_boxes().map(area).sum();
        if roots > 0.0 { self.areas / roots } else { 1.0 }
    }

    /// Moves the boxes of some items, and returns the indices of the nodes that changed, in
    /// descending order.
    pub fn refit(
        &mut self,
        nodes: &mut [WideNode],
        items: &[u32],
        changed: &[(u32, Bounds)],
    ) -> Vec<u32> {
        let mut dirty = Vec::new();
        let mut is_dirty = vec![false; nodes.len()];
        let boxes = mapped(changed.len(), BOXES_A_TASK, |index| outward(&changed[index].1));
        for ((item, _), moved) in changed.iter().zip(boxes) {
            self.items[*item as usize] = moved;
            let mut above = self.above_items[*item as usize];
            while above != NONE && !std::mem::replace(&mut is_dirty[above as usize], true) {
                dirty.push(above);
                above = self.above_nodes[above as usize];
            }
        }
        dirty.sort_unstable_by(|a, b| b.cmp(a));
        for &index in &dirty {
            let boxes = self.children_of(&nodes[index as usize], items);
            nodes[index as usize] = nodes[index as usize].with_boxes(&boxes);
            self.set_node(index, &boxes);
        }
        dirty
    }

    /// Returns the surface-area cost as a multiple of what it was when the tree was built.
    pub fn degradation(&self) -> f64 {
        self.cost() / self.built_cost
    }

    /// Returns the longest side of the box around all items, or of the largest of a forest's.
    pub fn size(&self) -> f32 {
        let sizes = self.root_boxes().map(|root| (root.max - root.min).max_element());
        sizes.fold(0.0, f32::max)
    }
}

/// Returns half the area of a box's surface; 0 for no box.
fn area(aabb: &Aabb) -> f64 {
    let [x, y, z] = (aabb.max - aabb.min).to_array().map(f64::from);
    if x >= 0.0 { x * y + y * z + z * x } else { 0.0 }
}
