//! What a ray may meet, where not all rays of a batch may meet everything.

use super::CpuTracer;
use crate::batch::Batch;
use crate::ray::NONE;
use crate::scene::Scene;

/// What one ray may meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// Geometries with whose mask this has a bit in common.
    mask: u32,
    /// The first part of the geometry that it passes through.
    first_ignored: u32,
    /// How many parts that has.
    ignored: u32,
}

impl Choice {
    /// Everything.
    pub const ALL: Self = Self { mask: u32::MAX, first_ignored: 0, ignored: 0 };

    /// That of a ray of a batch that fits the scene.
    pub fn of(scene: &Scene, batch: &Batch<'_>, ray: usize) -> Self {
        let ignored = match batch.ignored(ray) {
            NONE => 0..0,
            id => scene.parts().of_geometry(id),
        };
        Self {
            mask: batch.mask(ray),
            first_ignored: ignored.start,
            ignored: ignored.end - ignored.start,
        }
    }
}

impl CpuTracer<'_> {
    /// Whether what stands at a place may be met.
    #[inline(always)]
    pub(super) fn may_meet(&self, place: usize, choice: &Choice) -> bool {
        let is_all = choice.mask == u32::MAX && choice.ignored == 0;
        is_all || self.is_chosen(place, choice)
    }

    fn is_chosen(&self, place: usize, choice: &Choice) -> bool {
        let part = self.packed.parts_at[place];
        let mask = self.masks.get(place).copied().unwrap_or(u32::MAX);
        let is_ignored = part.wrapping_sub(choice.first_ignored) < choice.ignored;
        !is_ignored && mask & choice.mask != 0
    }
}
