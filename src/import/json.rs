//! Reads the native scene file, and describes it by a JSON Schema.
//!
//! The fields of shapes come from [`crate::fields`]; nodes and cameras are the structs of `format`, from which their
//! part of the schema is derived. An error carries the line and column if the text is not JSON, and the path in the file
//! (`nodes[2].shapes[17].radius`) if a value is not allowed.

mod camera;
mod common;
mod compound;
mod format;
mod value;

pub use format::schema;

use super::aliases::suggestion;
use crate::fields::{Field, FieldKind, NO_ROTATION, ShapeError, check_point, unit_rotation};
use crate::geometry::{Geometry, type_names};
use crate::import::{TOO_LARGE, shortened};
use crate::io::{FileError, read_text};
use crate::math::Similarity;
use crate::scene::{Name, Scene};
use crate::shapes::ShapeType;

use format::{NodeFile, SceneFile, common_keys};
use glam::DVec3;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

const EMPTY: &str = "the file is empty: a native scene begins with { \"raytwin\": 1, ... }";

const TOO_DEEP: &str =
    "brackets are nested too deeply: 127 levels are allowed; make the tree of nodes flatter";

/// Reads a native scene file.
///
/// # Errors
/// Returns a [`FileError`] if the file cannot be read or is not a scene.
pub fn read(path: &Path) -> Result<Scene, FileError> {
    read_into(Scene::new(), path, true)
}

/// Adds what a file holds to an empty scene. The scene takes the file's origin if it should.
pub(super) fn read_into(empty: Scene, path: &Path, takes_origin: bool) -> Result<Scene, FileError> {
    parse_into(empty, &read_text(path)?, path, takes_origin)
}

/// Reads a native scene from its text; errors name `path`.
///
/// # Errors
/// Returns [`FileError::Syntax`] if the text is not JSON, and [`FileError::Meaning`] if it is not a scene.
pub fn parse(text: &str, path: &Path) -> Result<Scene, FileError> {
    parse_into(Scene::new(), text, path, true)
}

fn parse_into(
    empty: Scene,
    text: &str,
    path: &Path,
    takes_origin: bool,
) -> Result<Scene, FileError> {
    // Some editors begin a file with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = value::parse(text).map_err(|error| not_json(path, text, &error))?;
    let mut reader = Reader { path, scene: empty, mesh_files: HashMap::new() };
    if value.is_object() && value.get("raytwin").is_none() {
        let reason = "is missing: a native scene begins with { \"raytwin\": 1, ... }";
        return Err(reader.refuse("raytwin", reason));
    }
    let file: SceneFile = reader.typed(value, "")?;
    if file.raytwin != 1 {
        return Err(reader.refuse("raytwin", format!("is {}: this version reads 1", file.raytwin)));
    }
    if let Some(origin) = file.origin.filter(|_| takes_origin) {
        let origin = reader.point(origin, "origin")?;
        reader.scene.set_origin(origin);
    }
    let world = Group {
        place: String::new(),
        name: None,
        color: None,
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

/// A node, or the top of the file: the group that shapes and nodes belong to.
struct Group {
    /// The prefix of places in the group, such as `nodes[2].`; empty at the top of the file.
    place: String,
    /// The path of names; `None` if neither the node nor an ancestor has a name.
    name: Option<Name>,
    /// The colour of what is in the group and has none of its own.
    color: Option<[f32; 3]>,
    world_from_group: Similarity,
}

impl Group {
    /// The path of names of a shape or node in the group. One without a name is named by its key in the group, such as
    /// `shapes[3]`.
    fn named(&self, name: Option<String>, key: String) -> Option<Name> {
        match (&self.name, name) {
            (Some(parent), name) => Some(parent.child(name.unwrap_or(key))),
            (None, name) => name.map(Name::from),
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
    scene: Scene,
    /// Meshes by the names of their files, so that each file is read once.
    mesh_files: HashMap<String, Geometry>,
}

impl Reader<'_> {
    fn refuse(&self, place: &str, reason: impl std::fmt::Display) -> FileError {
        FileError::meaning(self.path, place, reason)
    }

    /// Deserializes the struct that a value describes.
    fn typed<T: DeserializeOwned + JsonSchema>(
        &self,
        value: Value,
        place: &str,
    ) -> Result<T, FileError> {
        self.typed_without(value, place, &[])
    }

    /// Deserializes the struct that a value describes, from which the keys `taken` were already removed.
    fn typed_without<T: DeserializeOwned + JsonSchema>(
        &self,
        value: Value,
        place: &str,
        taken: &[&str],
    ) -> Result<T, FileError> {
        let Value::Object(object) = &value else {
            return Err(
                self.refuse(place, format!("{} is not an object", shortened(&value.to_string())))
            );
        };
        let keys: Vec<String> = object.keys().cloned().collect();
        serde_path_to_error::deserialize(value).map_err(|error| {
            // An unknown key is reported first, because a misspelt key often causes the other error.
            let schema = schemars::schema_for!(T);
            let mut known: Vec<&str> = schema
                .get("properties")
                .and_then(Value::as_object)
                .map_or_else(Vec::new, |known| known.keys().map(String::as_str).collect());
            if let Some(unknown) = keys.iter().find(|key| !known.contains(&key.as_str())) {
                known.extend(taken);
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
            &format!("{place}{dot}{}", shortened(key)),
            format!("is an unknown key; {}", suggestion(key, known)),
        )
    }

    /// A point whose coordinates are those that a scene may have.
    fn point(&self, numbers: [f64; 3], place: &str) -> Result<DVec3, FileError> {
        let point = DVec3::from_array(numbers);
        check_point(point, String::new)
            .map(|()| point)
            .map_err(|error| self.refuse(place, error.reason))
    }

    fn read_shapes(&mut self, shapes: Vec<Value>, group: &Group) -> Result<(), FileError> {
        for (index, shape) in shapes.into_iter().enumerate() {
            self.read_shape(shape, index, group)?;
        }
        Ok(())
    }

    fn read_shape(&mut self, shape: Value, index: usize, group: &Group) -> Result<(), FileError> {
        let key = format!("shapes[{index}]");
        let place = format!("{}{key}", group.place);
        let Value::Object(mut object) = shape else {
            return Err(self.refuse(&place, "is not an object { \"type\": ... }"));
        };
        let type_name = self.take_type(&mut object, &place)?;
        let name = group.named(self.take_name(&mut object, &place)?, key);
        let mask = self.take_mask(&mut object, &place)?;
        let color = self.take_color(&mut object, &place)?.or(group.color);
        let world_from_group = &group.world_from_group;
        let added = match ShapeType::named(type_name) {
            Some(kind) => {
                let row = self.read_row(object, kind, &place)?;
                self.scene.add_row(kind, &row, world_from_group)
            }
            None => {
                let geometry = self.read_compound(type_name, object, &place)?;
                self.scene.add_moved(&geometry, world_from_group)
            }
        };
        let id = added.map_err(|shape_error| {
            let quoted_name = match &name {
                Some(name) => format!(" (\"{name}\")"),
                None => String::new(),
            };
            let place = format!("{}{quoted_name}", at_field(&place, &shape_error));
            self.refuse(&place, shape_error.reason)
        })?;
        if let Some(name) = name {
            self.scene.set_name(id, name);
        }
        self.scene.set_mask(id, mask);
        if let Some(color) = color {
            self.scene.set_color(id, color);
        }
        Ok(())
    }

    /// The numbers of a closed-form shape, in the order of its fields.
    fn read_row(
        &self,
        mut object: Map<String, Value>,
        kind: &ShapeType,
        place: &str,
    ) -> Result<Vec<f64>, FileError> {
        let mut row = Vec::with_capacity(kind.columns());
        let mut missing = None;
        for field in kind.fields {
            match object.remove(field.name) {
                Some(value) => self.read_field(&value, field, place, &mut row)?,
                None => match field.default {
                    Some(default) => row.extend(default),
                    None => missing = missing.or(Some(field.name)),
                },
            }
        }
        // The unknown key is reported before the missing one, because a misspelt field is both.
        if let Some(unknown) = object.keys().next() {
            let mut known: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
            known.push("type");
            known.extend(common_keys().map(|(key, _)| key));
            return Err(self.unknown_key(place, unknown, &known));
        }
        if let Some(missing) = missing {
            return Err(self.refuse(
                &format!("{place}.{missing}"),
                format!("is missing: a {} needs it", kind.name),
            ));
        }
        Ok(row)
    }

    fn take_type(
        &self,
        object: &mut Map<String, Value>,
        place: &str,
    ) -> Result<&'static str, FileError> {
        let known: Vec<&'static str> = type_names().collect();
        let at_type = format!("{place}.type");
        match object.remove("type") {
            Some(Value::String(name)) => {
                known.iter().find(|known| **known == name).copied().ok_or_else(|| {
                    let suggestion = suggestion(&name, &known);
                    let reason = format!("'{}' is not a shape; {suggestion}", shortened(&name));
                    self.refuse(&at_type, reason)
                })
            }
            Some(other) => {
                Err(self
                    .refuse(&at_type, format!("is {}, not a name", shortened(&other.to_string()))))
            }
            None => {
                let known = known.join(", ");
                Err(self.refuse(place, format!("has no \"type\": give one of {known}")))
            }
        }
    }

    fn read_field(
        &self,
        value: &Value,
        field: &Field,
        place: &str,
        row: &mut Vec<f64>,
    ) -> Result<(), FileError> {
        let place = format!("{place}.{}", field.name);
        match (field.kind, value) {
            (FieldKind::Corners, Value::Array(corners)) if corners.len() == 3 => {
                for (index, corner) in corners.iter().enumerate() {
                    self.read_numbers(corner, 3, &format!("{place}[{index}]"), row)?;
                }
                Ok(())
            }
            (FieldKind::Corners, other) => {
                let found = shortened(&other.to_string());
                Err(self.refuse(&place, format!("is {found}: it must be an array of 3 points")))
            }
            (FieldKind::Flag, Value::Bool(flag)) => {
                row.push(f64::from(u8::from(*flag)));
                Ok(())
            }
            (FieldKind::Flag, other) => {
                let found = shortened(&other.to_string());
                Err(self.refuse(&place, format!("is {found}: it must be true or false")))
            }
            (kind, value) => self.read_numbers(value, kind.columns(), &place, row),
        }
    }

    fn read_numbers(
        &self,
        value: &Value,
        count: usize,
        place: &str,
        row: &mut Vec<f64>,
    ) -> Result<(), FileError> {
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
            let found = shortened(&value.to_string());
            return Err(self.refuse(place, format!("is {found}: it must be {wanted}")));
        }
        row.extend(numbers.iter().filter_map(Value::as_f64));
        Ok(())
    }

    fn read_nodes(&mut self, nodes: Vec<Value>, parent: &Group) -> Result<(), FileError> {
        for (index, mut node) in nodes.into_iter().enumerate() {
            let key = format!("nodes[{index}]");
            let place = format!("{}{key}", parent.place);
            // The contents bypass serde, which would build them anew at every level of nesting.
            let contents = ["shapes", "nodes"].map(|key| take_items(&mut node, key));
            let mut node: NodeFile = self.typed(node, &place)?;
            [node.shapes, node.nodes] = contents;
            let parent_from_node = self.similarity(&node, &place)?;
            let color = node.color.map(|color| self.check_color(color, &place)).transpose()?;
            let group = Group {
                place: format!("{place}."),
                name: parent.named(node.name, key),
                color: color.or(parent.color),
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
                "is {:?}: a scale must be the same along each axis; give three equal numbers",
                node.scale
            );
            return Err(self.refuse(&format!("{place}.scale"), reason));
        }
        let rotation = unit_rotation(&node.rotation_xyzw)
            .ok_or_else(|| self.refuse(&format!("{place}.rotation_xyzw"), NO_ROTATION))?;
        Ok(Similarity {
            translation: DVec3::from_array(node.translation),
            rotation: rotation.normalize(),
            scale: x,
        })
    }
}

/// Takes the items of an array in an object, and leaves the array empty.
fn take_items(object: &mut Value, key: &str) -> Vec<Value> {
    let items = object.get_mut(key).and_then(Value::as_array_mut);
    items.map(std::mem::take).unwrap_or_default()
}

/// Explains the error of serde_json for a text that it cannot parse.
fn not_json(path: &Path, text: &str, error: &serde_json::Error) -> FileError {
    // After the end of a line serde_json counts columns from 0.
    let [line, column] = [error.line(), error.column()].map(|number| number.max(1));
    let message = error.to_string();
    let (line, column, reason) = if text.trim().is_empty() {
        (1, 1, EMPTY)
    } else if message.starts_with("number out of range") {
        (line, column, TOO_LARGE)
    } else if message.starts_with("recursion limit exceeded") {
        (line, column, TOO_DEEP)
    } else {
        return FileError::parser(path, [line, column], error);
    };
    FileError::Syntax { path: path.to_owned(), line, column, reason: reason.to_owned() }
}

/// The place of the field that a shape refuses.
fn at_field(place: &str, shape_error: &ShapeError) -> String {
    match shape_error.field.as_str() {
        "" => place.to_owned(),
        field => format!("{place}.{field}"),
    }
}

#[cfg(test)]
mod tests;
