//! The bodies of all robots in a scene.

use super::contents::GraphContents;
use super::group_bodies::GroupBodies;
use raytwin::scene::Adjacency;
use std::collections::HashMap;
use std::ops::Range;

/// The bodies of a scene that is being built.
#[derive(Clone, Debug, Default)]
pub(super) struct SceneBodies {
    /// The open uses, each with a number.
    open: Vec<u32>,
    uses: u32,
    /// The number of each body of a use.
    numbers: HashMap<[u32; 2], u32>,
    geometries: Vec<(Range<u32>, u32)>,
    pairs: Vec<[u32; 2]>,
    /// How many bodies have a number.
    count: u32,
}

impl SceneBodies {
    pub fn begin_use(&mut self) {
        self.uses += 1;
        self.open.push(self.uses);
    }

    pub fn end_use(&mut self) {
        self.open.pop();
    }

    /// Notes the body of a geometry that comes from a group.
    pub fn add(&mut self, geometry_id: u32, contents: &GraphContents, group: u32) {
        let GroupBodies { of_groups, pairs } = &contents.bodies;
        let Some(&body) = of_groups.get(group as usize) else { return };
        let used = self.open.last().copied().unwrap_or(0);
        let first = !self.numbers.contains_key(&[used, of_groups[0]]);
        let number = self.number(used, body);
        if first {
            self.number(used, of_groups[0]);
            for pair in pairs {
                let pair = pair.map(|body| self.number(used, body));
                self.pairs.push(pair);
            }
        }
        self.note(geometry_id..geometry_id + 1, number);
    }

    fn number(&mut self, used: u32, body: u32) -> u32 {
        let next = self.count;
        let number = *self.numbers.entry([used, body]).or_insert(next);
        self.count = next.max(number + 1);
        number
    }

    fn note(&mut self, ids: Range<u32>, number: u32) {
        match self.geometries.last_mut() {
            Some((last, body)) if *body == number && last.end == ids.start => last.end = ids.end,
            _ => self.geometries.push((ids, number)),
        }
    }

    /// Adds the bodies of a definition that is used, whose first geometry has this id.
    pub fn add_used(&mut self, definition: &Self, first_id: u32) {
        let first = self.count;
        for (ids, body) in &definition.geometries {
            self.note(ids.start + first_id..ids.end + first_id, body + first);
        }
        self.pairs.extend(definition.pairs.iter().map(|pair| pair.map(|body| body + first)));
        self.count += definition.count;
    }

    pub fn adjacency(self) -> Adjacency {
        Adjacency::new(self.geometries, self.pairs)
    }
}
