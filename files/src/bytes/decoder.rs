//! Guards against decoders of other crates, some of which panic on a damaged file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder and returns its panic's message as an error, if it panics: a file that makes a
/// decoder of another crate panic is a bad file, and no reason to end the program. The decoder's
/// state must not be used after a panic.
///
/// The process's panic hook stays as it is, because it is not a library's to change. The hook
/// therefore reports such a panic too, unless it asks [`panics_are_caught`], as the program's hook
/// does.
///
/// # Errors
/// The message says with which words the decoder panicked.
pub fn catch_panic<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    IS_DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_DECODING.set(false);
    decoded.map_err(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("its decoder gave up: {}", message.unwrap_or("it gave no reason"))
    })
}

/// Returns whether a panic of this thread would be caught and returned as a fault of the file that
/// is read. A program's panic hook can then stay silent, because the error says the same.
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
        assert_eq!(caught, Err("its decoder gave up: at byte 3".to_owned()));
        let caught = catch_panic(|| panic!("at once")).map(|(): ()| ());
        assert_eq!(caught, Err("its decoder gave up: at once".to_owned()));
    }
}
