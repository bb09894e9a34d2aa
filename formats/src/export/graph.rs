//! Writes the graph of a native scene as one file: its nodes, definitions and instances as they
//! were read, unrounded. Files that it uses become definitions.

use super::json::write_end;
use super::shapes_json::{
    Properties, appearance_texts, exact, integers_text, list, matrix_text, point, write_geometry,
    write_head,
};
use crate::SceneGraph;
use crate::graph::{Graph, GraphContents, GraphItem, GraphShape, GraphUse, Group, Label};
use glam::{DQuat, DVec3};
use raytwin::geometry::Geometry;
use raytwin::math::Similarity;
use raytwin::scene::{Name, Scene};
use raytwin::transform::Transform;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

/// A graph in the order in which it is written.
pub(super) struct GraphWriter<'a> {
    /// The contents of the file itself, and then those that others use, in the order in which they
    /// are first used.
    contents: Vec<SortedContents<'a>>,
    /// The name of each contents of the graph as a definition.
    names: Vec<String>,
}

impl<'a> GraphWriter<'a> {
    /// Returns `None` for a graph that no file can represent. Shapes of other formats are given in
    /// the space of their contents, where each must again be one of raytwin's shapes. A native file
    /// numbers the shapes of a node before those of its child nodes, which other formats need not
    /// do.
    pub fn new(SceneGraph { graph, root, .. }: &'a SceneGraph) -> Option<Self> {
        let root = *root;
        let used = used_by(graph, root);
        let contents = |index: &u32| SortedContents::new(*index, &graph.0[*index as usize]);
        let all: Option<Vec<_>> = [root].iter().chain(&used).map(contents).collect();
        Some(Self { contents: all?, names: names_of(graph, &used) })
    }

    /// Writes the graph; origin and cameras are those of the scene that was made of it.
    pub fn write(&self, scene: &Scene, mut file: impl Write) -> io::Result<()> {
        write_head(scene, &mut file)?;
        let (root, definitions) = self.contents.split_at(1);
        if !definitions.is_empty() {
            write!(file, "\n  \"definitions\": {{")?;
            let mut comma = "";
            for definition in definitions {
                let name = self.names[definition.index as usize].as_str();
                write!(file, "{comma}\n  {}: {{", Value::from(name))?;
                self.write_group(definition, 0, &mut file)?;
                write!(file, " }}")?;
                comma = ",";
            }
            write!(file, " }},")?;
        }
        root.iter().try_for_each(|root| self.write_group(root, 0, &mut file))?;
        write_end(scene, &mut file)
    }

    /// Writes the keys of a group: what it uses, or its own shapes and nodes.
    fn write_group(
        &self,
        contents: &SortedContents<'_>,
        group: u32,
        file: &mut impl Write,
    ) -> io::Result<()> {
        let SortedGroup { used, shapes, children } = &contents.groups[group as usize];
        if let Some(used) = used {
            let name = self.names[*used as usize].as_str();
            return write!(file, " \"use\": {}", Value::from(name));
        }
        write!(file, " \"shapes\": [")?;
        let mut comma = "";
        for (shape, geometry) in shapes {
            let GraphShape { name, mask, appearance, integers, .. } = shape.as_ref();
            let integers: Vec<(&str, i32)> =
                integers.iter().map(|(name, number)| (&name[..], *number)).collect();
            let generated = contents.generated_name(shape);
            let name = name.as_ref().or(generated.as_ref());
            let properties =
                Properties { name, mask: *mask, appearance: *appearance, integers: &integers };
            write!(file, "{comma}\n    ")?;
            write_geometry(geometry, properties, exact, file)?;
            comma = ",";
        }
        write!(file, " ], \"nodes\": [")?;
        let mut comma = "";
        for &(number, name, child) in children {
            write!(file, "{comma}\n  {{ ")?;
            if let Some(name) = name {
                write!(file, "\"name\": {}, ", Value::from(name))?;
            }
            for (key, value) in appearance_texts(child.appearance) {
                write!(file, "\"{key}\": {value}, ")?;
            }
            let integers = child.integers.iter().map(|(name, number)| (&name[..], *number));
            if let Some(integers) = integers_text(integers) {
                write!(file, "\"integers\": {integers}, ")?;
            }
            write_transform(&child.parent_from_group, file)?;
            self.write_group(contents, number, file)?;
            write!(file, " }}")?;
            comma = ",";
        }
        write!(file, " ]")
    }
}

/// The contents of a file or a definition, group by group.
struct SortedContents<'a> {
    index: u32,
    is_native: bool,
    groups: Vec<SortedGroup<'a>>,
}

#[derive(Default)]
struct SortedGroup<'a> {
    /// The contents that it stands for.
    used: Option<u32>,
    /// Its own shapes, with their geometries in its space.
    shapes: Vec<(Cow<'a, GraphShape>, Geometry)>,
    /// The nodes in it, with their numbers and names.
    children: Vec<(u32, Option<&'a str>, &'a Group)>,
}

impl<'a> SortedContents<'a> {
    /// Returns `None` if a shape is not one of raytwin's shapes in the space of the contents, or if
    /// the groups have the shapes in another order.
    fn new(index: u32, contents: &'a GraphContents) -> Option<Self> {
        let mut groups: Vec<SortedGroup<'a>> = Vec::new();
        // The group of each item, in the order of the items.
        let mut group_of_items = Vec::with_capacity(contents.items.len());
        groups.resize_with(contents.groups.len(), SortedGroup::default);
        for (number, group) in (0..).zip(&contents.groups) {
            if let Label::Node(_, name) | Label::Named(name) = &group.label {
                let child = (number, name.as_deref(), group);
                groups[group.parent as usize].children.push(child);
            }
        }
        for item in &contents.items {
            match item {
                GraphItem::Use(GraphUse { group, contents }) => {
                    group_of_items.push(*group);
                    groups[*group as usize].used = Some(*contents);
                }
                GraphItem::Shape(shape) => {
                    // A shape with its own transform is not in the space of its group.
                    let group = if shape.contents_from_shape.is_none() { shape.group } else { 0 };
                    let geometry = in_contents(shape)?;
                    group_of_items.push(group);
                    groups[group as usize].shapes.push((Cow::Borrowed(shape), geometry));
                }
                GraphItem::Rows(rows) => {
                    let shapes = rows.shapes().map(|shape| {
                        let geometry = shape.geometry.clone();
                        (Cow::Owned(shape), geometry)
                    });
                    group_of_items.push(rows.group);
                    groups[rows.group as usize].shapes.extend(shapes);
                }
            }
        }
        let sorted = Self { index, is_native: contents.is_native, groups };
        let order = sorted.written_order();
        group_of_items.is_sorted_by_key(|&group| order[group as usize]).then_some(sorted)
    }

    /// Numbers the groups in the order in which they are written.
    fn written_order(&self) -> Vec<usize> {
        let mut order = vec![0; self.groups.len()];
        let mut open = vec![0];
        let mut count = 0;
        while let Some(group) = open.pop() {
            order[group as usize] = count;
            count += 1;
            let children = &self.groups[group as usize].children;
            open.extend(children.iter().rev().map(|&(child, ..)| child));
        }
        order
    }

    /// Returns the generated name of a shape of another format without a name. A definition would
    /// generate another name, so that its path would change.
    fn generated_name(&self, shape: &GraphShape) -> Option<Name> {
        (shape.name.is_none() && !self.is_native).then(|| shape.key().into())
    }
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

/// Returns a different name for each of some contents, and none for the others.
fn names_of(graph: &Graph, used: &[u32]) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); graph.0.len()];
    for &index in used {
        let called = &graph.0[index as usize].called;
        let others = (2..).map(|number| format!("{called}_{number}"));
        let mut choice = std::iter::once(called.clone()).chain(others);
        names[index as usize] = choice.find(|name| taken.insert(name.clone())).unwrap_or_default();
    }
    names
}

/// Returns the geometry of a shape in the space of its group, or of its contents if it has its own
/// transform; `None` if none of raytwin's shapes is that.
fn in_contents(shape: &GraphShape) -> Option<Geometry> {
    match shape.contents_from_shape.as_deref() {
        Some(placed) if *placed != Transform::IDENTITY => shape.geometry.image(&placed.affine()),
        _ => Some(shape.geometry.clone()),
    }
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
            write!(file, "\"matrix\": {}, ", matrix_text(affine, exact))
        }
    }
}
