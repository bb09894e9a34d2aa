//! The uses of definitions and files: each is a range of geometries, however these are stored.

use super::Scene;
use std::ops::Range;

impl Scene {
    /// Begins a use of a definition or of a file. Geometries that are added until [`Self::end_use`]
    /// belong to it. A use within another use belongs to the outer one.
    pub fn begin_use(&mut self) {
        if self.uses.open == 0 {
            let first = self.geometry_count();
            self.uses.ranges.push(first..first);
        }
        self.uses.open += 1;
    }

    /// Ends the use that began last.
    pub fn end_use(&mut self) {
        let end = self.geometry_count();
        self.uses.open = self.uses.open.saturating_sub(1);
        if let (0, Some(range)) = (self.uses.open, self.uses.ranges.last_mut()) {
            range.end = end;
        }
    }

    /// Returns the geometries of each outermost use.
    pub(crate) fn uses(&self) -> &[Range<u32>] {
        &self.uses.ranges
    }

    /// Returns how many outermost uses there are.
    pub fn use_count(&self) -> u32 {
        self.uses.ranges.len() as u32
    }

    /// Returns the number of the outermost use to which a geometry belongs, counted in the order of
    /// ids; `None` for a geometry outside any use.
    pub fn use_of(&self, geometry_id: u32) -> Option<u32> {
        let after = self.uses.ranges.partition_point(|range| range.start <= geometry_id);
        let number = after.checked_sub(1)?;
        self.uses.ranges[number].contains(&geometry_id).then_some(number as u32)
    }
}
