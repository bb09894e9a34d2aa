//! The numbers of geometries among those of all worlds.

use super::Scene;

impl Scene {
    /// Returns true if this scene contains several worlds of another one.
    pub(crate) fn has_several_worlds(&self) -> bool {
        self.world_ids.is_some()
    }

    /// Returns the only world that has an item, which is a primitive of the scene's own or, after
    /// these, an instance.
    pub(crate) fn world_of_item(&self, item: u32) -> Option<u32> {
        self.world_of(match item.checked_sub(self.primitive_ids().total()) {
            Some(instance) => self.instances()[instance as usize].first_geometry(),
            None => self.id_of_own(self.primitive_ids().ids(item)[0]),
        })
    }

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

    /// Returns the only world that has a geometry, given its number among those of all worlds;
    /// `None` if all have it.
    pub(crate) fn world_of(&self, number: u32) -> Option<u32> {
        let run = self.world_ids.as_ref()?.run_of(number)?;
        (run.worlds > 1).then(|| (number - run.first) / run.count)
    }

    /// Returns true if rays of a world can hit a geometry, given its number among those of all
    /// worlds.
    pub(crate) fn is_visible_in(&self, world: u32, number: u32) -> bool {
        self.mask(number) != 0 && self.world_of(number).is_none_or(|other| other == world)
    }
}
