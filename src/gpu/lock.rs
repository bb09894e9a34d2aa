//! Locks that a panic elsewhere does not close for good.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic: nothing of this folder is left half done behind a lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
