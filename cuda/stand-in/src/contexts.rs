//! Primary contexts, and the contexts that threads use.

use crate::state::{INVALID_CONTEXT, INVALID_VALUE, State, Status, answer};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};

thread_local! {
    static PUSHED: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The context of the first card. The others' follow.
const FIRST: usize = 0x1000;

/// Refuses a call of a thread that uses no context.
pub(crate) fn current() -> Result<(), Status> {
    let has_some = PUSHED.with_borrow(|pushed| !pushed.is_empty());
    if has_some { Ok(()) } else { Err(INVALID_CONTEXT) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> Status {
    answer("cuDevicePrimaryCtxRetain", |state| {
        state.card(device)?;
        *state.retained.entry(device).or_default() += 1;
        // SAFETY: the caller passes where to write a pointer.
        unsafe { *context = (FIRST + device as usize) as *mut c_void };
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> Status {
    answer("cuDevicePrimaryCtxRelease_v2", |state| {
        let count = state.retained.get(&device).copied().unwrap_or_default();
        if count == 0 {
            state.misused("a context is released that is not retained");
            return Err(INVALID_CONTEXT);
        }
        if count == 1 && !(state.imports.is_empty() && state.mappings.is_empty()) {
            state.misused("a context is released that has memory");
        }
        state.retained.insert(device, count - 1);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPushCurrent_v2(context: *mut c_void) -> Status {
    answer("cuCtxPushCurrent_v2", |state| {
        let device = (context as usize).checked_sub(FIRST).ok_or(INVALID_VALUE)? as c_int;
        if state.retained.get(&device).is_none_or(|count| *count == 0) {
            state.misused("a context is used that is not retained");
            return Err(INVALID_CONTEXT);
        }
        PUSHED.with_borrow_mut(|pushed| pushed.push(context as usize));
        state.pushed += 1;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut *mut c_void) -> Status {
    answer("cuCtxPopCurrent_v2", |state| {
        let popped = PUSHED.with_borrow_mut(Vec::pop);
        let Some(popped) = popped else {
            state.misused("a context is popped, and none was pushed");
            return Err(INVALID_CONTEXT);
        };
        state.pushed -= 1;
        // SAFETY: the caller passes where to write a pointer.
        unsafe { *context = popped as *mut c_void };
        Ok(())
    })
}

fn wait(state: &mut State) -> Result<(), Status> {
    current()?;
    state.finish();
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> Status {
    answer("cuCtxSynchronize", wait)
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamSynchronize(stream: *mut c_void) -> Status {
    answer("cuStreamSynchronize", |state| {
        // The number of the legacy stream.
        if stream as usize == 1 { wait(state) } else { Err(INVALID_VALUE) }
    })
}
