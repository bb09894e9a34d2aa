//! The JSON messages between the module and the page.

use raytwin::camera::{Camera, Projection};
use raytwin::glam::DVec3;
use raytwin_files::Pick;
use raytwin_formats::JointState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The scene that was loaded.
#[derive(Serialize)]
pub struct SceneDescription {
    pub geometry_count: u32,
    pub primitive_count: u64,
    /// The kinds of shapes, each with its count.
    pub census: Vec<(&'static str, usize)>,
    pub warnings: Vec<String>,
    pub joints: Vec<JointDescription>,
    /// The styles that a molecule can have. Empty for other scenes.
    pub styles: Vec<&'static str>,
    /// The meanings that the colours of a molecule can have. Empty for other scenes.
    pub colors: Vec<&'static str>,
    /// True if the file's format has separate collision geometry.
    pub has_collision: bool,
    /// True for a scene of molecules.
    pub is_molecular: bool,
    /// The names of labels.
    pub classes: BTreeMap<u16, String>,
    pub cameras: Vec<CameraDescription>,
    /// The unit vector that points upwards.
    pub up: [f64; 3],
    pub center: [f64; 3],
    pub radius: f64,
}

#[derive(Serialize)]
pub struct GeometryDescription {
    /// The names from the outermost node to the geometry.
    pub path: String,
    pub kind: &'static str,
    /// The label of its class, 0 for none.
    pub label: u16,
}

/// The middle and the radius of some geometries.
#[derive(Serialize)]
pub struct Extent {
    pub center: [f64; 3],
    pub radius: f64,
}

/// The answer at a pixel.
#[derive(Serialize)]
pub struct PixelAnswer {
    pub answer: Pick,
    /// The ray, if the flags of a camera cannot describe it.
    pub ray: Option<String>,
    pub solid: bool,
}

/// The facts about a scene that its bytes do not have, from the program that read it.
#[derive(Deserialize)]
pub struct SceneFacts {
    pub warnings: Vec<String>,
    pub joints: Vec<JointDescription>,
}

/// A joint that a slider moves.
#[derive(Serialize, Deserialize)]
pub struct JointDescription {
    pub name: String,
    /// True if its value is in radians, false if it is in metres.
    pub turns: bool,
    pub value: f64,
    pub limits: Option<[f64; 2]>,
}

impl From<JointState> for JointDescription {
    fn from(JointState { name, turns, value, limits }: JointState) -> Self {
        Self { name, turns, value, limits }
    }
}

impl From<JointDescription> for JointState {
    fn from(JointDescription { name, turns, value, limits }: JointDescription) -> Self {
        Self { name, turns, value, limits }
    }
}

/// A perspective camera, in the coordinates of the file.
#[derive(Serialize)]
pub struct CameraDescription {
    pub name: String,
    pub eye: [f64; 3],
    pub target: [f64; 3],
    pub up: Option<[f64; 3]>,
    pub fov_y_degrees: f64,
}

impl CameraDescription {
    /// Describes a camera. Returns `None` for a camera without perspective.
    pub fn of(camera: &Camera, origin: DVec3) -> Option<Self> {
        let Projection::Perspective { fov_y_degrees } = camera.projection else { return None };
        Some(Self {
            name: camera.name.clone(),
            eye: (camera.eye + origin).to_array(),
            target: (camera.target + origin).to_array(),
            up: camera.requested_up.map(|up| up.to_array()),
            fov_y_degrees,
        })
    }
}
