//! What a ray may meet, where not all rays of a batch may meet everything.

use super::CpuTracer;
use crate::batch::RayFilter;

impl CpuTracer<'_> {
    /// Whether what stands at a place may be met.
    #[inline(always)]
    pub(super) fn may_meet(&self, leaf_index: usize, filter: &RayFilter) -> bool {
        let is_all = filter.mask == u32::MAX && filter.ignored == 0;
        is_all || self.is_chosen(leaf_index, filter)
    }

    fn is_chosen(&self, leaf_index: usize, filter: &RayFilter) -> bool {
        let primitive = self.packed.primitives_at[leaf_index];
        let mask = self.masks.get(leaf_index).copied().unwrap_or(u32::MAX);
        let is_ignored = primitive.wrapping_sub(filter.first_ignored) < filter.ignored;
        !is_ignored && mask & filter.mask != 0
    }
}
