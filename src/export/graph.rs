//! Writes the graph of a native scene as one file: its nodes, definitions and uses as they were read, unrounded. Files that it
//! holds become definitions.

use super::json::{color_text, exact, list, point, write_end, write_fields};
use crate::geometry::Geometry;
use crate::import::graph::{Graph, GraphContents, GraphItem, GraphShape, GraphUse, Label};
use crate::math::Similarity;
use crate::scene::{Name, Scene};
use crate::transform::Transform;
use glam::{DQuat, DVec3};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

/// Writes a graph; origin and cameras are those of the scene that was made of it.
pub(super) fn write(
    graph: &Graph,
    root: u32,
    scene: &Scene,
    mut file: impl Write,
) -> io::Result<()> {
    let names = names_of(graph, root);
    write!(file, "{{ \"raytwin\": 1,")?;
    if scene.origin() != DVec3::ZERO {
        write!(file, "\n  \"origin\": {},", point(scene.origin(), exact))?;
    }
    let definitions: Vec<u32> = used_by(graph, root);
    if !definitions.is_empty() {
        write!(file, "\n  \"definitions\": {{")?;
        for (turn, &index) in definitions.iter().enumerate() {
            let comma = if turn == 0 { "" } else { "," };
            write!(file, "{comma}\n  {}: {{", Value::from(names[index as usize].as_str()))?;
            Writer { contents: &graph.0[index as usize], names: &names }.write(0, &mut file)?;
            write!(file, " }}")?;
        }
        write!(file, " }},")?;
    }
    Writer { contents: &graph.0[root as usize], names: &names }.write(0, &mut file)?;
    write_end(scene, &mut file)
}

/// The contents that others use, in the order in which they are first used.
fn used_by(graph: &Graph, root: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([root]);
    let mut waiting = vec![root];
    while let Some(index) = waiting.pop() {
        for item in &graph.0[index as usize].items {
            if let GraphItem::Use(GraphUse { contents, .. }) = item
                && seen.insert(*contents)
            {
                found.push(*contents);
                waiting.push(*contents);
            }
        }
    }
    found
}

/// A different name for each contents.
fn names_of(graph: &Graph, root: u32) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); graph.0.len()];
    for index in used_by(graph, root) {
        let called = &graph.0[index as usize].called;
        let others = (2..).map(|number| format!("{called}_{number}"));
        let mut choice = std::iter::once(called.clone()).chain(others);
        names[index as usize] = choice.find(|name| taken.insert(name.clone())).unwrap_or_default();
    }
    names
}

/// Writes the groups of one contents.
struct Writer<'a> {
    contents: &'a GraphContents,
    names: &'a [String],
}

impl Writer<'_> {
    /// Writes the keys of a group's own shapes and nodes, or of what it uses.
    fn write(&self, group: u32, file: &mut impl Write) -> io::Result<()> {
        let is_own = |of: u32| !self.contents.is_native || of == group;
        let mut shapes = Vec::new();
        for item in &self.contents.items {
            match item {
                GraphItem::Use(GraphUse { group: of, contents }) if *of == group => {
                    let name = self.names[*contents as usize].as_str();
                    return write!(file, " \"use\": {}", Value::from(name));
                }
                GraphItem::Shape(shape) if is_own(shape.group) => shapes.push(shape),
                _ => {}
            }
        }
        write!(file, " \"shapes\": [")?;
        for (turn, shape) in shapes.into_iter().enumerate() {
            write!(file, "{}\n    {{ ", if turn == 0 { "" } else { "," })?;
            write_shape(shape, file)?;
            write!(file, " }}")?;
        }
        write!(file, " ], \"nodes\": [")?;
        let mut comma = "";
        for (number, child) in (0..).zip(&self.contents.groups) {
            let Label::Node(_, name) = &child.label else { continue };
            if child.parent != group {
                continue;
            }
            write!(file, "{comma}\n  {{ ")?;
            if let Some(name) = name {
                write!(file, "\"name\": {}, ", Value::from(name.as_str()))?;
            }
            if let Some(color) = child.color {
                write!(file, "\"color\": {}, ", color_text(color))?;
            }
            write_transform(&child.parent_from_group, file)?;
            self.write(number, file)?;
            write!(file, " }}")?;
            comma = ",";
        }
        write!(file, " ]")
    }
}

/// Returns true if a file can hold a graph: the shapes of other formats are given in the space of their contents, where each
/// must be one of our shapes again.
pub(super) fn can_be_held(graph: &Graph) -> bool {
    graph.0.iter().flat_map(|contents| &contents.items).all(|item| match item {
        GraphItem::Shape(shape) => in_contents(shape).is_some(),
        GraphItem::Use(_) => true,
    })
}

/// Returns the geometry of a shape in the space of its group, or of its contents if it is given apart; `None` if none of our
/// shapes is that.
fn in_contents(shape: &GraphShape) -> Option<Cow<'_, Geometry>> {
    match shape.contents_from_shape.as_deref() {
        Some(placed) if *placed != Transform::IDENTITY => {
            shape.geometry.image(&placed.affine()).map(Cow::Owned)
        }
        _ => Some(Cow::Borrowed(&shape.geometry)),
    }
}

/// Writes the keys of a shape, in the space of its group or else of its contents.
fn write_shape(shape: &GraphShape, file: &mut impl Write) -> io::Result<()> {
    let Some(geometry) = in_contents(shape) else { return Ok(()) };
    write!(file, "\"type\": \"{}\"", geometry.type_name())?;
    if let Some(name) = shape.name.as_ref().map(Name::to_string) {
        write!(file, ", \"name\": {}", Value::from(name))?;
    }
    if shape.mask != u32::MAX {
        write!(file, ", \"mask\": {}", shape.mask)?;
    }
    if let Some(color) = shape.color {
        write!(file, ", \"color\": {}", color_text(color))?;
    }
    write_fields(&geometry, exact, file)
}

/// Writes the keys of a node's transform, each with a comma after it.
fn write_transform(transform: &Transform, file: &mut impl Write) -> io::Result<()> {
    match transform {
        Transform::Similarity(Similarity { translation, rotation, scale }) => {
            if *translation != DVec3::ZERO {
                write!(file, "\"translation\": {}, ", point(*translation, exact))?;
            }
            if *rotation != DQuat::IDENTITY {
                let rotation = list(rotation.to_array(), exact);
                write!(file, "\"rotation_xyzw\": {rotation}, ")?;
            }
            if *scale != 1.0 {
                write!(file, "\"scale\": {}, ", point(DVec3::splat(*scale), exact))?;
            }
            Ok(())
        }
        Transform::Affine(affine) => {
            let rows = affine.linear.transpose();
            let rows = [rows.x_axis, rows.y_axis, rows.z_axis].into_iter();
            let rows = rows.zip(affine.translation.to_array());
            let numbers = rows.flat_map(|(row, last)| [row.x, row.y, row.z, last]);
            write!(file, "\"matrix\": {}, ", list(numbers, exact))
        }
    }
}
