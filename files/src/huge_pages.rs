//! An allocator that asks Linux for huge pages. Most distributions give them only to programs that
//! ask (`madvise` in `/sys/kernel/mm/transparent_hugepage/enabled`). With pages of 4 KiB, a ray
//! that reads a large tree waits for page tables, and the first write to each page is a fault.

use rustix::mm::{Advice, madvise};
use std::alloc::{GlobalAlloc, Layout, System};

/// The size of a huge page on x86-64, and on most ARM systems.
const HUGE_PAGE: usize = 1 << 21;

/// Blocks of at least this size get huge pages, except at their ends.
const LARGE: usize = 4 * HUGE_PAGE;

/// The system's allocator, with huge pages for large blocks, for `#[global_allocator]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HugePages;

#[expect(unsafe_code, reason = "the trait of allocators is unsafe")]
// SAFETY: every block is the system allocator's, of the layout that the caller gave.
unsafe impl GlobalAlloc for HugePages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: here and below, the caller promises what the system's allocator needs.
        in_huge_pages(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        in_huge_pages(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        in_huge_pages(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Asks for huge pages for a block that was just allocated, and returns the block.
#[expect(unsafe_code, reason = "advice on memory is unsafe in general")]
fn in_huge_pages(block: *mut u8, size: usize) -> *mut u8 {
    if size >= LARGE && !block.is_null() {
        let before = block.align_offset(HUGE_PAGE);
        let length = (size - before) / HUGE_PAGE * HUGE_PAGE;
        let first = block.wrapping_add(before).cast();
        // SAFETY: the range is part of the block, and this advice changes no byte. A system without
        // huge pages returns an error, and the block is as good without them.
        let _ = unsafe { madvise(first, length, Advice::LinuxHugepage) };
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_sizes_keep_their_bytes() -> Result<(), Box<dyn std::error::Error>> {
        for size in [1, LARGE - 1, LARGE, LARGE + 4096, 3 * LARGE + 17] {
            let layout = Layout::from_size_align(size, 64)?;
            let grown = Layout::from_size_align(2 * size, 64)?;
            #[expect(unsafe_code, reason = "an allocator is tested")]
            // SAFETY: the block is used within its size, and released with its last layout.
            unsafe {
                let block = HugePages.alloc_zeroed(layout);
                assert!(!block.is_null() && *block == 0 && *block.add(size - 1) == 0);
                (*block, *block.add(size - 1)) = (3, 5);
                let block = HugePages.realloc(block, layout, grown.size());
                assert!(!block.is_null() && *block.add(size - 1) == 5);
                HugePages.dealloc(block, grown);
            }
        }
        Ok(())
    }
}
