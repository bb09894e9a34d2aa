//! Values that belong to one process, and not to processes that are forked from it.

use std::ops::Deref;
use std::sync::Arc;

/// A value that only the process that made it drops. A device waits for its driver's threads when it
/// is dropped. A fork does not copy these threads, so a forked process leaks the value instead.
pub(crate) struct OfProcess<T> {
    value: Arc<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    pub fn new(value: T) -> Self {
        Self { value: Arc::new(value), process: std::process::id() }
    }
}

impl<T> Deref for OfProcess<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // The value is dropped with its last reference, and this reference is leaked.
            std::mem::forget(Arc::clone(&self.value));
        }
    }
}
