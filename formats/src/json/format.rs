//! The format of a native scene file: structs for the reader, and the JSON Schema that is derived
//! from them.

use super::pattern_file::PatternFile;
use crate::{MoleculeColors, MoleculeStyle};
use raytwin::fields::{Field, FieldKind, MAX_COORDINATE, MAX_SIZE, MIN_SIZE, NO_TURN};
use raytwin::geometry::{EMPTY, Lines, Mesh};
use raytwin::shapes::{Heightfield, SHAPE_TYPES, ShapeType};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
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
    #[schemars(with = "Vec<ShapeFile>")]
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

/// A semantic class: its number from 1 to 65535, 0 for none, or the name of one of the file's
/// `labels`.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum LabelFile {
    Name(String),
    Number(#[schemars(with = "u16")] Value),
}

/// A definition: shapes and nodes in a space of their own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DefinitionFile {
    /// Shapes in the definition's own space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Nodes in the definition's own space.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
}

/// A node moves what it holds: a point p becomes translation + rotation · (scale · p), or what
/// `matrix` makes of it. A node holds shapes and nodes, or uses a definition, or holds a file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeFile {
    /// The node's name, a part of the path of names of everything inside it.
    pub(super) name: Option<String>,
    /// The translation, applied last; by default none.
    pub(super) translation: Option<[f64; 3]>,
    /// The rotation, a quaternion x y z w, which is normalised on load; by default none.
    pub(super) rotation_xyzw: Option<[f64; 4]>,
    /// The scale along each axis, applied first; a negative one mirrors. By default 1.
    pub(super) scale: Option<[f64; 3]>,
    /// In place of these three: the rows of a 3×4 matrix, whose last column is the translation.
    pub(super) matrix: Option<[f64; 12]>,
    /// The sRGB colour, red, green and blue, of what is in the node and has none of its own.
    #[schemars(inner(range(min = 0, max = 1)))]
    pub(super) color: Option<[f64; 3]>,
    /// The label of what is in the node and has none of its own.
    pub(super) label: Option<LabelFile>,
    /// The reflectance of what is in the node and has none of its own.
    #[schemars(range(min = 0, max = 1))]
    pub(super) reflectance: Option<f64>,
    /// Whole numbers by name, such as the tree that a branch belongs to, of what is in the node and
    /// has none of its own.
    #[schemars(with = "Option<BTreeMap<String, i32>>")]
    pub(super) integers: Option<Value>,
    /// Shapes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Nodes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
    /// The name of the definition that stands here.
    pub(super) r#use: Option<String>,
    /// A scene, robot or mesh that stands here, by its path from the folder of this file.
    pub(super) file: Option<String>,
    /// Beside the `file` of a robot or of a glTF scene: true reads its collision geometry instead
    /// of what is shown.
    pub(super) collision: Option<bool>,
    /// Beside a robot's `file`: the values of joints by name, in radians or metres, or in degrees
    /// such as "90deg".
    pub(super) joints: Option<BTreeMap<String, JointFile>>,
    /// Beside a robot's `file`: the folders of its packages by name, by their paths from the folder
    /// of this file.
    pub(super) packages: Option<BTreeMap<String, String>>,
    /// Beside a model's `file`: the name or the number of the key whose pose is taken.
    pub(super) key: Option<KeyFile>,
    /// Beside a model's `file`: an .npy of the numbers of all joints, by its path from the folder
    /// of this file.
    pub(super) qpos: Option<String>,
    /// Beside a model's `file`: the groups of geoms that rays can hit.
    pub(super) geom_groups: Option<Vec<u8>>,
    /// Beside a model's `file`: true labels geoms by their groups, those of group N by N + 1.
    pub(super) label_groups: Option<bool>,
    /// Beside a molecule's `file`: how it is drawn; by default ball-and-stick.
    pub(super) style: Option<MoleculeStyle>,
    /// Beside a molecule's `file`: what its colours show; by default its elements, and the chains of
    /// a trace.
    pub(super) colors: Option<MoleculeColors>,
    /// Beside a molecule's `file`: the number of a model; by default the first.
    pub(super) model: Option<u32>,
    /// Beside a molecule's `file`: the alternate location of atoms, such as "A"; by default the one
    /// with the highest occupancy.
    pub(super) alternate: Option<char>,
    /// Beside a molecule's `file`: false leaves out hydrogens.
    pub(super) hydrogens: Option<bool>,
    /// Beside a molecule's `file`: false leaves out water.
    pub(super) water: Option<bool>,
    /// Beside a world's `file`: the radius about lines at which rays hit them; by default a
    /// thousandth of the size of each set of lines.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub(super) line_radius: Option<f64>,
    /// Beside a world's `file`: the radius of the spheres that points become; by default points are
    /// left out.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub(super) point_radius: Option<f64>,
}

/// A key of a model: its name, or its number.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a key must be a name or a number")]
pub(super) enum KeyFile {
    /// The number of the key, from 0.
    Number(u64),
    /// The name of the key.
    Name(String),
}

impl KeyFile {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name(name) => name.clone(),
        }
    }
}

/// The value of a joint: a number, or degrees such as "90deg".
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a joint's value must be a number, or degrees such as \"90deg\"")]
pub(super) enum JointFile {
    /// Radians or metres.
    Number(f64),
    /// A number with its unit.
    Text(String),
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

/// A mesh of triangles that share vertices, given by `vertices` and `triangles` or by a `file`. It
/// is closed if each edge lies in two triangles, once in each direction.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshFile {
    /// The positions of the vertices.
    pub(super) vertices: Option<Vec<[f64; 3]>>,
    /// Three vertex indices for each triangle, counted from 0, counter-clockwise as seen from
    /// outside.
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    /// An .obj, .stl, .ply, .dae, .gltf or .glb file, by its path from the folder of this file.
    pub(super) file: Option<String>,
}

/// A heightfield over a grid along the shape's own x and y axes, given by `heights` or by a `file`.
/// With a `base` it is a solid with upright sides.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightfieldFile {
    /// Rows of heights: each row runs along x, and the rows follow each other along y.
    pub(super) heights: Option<Vec<Vec<f64>>>,
    /// An .npy array of (rows, columns), or a grey .png of 8 or 16 bits, by its path from the
    /// folder of this file. Its first row is the first row of heights.
    pub(super) file: Option<String>,
    /// The factor by which all heights are multiplied.
    #[serde(default = "one")]
    pub(super) height_scale: f64,
    /// The height of a flat bottom, below all others; it is not multiplied by `height_scale`.
    /// Without it there is no bottom and there are no sides.
    pub(super) base: Option<f64>,
    /// The distance from one vertex to the next, along x and along y.
    pub(super) spacing: [f64; 2],
    /// The position of the middle of the grid at height 0.
    pub(super) center: [f64; 3],
    /// The rotation from the shape's own axes to the world's, a quaternion x y z w.
    #[serde(default = "identity_rotation")]
    pub(super) rotation_xyzw: [f64; 4],
}

/// Line segments between points. A ray hits a segment within `radius` of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinesFile {
    /// The end points of the segments.
    pub(super) points: Vec<[f64; 3]>,
    /// Two point indices for each segment, counted from 0.
    pub(super) indices: Vec<[u32; 2]>,
    /// The distance from a segment within which a ray hits it.
    pub(super) radius: f64,
}

/// A geometry without primitives, which no ray meets: it keeps the id of what could not be read
/// from another format.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EmptyFile {}

fn one() -> f64 {
    1.0
}

fn identity_rotation() -> [f64; 4] {
    NO_TURN
}

/// The JSON Schema of native scene files.
pub fn schema() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}

/// The schema of a shape of any type.
struct ShapeFile;

impl JsonSchema for ShapeFile {
    fn schema_name() -> Cow<'static, str> {
        "ShapeFile".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        let mut kinds: Vec<Value> = SHAPE_TYPES.iter().map(shape_schema).collect();
        kinds.push(compound_schema(Mesh::NAME, schemars::schema_for!(MeshFile)));
        kinds.push(compound_schema(Heightfield::NAME, schemars::schema_for!(HeightfieldFile)));
        kinds.push(compound_schema(Lines::NAME, schemars::schema_for!(LinesFile)));
        kinds.push(compound_schema(EMPTY, schemars::schema_for!(EmptyFile)));
        json_schema!({ "oneOf": kinds })
    }
}

/// The keys that every shape takes, and their schemas.
pub(super) fn common_keys() -> [(&'static str, Value); 6] {
    [
        (
            "name",
            json!({ "type": "string", "description": "The shape's name, the last part of its path of names." }),
        ),
        (
            "mask",
            json!({
                "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": u32::MAX,
                "description": "A ray sees the shape where mask & ray_mask != 0.",
            }),
        ),
        (
            "color",
            json!({
                "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 1 },
                "minItems": 3, "maxItems": 3,
                "description": "The sRGB colour of the shape in shaded.png: red, green and blue.",
            }),
        ),
        (
            "label",
            json!({
                "anyOf": [{ "type": "string" }, { "type": "integer", "minimum": 0, "maximum": u16::MAX }],
                "description": "The shape's semantic class: a number from 1 to 65535, 0 for none, or the name of one of the file's labels.",
            }),
        ),
        (
            "reflectance",
            json!({
                "type": "number", "minimum": 0, "maximum": 1, "default": 0.5,
                "description": "The share of light that the shape reflects at a lidar's wavelength.",
            }),
        ),
        (
            "integers",
            json!({
                "type": "object",
                "additionalProperties": { "type": "integer", "minimum": i32::MIN, "maximum": i32::MAX },
                "description": "Whole numbers by name, such as the tree that a branch belongs to.",
            }),
        ),
    ]
}

fn shape_schema(kind: &ShapeType) -> Value {
    let mut properties = Map::new();
    properties.insert("type".to_owned(), json!({ "const": kind.name }));
    let mut required = vec!["type"];
    for field in kind.fields {
        let mut schema = field_schema(field);
        schema["description"] = field.about.into();
        match field.default {
            Some(_) if field.kind.is_optional() => {}
            Some([default]) if field.kind == FieldKind::Flag => {
                schema["default"] = (*default != 0.0).into();
            }
            // A field of one number is a number, not an array.
            Some([default]) => schema["default"] = (*default).into(),
            Some(default) => schema["default"] = default.into(),
            None => required.push(field.name),
        }
        properties.insert(field.name.to_owned(), schema);
    }
    properties.extend(common_keys().map(|(key, schema)| (key.to_owned(), schema)));
    json!({
        "type": "object", "title": kind.name, "properties": properties,
        "required": required, "additionalProperties": false,
    })
}

fn field_schema(field: &Field) -> Value {
    let size = json!({ "type": "number", "minimum": MIN_SIZE, "maximum": MAX_SIZE });
    let array = |items: Value, count: usize| json!({ "type": "array", "items": items, "minItems": count, "maxItems": count });
    let coordinate =
        json!({ "type": "number", "minimum": -MAX_COORDINATE, "maximum": MAX_COORDINATE });
    match field.kind {
        FieldKind::Length => size,
        FieldKind::LengthOrZero => json!({ "anyOf": [{ "const": 0 }, size] }),
        FieldKind::Extents => array(size, 3),
        FieldKind::Position => array(coordinate, 3),
        FieldKind::Corners => array(array(coordinate, 3), 3),
        FieldKind::Direction | FieldKind::OptionalDirection => {
            array(json!({ "type": "number" }), 3)
        }
        FieldKind::OptionalExtents => array(json!({ "anyOf": [{ "const": 0 }, size] }), 2),
        FieldKind::Rotation | FieldKind::OptionalRotation => array(json!({ "type": "number" }), 4),
        FieldKind::Flag => json!({ "type": "boolean" }),
    }
}

/// The schema of a geometry of many primitives: that of its struct, with the keys that every shape
/// takes.
fn compound_schema(name: &str, schema: schemars::Schema) -> Value {
    let mut schema = schema.to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.insert("title".to_owned(), name.into());
    }
    schema["properties"]["type"] = json!({ "const": name });
    for (key, value) in common_keys() {
        schema["properties"][key] = value;
    }
    match schema["required"].as_array_mut() {
        Some(required) => required.insert(0, "type".into()),
        None => schema["required"] = json!(["type"]),
    }
    schema
}
