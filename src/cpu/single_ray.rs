//! One ray that visits every item whose box it meets.

use crate::bvh::{Portable, RayFeeder, Stack, Start, Tree};
use crate::ray::Ray;

struct SingleRay<V> {
    start: Option<Start>,
    t_max: f64,
    visit: V,
}

impl<V: FnMut(u32)> RayFeeder for SingleRay<V> {
    const ENDS_EARLY: bool = false;

    fn next(&mut self, _lane: usize) -> Option<Start> {
        self.start.take()
    }

    fn visit(&mut self, _lane: usize, leaf_index: u32) -> f64 {
        (self.visit)(leaf_index);
        self.t_max
    }
}

/// Visits the leaf index of every item whose box, grown by `pad`, a valid ray meets.
pub(super) fn for_each_near(tree: &Tree, ray: &Ray, pad: f64, visit: impl FnMut(u32)) {
    let t_max = f64::from(ray.t_max);
    let start = tree.start(ray, t_max, pad);
    let mut feeder = SingleRay { start, t_max, visit };
    tree.traverse(Portable, &mut Stack::default(), &mut feeder);
}
