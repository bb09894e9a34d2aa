//! A scene that was read, and one that is ready for rays.

use crate::compiling::CastTimes;
use crate::summary::Times;
use raytwin::camera::Camera;
use raytwin::packed::PackedScene;
use raytwin::scene::Scene;
use raytwin_formats::{JointState, Mount, Source, Warning};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
pub(crate) struct ReadScene {
    pub scene: Scene,
    /// A robot's links, by name.
    pub links: HashMap<String, Mount>,
    /// A model's sites, by name, in each world.
    pub sites: Vec<Vec<(String, Mount)>>,
    /// The joints that a single number moves.
    pub joints: Vec<JointState>,
    pub warnings: Vec<String>,
    /// The same warnings by their parts.
    pub warning_parts: Vec<Warning>,
    pub sources: Vec<Source>,
    pub depth: u64,
}

impl ReadScene {
    /// Returns the sites of the first world, by name.
    pub fn sites(&self) -> &[(String, Mount)] {
        self.sites.first().map_or(&[], Vec::as_slice)
    }
}

/// Hides the shapes that a camera's sensor passes through, such as its own housing.
pub(crate) fn hide_from(scene: &mut Scene, camera: &Camera) {
    for path in &camera.sensor.hide {
        scene.hide_ranges(&scene.select_ranges(path));
    }
}

/// A scene that is ready for rays to be cast into it.
pub(crate) struct LoadedScene {
    pub scene: Arc<Scene>,
    pub packed: PackedScene,
    pub name: String,
    /// The time taken to read the scene, build its tree and pack it.
    pub load_time: Duration,
}

impl LoadedScene {
    /// Returns the times of a run on this scene, for its summary.
    pub fn times(&self, casting: &CastTimes) -> Times {
        Times {
            load_s: self.load_time.as_secs_f64(),
            compile_s: casting.compile.as_secs_f64(),
            trace_s: casting.trace.as_secs_f64(),
        }
    }
}
