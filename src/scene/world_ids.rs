//! The numbering of the geometries of all worlds of a scene. A geometry that does not move has one
//! number. A geometry that moves has one for each world, next to each other. So of two geometries
//! of one world, the lower number has the lower `geometry_id`.

/// Geometries with consecutive ids that do not move, or that move together.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorldRun {
    /// The number of the first in the first world.
    pub first: u32,
    /// Its `geometry_id`, which is the same in all worlds.
    pub first_id: u32,
    /// Their number in each world.
    pub count: u32,
    /// The number of worlds; 1 for geometries that do not move.
    pub worlds: u32,
}

/// The numbers of the geometries of all worlds, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldIds {
    pub runs: Vec<WorldRun>,
    /// The ends of the numbers and of the ids.
    ends: [u32; 2],
}

impl WorldIds {
    /// Appends geometries, which move if they are in several worlds. The caller checks that there
    /// are not too many numbers.
    pub fn push(&mut self, count: u32, worlds: u32) {
        let [first, first_id] = self.ends;
        self.ends = [first.saturating_add(count.saturating_mul(worlds)), first_id + count];
        match self.runs.last_mut() {
            Some(last) if last.worlds == 1 && worlds == 1 => last.count += count,
            _ if count > 0 => self.runs.push(WorldRun { first, first_id, count, worlds }),
            _ => {}
        }
    }

    pub fn run_of(&self, number: u32) -> Option<&WorldRun> {
        let after = self.runs.partition_point(|run| run.first <= number);
        after.checked_sub(1).map(|index| &self.runs[index])
    }
}
