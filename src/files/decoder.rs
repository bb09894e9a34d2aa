//! Decoders of other crates, some of which panic at what a damaged file says.

use std::cell::Cell;
#[cfg(feature = "parquet")]
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_UNDER_WAY: Cell<bool> = const { Cell::new(false) };
}

/// What a decoder returns, or, where it panics, what it said: a file that makes a decoder of another crate panic is a
/// bad file, and no reason to end the program. What the decoder was at work on must not be used again.
///
/// The process's panic hook is left as it is, for it is not a library's to change: it tells of such a panic too, unless
/// it asks [`panics_are_caught`], as the program's does.
#[cfg(feature = "parquet")]
pub(crate) fn unless_it_panics<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    IS_UNDER_WAY.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(decode));
    IS_UNDER_WAY.set(false);
    decoded.map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("its decoder gave up: {}", said.unwrap_or("it did not say why"))
    })
}

/// Tells whether a panic of this thread is caught and returned as a fault of the file that is read. A program's panic
/// hook can then stay silent, for the error says the same.
pub fn panics_are_caught() -> bool {
    IS_UNDER_WAY.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_and_what_is_well_is_returned() {
        assert_eq!(unless_it_panics(|| 7), Ok(7));
        let told = unless_it_panics(|| panic!("at byte {}", 3)).map(|(): ()| ());
        assert_eq!(told, Err("its decoder gave up: at byte 3".to_owned()));
        let told = unless_it_panics(|| panic!("at once")).map(|(): ()| ());
        assert_eq!(told, Err("its decoder gave up: at once".to_owned()));
    }
}
