//! What a ray may meet, where not all rays of a batch may meet everything.

use super::CpuTracer;
use crate::batch::Choice;

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
