//! The shapes of a native scene file. Their schemas follow from the fields of closed forms, and
//! from structs for geometries of many primitives.

use raytwin::fields::{Field, FieldKind, MAX_COORDINATE, MAX_SIZE, MIN_SIZE, NO_TURN};
use raytwin::geometry::{EMPTY, Lines, Mesh};
use raytwin::shapes::{Heightfield, SHAPE_TYPES, ShapeType};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A mesh of triangles with shared vertices, from `vertices` and `triangles` or from a `file`. The
/// mesh is closed if every edge belongs to two triangles, once in each direction.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MeshFile {
    /// The positions of the vertices.
    pub(super) vertices: Option<Vec<[f64; 3]>>,
    /// Three vertex indices for each triangle, counted from 0, counter-clockwise when seen from
    /// outside.
    pub(super) triangles: Option<Vec<[u32; 3]>>,
    /// An .obj, .stl, .ply, .dae, .gltf or .glb file, as a path relative to the folder of this
    /// file.
    pub(super) file: Option<String>,
}

/// A heightfield over a grid along the shape's own x and y axes, from `heights` or from a `file`.
/// With a `base`, it is a solid with upright sides.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeightfieldFile {
    /// Rows of heights. Each row runs along x, and successive rows follow along y.
    pub(super) heights: Option<Vec<Vec<f64>>>,
    /// An .npy array of shape (rows, columns), or a grey .png of 8 or 16 bits, as a path relative
    /// to the folder of this file. Its first row is the first row of heights.
    pub(super) file: Option<String>,
    /// The factor that multiplies all heights.
    #[serde(default = "one")]
    pub(super) height_scale: f64,
    /// The height of a flat bottom, below all heights; `height_scale` does not multiply it. Without
    /// a base, there are neither a bottom nor sides.
    pub(super) base: Option<f64>,
    /// The distance between neighbouring vertices, along x and along y.
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

/// A geometry without primitives, which no ray can hit. It keeps the id of a geometry that could
/// not be read from another format.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EmptyFile {}

fn one() -> f64 {
    1.0
}

fn identity_rotation() -> [f64; 4] {
    NO_TURN
}

/// The schema of a shape of any type.
pub(super) struct AnyShapeFile;

impl JsonSchema for AnyShapeFile {
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

/// The keys that every shape accepts, and their schemas.
pub(super) fn common_keys() -> [(&'static str, Value); 6] {
    [
        (
            "name",
            json!({ "type": "string", "description": "The name of the shape, which is the last part of its path." }),
        ),
        (
            "mask",
            json!({
                "type": "integer", "minimum": 0, "maximum": u32::MAX, "default": u32::MAX,
                "description": "A ray can hit the shape if mask & ray_mask != 0.",
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
                "description": "The class of the shape: a number from 1 to 65535, 0 for none, or the name of one of the file's labels.",
            }),
        ),
        (
            "reflectance",
            json!({
                "type": "number", "minimum": 0, "maximum": 1, "default": 0.5,
                "description": "The share of light that the shape reflects at the wavelength of a lidar, from 0 to 1.",
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

/// The schema of a geometry of many primitives: the schema of its struct, with the keys that every
/// shape accepts.
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
