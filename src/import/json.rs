//! The native scene file, and its JSON Schema.
//!
//! What a shape's fields are comes from [`crate::fields`]; nodes and cameras are the structs below,
//! from which their part of the schema is derived. Errors carry line and column where the text is not
//! JSON, and the path in the file (`nodes[2].shapes[17].radius`) where it says something that cannot be.

use crate::camera::{Camera, Projection};
use crate::fields::{Field, FieldKind, MIN_QUATERNION};
use crate::files::{FileError, read_text};
use crate::math::Similarity;
use crate::scene::Scene;
use crate::shapes::{KINDS, Kind};
use glam::{DQuat, DVec3};
use schemars::{JsonSchema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::path::Path;

/// A scene for raytwin: shapes, nodes that move shapes together, and cameras.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "raytwin scene")]
struct SceneFile {
    /// The version of this format: 1.
    raytwin: u64,
    /// Shapes in world space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    shapes: Vec<Value>,
    /// Groups of shapes that are moved together.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    nodes: Vec<Value>,
    /// Cameras; the first is used unless another is named.
    #[serde(default)]
    #[schemars(with = "Vec<CameraFile>")]
    cameras: Vec<Value>,
}

/// Moves what is inside it: p becomes translation + rotation · (scale · p).
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NodeFile {
    /// Part of the path of names of what is inside.
    name: Option<String>,
    /// Applied last.
    #[serde(default)]
    translation: [f64; 3],
    /// A quaternion x y z w, normalised on load.
    #[serde(default = "no_rotation")]
    rotation_xyzw: [f64; 4],
    /// Applied first; positive and the same along each axis.
    #[serde(default = "no_scale")]
    scale: [f64; 3],
    /// Shapes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<ShapeFile>")]
    shapes: Vec<Value>,
    /// Nodes in the node's own space.
    #[serde(default)]
    #[schemars(with = "Vec<NodeFile>")]
    nodes: Vec<Value>,
}

/// A perspective camera by `fov_y_degrees`, a calibrated one by `fx fy cx cy width height`, or an
/// orthographic one by `height` alone.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CameraFile {
    /// By which `--camera` asks for it.
    name: Option<String>,
    /// Where it stands.
    eye: [f64; 3],
    /// What it looks at.
    target: [f64; 3],
    /// What is upwards in the image.
    #[serde(default = "z_up")]
    up: [f64; 3],
    /// Perspective: the angle from the top to the bottom of the image.
    fov_y_degrees: Option<f64>,
    /// Calibrated: focal length in pixels along x.
    fx: Option<f64>,
    /// Calibrated: focal length in pixels along y.
    fy: Option<f64>,
    /// Calibrated: where the axis meets the image, in pixels from the left.
    cx: Option<f64>,
    /// Calibrated: where the axis meets the image, in pixels from the top.
    cy: Option<f64>,
    /// Calibrated: the image's width in pixels, for which these numbers hold.
    width: Option<u32>,
    /// Calibrated: the image's height in pixels. Orthographic: what the image shows from top to
    /// bottom, in scene units.
    height: Option<f64>,
}

fn no_rotation() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
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
        let kinds: Vec<Value> = KINDS.iter().map(shape_schema).collect();
        json_schema!({ "oneOf": kinds })
    }
}

/// The keys that any shape takes, with what they are.
fn common_keys() -> [(&'static str, Value); 2] {
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

fn shape_schema(kind: &Kind) -> Value {
    let mut properties = Map::new();
    properties.insert("type".to_owned(), json!({ "const": kind.name }));
    let mut required = vec!["type"];
    for field in kind.fields {
        let mut schema = field_schema(field);
        schema["description"] = field.about.into();
        match field.kind.default() {
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
    use crate::fields::{MAX_COORDINATE, MAX_SIZE, MIN_SIZE};
    let size = json!({ "type": "number", "minimum": MIN_SIZE, "maximum": MAX_SIZE });
    let items = match field.kind {
        FieldKind::Length => return size,
        FieldKind::Extents => size,
        FieldKind::Position => {
            json!({ "type": "number", "minimum": -MAX_COORDINATE, "maximum": MAX_COORDINATE })
        }
        FieldKind::Rotation => json!({ "type": "number" }),
    };
    let count = field.kind.columns();
    json!({ "type": "array", "items": items, "minItems": count, "maxItems": count })
}

/// Reads a native scene file.
///
/// # Errors
/// [`FileError`].
pub fn read(path: &Path) -> Result<Scene, FileError> {
    parse(&read_text(path)?, path)
}

/// Reads a native scene from its text; `path` is what errors call it.
///
/// # Errors
/// [`FileError::Syntax`] and [`FileError::Meaning`].
pub fn parse(text: &str, path: &Path) -> Result<Scene, FileError> {
    let value: Value = serde_json::from_str(text).map_err(|error| FileError::Syntax {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        reason: without_position(&error.to_string()),
    })?;
    let mut reader = Reader { path, scene: Scene::new() };
    let file: SceneFile = reader.typed(value, "")?;
    if file.raytwin != 1 {
        return Err(reader.refuse("raytwin", format!("is {}: this version reads 1", file.raytwin)));
    }
    let world = Group {
        place: String::new(),
        names: String::new(),
        world_from_group: Similarity::IDENTITY,
    };
    reader.read_shapes(file.shapes, &world)?;
    reader.read_nodes(file.nodes, &world)?;
    for (index, camera) in file.cameras.into_iter().enumerate() {
        let camera = reader.read_camera(camera, index)?;
        reader.scene.cameras.push(camera);
    }
    Ok(reader.scene)
}

/// serde_json ends its messages with the position that the error already carries.
fn without_position(message: &str) -> String {
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message.to_owned(),
    }
}

/// Where shapes and nodes stand: in the file, by name, and in the world.
struct Group {
    /// Such as `nodes[2].`; empty at the top.
    place: String,
    /// Such as `arm/`; empty where no node has a name.
    names: String,
    world_from_group: Similarity,
}

struct Reader<'a> {
    path: &'a Path,
    scene: Scene,
}

impl Reader<'_> {
    fn refuse(&self, place: &str, reason: impl std::fmt::Display) -> FileError {
        FileError::meaning(self.path, place, reason)
    }

    /// The struct that a value describes.
    fn typed<T: DeserializeOwned + JsonSchema>(
        &self,
        value: Value,
        place: &str,
    ) -> Result<T, FileError> {
        let keys: Vec<String> =
            value.as_object().map_or_else(Vec::new, |object| object.keys().cloned().collect());
        serde_path_to_error::deserialize(value).map_err(|error| {
            // An unknown key is told by its name, before whatever else is wrong.
            let schema = schemars::schema_for!(T);
            let known: Vec<&str> = schema
                .get("properties")
                .and_then(Value::as_object)
                .map_or_else(Vec::new, |known| known.keys().map(String::as_str).collect());
            if let Some(unknown) = keys.iter().find(|key| !known.contains(&key.as_str())) {
                return self.unknown_key(place, unknown, &known);
            }
            let inner = error.path().to_string();
            let place = match (place, inner.as_str()) {
                (place, ".") => place.to_owned(),
                ("", inner) => inner.to_owned(),
                (place, inner) => format!("{place}.{inner}"),
            };
            self.refuse(&place, error.inner())
        })
    }

    fn unknown_key(&self, place: &str, key: &str, known: &[&str]) -> FileError {
        let dot = if place.is_empty() { "" } else { "." };
        self.refuse(
            &format!("{place}{dot}{key}"),
            format!("is an unknown key; did you mean {}?", nearest(key, known)),
        )
    }

    fn read_shapes(&mut self, shapes: Vec<Value>, group: &Group) -> Result<(), FileError> {
        for (index, shape) in shapes.into_iter().enumerate() {
            self.read_shape(shape, index, group)?;
        }
        Ok(())
    }

    fn read_shape(&mut self, shape: Value, index: usize, group: &Group) -> Result<(), FileError> {
        let own = format!("shapes[{index}]");
        let place = format!("{}{own}", group.place);
        let Value::Object(mut object) = shape else {
            return Err(self.refuse(&place, "is not an object { \"type\": ... }"));
        };
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
        let kind = match object.remove("type") {
            Some(Value::String(name)) => Kind::named(&name).ok_or_else(|| {
                self.refuse(
                    &format!("{place}.type"),
                    format!("'{name}' is not a shape; did you mean {}?", nearest(&name, &names)),
                )
            })?,
            Some(other) => {
                return Err(
                    self.refuse(&format!("{place}.type"), format!("is {other}, not a name"))
                );
            }
            None => {
                return Err(self
                    .refuse(&place, format!("has no \"type\": give one of {}", names.join(", "))));
            }
        };
        let mut row = Vec::with_capacity(kind.columns());
        let name = match object.remove("name") {
            Some(Value::String(name)) => Some(name),
            Some(other) => {
                return Err(
                    self.refuse(&format!("{place}.name"), format!("is {other}, not a text"))
                );
            }
            None => None,
        };
        let mask = match object.remove("mask") {
            Some(value) => {
                value.as_u64().and_then(|mask| u32::try_from(mask).ok()).ok_or_else(|| {
                    self.refuse(
                        &format!("{place}.mask"),
                        format!("is {value}: it must be a whole number from 0 to 4294967295"),
                    )
                })?
            }
            None => u32::MAX,
        };
        let mut missing = None;
        for field in kind.fields {
            match object.remove(field.name) {
                Some(value) => self.read_field(&value, field, &place, &mut row)?,
                None => match field.kind.default() {
                    Some(default) => row.extend(default),
                    None => missing = missing.or(Some(field.name)),
                },
            }
        }
        // Before a missing field: a misspelt one is both.
        if let Some(unknown) = object.keys().next() {
            let mut known: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
            known.push("type");
            known.extend(common_keys().map(|(key, _)| key));
            return Err(self.unknown_key(&place, unknown, &known));
        }
        if let Some(missing) = missing {
            return Err(self.refuse(
                &format!("{place}.{missing}"),
                format!("is missing: a {} needs it", kind.name),
            ));
        }
        let id = self.scene.add_row(kind, &row, &group.world_from_group).map_err(|refusal| {
            let field = match refusal.field.as_str() {
                "" => place.clone(),
                field => format!("{place}.{field}"),
            };
            let called = match &name {
                Some(name) => format!(" (\"{}{name}\")", group.names),
                None => String::new(),
            };
            self.refuse(&format!("{field}{called}"), refusal.reason)
        })?;
        match name {
            Some(name) => self.scene.set_path(id, format!("{}{name}", group.names)),
            None if !group.names.is_empty() => {
                self.scene.set_path(id, format!("{}{own}", group.names));
            }
            None => {}
        }
        self.scene.set_mask(id, mask);
        Ok(())
    }

    fn read_field(
        &self,
        value: &Value,
        field: &Field,
        place: &str,
        row: &mut Vec<f64>,
    ) -> Result<(), FileError> {
        let count = field.kind.columns();
        let numbers = match value {
            Value::Array(items) if count > 1 => &items[..],
            single if count == 1 => std::slice::from_ref(single),
            _ => &[],
        };
        if numbers.len() != count || !numbers.iter().all(Value::is_number) {
            let wanted = match count {
                1 => "a number".to_owned(),
                count => format!("an array of {count} numbers"),
            };
            return Err(self.refuse(
                &format!("{place}.{}", field.name),
                format!("is {}: it must be {wanted}", shortened(value)),
            ));
        }
        row.extend(numbers.iter().filter_map(Value::as_f64));
        Ok(())
    }

    fn read_nodes(&mut self, nodes: Vec<Value>, parent: &Group) -> Result<(), FileError> {
        for (index, node) in nodes.into_iter().enumerate() {
            let own = format!("nodes[{index}]");
            let place = format!("{}{own}", parent.place);
            let node: NodeFile = self.typed(node, &place)?;
            let parent_from_node = self.similarity(&node, &place)?;
            let names = match (&node.name, parent.names.is_empty()) {
                (Some(name), _) => format!("{}{name}/", parent.names),
                (None, true) => String::new(),
                (None, false) => format!("{}{own}/", parent.names),
            };
            let group = Group {
                place: format!("{place}."),
                names,
                world_from_group: parent.world_from_group.then_inner(&parent_from_node),
            };
            self.read_shapes(node.shapes, &group)?;
            self.read_nodes(node.nodes, &group)?;
        }
        Ok(())
    }

    fn similarity(&self, node: &NodeFile, place: &str) -> Result<Similarity, FileError> {
        let [x, y, z] = node.scale;
        if !(x > 0.0 && y > 0.0 && z > 0.0) {
            let reason = format!("is {:?}: a scale must be positive", node.scale);
            return Err(self.refuse(&format!("{place}.scale"), reason));
        }
        if x != y || y != z {
            let reason = format!(
                "is {:?}: a scale that differs between axes is not read yet; give three equal numbers",
                node.scale
            );
            return Err(self.refuse(&format!("{place}.scale"), reason));
        }
        let rotation = DQuat::from_array(node.rotation_xyzw);
        let largest = node.rotation_xyzw.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        if rotation.length() < MIN_QUATERNION {
            return Err(self.refuse(
                &format!("{place}.rotation_xyzw"),
                "is a quaternion of (nearly) no length: use [0, 0, 0, 1] for no rotation",
            ));
        }
        Ok(Similarity {
            translation: DVec3::from_array(node.translation),
            rotation: (rotation / largest).normalize(),
            scale: x,
        })
    }

    fn read_camera(&self, camera: Value, index: usize) -> Result<Camera, FileError> {
        let place = format!("cameras[{index}]");
        let file: CameraFile = self.typed(camera, &place)?;
        let pinhole = [file.fx, file.fy, file.cx, file.cy];
        let projection = match (file.fov_y_degrees, pinhole, file.width, file.height) {
            (Some(fov_y_degrees), [None, None, None, None], None, None) => {
                Projection::Perspective { fov_y_degrees }
            }
            (None, [Some(fx), Some(fy), Some(cx), Some(cy)], Some(width), Some(height)) => {
                if height.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&height) {
                    let reason =
                        format!("is {height}: an image's height is a whole number of pixels");
                    return Err(self.refuse(&format!("{place}.height"), reason));
                }
                Projection::Pinhole {
                    focal: [fx, fy],
                    center: [cx, cy],
                    size: [width, height as u32],
                }
            }
            (None, [None, None, None, None], None, Some(height)) => {
                Projection::Orthographic { height }
            }
            _ => {
                return Err(self.refuse(
                    &place,
                    "must have fov_y_degrees (perspective), or fx, fy, cx, cy, width and height \
                     (calibrated), or height alone (orthographic)",
                ));
            }
        };
        Camera::look_at(
            file.name.unwrap_or_else(|| place.clone()),
            DVec3::from_array(file.eye),
            DVec3::from_array(file.target),
            DVec3::from_array(file.up),
            projection,
        )
        .map_err(|error| self.refuse(&place, error))
    }
}

/// The known word that is closest to a misspelt one.
fn nearest<'a>(word: &str, known: &[&'a str]) -> &'a str {
    known
        .iter()
        .min_by_key(|known| strsim::damerau_levenshtein(word, known))
        .copied()
        .unwrap_or_default()
}

/// A value's text, cut to what fits a message.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 {
        return text;
    }
    let start: String = text.chars().take(37).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::Shape;

    fn scene(text: &str) -> Result<Scene, String> {
        parse(text, Path::new("s.json")).map_err(|error| error.to_string())
    }

    #[test]
    fn shapes_are_numbered_in_the_contracts_order_and_called_by_their_path_of_names() {
        let scene = scene(
            r#"{ "raytwin": 1,
                "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ],
                "nodes": [ { "name": "arm", "translation": [0, 0, 2], "scale": [2, 2, 2],
                    "rotation_xyzw": [0, 0, 1, 1],
                    "nodes": [ { "shapes": [
                        { "type": "sphere", "name": "tip", "center": [1, 0, 0], "radius": 0.5 } ] } ],
                    "shapes": [ { "type": "box", "center": [0, 0, 1], "half_extents": [1, 1, 1] } ] } ] }"#,
        )
        .unwrap();
        let paths: Vec<_> = (0..3).map(|id| scene.path(id)).collect();
        assert_eq!(paths, ["sphere[0]", "arm/shapes[0]", "arm/nodes[0]/tip"]);
        let Shape::Sphere(tip) = scene.shapes()[2] else { panic!("{:?}", scene.shapes()[2]) };
        // A quarter turn about z takes x to y, after the scale and before the translation.
        assert!((tip.center - DVec3::new(0.0, 2.0, 2.0)).length() < 1e-6);
        assert_eq!(tip.radius, 1.0);
    }

    #[test]
    fn every_fault_is_told_with_its_place() {
        let shape = |inner: &str| format!(r#"{{ "raytwin": 1, "shapes": [ {{ {inner} }} ] }}"#);
        let sphere = |inner: &str| shape(&format!(r#""type": "sphere", {inner}"#));
        for (text, expected) in [
            (
                sphere(r#""center": [0,0,0], "raduis": 1"#),
                "s.json: shapes[0].raduis: is an unknown key; did you mean radius?",
            ),
            (
                sphere(r#""center": [0,0,0]"#),
                "s.json: shapes[0].radius: is missing: a sphere needs it",
            ),
            (
                sphere(r#""center": [0,0], "radius": 1"#),
                "s.json: shapes[0].center: is [0,0]: it must be an array of 3 numbers",
            ),
            (
                sphere(r#""center": [0,0,0], "radius": "1""#),
                "s.json: shapes[0].radius: is \"1\": it must be a number",
            ),
            (
                sphere(r#""name": "left knee", "center": [0,0,0], "radius": 0"#),
                "s.json: shapes[0].radius (\"left knee\"): is 0: it must lie between 1e-9 and 1e9",
            ),
            (
                sphere(r#""center": [0,0,2e9], "radius": 1"#),
                "s.json: shapes[0].center[2]: is 2000000000: a coordinate must lie between -1e9 and 1e9",
            ),
            (
                shape(r#""type": "spere""#),
                "s.json: shapes[0].type: 'spere' is not a shape; did you mean sphere?",
            ),
            (
                shape(r#""radius": 1"#),
                "s.json: shapes[0]: has no \"type\": give one of sphere, box, cylinder",
            ),
            (
                r#"{ "raytwin": 1, "shaeps": [] }"#.to_owned(),
                "s.json: shaeps: is an unknown key; did you mean shapes?",
            ),
            (
                r#"{ "raytwin": 2 }"#.to_owned(),
                "s.json: raytwin: is 2: this version reads 1",
            ),
            (
                r#"{ "raytwin": 1, "nodes": [ { "scale": [1, 2, 1] } ] }"#.to_owned(),
                "s.json: nodes[0].scale: is [1.0, 2.0, 1.0]: a scale that differs between axes is not read yet; give three equal numbers",
            ),
            (
                r#"{ "raytwin": 1, "nodes": [ { "nodes": [ { "scale": [0, 0, 0] } ] } ] }"#.to_owned(),
                "s.json: nodes[0].nodes[0].scale: is [0.0, 0.0, 0.0]: a scale must be positive",
            ),
            (
                r#"{ "raytwin": 1, "cameras": [ { "eye": [0,0,0], "target": [0,1,0], "fov_y_degrees": "wide" } ] }"#.to_owned(),
                "s.json: cameras[0].fov_y_degrees: invalid type: string \"wide\", expected f64",
            ),
            (
                "{ \"raytwin\": 1,\n  \"shapes\": [ NaN ] }".to_owned(),
                "s.json:2:15: expected value",
            ),
        ] {
            assert_eq!(scene(&text).unwrap_err(), expected);
        }
    }

    #[test]
    fn the_three_kinds_of_camera_are_told_apart_by_their_fields() {
        let camera = |inner: &str| {
            scene(&format!(
                r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [0,1,0] {inner} }} ] }}"#
            ))
            .map(|scene| scene.cameras[0].projection)
        };
        assert!(matches!(camera(r#", "fov_y_degrees": 40"#), Ok(Projection::Perspective { .. })));
        assert!(matches!(camera(r#", "height": 40"#), Ok(Projection::Orthographic { .. })));
        let pinhole = r#", "fx": 1, "fy": 1, "cx": 1, "cy": 1, "width": 2, "height": 2"#;
        assert!(matches!(camera(pinhole), Ok(Projection::Pinhole { .. })));
        for neither in ["", r#", "fx": 1"#, r#", "fov_y_degrees": 40, "height": 2"#] {
            assert!(camera(neither).is_err(), "{neither}");
        }
    }

    #[test]
    fn the_schema_knows_every_kind_and_field() {
        let schema = schema().to_string();
        for kind in KINDS {
            assert!(schema.contains(&format!("\"const\":\"{}\"", kind.name)));
            for field in kind.fields {
                assert!(schema.contains(&format!("\"{}\":", field.name)));
            }
        }
        assert!(schema.contains("rotation_xyzw") && schema.contains("fov_y_degrees"));
    }
}
