//! The numbering of the geometries of all worlds of a scene. What lies still has one number, and what moves one for each
//! world, side by side: so of two geometries of one world the lower number has the lower `geometry_id`.

use super::Scene;

/// Geometries with consecutive ids that lie still, or that move together.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// The number of the first in the first world.
    first: u32,
    /// Its `geometry_id`, which is the same in all worlds.
    first_id: u32,
    /// Their number in each world.
    count: u32,
    /// The number of worlds; 1 for what lies still in all of them.
    worlds: u32,
}

/// The numbers of the geometries of all worlds, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldIds {
    runs: Vec<Run>,
    /// The ends of the numbers and of the ids.
    ends: [u32; 2],
}

impl WorldIds {
    /// Appends geometries, which move if they are in several worlds. Too many numbers are refused elsewhere.
    pub fn push(&mut self, count: u32, worlds: u32) {
        let [first, first_id] = self.ends;
        self.ends = [first.saturating_add(count.saturating_mul(worlds)), first_id + count];
        match self.runs.last_mut() {
            Some(last) if last.worlds == 1 && worlds == 1 => last.count += count,
            _ if count > 0 => self.runs.push(Run { first, first_id, count, worlds }),
            _ => {}
        }
    }

    fn run_of(&self, number: u32) -> Option<&Run> {
        let after = self.runs.partition_point(|run| run.first <= number);
        after.checked_sub(1).map(|index| &self.runs[index])
    }
}

impl Scene {
    /// Returns true if this scene holds several worlds of another one.
    pub(crate) fn has_several_worlds(&self) -> bool {
        self.world_ids.is_some()
    }

    /// Returns the world that alone has an item, which is a primitive of the scene's own or, after these, an instance.
    pub(crate) fn world_of_item(&self, item: u32) -> Option<u32> {
        self.world_of(match item.checked_sub(self.primitive_ids().total()) {
            Some(instance) => self.instances()[instance as usize].first_geometry(),
            None => self.id_of_own(self.primitive_ids().ids(item)[0]),
        })
    }

    /// Returns the number of a geometry in a world, among those of all worlds.
    pub(crate) fn number_in(&self, world: u32, geometry_id: u32) -> u32 {
        let Some(ids) = &self.world_ids else { return geometry_id };
        let after = ids.runs.partition_point(|run| run.first_id <= geometry_id);
        let Some(run) = after.checked_sub(1).map(|index| &ids.runs[index]) else {
            return geometry_id;
        };
        let of_world = if run.worlds > 1 { world * run.count } else { 0 };
        run.first + of_world + (geometry_id - run.first_id)
    }

    /// Returns the `geometry_id` of a geometry, given its number among those of all worlds.
    #[inline(always)]
    pub(crate) fn id_of_number(&self, number: u32) -> u32 {
        match &self.world_ids {
            None => number,
            Some(ids) => match ids.run_of(number) {
                Some(run) => run.first_id + (number - run.first) % run.count,
                None => number,
            },
        }
    }

    /// Returns the world that alone has a geometry, given its number among those of all worlds; `None` if all have it.
    pub(crate) fn world_of(&self, number: u32) -> Option<u32> {
        let run = self.world_ids.as_ref()?.run_of(number)?;
        (run.worlds > 1).then(|| (number - run.first) / run.count)
    }

    /// Returns true if rays of a world can hit a geometry, given its number among those of all worlds.
    pub(crate) fn is_visible_in(&self, world: u32, number: u32) -> bool {
        self.mask(number) != 0 && self.world_of(number).is_none_or(|other| other == world)
    }
}
