//! The head of a message about a scene.

use raytwin::scene::Scene;
use raytwin_formats::JointState;
use serde::Serialize;
use std::sync::Arc;

/// The first line of a message about a scene, as JSON.
#[derive(Serialize)]
pub struct SceneHeader {
    /// The number of times that the scene was reread because it changed.
    pub version: u64,
    /// The name of the file without its folders.
    pub name: String,
    /// The scene and its flags, as you type them in a shell.
    pub typed: String,
    pub warnings: Vec<String>,
    pub joints: Vec<JointSlider>,
    /// The reason why there is no scene.
    pub error: Option<String>,
}

/// A joint that a slider moves.
#[derive(Serialize)]
pub struct JointSlider {
    name: String,
    /// True if its value is in radians, false if it is in metres.
    turns: bool,
    value: f64,
    limits: Option<[f64; 2]>,
}

impl From<JointState> for JointSlider {
    fn from(JointState { name, turns, value, limits }: JointState) -> Self {
        Self { name, turns, value, limits }
    }
}

impl SceneHeader {
    /// Returns the message for the page: this line, and the bytes of the scene if there is one.
    pub fn message(&self, scene: Option<&Scene>) -> Arc<[u8]> {
        // Strings and finite numbers are always JSON.
        let mut message = serde_json::to_vec(self).unwrap_or_default();
        message.push(b'\n');
        message.extend(scene.map(Scene::to_bytes).unwrap_or_default());
        message.into()
    }
}
