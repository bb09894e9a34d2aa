//! Fetching memory before it is read. A processor that waits for memory loses the time of about a
//! hundred instructions.

#[cfg(target_arch = "x86_64")]
use {pulp::core_arch::x86::Sse, std::arch::x86_64::_MM_HINT_T0};

/// Prefetches an item that will be read soon, if the processor has an instruction for that.
#[inline(always)]
pub(crate) fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = Sse::try_new() {
        const CACHE_LINE: usize = 64;
        let first = std::ptr::from_ref(item).cast::<i8>();
        for start in (0..size_of::<T>()).step_by(CACHE_LINE) {
            sse._mm_prefetch::<_MM_HINT_T0>(first.wrapping_add(start));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
