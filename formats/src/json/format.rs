//! The format of a native scene file: structs for the reader, and the JSON Schema that is derived
//! from them.

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
    /// A point that is subtracted from all coordinates in float64, before these are rounded to
    /// float32: give a point near the scene if it lies far from the world's origin, as maps and
    /// plants do.
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
    /// Definitions by name. A definition stands in the scene wherever a node uses it.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, DefinitionFile>")]
    pub(super) definitions: Map<String, Value>,
    /// Cameras; the first is used unless another is named.
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

/// A camera: perspective with `fov_y_degrees`, calibrated with `fx fy cx cy width height`,
/// orthographic with `height` alone, or panoramic (a lidar) with `azimuth_degrees` and either
/// `elevation_degrees` or `elevation_table_degrees`, or with a `pattern`, or with the name of a
/// published `lidar`.
// The keys of its projection and of a lidar's light are deserialized on their own, so that an error
// says where it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraFile {
    /// The name by which the camera is chosen.
    pub(super) name: Option<String>,
    /// The path of the node in whose space `eye`, `target` and `up` are given; by default the
    /// scene's.
    pub(super) parent: Option<String>,
    /// The camera's position.
    pub(super) eye: [f64; 3],
    /// The point that the camera looks at.
    pub(super) target: [f64; 3],
    /// The direction that points upwards in the image; by default +z, or +y for a camera that looks
    /// along z.
    pub(super) up: Option<[f64; 3]>,
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub(super) projection: ProjectionFields,
    /// Sensor: a distance below this is written as no return; by default 0, or the lidar's.
    #[schemars(range(min = 0))]
    pub(super) range_min: Option<f64>,
    /// Sensor: a distance above this is written as no return; by default there is no such limit, or
    /// the lidar's.
    pub(super) range_max: Option<f64>,
    /// Sensor: the noise of the written distances, of directions and of returns.
    pub(super) noise: Option<NoiseFields>,
    #[serde(skip)]
    #[schemars(!skip, flatten)]
    pub(super) light: PulseFields,
    /// Sensor: the paths of shapes that the camera's rays pass through, such as its own housing;
    /// `*` stands for any characters.
    #[serde(default)]
    pub(super) hide: Vec<String>,
    /// Sensor: the topic of its messages of ROS 2: points are at TOPIC/points, a LaserScan or an
    /// Image is at TOPIC; by default topics are below the camera's name.
    pub(super) topic: Option<String>,
    /// Sensor: its frame in messages of ROS 2; by default named as the camera.
    pub(super) frame_id: Option<String>,
    /// Sensor: how many sweeps or images it makes in a second, along a trajectory of poses; by
    /// default one for each pose.
    pub(super) update_rate_hz: Option<f64>,
}

/// The JSON Schema of native scene files.
pub fn schema() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}
