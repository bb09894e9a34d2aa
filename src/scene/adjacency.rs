//! The geometries that belong together in the structure of a robot.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// The bodies of robots, and the pairs that joints connect. Connected bodies are meant to touch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Adjacency {
    /// Ranges of geometries in the order of their ids, each with its body's number. A body may have
    /// several ranges.
    bodies: Vec<(Range<u32>, u32)>,
    /// Pairs of bodies, the lower number first.
    pairs: BTreeSet<[u32; 2]>,
}

impl Adjacency {
    /// Makes the adjacency from ranges of geometries with the numbers of their bodies, and from the
    /// connected pairs of bodies.
    pub fn new(
        mut bodies: Vec<(Range<u32>, u32)>,
        pairs: impl IntoIterator<Item = [u32; 2]>,
    ) -> Self {
        bodies.sort_unstable_by_key(|(range, _)| range.start);
        let pairs = pairs.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
        Self { bodies, pairs }
    }

    fn body_of(&self, geometry_id: u32) -> Option<u32> {
        let after = self.bodies.partition_point(|(range, _)| range.start <= geometry_id);
        let (range, body) = self.bodies.get(after.checked_sub(1)?)?;
        range.contains(&geometry_id).then_some(*body)
    }

    /// Returns true if two geometries are parts of one body, or of two connected bodies.
    pub fn connects(&self, a: u32, b: u32) -> bool {
        match (self.body_of(a), self.body_of(b)) {
            (Some(a), Some(b)) => a == b || self.pairs.contains(&[a.min(b), a.max(b)]),
            _ => false,
        }
    }
}
