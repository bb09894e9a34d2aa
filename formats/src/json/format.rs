//! The format of a native scene file: structs for the reader, from which the JSON Schema is
//! derived.

use super::node_file::NodeFile;
use super::shape_file::AnyShapeFile;
use raytwin::camera::{NoiseFields, ProjectionFields, PulseFields};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A scene for raytwin: shapes, nodes that move groups of shapes, definitions that nodes use, and
/// cameras.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "raytwin scene")]
pub(super) struct SceneFile {
    /// The version of this format: 1.
    #[schemars(extend("const" = 1))]
    pub(super) raytwin: u64,
    /// A point that raytwin subtracts from all coordinates in float64 before it rounds them to
    /// float32. Give a point near the scene if the scene is far from the world's origin, as on maps
    /// and in plants.
    pub(super) origin: Option<[f64; 3]>,
    /// The numbers of labels, from 1 to 65535, by name.
    #[serde(default)]
    #[schemars(inner(range(min = 1, max = 65535)))]
    pub(super) labels: BTreeMap<String, u64>,
    /// Shapes in world space.
    #[serde(default)]
    #[schemars(with = "Vec<AnyShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Nodes, each of which moves a group of shapes.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
    /// Definitions by name. Each node that uses a definition places an instance of it in the scene.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, DefinitionFile>")]
    pub(super) definitions: Map<String, Value>,
    /// Cameras. The first one is the default.
    #[serde(default)]
    #[schemars(with = "Vec<CameraFile>")]
    pub(super) cameras: Vec<Value>,
}

/// A definition: shapes and nodes in a space of their own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DefinitionFile {
    /// Shapes in the definition's own space.
    #[serde(default)]
    #[schemars(with = "Vec<AnyShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Nodes in the definition's own space.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
}

/// A camera. It is perspective with `fov_y_degrees`, calibrated with `fx fy cx cy width height`,
/// orthographic with only `height`, or panoramic (a lidar) with `azimuth_degrees` and either
/// `elevation_degrees` or `elevation_table_degrees`, with a `pattern`, or with the name of a
/// published `lidar`.
// The keys of its projection and of a lidar's light are deserialized separately, so that an error
// contains their location.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraFile {
    /// The name that selects the camera.
    pub(super) name: Option<String>,
    /// The path of the node whose space `eye`, `target` and `up` refer to. Default: the space of
    /// the scene.
    pub(super) parent: Option<String>,
    /// The camera's position.
    pub(super) eye: [f64; 3],
    /// The point that the camera looks at.
    pub(super) target: [f64; 3],
    /// The direction that points upwards in the image. Default: +z, or +y for a camera that looks
    /// along z.
    pub(super) up: Option<[f64; 3]>,
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub(super) projection: ProjectionFields,
    /// Sensor: distances below this are written as no return. Default: 0, or the lidar's minimum.
    #[schemars(range(min = 0))]
    pub(super) range_min: Option<f64>,
    /// Sensor: distances above this are written as no return. Default: no limit, or the lidar's
    /// maximum.
    pub(super) range_max: Option<f64>,
    /// Sensor: the noise of the written distances, of directions and of returns.
    pub(super) noise: Option<NoiseFields>,
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub(super) light: PulseFields,
    /// Sensor: the paths of shapes that the camera's rays ignore, such as its own housing; `*`
    /// stands for any characters.
    #[serde(default)]
    pub(super) hide: Vec<String>,
    /// Sensor: the topic of its ROS 2 messages. Points are at TOPIC/points; a LaserScan or an Image
    /// is at TOPIC. Default: topics below the camera's name.
    pub(super) topic: Option<String>,
    /// Sensor: its frame in ROS 2 messages. Default: the camera's name.
    pub(super) frame_id: Option<String>,
    /// Sensor: the number of sweeps or images per second along a trajectory. Default: one for each
    /// pose.
    pub(super) update_rate_hz: Option<f64>,
}

/// The JSON Schema of native scene files.
pub fn schema() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}
