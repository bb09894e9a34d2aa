//! Reads the native scene file, and describes it with a JSON Schema.
//!
//! The fields of shapes come from [`raytwin::fields`]. Nodes and cameras are the structs of
//! `format`, from which their part of the schema is derived. An error has the line and column if
//! the text is not JSON, and the path in the file (`nodes[2].shapes[17].radius`) if a value is not
//! allowed.

mod camera;
mod common;
mod compound;
mod format;
mod joints;
mod node;
mod node_file;
mod pattern;
mod shape_file;
mod value;

pub use format::schema;

use super::aliases::suggestion;
use super::graph::{GraphContents, GraphItem, GraphShape};
use super::graph_reader::{GraphReader, called};
use crate::checks::TOO_LARGE;
use crate::shortened::shortened;
use crate::{JointValue, Options};
use raytwin::fields::{Field, FieldKind, ShapeError, check_point};
use raytwin::geometry::{Geometry, type_names};
use raytwin::scene::Name;
use raytwin::shapes::{ShapeType, unplaced};
use raytwin_files::FileError;

use format::SceneFile;
use glam::DVec3;
use joints::JointsByNode;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use shape_file::common_keys;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

const EMPTY: &str = "the file is empty: a native scene begins with { \"raytwin\": 1, ... }";

const TOO_DEEP: &str = "brackets are nested too deeply: at most 127 levels are allowed; make the tree of nodes flatter";

/// Reads a file and the files that it names into a graph, and returns the index of its contents.
/// The names of joints in the options begin with the paths of the robots' nodes.
pub(super) fn read_contents(
    files: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let text = files.store.read_text(path)?;
    parse_contents(files, &text, path, &options.joints)
}

/// Reads a native scene from its text into a graph, and returns the index of its contents there.
pub(super) fn parse_contents(
    files: &mut GraphReader,
    text: &str,
    path: &Path,
    joints: &[(String, JointValue)],
) -> Result<u32, FileError> {
    // Some editors begin a file with this mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = value::parse(text).map_err(|error| not_json(path, text, &error))?;
    let root = files.reserve();
    let mut reader = Reader::new(files, path, joints);
    if value.is_object() && value.get("raytwin").is_none() {
        let reason = "is missing: a native scene begins with { \"raytwin\": 1, ... }";
        return Err(reader.refuse("raytwin", reason));
    }
    let file: SceneFile = reader.typed(value, "")?;
    if file.raytwin != 1 {
        return Err(reader.refuse("raytwin", format!("is {}: this version reads 1", file.raytwin)));
    }
    if let Some(origin) = file.origin {
        reader.contents.origin = reader.point(origin, "origin")?;
    }
    reader.read_labels(file.labels)?;
    let definitions: Vec<(u32, String, Value)> = file
        .definitions
        .into_iter()
        .map(|(name, definition)| (reader.files.reserve(), name, definition))
        .collect();
    let names = definitions.iter().map(|(index, name, _)| (name.clone(), *index));
    reader.definitions = names.collect();
    reader.read_shapes(file.shapes, 0)?;
    reader.read_nodes(file.nodes, 0)?;
    reader.joints.refuse_rest(path)?;
    for (index, camera) in file.cameras.into_iter().enumerate() {
        let camera = reader.read_camera(camera, index)?;
        reader.contents.cameras.push(camera);
    }
    reader.contents.label_names.clone_from(&reader.label_names);
    reader.fill(root, String::new());
    for (index, name, definition) in definitions {
        reader.read_definition(index, name, definition)?;
    }
    Ok(root)
}

fn known_keys(schema: &schemars::Schema) -> Vec<&str> {
    let keys = schema.get("properties").and_then(Value::as_object);
    keys.into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// Reads one file.
struct Reader<'a> {
    path: &'a Path,
    files: &'a mut GraphReader,
    /// The index of each definition in the graph.
    definitions: BTreeMap<String, u32>,
    label_names: BTreeMap<u16, String>,
    /// The contents to which shapes and nodes are added: those of the file or of a definition.
    contents: GraphContents,
    /// Meshes by file name, so that each file is read only once.
    mesh_files: HashMap<String, Geometry>,
    /// The joints of robots to move.
    joints: JointsByNode<'a>,
}

impl<'a> Reader<'a> {
    fn new(files: &'a mut GraphReader, path: &'a Path, joints: &'a [(String, JointValue)]) -> Self {
        Self {
            path,
            files,
            definitions: BTreeMap::new(),
            label_names: BTreeMap::new(),
            contents: GraphContents::of_native(called(path), path.to_owned(), String::new()),
            mesh_files: HashMap::new(),
            joints: JointsByNode::new(joints),
        }
    }

    /// Ends the current contents, and begins others at a place.
    fn fill(&mut self, index: u32, place: String) {
        let next = GraphContents::of_native(String::new(), self.path.to_owned(), place);
        self.files.fill(index, std::mem::replace(&mut self.contents, next));
    }
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

    /// Deserializes the struct that a value describes, after the keys `taken` were removed from it.
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
            // An unknown key is reported first, because a misspelt key often causes the other
            // error.
            let schema = schemars::schema_for!(T);
            let mut known = known_keys(&schema);
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

    /// Checks a point, whose coordinates must be in the range for scenes.
    fn point(&self, numbers: [f64; 3], place: &str) -> Result<DVec3, FileError> {
        let point = DVec3::from_array(numbers);
        check_point(point, String::new)
            .map(|()| point)
            .map_err(|error| self.refuse(place, error.reason))
    }

    fn read_shapes(&mut self, shapes: Vec<Value>, group: u32) -> Result<(), FileError> {
        let place = self.contents.place_of(group);
        for (index, shape) in (0..).zip(shapes) {
            let shape = self.read_shape(shape, &place, [group, index])?;
            self.contents.items.push(GraphItem::Shape(shape));
        }
        Ok(())
    }

    fn read_shape(
        &mut self,
        shape: Value,
        group_place: &str,
        [group, index]: [u32; 2],
    ) -> Result<GraphShape, FileError> {
        let place = format!("{group_place}shapes[{index}]");
        let Value::Object(mut object) = shape else {
            return Err(self.refuse(&place, "is not an object { \"type\": ... }"));
        };
        let type_name = self.take_type(&mut object, &place)?;
        let name = self.take_name(&mut object, &place)?.map(Name::from);
        let mask = self.take_mask(&mut object, &place)?;
        let appearance = self.take_appearance(&mut object, &place)?;
        let integers = self.integers(object.remove("integers"), &place)?;
        let geometry = match ShapeType::named(type_name) {
            Some(kind) => {
                let row = self.read_row(object, kind, &place)?;
                let shape = unplaced(kind, &row).map_err(|shape_error| {
                    let path = [self.contents.path_of(group)].into_iter();
                    let path = path.chain(name.as_ref().map(Name::to_string));
                    let path: Vec<String> = path.filter(|part| !part.is_empty()).collect();
                    let named = name.as_ref().map(|_| format!(" (\"{}\")", path.join("/")));
                    let place = at_field(&place, &shape_error);
                    self.refuse(
                        &format!("{place}{}", named.unwrap_or_default()),
                        shape_error.reason,
                    )
                })?;
                shape.into()
            }
            None => self.read_compound(type_name, object, &place)?,
        };
        let shape = GraphShape::new(group, index, geometry);
        Ok(GraphShape { name, mask, appearance, integers, ..shape })
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
                format!("is missing: every {} needs it", kind.name),
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
            Some(other) => Err(self.refuse(
                &at_type,
                format!(
                    "is {}: it must be the name of a shape type",
                    shortened(&other.to_string())
                ),
            )),
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

fn at_field(place: &str, shape_error: &ShapeError) -> String {
    match shape_error.field.as_str() {
        "" => place.to_owned(),
        field => format!("{place}.{field}"),
    }
}

#[cfg(test)]
mod tests;
