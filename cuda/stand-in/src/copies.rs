//! Copies, which a card does only when somebody waits for them, but for those to the host.

use crate::contexts::current;
use crate::memory::field;
use crate::state::{INVALID_VALUE, Status, Work, answer};
use std::ffi::{c_int, c_void};

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8_v2(to: usize, value: u8, bytes: usize) -> Status {
    answer("cuMemsetD8_v2", |state| {
        current()?;
        state.check(to, bytes)?;
        state.work.push(Work::Set { to, value, bytes });
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoD_v2(to: usize, from: usize, bytes: usize) -> Status {
    answer("cuMemcpyDtoD_v2", |state| {
        current()?;
        state.check(from, bytes)?;
        state.check(to, bytes)?;
        state.work.push(Work::Copy { from, to, bytes });
        Ok(())
    })
}

/// Copies rows by a CUDA_MEMCPY2D: seven fields of each side, of eight bytes each, then the width
/// and the height.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpy2DUnaligned_v2(copy: *const u8) -> Status {
    answer("cuMemcpy2DUnaligned_v2", |state| {
        current()?;
        // SAFETY: these are the fields of the struct.
        let number = |at: usize| unsafe { field::<usize>(copy, 8 * at) };
        // SAFETY: as above.
        let kind = |at: usize| unsafe { field::<c_int>(copy, 8 * at) };
        let (from, from_pitch) = (number(4), number(6));
        let (to, to_pitch) = (number(11), number(13));
        let (width, height) = (number(14), number(15));
        let begins_elsewhere = [0, 1, 7, 8].iter().any(|&at| number(at) != 0);
        let is_on_card = kind(2) == 2 && kind(9) == 2;
        if begins_elsewhere || !is_on_card || width > from_pitch.min(to_pitch) {
            return Err(INVALID_VALUE);
        }
        for row in 0..height {
            let (from, to) = (from + row * from_pitch, to + row * to_pitch);
            state.check(from, width)?;
            state.check(to, width)?;
            state.work.push(Work::Copy { from, to, bytes: width });
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut c_void, from: usize, bytes: usize) -> Status {
    answer("cuMemcpyDtoH_v2", |state| {
        current()?;
        state.check(from, bytes)?;
        // It waits for the copies before it.
        state.finish();
        // SAFETY: the card has these bytes, and the caller has as many.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to.cast(), bytes) };
        Ok(())
    })
}
