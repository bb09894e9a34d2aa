//! A shape of a graph.

use raytwin::geometry::Geometry;
use raytwin::scene::{Appearance, Name};
use raytwin::transform::Transform;

/// A geometry in the form of the file.
#[derive(Clone, Debug)]
pub(crate) struct GraphShape {
    pub group: u32,
    /// Its index among the group's shapes.
    pub index: u32,
    pub geometry: Geometry,
    /// The transform into the space of the contents, for a geometry that is not in the space of its
    /// group.
    pub contents_from_shape: Option<Box<Transform>>,
    pub name: Option<Name>,
    pub mask: u32,
    pub appearance: Appearance,
    /// The integers from the file, by the names of their columns.
    pub integers: Vec<(String, i32)>,
}

impl GraphShape {
    /// A shape in the space of a group, without further properties.
    pub fn new(group: u32, index: u32, geometry: Geometry) -> Self {
        Self {
            group,
            index,
            geometry,
            contents_from_shape: None,
            name: None,
            mask: u32::MAX,
            appearance: Appearance::NONE,
            integers: Vec::new(),
        }
    }

    /// Returns the name of a shape without one: its type and its index.
    pub fn key(&self) -> String {
        self.geometry.numbered(self.index)
    }
}
