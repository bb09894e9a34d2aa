//! Reads the scene: at the start, when its files change, and with other joint values when the page
//! asks for them.

use super::file_snapshot::FileSnapshot;
use super::scene_feed::{JointRequest, SceneFeed};
use super::scene_header::SceneHeader;
use crate::Failure;
use crate::console::Console;
use crate::source::{ReadScene, SceneArguments};
use raytwin::scene::Scene;
use raytwin_formats::{FileStore, SceneGraph};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The time between two looks at the files. A change is read when two looks have seen the same
/// state, because a file may be incomplete while it is written.
const LOOK: Duration = Duration::from_millis(250);

/// The time to wait for a file that is gone, because editors write another file and rename it.
const ABSENCE: Duration = Duration::from_secs(2);

/// Reads the scene, one reading after another.
pub struct Keeper {
    arguments: SceneArguments,
    console: Console,
    feed: Arc<SceneFeed>,
    version: u64,
    /// The graph of the last reading, if it has joints to move.
    graph: Option<SceneGraph>,
    /// The states of the files at the last reading.
    read: FileSnapshot,
    /// The states of the files after a change, and when it was first seen.
    changed: Option<(FileSnapshot, Instant)>,
}

impl Keeper {
    /// Reads the scene for the first time.
    pub fn new(arguments: SceneArguments, console: Console) -> Result<Self, Failure> {
        let before = FileSnapshot::now([arguments.path().to_owned()]);
        let store = FileStore::disk();
        let mut graph = None;
        let scene = read_keeping(&arguments.with_files(store.clone()), &mut graph)?;
        scene.warnings.iter().for_each(|warning| console.warn(warning));
        let feed = Arc::new(SceneFeed::new(message(&arguments, 0, Ok(scene))));
        let read = before.of(store.asked_for());
        Ok(Self { arguments, console, feed, version: 0, graph, read, changed: None })
    }

    pub fn feed(&self) -> Arc<SceneFeed> {
        Arc::clone(&self.feed)
    }

    /// Answers requests and watches the files, until a signal ends the program.
    pub fn keep(mut self, requests: &Receiver<JointRequest>) -> Result<ExitCode, Failure> {
        let mut next_look = Instant::now() + LOOK;
        loop {
            match requests.recv_timeout(next_look.saturating_duration_since(Instant::now())) {
                Ok(JointRequest { joints, reply }) => {
                    let posed = self.arguments.with_joints(&joints);
                    let read = match &self.graph {
                        Some(graph) => self.arguments.posed(graph, &joints),
                        None => posed.read_one_world(),
                    };
                    // The client may be gone.
                    let read = read.map_err(|failure| self.console.text(&failure));
                    let _ = reply.send(message(&posed, self.version, read));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::input(
                        "the server has stopped: run the same command again",
                    ));
                }
            }
            if Instant::now() >= next_look {
                self.look();
                next_look = Instant::now() + LOOK;
            }
        }
    }

    /// Rereads the scene if its files have changed and do not change any more.
    fn look(&mut self) {
        let now = self.read.again();
        if now == self.read {
            self.changed = None;
            return;
        }
        match &self.changed {
            Some((seen, since)) if *seen == now => {
                let patience = if now.lacks_any_of(&self.read) { ABSENCE } else { LOOK };
                if since.elapsed() >= patience {
                    self.read_again(now);
                }
            }
            _ => self.changed = Some((now, Instant::now())),
        }
    }

    fn read_again(&mut self, before: FileSnapshot) {
        let store = FileStore::disk();
        let read = read_keeping(&self.arguments.with_files(store.clone()), &mut self.graph);
        let read = read.map_err(|failure| self.console.text(&failure));
        match &read {
            Ok(scene) => {
                scene.warnings.iter().for_each(|warning| self.console.warn(warning));
                self.console.say(&format!("reread {}", self.arguments.name()));
            }
            Err(text) => self.console.error(text),
        }
        self.version += 1;
        self.read = before.of(store.asked_for());
        self.changed = None;
        self.feed.replace(self.version, message(&self.arguments, self.version, read));
    }
}

/// Reads the scene, and keeps its graph if that has joints to move.
fn read_keeping(
    arguments: &SceneArguments,
    graph: &mut Option<SceneGraph>,
) -> Result<ReadScene, Failure> {
    *graph = None;
    let read = arguments.read_graph()?;
    *graph = (!read.joints().is_empty()).then(|| read.clone());
    arguments.one_world(arguments.flatten(read, false)?)
}

/// Returns the message for the page about a reading of the scene.
fn message(arguments: &SceneArguments, version: u64, read: Result<ReadScene, String>) -> Arc<[u8]> {
    let path = arguments.path();
    let mut header = SceneHeader {
        version,
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        typed: arguments.typed(),
        warnings: Vec::new(),
        joints: Vec::new(),
        error: None,
    };
    let scene: Option<Scene> = match read {
        Ok(ReadScene { scene, warnings, joints, .. }) => {
            header.warnings = warnings;
            header.joints = joints.into_iter().map(Into::into).collect();
            Some(scene)
        }
        Err(text) => {
            header.error = Some(text);
            None
        }
    };
    header.message(scene.as_ref())
}
