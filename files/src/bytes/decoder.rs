//! Guards against decoders of other crates, some of which panic on a damaged file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder. If it panics, returns its panic's message as an error: a file that makes a
/// decoder of another crate panic is a bad file, and no reason to end the program. The decoder's
/// state must not be used after a panic.
///
/// The process's panic hook stays as it is, because a library must not change it. The hook
/// therefore also reports such a panic, unless it calls [`panics_are_caught`], as the program's
/// hook does.
///
/// # Errors
/// The message contains the text of the panic.
pub fn catch_panic<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    IS_DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_DECODING.set(false);
    decoded.map_err(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("its decoder failed: {}", message.unwrap_or("no reason is known"))
    })
}

/// Returns whether a panic of this thread would be caught and returned as a fault of a file. A
/// program's panic hook can then stay silent, because the error has the same message.
pub fn panics_are_caught() -> bool {
    IS_DECODING.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_and_a_result_is_passed_on() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        let caught = catch_panic(|| panic!("at byte {}", 3)).map(|(): ()| ());
        assert_eq!(caught, Err("its decoder failed: at byte 3".to_owned()));
        let caught = catch_panic(|| panic!("at once")).map(|(): ()| ());
        assert_eq!(caught, Err("its decoder failed: at once".to_owned()));
    }
}
