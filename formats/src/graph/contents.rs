//! The contents of files and definitions: groups, and the shapes and properties in them.

use super::camera::GraphCamera;
use super::group_bodies::GroupBodies;
use super::rows::GraphRows;
use super::shape::GraphShape;
use crate::joint_value::{JointState, JointValue};
use crate::mount::Mount;
use crate::warning::Warning;
use glam::DVec3;
use raytwin::scene::{Appearance, Name};
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The contents of all files that were read and of their definitions; uses refer to them by index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph(pub Vec<GraphContents>);

/// The contents of a file or of a definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphContents {
    /// The definition's or the file's name, for messages.
    pub called: String,
    pub path: PathBuf,
    /// The prefix of places in the file: empty for the file itself, else such as
    /// `definitions.wheel.`.
    pub place: String,
    /// True for a native scene.
    pub is_native: bool,
    /// The point that the file gives as the origin.
    pub origin: DVec3,
    /// The contents as a whole, and then the nodes: a parent comes before its children.
    pub groups: Vec<Group>,
    /// The shapes and uses, in the order of their ids.
    pub items: Vec<GraphItem>,
    pub(crate) cameras: Vec<GraphCamera>,
    /// The names of labels, of those that have one.
    pub label_names: BTreeMap<u16, String>,
    /// The treatment of a shape that cannot be in a scene.
    pub(crate) invalid_shapes: InvalidShapes,
    /// The worlds except the first, in which parts of a model have other places.
    pub(crate) worlds: Vec<GraphWorld>,
    /// The bodies of a robot, which consist of groups.
    pub bodies: GroupBodies,
    /// A robot's links, by name.
    pub links: HashMap<String, Mount>,
    /// A model's sites, by name.
    pub sites: Vec<(String, Mount)>,
    /// The joints with one number each.
    pub joints: Vec<JointState>,
    pub(crate) joint_values: Vec<(String, JointValue)>,
    /// The file's model, if it has joints that a caller can move.
    pub(crate) model: Option<Arc<dyn JointedModel>>,
    /// The warnings of the graph that depend on the values of the file's joints.
    pub(crate) pose_warnings: Range<usize>,
}

/// A file that was parsed, and can be read again with other values of its joints.
pub(crate) trait JointedModel: fmt::Debug + Send + Sync {
    /// Moves everything in the contents that were read from the file to the places for these
    /// values. Returns the file's [`GraphContents::pose_warnings`], including empty ones.
    fn pose(
        &self,
        contents: &mut GraphContents,
        joints: &[(String, JointValue)],
    ) -> Result<Vec<Warning>, FileError>;
}

/// The treatment of a shape that cannot be in a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InvalidShapes {
    /// The scene is an error, at the shape's place in the file.
    #[default]
    Refused,
    /// The scene is an error, at the shape's field: the file has nothing else.
    RefusedByField,
    /// The shape keeps its id, which no ray can hit, and the file's warning with this index names
    /// it.
    Emptied(usize),
}

/// A world of a model in addition to the first.
#[derive(Clone, Debug)]
pub(crate) struct GraphWorld {
    /// The transforms into the space of the contents of the items that move, ascending by the index
    /// of the item. They are the same items in all worlds.
    pub places: Vec<(u32, Transform)>,
    pub cameras: Vec<GraphCamera>,
    pub sites: Vec<(String, Mount)>,
}

/// A node, or the contents as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The index of the parent; for the contents as a whole, its own index.
    pub parent: u32,
    pub label: Label,
    /// The appearance of everything in the group that has none of its own.
    pub appearance: Appearance,
    /// The integers, by name, of everything in the group that has none of its own.
    pub integers: Vec<(String, i32)>,
    pub parent_from_group: Transform,
}

impl Group {
    /// A group in another, whose contents inherit no appearance from it.
    pub fn new(parent: u32, label: Label, parent_from_group: Transform) -> Self {
        let (appearance, integers) = (Appearance::NONE, Vec::new());
        Self { parent, label, appearance, integers, parent_from_group }
    }
}

/// The name of a group.
#[derive(Clone, Debug)]
pub(crate) enum Label {
    /// The contents as a whole have the name of their user.
    Whole,
    /// A node of a native scene: its index among its parent's nodes, and its name if it has one.
    Node(u32, Option<String>),
    /// A node of another format, with its name if it has one. What is in it has the path of its
    /// parent if it has none.
    Named(Option<String>),
    /// A frame of another format, such as a robot's link. The shapes in it have paths of their own.
    Frame(Option<Name>),
}

#[derive(Clone, Debug)]
pub(crate) enum GraphItem {
    Shape(GraphShape),
    Rows(GraphRows),
    Use(GraphUse),
}

impl GraphItem {
    /// The group that it belongs to.
    pub fn group(&self) -> u32 {
        match self {
            Self::Shape(shape) => shape.group,
            Self::Rows(rows) => rows.group,
            Self::Use(used) => used.group,
        }
    }
}

/// A group that stands for other contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphUse {
    pub group: u32,
    /// The index of the contents in the graph.
    pub contents: u32,
}

impl GraphContents {
    /// Returns contents without groups but the whole.
    pub fn new(called: String, path: PathBuf, place: String) -> Self {
        let whole = Group::new(0, Label::Whole, Transform::IDENTITY);
        Self { called, path, place, groups: vec![whole], ..Self::default() }
    }

    /// Returns contents of a native scene without groups but the whole.
    pub fn of_native(called: String, path: PathBuf, place: String) -> Self {
        Self { is_native: true, ..Self::new(called, path, place) }
    }

    /// Returns the place of a group in the file, with a dot after it unless it is empty.
    pub fn place_of(&self, group: u32) -> String {
        let mut keys = Vec::new();
        let mut at = group;
        while let Label::Node(index, _) = &self.groups[at as usize].label {
            keys.push(format!("nodes[{index}]."));
            at = self.groups[at as usize].parent;
        }
        keys.push(self.place.clone());
        keys.reverse();
        keys.concat()
    }

    /// Returns the path of names of a group, for messages.
    pub fn path_of(&self, group: u32) -> String {
        let mut names = Vec::new();
        let mut at = group;
        loop {
            match &self.groups[at as usize].label {
                Label::Node(index, name) => {
                    names.push(name.clone().unwrap_or_else(|| format!("nodes[{index}]")));
                }
                Label::Named(name) => names.extend(name.clone()),
                Label::Whole | Label::Frame(_) => break,
            }
            at = self.groups[at as usize].parent;
        }
        if !self.place.is_empty() {
            names.push(self.called.clone());
        }
        names.reverse();
        names.join("/")
    }
}
