//! Shapes, names, masks and colours as texts of the native format.

use super::number_text::number_text;
use glam::DVec3;
use raytwin::fields::FieldKind;
use raytwin::geometry::Geometry;
use raytwin::scene::{Appearance, Name, Scene};
use raytwin::shapes::Shape;
use raytwin::transform::Affine;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::ops::Range;

/// Writes geometries of a scene's own, given by their indices among these, as the items of a list.
pub(super) fn write_shapes(
    scene: &Scene,
    range: Range<u32>,
    file: &mut impl Write,
) -> io::Result<()> {
    let names = scene.integer_names();
    for own in range.clone() {
        let numbers = names.iter().map(|name| (*name, scene.own_integer(name, own)));
        let integers: Vec<(&str, i32)> = numbers.filter(|(_, number)| *number != 0).collect();
        let geometry = &scene.geometries()[own as usize];
        let comma = if own == range.start { "" } else { "," };
        write!(file, "{comma}\n    ")?;
        let properties = Properties {
            name: scene.own_name(own),
            mask: scene.own_mask(own),
            appearance: scene.own_appearance(own),
            integers: &integers,
        };
        write_geometry(geometry, properties, number_text, file)?;
    }
    Ok(())
}

/// The properties of a geometry in addition to its numbers.
pub(super) struct Properties<'a> {
    pub name: Option<&'a Name>,
    pub mask: u32,
    pub appearance: Appearance,
    /// Its integers from the file, by name.
    pub integers: &'a [(&'a str, i32)],
}

/// Writes a geometry as an object.
pub(super) fn write_geometry(
    geometry: &Geometry,
    properties: Properties<'_>,
    text: NumberText,
    file: &mut impl Write,
) -> io::Result<()> {
    let Properties { name, mask, appearance, integers } = properties;
    write!(file, "{{ \"type\": \"{}\"", geometry.type_name())?;
    if let Some(name) = name {
        write!(file, ", \"name\": {}", Value::from(name.to_string()))?;
    }
    if mask != u32::MAX {
        write!(file, ", \"mask\": {mask}")?;
    }
    for (key, value) in appearance_texts(appearance) {
        write!(file, ", \"{key}\": {value}")?;
    }
    if let Some(integers) = integers_text(integers.iter().copied()) {
        write!(file, ", \"integers\": {integers}")?;
    }
    write_fields(geometry, text, file)?;
    write!(file, " }}")
}

/// Returns the twelve numbers of a matrix, row by row.
pub(super) fn matrix_text(affine: &Affine, text: NumberText) -> String {
    let rows = affine.linear.transpose();
    let rows = [rows.x_axis, rows.y_axis, rows.z_axis].into_iter();
    let rows = rows.zip(affine.translation.to_array());
    list(rows.flat_map(|(row, last)| [row.x, row.y, row.z, last]), text)
}

pub(super) type NumberText = fn(f64) -> String;

/// The keys for the appearance of a shape or a node, and their values.
pub(super) fn appearance_texts(
    appearance: Appearance,
) -> impl Iterator<Item = (&'static str, String)> {
    let Appearance { color, label, reflectance } = appearance;
    let color = color.map(|color| ("color", list(color.map(f64::from), number_text)));
    let label = label.map(|label| ("label", label.to_string()));
    let reflectance = reflectance.map(|share| ("reflectance", number_text(share.into())));
    [color, label, reflectance].into_iter().flatten()
}

/// The value of the key of integers, if there are any.
pub(super) fn integers_text<'a>(
    integers: impl IntoIterator<Item = (&'a str, i32)>,
) -> Option<Value> {
    let numbers: Map<String, Value> =
        integers.into_iter().map(|(name, number)| (name.to_owned(), number.into())).collect();
    (!numbers.is_empty()).then_some(Value::Object(numbers))
}

/// Writes the beginning of a file: its version, the names of labels and the origin.
pub(super) fn write_head(scene: &Scene, file: &mut impl Write) -> io::Result<()> {
    write!(file, "{{ \"raytwin\": 1,")?;
    if !scene.label_names.is_empty() {
        let names = scene.label_names.iter();
        let numbers = names.map(|(label, name)| (name.clone(), Value::from(*label)));
        write!(file, "\n  \"labels\": {},", Value::Object(numbers.collect()))?;
    }
    if scene.origin() != DVec3::ZERO {
        write!(file, "\n  \"origin\": {},", point(scene.origin(), exact))?;
    }
    Ok(())
}

pub(super) fn exact(number: f64) -> String {
    format!("{number:?}")
}

pub(super) fn list(numbers: impl IntoIterator<Item = f64>, text: impl Fn(f64) -> String) -> String {
    let texts: Vec<String> = numbers.into_iter().map(text).collect();
    format!("[{}]", texts.join(", "))
}

pub(super) fn point(point: DVec3, text: impl Fn(f64) -> String) -> String {
    list(point.to_array(), text)
}

fn points(points: &[DVec3], text: NumberText) -> String {
    let texts: Vec<String> = points.iter().map(|&at| point(at, text)).collect();
    format!("[{}]", texts.join(", "))
}

fn indices<const N: usize>(rows: &[[u32; N]]) -> String {
    let texts: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    format!("[{}]", texts.join(", "))
}

/// Writes the keys of a geometry in addition to its type, each after a comma.
fn write_fields(geometry: &Geometry, text: NumberText, file: &mut impl Write) -> io::Result<()> {
    match geometry {
        Geometry::Shape(shape) => write_shape(shape, text, file),
        Geometry::Empty => Ok(()),
        Geometry::Mesh(mesh) => {
            let [vertices, triangles] = [points(mesh.vertices(), text), indices(mesh.triangles())];
            write!(file, ", \"vertices\": {vertices}, \"triangles\": {triangles}")
        }
        Geometry::Lines(lines) => {
            let [points, indices] = [points(lines.points(), text), indices(lines.indices())];
            let radius = text(lines.radius());
            write!(file, ", \"points\": {points}, \"indices\": {indices}, \"radius\": {radius}")
        }
        Geometry::Heightfield(field) => {
            let rows: Vec<String> = field
                .heights()
                .chunks(field.columns())
                .map(|row| list(row.iter().copied(), text))
                .collect();
            write!(
                file,
                ", \"heights\": [{}], \"spacing\": {}, \"center\": {}, \"rotation_xyzw\": {}",
                rows.join(", "),
                list(field.spacing, text),
                point(field.center, text),
                list(field.rotation.to_array(), text)
            )?;
            match field.base() {
                Some(base) => write!(file, ", \"base\": {}", text(base)),
                None => Ok(()),
            }
        }
    }
}

fn write_shape(shape: &Shape, text_of: NumberText, file: &mut impl Write) -> io::Result<()> {
    let row = shape.row();
    let mut rest = &row[..];
    for field in shape.shape_type().fields {
        let (numbers, after) = rest.split_at(field.kind.columns());
        rest = after;
        // A file may omit defaults.
        if field.default.is_some_and(|default| default == numbers) {
            continue;
        }
        let text = match (field.kind, numbers) {
            (FieldKind::Corners, _) => {
                let corners: Vec<DVec3> = numbers.chunks(3).map(DVec3::from_slice).collect();
                points(&corners, text_of)
            }
            (FieldKind::Flag, [flag]) => (*flag != 0.0).to_string(),
            (_, [number]) => text_of(*number),
            _ => list(numbers.iter().copied(), text_of),
        };
        write!(file, ", \"{}\": {text}", field.name)?;
    }
    Ok(())
}
