//! The shared buffers that are alive, by the addresses that CUDA has for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What lies at addresses.
struct Entry<T> {
    bytes: u64,
    owner: Weak<T>,
}

/// Objects by the addresses of their memory.
pub(crate) struct Registry<T>(Mutex<BTreeMap<u64, Entry<T>>>);

impl<T> Registry<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<u64, Entry<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, pointer: u64, bytes: u64, owner: &Arc<T>) {
        self.entries().insert(pointer, Entry { bytes, owner: Arc::downgrade(owner) });
    }

    /// Forgets an object. It is called before its addresses are given back, so that nothing else is
    /// found or removed there.
    pub(crate) fn remove(&self, pointer: u64) {
        self.entries().remove(&pointer);
    }

    /// Returns the object that holds these bytes, and where in it they begin.
    pub(crate) fn holding(&self, pointer: u64, bytes: u64) -> Option<(Arc<T>, u64)> {
        let entries = self.entries();
        let (begin, entry) = entries.range(..=pointer).next_back()?;
        let offset = pointer - begin;
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= entry.bytes);
        // What is returned is dropped by the caller: dropping the last one here would ask for the
        // lock, which is held.
        is_inside.then(|| entry.owner.upgrade())?.map(|owner| (owner, offset))
    }
}
