//! What a native scene file may hold, as structs that a reader fills and as a JSON Schema.

use crate::fields::{Field, FieldKind, MAX_COORDINATE, MAX_SIZE, MIN_SIZE, NO_TURN};
use crate::geometry::{Lines, Mesh};
use crate::shapes::{Heightfield, SHAPE_TYPES, ShapeType};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A scene for raytwin: shapes, nodes that move shapes together, and cameras.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "raytwin scene")]
pub(super) struct SceneFile {
    /// The version of this format: 1.
    #[schemars(extend("const" = 1))]
    pub(super) raytwin: u64,
    /// Shapes in world space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Groups of shapes that are moved together.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
    /// Cameras; the first is used unless another is named.
    #[serde(default)]
    #[schemars(with = "Vec<CameraFile>")]
    pub(super) cameras: Vec<Value>,
}

/// Moves what is inside it: p becomes translation + rotation · (scale · p).
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeFile {
    /// Primitive of the path of names of what is inside.
    pub(super) name: Option<String>,
    /// Applied last.
    #[serde(default)]
    pub(super) translation: [f64; 3],
    /// A quaternion x y z w, normalised on load.
    #[serde(default = "no_rotation")]
    pub(super) rotation_xyzw: [f64; 4],
    /// Applied first; positive and the same along each axis.
    #[serde(default = "no_scale")]
    pub(super) scale: [f64; 3],
    /// Shapes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    pub(super) shapes: Vec<Value>,
    /// Nodes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    pub(super) nodes: Vec<Value>,
}

/// A perspective camera by `fov_y_degrees`, a calibrated one by `fx fy cx cy width height`, an
/// orthographic one by `height` alone, or a panoramic one (a lidar) by `azimuth_degrees` with
/// `elevation_degrees` or `elevation_table_degrees`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraFile {
    /// By which `--camera` asks for it.
    pub(super) name: Option<String>,
    /// Where it stands.
    pub(super) eye: [f64; 3],
    /// What it looks at.
    pub(super) target: [f64; 3],
    /// What is upwards in the image.
    #[serde(default = "z_up")]
    pub(super) up: [f64; 3],
    /// Perspective: the angle from the top to the bottom of the image.
    pub(super) fov_y_degrees: Option<f64>,
    /// Calibrated: focal length in pixels along x.
    pub(super) fx: Option<f64>,
    /// Calibrated: focal length in pixels along y.
    pub(super) fy: Option<f64>,
    /// Calibrated: where the axis meets the image, in pixels from the left.
    pub(super) cx: Option<f64>,
    /// Calibrated: where the axis meets the image, in pixels from the top.
    pub(super) cy: Option<f64>,
    /// Calibrated: the image's width in pixels, for which these numbers hold.
    pub(super) width: Option<u32>,
    /// Calibrated: the image's height in pixels. Orthographic: what the image shows from top to
    /// bottom, in scene units.
    pub(super) height: Option<f64>,
    /// Panoramic: the angles of the image's left and right edge about `up`, 0 forward, positive to the
    /// left; at most 360 apart.
    pub(super) azimuth_degrees: Option<[f64; 2]>,
    /// Panoramic: the angles of the image's top and bottom edge above the plane through forward and left.
    #[schemars(inner(range(min = -90, max = 90)))]
    pub(super) elevation_degrees: Option<[f64; 2]>,
    /// Panoramic: the angle of each row instead, from the top; the image is as high as the table is long.
    #[schemars(length(min = 1, max = 65536), inner(range(min = -90, max = 90)))]
    pub(super) elevation_table_degrees: Option<Vec<f64>>,
}

/// Triangles that share vertices: `vertices` and `triangles`, or a `file`. Closed where each edge lies in two
/// triangles, once each way.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshFile {
    /// Where triangles meet.
    pub(super) vertices: Option<Vec<[f64; 3]>>,
    /// Three vertices each, counted from 0, counter-clockwise as seen from outside.
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    /// An .obj, .stl or .ply file, sought from the folder of this one.
    pub(super) file: Option<String>,
}

/// Heights above a grid of the shape's own x and y axes, without base or sides: `heights`, or a `file`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightfieldFile {
    /// Rows of heights; rows run along y, and each along x.
    pub(super) heights: Option<Vec<Vec<f64>>>,
    /// An .npy of (rows, columns), or a grey .png of 8 or 16 bits; its first row comes first.
    pub(super) file: Option<String>,
    /// Times what the file or the rows hold.
    #[serde(default = "one")]
    pub(super) height_scale: f64,
    /// From one vertex to the next along x and along y.
    pub(super) spacing: [f64; 2],
    /// Where the middle of the grid lies at height 0.
    pub(super) center: [f64; 3],
    /// Turns its own axes into the world's.
    #[serde(default = "no_rotation")]
    pub(super) rotation_xyzw: [f64; 4],
}

/// Segments between points, met within a radius.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinesFile {
    /// Where segments end.
    pub(super) points: Vec<[f64; 3]>,
    /// The two points of each segment, counted from 0.
    pub(super) indices: Vec<[u32; 2]>,
    /// How near to a segment a ray meets it.
    pub(super) radius: f64,
}

fn one() -> f64 {
    1.0
}

fn no_rotation() -> [f64; 4] {
    NO_TURN
}

fn no_scale() -> [f64; 3] {
    [1.0; 3]
}

fn z_up() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

/// The JSON Schema of native scene files.
pub fn schema() -> Value {
    schemars::schema_for!(SceneFile).to_value()
}

/// Stands for the shapes in the schema.
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
        json_schema!({ "oneOf": kinds })
    }
}

/// The keys that any shape takes, with what they are.
pub(super) fn common_keys() -> [(&'static str, Value); 2] {
    [
        ("name", json!({ "type": "string", "description": "Its part of the path of names." })),
        (
            "mask",
            json!({
                "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": u32::MAX,
                "description": "A ray sees the shape where mask & ray_mask != 0.",
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
            // A number that stands alone is no array.
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
        FieldKind::Direction => array(json!({ "type": "number" }), 3),
        FieldKind::Rotation => array(json!({ "type": "number" }), 4),
    }
}

/// The schema of a geometry of many parts: that of its struct, with the keys that any shape takes.
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
