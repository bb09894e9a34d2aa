//! The format of a native scene file: structs for the reader, and the JSON Schema that is derived
//! from them.

use super::node_file::NodeFile;
use super::pattern_file::PatternFile;
use super::shape_file::AnyShapeFile;
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
    /// Perspective: the angle from the top to the bottom of the image.
    pub(super) fov_y_degrees: Option<f64>,
    /// Calibrated: focal length in pixels along x.
    pub(super) fx: Option<f64>,
    /// Calibrated: focal length in pixels along y.
    pub(super) fy: Option<f64>,
    /// Calibrated: the principal point, in pixels from the left.
    pub(super) cx: Option<f64>,
    /// Calibrated: the principal point, in pixels from the top.
    pub(super) cy: Option<f64>,
    /// Calibrated: the point that `cx` and `cy` count from, which is the image's top left corner by
    /// default.
    pub(super) pixel_origin: Option<PixelOrigin>,
    /// Calibrated: the image's width in pixels, to which the other numbers refer.
    pub(super) width: Option<u32>,
    /// Calibrated: the image's height in pixels. Orthographic: the height of the view, in scene
    /// units.
    pub(super) height: Option<f64>,
    /// Panoramic: the angles of the image's left and right edge about `up`, 0 forward, positive to
    /// the left; at most 360 apart.
    pub(super) azimuth_degrees: Option<[f64; 2]>,
    /// Panoramic: the angles of the image's top and bottom edge above the plane through forward and
    /// left.
    #[schemars(inner(range(min = -90, max = 90)))]
    pub(super) elevation_degrees: Option<[f64; 2]>,
    /// Panoramic: instead, the elevation angle of each row from the top; the image has as many rows
    /// as the table.
    #[schemars(length(min = 1, max = 65536), inner(range(min = -90, max = 90)))]
    pub(super) elevation_table_degrees: Option<Vec<f64>>,
    /// Panoramic: what is added to the azimuth of each row of the table, for lasers that look beside
    /// the column.
    pub(super) row_azimuth_offsets_degrees: Option<Vec<f64>>,
    /// Panoramic: the seconds after its column's time, negative before it, at which each row of the
    /// table is cast in a sweep.
    pub(super) row_times_s: Option<Vec<f64>>,
    /// The beams of a lidar without rows and columns, in place of all angles.
    pub(super) pattern: Option<PatternFile>,
    /// Instead of all of these angles, the name of a published lidar, such as VLP-16, which also
    /// gives the columns, the time of a sweep, the range, the beam and the returns, for scene units
    /// of metres. `raytwin scan --list-lidars` prints the names.
    pub(super) lidar: Option<String>,
    /// Panoramic: the default width of its images.
    #[schemars(range(min = 1, max = 268_435_456))]
    pub(super) columns: Option<u32>,
    /// Panoramic: the seconds in which a scan sweeps over the columns from left to right; by
    /// default, all are cast at once.
    #[schemars(range(min = 0))]
    pub(super) sweep_s: Option<f64>,
    /// Sensor: a distance below this is written as no return; by default 0, or the lidar's.
    #[schemars(range(min = 0))]
    pub(super) range_min: Option<f64>,
    /// Sensor: a distance above this is written as no return; by default there is no such limit, or
    /// the lidar's.
    pub(super) range_max: Option<f64>,
    /// Sensor: the noise of the written distances, of directions and of returns.
    pub(super) noise: Option<NoiseFile>,
    /// Panoramic: the beam in which each pixel's light leaves; by default the lidar's, or a line.
    pub(super) beam: Option<BeamFile>,
    /// Panoramic: the returns that each beam makes; by default the lidar's, or the strongest alone.
    pub(super) returns: Option<ReturnsFile>,
    /// Panoramic: leaves out the beam and the returns of the lidar, so that each pixel is one line.
    #[serde(default)]
    pub(super) no_beam: bool,
    /// Panoramic: the extinction of the air in 1/km, for scene units of metres; by default 0.
    pub(super) attenuation_per_km: Option<f64>,
    /// Panoramic: the least raw intensity that makes a return; by default 0.
    pub(super) detection_limit: Option<f64>,
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

/// The noise of an instrument, drawn for each pixel by the generator Philox4x32-10.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoiseFile {
    /// The standard deviation of distances, in scene units.
    #[schemars(range(min = 0))]
    pub(super) stddev: f64,
    /// What each unit of distance adds to it.
    #[serde(default)]
    pub(super) stddev_per_distance: f64,
    /// The raw intensity at which this holds: it grows as the square root of this by a return's own; 0 for any.
    #[serde(default)]
    pub(super) reference_intensity: f64,
    /// The standard deviation of rays' directions in either axis, in milliradians.
    #[serde(default)]
    pub(super) jitter_mrad: f64,
    /// The share of returns that are lost, from 0 to 1.
    #[serde(default)]
    pub(super) dropout: f64,
    /// Another seed gives other noise.
    #[serde(default)]
    pub(super) seed: u64,
}

/// A beam that widens with the distance d: its light has fallen to 1/e² at exit_diameter / 2 + d · tan(divergence / 2) from
/// its middle.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BeamFile {
    /// The full angle at 1/e², in milliradians.
    #[schemars(range(min = 0))]
    pub(super) divergence_mrad: f64,
    /// The diameter at the exit, at 1/e², in scene units.
    #[serde(default)]
    pub(super) exit_diameter: f64,
    /// The rays that are cast for the beam: 1, 7, 19, 37 or another hexagon up to 1261.
    #[serde(default = "one_subray")]
    pub(super) subrays: u32,
}

fn one_subray() -> u32 {
    1
}

/// The rules by which echoes become returns.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReturnsFile {
    /// The most returns of a beam, from 1 to 15; by default 5.
    pub(super) max: Option<u8>,
    /// all, first, last or strongest; by default all.
    pub(super) mode: Option<String>,
    /// A gap between hits that is larger begins another echo, in scene units; by default 0.3.
    pub(super) range_resolution: Option<f64>,
}

/// The point of the image from which a calibrated camera's principal point is counted.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum PixelOrigin {
    /// The top left corner of the first pixel: the middle of an image is at half its width and
    /// height.
    Corner,
    /// The middle of the first pixel, as OpenCV and ROS count.
    Center,
}

/// The JSON Schema of native scene files.
pub fn schema() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}
