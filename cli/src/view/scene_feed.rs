//! Gives pages the scene that they show: the last one that was read, or the error of reading it.

use raytwin_formats::JointValue;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A request for the scene with other values of its joints.
pub struct JointRequest {
    pub joints: Vec<(String, JointValue)>,
    pub reply: SyncSender<Arc<[u8]>>,
}

/// The message of the scene that was read last.
pub struct SceneFeed {
    latest: Mutex<Latest>,
    changed: Condvar,
}

struct Latest {
    version: u64,
    message: Arc<[u8]>,
    /// The number of requests so far that began to wait for another version.
    waits: u64,
}

/// The most requests that wait for another version at one time, so that those of one page leave
/// connections to others. The oldest gets the old version, and may ask again.
const MOST_WAITING: u64 = 32;

impl SceneFeed {
    pub fn new(message: Arc<[u8]>) -> Self {
        Self {
            latest: Mutex::new(Latest { version: 0, message, waits: 0 }),
            changed: Condvar::new(),
        }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn message(&self) -> Arc<[u8]> {
        Arc::clone(&self.latest().message)
    }

    /// Gives another reading of the scene to all requests that wait for one.
    pub fn replace(&self, version: u64, message: Arc<[u8]>) {
        let mut latest = self.latest();
        (latest.version, latest.message) = (version, message);
        drop(latest);
        self.changed.notify_all();
    }

    /// Waits for another version than this one. Returns the current version when the time is over,
    /// or when too many other requests have begun to wait.
    pub fn version_after(&self, seen: u64, time: Duration) -> u64 {
        let mut latest = self.latest();
        latest.waits += 1;
        let last = latest.waits + MOST_WAITING;
        // The request that is now the oldest checks again.
        self.changed.notify_all();
        let waits = |latest: &mut Latest| latest.version == seen && latest.waits < last;
        let waited = self.changed.wait_timeout_while(latest, time, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }
}
