//! The scene that the page shows: the last one that was read, or the error of reading it.

use raytwin::import::{JointState, JointValue};
use raytwin::scene::Scene;
use serde::Serialize;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The first line of a message about a scene, as JSON.
#[derive(Serialize)]
pub struct Told {
    /// The number of times that the scene was read because it changed.
    pub version: u64,
    /// The name of the file without its folders.
    pub name: String,
    /// The scene and its flags as they are typed in a shell.
    pub typed: String,
    pub warnings: Vec<String>,
    pub joints: Vec<ToldJoint>,
    /// The reason why there is no scene.
    pub error: Option<String>,
}

/// A joint that a slider moves.
#[derive(Serialize)]
pub struct ToldJoint {
    name: String,
    /// True if its value is in radians, false if it is in metres.
    turns: bool,
    value: f64,
    limits: Option<[f64; 2]>,
}

impl From<JointState> for ToldJoint {
    fn from(JointState { name, turns, value, limits }: JointState) -> Self {
        Self { name, turns, value, limits }
    }
}

impl Told {
    /// The message is this line of JSON, and then the bytes of the scene if there is one.
    pub fn message(&self, scene: Option<&Scene>) -> Arc<[u8]> {
        // Strings and finite numbers are always JSON.
        let mut message = serde_json::to_vec(self).unwrap_or_default();
        message.push(b'\n');
        message.extend(scene.map(Scene::to_bytes).unwrap_or_default());
        message.into()
    }
}

/// A request for the scene with other values of its joints.
pub struct JointRequest {
    pub joints: Vec<(String, JointValue)>,
    pub reply: SyncSender<Arc<[u8]>>,
}

/// The message of the scene that was read last.
pub struct Shown {
    latest: Mutex<Latest>,
    changed: Condvar,
}

struct Latest {
    version: u64,
    message: Arc<[u8]>,
    /// The number of requests so far that began to wait for another version.
    waits: u64,
}

/// The most who wait for another version at one time, so that those of one page leave connections
/// to others. The oldest is told that there is none yet, and may ask again.
const MOST_WAITING: u64 = 32;

impl Shown {
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

    /// Shows another reading of the scene to all who wait for one.
    pub fn replace(&self, version: u64, message: Arc<[u8]>) {
        let mut latest = self.latest();
        (latest.version, latest.message) = (version, message);
        drop(latest);
        self.changed.notify_all();
    }

    /// Waits for another version than this one, and returns the version that there is when the time
    /// is over, or when too many others have begun to wait since.
    pub fn version_after(&self, seen: u64, time: Duration) -> u64 {
        let mut latest = self.latest();
        latest.waits += 1;
        let last = latest.waits + MOST_WAITING;
        // The one who is now the oldest looks again.
        self.changed.notify_all();
        let waits = |latest: &mut Latest| latest.version == seen && latest.waits < last;
        let waited = self.changed.wait_timeout_while(latest, time, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.version
    }
}
