//! What tests call, and what no driver has.

use crate::state::{Status, Work, state};
use std::ffi::{CStr, c_char};

/// Says which cards there are, by their identities.
#[unsafe(no_mangle)]
unsafe extern "C" fn stand_in_cards(uuids: *const [u8; 16], count: usize) {
    // SAFETY: the caller passes as many identities.
    state().cards = unsafe { std::slice::from_raw_parts(uuids, count) }.to_vec();
}

/// Lets a function fail from now on, or none for a null name.
#[unsafe(no_mangle)]
unsafe extern "C" fn stand_in_fail(function: *const c_char, status: Status) {
    // SAFETY: the caller passes a name that ends with a zero, or null.
    let name = (!function.is_null()).then(|| unsafe { CStr::from_ptr(function) });
    state().failing = name.map(|name| (name.to_string_lossy().into_owned(), status));
}

/// Gives the card a copy to do, as a kernel of another library would.
#[unsafe(no_mangle)]
extern "C" fn stand_in_work(to: usize, from: usize, bytes: usize) {
    state().work.push(Work::Copy { from, to, bytes });
}

/// Writes how many contexts are retained and pushed, how much memory is imported and mapped, and
/// how often the driver was misused.
#[unsafe(no_mangle)]
unsafe extern "C" fn stand_in_counts(counts: *mut [u64; 5]) {
    let state = state();
    // SAFETY: the caller passes where to write five numbers.
    unsafe {
        *counts = [
            state.retained.values().sum(),
            state.pushed as u64,
            state.imports.len() as u64,
            state.mappings.len() as u64,
            state.misuse.len() as u64,
        ];
    }
    for misuse in &state.misuse {
        eprintln!("misuse of the driver: {misuse}");
    }
}

/// Lets memory of the host pass for the card's.
#[unsafe(no_mangle)]
extern "C" fn stand_in_own(begin: usize, bytes: usize) {
    state().owned.insert(begin, bytes);
}

/// Takes memory of the host back.
#[unsafe(no_mangle)]
extern "C" fn stand_in_disown(begin: usize) {
    state().owned.remove(&begin);
}

/// Resets the count of misuse.
#[unsafe(no_mangle)]
extern "C" fn stand_in_forget_misuse() {
    state().misuse.clear();
}
