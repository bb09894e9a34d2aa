//! Makes a graph from a world's tree: grouping nodes become groups, shapes are placed in them, and
//! nodes with several uses become contents of their own.

use super::placement::Surroundings;
use super::point_budget::PointBudget;
use super::tree::{IMPORTED, MOST_NESTED, NodeIndex, NodeKind, NodeTree, UNDEFINED};
use super::warnings::TreeWarnings;
use crate::Options;
use crate::graph::{GraphContents, GraphItem, GraphUse, Group, Label};
use crate::graph_reader::{GraphReader, called};
use crate::shortened::shortened;
use raytwin::math::Similarity;
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::collections::HashMap;

/// Reads one world.
pub(super) struct TreeReader<'a> {
    pub tree: &'a NodeTree<'a>,
    pub files: &'a mut GraphReader,
    pub options: &'a Options,
    pub warnings: TreeWarnings,
    pub points: PointBudget,
    pub viewpoint_count: usize,
    /// The contents that are being read: the file's, or those of a node that several places use.
    pub contents: GraphContents,
    /// The index of these in the graph.
    pub contents_index: u32,
    /// The number of shapes that each named group has, by its contents and its index in them.
    pub shape_counts: HashMap<[u32; 2], u32>,
    use_counts: Vec<u32>,
    /// The contents of each node with several uses; `None` if they are empty.
    used: HashMap<NodeIndex, Option<u32>>,
}

impl<'a> TreeReader<'a> {
    pub fn new(tree: &'a NodeTree<'a>, files: &'a mut GraphReader, options: &'a Options) -> Self {
        let path = tree.source.path;
        let contents_index = files.reserve();
        Self {
            tree,
            files,
            options,
            warnings: TreeWarnings::new(),
            points: PointBudget::new(tree.source.text.len()),
            viewpoint_count: 0,
            contents: GraphContents::new(called(path), path.to_owned(), String::new()),
            contents_index,
            shape_counts: HashMap::new(),
            use_counts: tree.use_counts(),
            used: HashMap::new(),
        }
    }

    /// Reads the world, and returns the index of its contents in the graph.
    pub fn read(mut self) -> Result<u32, FileError> {
        let whole = Surroundings::of_whole(Transform::IDENTITY, 0);
        let unit = match self.tree.length_unit {
            1.0 => None,
            scale => Some(Similarity { scale, ..Similarity::IDENTITY }.into()),
        };
        if let Some(within) = self.begin_group(None, unit, &whole) {
            for &root in &self.tree.roots {
                self.read_node(root, &within)?;
            }
        }
        for (inline, offset) in &self.tree.stray_imports {
            let [line, _] = self.tree.source.position(*offset);
            self.warnings.stray_imports.add(|| format!("{} (line {line})", shortened(inline)));
        }
        self.files.fill(self.contents_index, self.contents);
        self.files.warnings.extend(self.warnings.all());
        Ok(self.contents_index)
    }

    /// Returns true if a node has several uses.
    pub fn is_shared(&self, node: NodeIndex) -> bool {
        self.use_counts[node as usize] > 1
    }

    /// Reads a child of a group.
    pub fn read_node(&mut self, node: NodeIndex, within: &Surroundings) -> Result<(), FileError> {
        match self.is_shared(node) {
            true => self.use_contents(node, (None, None), within, Self::read_here),
            false => self.read_here(node, within),
        }
    }

    /// Uses the contents of a node with several uses, which `read` reads the first time.
    pub fn use_contents(
        &mut self,
        node: NodeIndex,
        (label, color): (Option<String>, Option<[f32; 3]>),
        within: &Surroundings,
        read: fn(&mut Self, NodeIndex, &Surroundings) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let contents = match self.used.get(&node) {
            Some(contents) => *contents,
            None => {
                let contents = self.read_contents(node, within, read)?;
                self.used.insert(node, contents);
                contents
            }
        };
        if let Some(contents) = contents {
            let group = self.contents.groups.len() as u32;
            self.contents.groups.push(Group {
                parent: within.group,
                label: Label::Named(label),
                appearance: color.into(),
                integers: Vec::new(),
                parent_from_group: Transform::IDENTITY,
            });
            self.contents.items.push(GraphItem::Use(GraphUse { group, contents }));
        }
        Ok(())
    }

    fn read_contents(
        &mut self,
        node: NodeIndex,
        within: &Surroundings,
        read: fn(&mut Self, NodeIndex, &Surroundings) -> Result<(), FileError>,
    ) -> Result<Option<u32>, FileError> {
        let path = self.tree.source.path;
        let name = self.tree.name_of(node).unwrap_or_default().to_owned();
        let index = self.files.reserve();
        let inner = GraphContents::new(name, path.to_owned(), String::new());
        let outer = std::mem::replace(&mut self.contents, inner);
        let outer_index = std::mem::replace(&mut self.contents_index, index);
        read(self, node, &Surroundings::of_whole(within.file_from_group, within.depth + 1))?;
        let inner = std::mem::replace(&mut self.contents, outer);
        self.contents_index = outer_index;
        let is_empty = inner.items.is_empty() && inner.cameras.is_empty();
        self.files.fill(index, inner);
        Ok((!is_empty).then_some(index))
    }

    fn read_here(&mut self, node: NodeIndex, within: &Surroundings) -> Result<(), FileError> {
        if within.depth > MOST_NESTED {
            let reason = format!(
                "nodes that use each other are nested too deeply: at most {MOST_NESTED} levels are allowed"
            );
            return Err(self.tree.refuse(node, reason));
        }
        let tree = self.tree;
        let type_name = &*tree.node(node).type_name;
        if let NodeKind::Instance { body, .. } = tree.node(node).kind {
            match body {
                Some(body) => return self.read_group(node, None, [body].into_iter(), within),
                None => self.warnings.external_prototypes.add(|| described(tree, node)),
            }
            return Ok(());
        }
        if !tree.flag(node, "visible", true)? {
            return Ok(());
        }
        let children = |fields: &'static [&'static str]| {
            fields.iter().flat_map(move |field| tree.nodes_in(node, field))
        };
        match type_name {
            "Shape" => self.read_shape(node, within),
            "Transform" | "CADPart" | "HAnimJoint" | "HAnimSite" => {
                let transform = Some(tree.transform(node)?);
                self.read_group(node, transform, children(&["children"]), within)
            }
            "HAnimHumanoid" => {
                let transform = Some(tree.transform(node)?);
                self.read_group(
                    node,
                    transform,
                    children(&["skeleton", "skin", "children"]),
                    within,
                )
            }
            "Group" | "StaticGroup" | "Anchor" | "Billboard" | "Collision" | "CADAssembly"
            | "CADLayer" | "HAnimSegment" | "PickableGroup" | "Layer" | "LayoutLayer" => {
                self.read_group(node, None, children(&["children"]), within)
            }
            "LayerSet" => self.read_group(node, None, children(&["layers"]), within),
            "CADFace" => self.read_group(node, None, children(&["shape"]), within),
            // VRML97 has other names for the children of these.
            "Switch" => {
                let chosen = tree.number(node, "whichChoice", -1.0)?;
                let chosen = (chosen >= 0.0).then_some(chosen as usize);
                let mut choices = children(&["children", "choice"]);
                let chosen = chosen.and_then(|chosen| choices.nth(chosen));
                self.read_group(node, None, chosen.into_iter(), within)
            }
            "LOD" => {
                let first = children(&["children", "level"]).next();
                self.read_group(node, None, first.into_iter(), within)
            }
            "Inline" => self.read_inline(node, within),
            "Viewpoint" | "OrthoViewpoint" => {
                self.read_viewpoint(node, within);
                Ok(())
            }
            IMPORTED => {
                self.warnings.imports.add(|| described(tree, node));
                Ok(())
            }
            UNDEFINED => {
                self.warnings.undefined.add(|| described(tree, node));
                Ok(())
            }
            _ if has_no_geometry(type_name) => Ok(()),
            _ => {
                self.warnings.unknown_nodes.add(|| described(tree, node));
                Ok(())
            }
        }
    }

    fn read_group(
        &mut self,
        node: NodeIndex,
        parent_from_group: Option<Transform>,
        children: impl Iterator<Item = NodeIndex>,
        within: &Surroundings,
    ) -> Result<(), FileError> {
        let name = self.tree.node(node).name.as_deref();
        let Some(inner) = self.begin_group(name, parent_from_group, within) else {
            let tree = self.tree;
            self.warnings.transforms.add(|| described(tree, node));
            return self.read_ids(children, within);
        };
        for child in children {
            self.read_node(child, &inner)?;
        }
        self.end_group(&inner, within);
        Ok(())
    }

    /// Reads nodes that cannot be placed, only for their ids.
    fn read_ids(
        &mut self,
        nodes: impl Iterator<Item = NodeIndex>,
        within: &Surroundings,
    ) -> Result<(), FileError> {
        let (items, cameras) = (self.contents.items.len(), self.contents.cameras.len());
        for node in nodes {
            self.read_node(node, &within.deeper())?;
        }
        self.contents.cameras.truncate(cameras);
        let left_out = self.contents.items.split_off(items);
        self.contents.items.extend(self.files.emptied_items(left_out));
        Ok(())
    }

    /// Begins a group, unless it would neither name nor move anything. `None` for a transform that
    /// a group cannot have.
    pub fn begin_group(
        &mut self,
        name: Option<&str>,
        parent_from_group: Option<Transform>,
        within: &Surroundings,
    ) -> Option<Surroundings> {
        if name.is_none() && parent_from_group.is_none() {
            return Some(within.deeper());
        }
        let parent_from_group = parent_from_group.unwrap_or(Transform::IDENTITY);
        let moved = within.moved(&parent_from_group).ok()?;
        let group = self.contents.groups.len() as u32;
        let label = Label::Named(name.map(str::to_owned));
        self.contents.groups.push(Group::new(within.group, label, parent_from_group));
        let named_group = if name.is_some() { group } else { within.named_group };
        Some(Surroundings { group, named_group, ..moved })
    }

    /// Ends a group, and removes it if nothing is in it.
    pub fn end_group(&mut self, inner: &Surroundings, within: &Surroundings) {
        let is_last = inner.group as usize + 1 == self.contents.groups.len();
        let last = self.contents.items.last();
        let holds_last = last.is_some_and(|item| item.group() == inner.group);
        if inner.group != within.group && is_last && !holds_last {
            self.contents.groups.pop();
        }
    }

    /// The path of the contents of a group, with a name of its own, for messages.
    pub fn path_in(&self, within: &Surroundings, name: &str) -> String {
        let outer = self.contents.path_of(within.group);
        let slash = if outer.is_empty() || name.is_empty() { "" } else { "/" };
        format!("{outer}{slash}{name}")
    }
}

/// A node in a message: its type and its place.
pub(super) fn described(tree: &NodeTree<'_>, node: NodeIndex) -> String {
    let [line, _] = tree.source.position(tree.node(node).offset);
    let type_name = shortened(&tree.node(node).type_name);
    match tree.name_of(node) {
        Some(name) => format!("{} ({type_name}, line {line})", shortened(name)),
        None => format!("{type_name} (line {line})"),
    }
}

/// Returns true if nodes of a type are known to have no geometry: lights, sensors, interpolators,
/// sounds and metadata.
fn has_no_geometry(type_name: &str) -> bool {
    const ENDINGS: [&str; 18] = [
        "Light",
        "Sensor",
        "Interpolator",
        "Interpolator2D",
        "Sequencer",
        "Trigger",
        "Toggle",
        "Filter",
        "Chaser",
        "Damper",
        "Info",
        "Background",
        "Fog",
        "Sound",
        "Clip",
        "Model",
        "Motion",
        "Viewport",
    ];
    const TYPES: [&str; 10] = [
        "Script",
        "MetadataSet",
        "MetadataString",
        "MetadataFloat",
        "MetadataDouble",
        "MetadataInteger",
        "MetadataBoolean",
        "ClipPlane",
        "EaseInEaseOut",
        "TextureProjector",
    ];
    ENDINGS.iter().any(|ending| type_name.ends_with(ending)) || TYPES.contains(&type_name)
}
