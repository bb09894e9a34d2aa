//! A map of costly values: each is made once, even if several callers ask for it at the same time.

use super::lock::lock;
use futures_channel::oneshot::{Sender, channel};
use std::sync::Mutex;

/// Values by their keys. It is a list with a linear search, because a device compiles few kernels.
#[derive(Debug)]
pub(super) struct OnceMap<K, V> {
    entries: Mutex<Vec<(K, Entry<V>)>>,
}

#[derive(Debug)]
enum Entry<V> {
    Made(V),
    /// The value is being made; dropping the senders wakes the callers who wait for it.
    InTheMaking(Vec<Sender<()>>),
}

impl<K, V> Default for OnceMap<K, V> {
    fn default() -> Self {
        Self { entries: Mutex::default() }
    }
}

impl<K: Clone + PartialEq, V: Clone> OnceMap<K, V> {
    /// The first caller makes the value and the others wait for it; if making it fails, or if its
    /// caller gives up, one of the others tries again. No lock is held meanwhile, because that
    /// would block the one thread of a browser.
    pub async fn get_or_make<E>(
        &self,
        key: &K,
        make: impl AsyncFnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        loop {
            let made = {
                let mut entries = lock(&self.entries);
                match entries.iter_mut().find(|(entry_key, _)| entry_key == key) {
                    Some((_, Entry::Made(value))) => return Ok(value.clone()),
                    Some((_, Entry::InTheMaking(waiting))) => {
                        let (sender, receiver) = channel();
                        waiting.push(sender);
                        receiver
                    }
                    None => {
                        entries.push((key.clone(), Entry::InTheMaking(Vec::new())));
                        break;
                    }
                }
            };
            // Nothing is ever sent. The sender is dropped when the entry changes, which ends the
            // wait.
            let _ = made.await;
        }
        let guard = EntryGuard { map: self, key };
        let value = make().await?;
        guard.finish(value.clone());
        Ok(value)
    }

    /// Returns true if the value of a key was made.
    pub fn has(&self, key: &K) -> bool {
        let is_made = |(entry_key, entry): &(K, Entry<V>)| {
            entry_key == key && matches!(entry, Entry::Made(_))
        };
        lock(&self.entries).iter().any(is_made)
    }

    /// Returns how many values were made.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        let is_made = |(_, entry): &&(K, Entry<V>)| matches!(entry, Entry::Made(_));
        lock(&self.entries).iter().filter(is_made).count()
    }
}

/// Guards an entry in the making, which it removes again if its value is not made.
struct EntryGuard<'a, K: PartialEq, V> {
    map: &'a OnceMap<K, V>,
    key: &'a K,
}

impl<K: PartialEq, V> EntryGuard<'_, K, V> {
    fn finish(self, value: V) {
        if let Some((_, entry)) =
            lock(&self.map.entries).iter_mut().find(|(entry_key, _)| entry_key == self.key)
        {
            *entry = Entry::Made(value);
        }
    }
}

impl<K: PartialEq, V> Drop for EntryGuard<'_, K, V> {
    fn drop(&mut self) {
        let is_unfinished = |(entry_key, entry): &(K, Entry<V>)| {
            entry_key == self.key && matches!(entry, Entry::InTheMaking(_))
        };
        lock(&self.map.entries).retain(|entry| !is_unfinished(entry));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn several_who_ask_at_once_have_a_value_made_once() {
        let map = OnceMap::default();
        let makings = AtomicUsize::new(0);
        let barrier = Barrier::new(8);
        let ask = |key: usize| {
            barrier.wait();
            let value = map.get_or_make(&key, async || {
                makings.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(std::time::Duration::from_millis(20));
                Ok::<usize, ()>(10 * key)
            });
            assert_eq!(pollster::block_on(value), Ok(10 * key));
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
                scope.spawn(move || ask(thread % 2));
            }
        });
        assert_eq!((makings.into_inner(), map.len()), (2, 2));
    }

    #[test]
    fn a_value_that_was_not_made_is_tried_again() {
        let map = OnceMap::<u8, u8>::default();
        let fails = map.get_or_make(&1, async || Err("no memory"));
        assert_eq!(pollster::block_on(fails), Err("no memory"));
        let made = map.get_or_make(&1, async || Ok::<u8, &str>(7));
        assert_eq!((pollster::block_on(made), map.len()), (Ok(7), 1));
    }
}
