//! Stands in for CUDA's driver where there is no card. It imports the memory that Mesa's software
//! driver of Vulkan exports, so that a pointer of the card is an address of this process, and it is
//! stricter than a driver: work that was given to the card is done only once somebody waits for it,
//! and what a driver would forgive is counted as misuse. `control.rs` holds what tests call.
//!
//! The structs of the interface are read by the offsets of their fields, as a compiler of C lays
//! them out, and not by the declarations that are tested.
#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "the driver's interface is one of C, and so is mapping memory")]

mod contexts;
mod control;
mod copies;
mod memory;
mod state;

use state::{State, Status, answer};
use std::ffi::{c_char, c_int, c_uint};

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: c_uint) -> Status {
    answer("cuInit", |state: &mut State| {
        state.has_begun = true;
        if flags == 0 { Ok(()) } else { Err(state::INVALID_VALUE) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(error: Status, name: *mut *const c_char) -> Status {
    let found = match error {
        state::INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        state::OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        state::NOT_INITIALIZED => c"CUDA_ERROR_NOT_INITIALIZED",
        state::NO_DEVICE => c"CUDA_ERROR_NO_DEVICE",
        state::INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
        _ => return state::INVALID_VALUE,
    };
    // SAFETY: the caller passes where to write a pointer.
    unsafe { *name = found.as_ptr() };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    answer("cuDeviceGetCount", |state| {
        // SAFETY: the caller passes where to write a number.
        unsafe { *count = state.cards()?.len() as c_int };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    answer("cuDeviceGet", |state| {
        state.card(ordinal)?;
        // SAFETY: the caller passes where to write a number.
        unsafe { *device = ordinal };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, size: c_int, device: c_int) -> Status {
    answer("cuDeviceGetName", |state| {
        state.card(device)?;
        let text = c"Stand-in".to_bytes_with_nul();
        if (size as usize) < text.len() {
            return Err(state::INVALID_VALUE);
        }
        // SAFETY: the caller passes where to write as many bytes.
        unsafe { name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) -> Status {
    answer("cuDeviceGetUuid_v2", |state| {
        let card = state.card(device)?;
        // SAFETY: the caller passes where to write 16 bytes.
        unsafe { *uuid = card };
        Ok(())
    })
}
