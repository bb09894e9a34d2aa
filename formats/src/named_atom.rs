//! Where the atoms of a molecule's file are.

use super::formats::{AllFormats, Format, MOLECULE};
use super::graph::{GraphItem, GraphShape};
use super::graph_reader::GraphReader;
use super::{FileError, FileStore, MoleculeStyle, Options};
use glam::DVec3;
use raytwin::geometry::Geometry;
use std::path::Path;

/// An atom of a molecule's file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedAtom {
    /// The path of its names, such as `A/LYS48/CA`.
    pub path: String,
    /// Where it is, in ångström, as the file has it.
    pub position: DVec3,
}

/// Returns where the atoms of a molecule are, in ångström as its file has them, each with the path of
/// its names, whatever the style draws of them; `None` for a file that holds no molecule.
///
/// # Errors
/// As [`read`](crate::read).
pub fn atoms(
    store: &FileStore,
    path: impl AsRef<Path>,
    options: &Options,
) -> Result<Option<Vec<NamedAtom>>, FileError> {
    let path = path.as_ref();
    if Format::readable(path)?.content != MOLECULE {
        return Ok(None);
    }
    // In this style each atom is one sphere.
    let options = Options { style: MoleculeStyle::SpaceFilling, ..options.clone() };
    let mut reader = GraphReader::new(store.for_another_scene(), &AllFormats);
    let root = reader.read(path, &options)?;
    let items = std::mem::take(&mut reader.graph.0[root as usize].items);
    let atom = |item| match item {
        GraphItem::Shape(GraphShape {
            name: Some(name), geometry: Geometry::Shape(shape), ..
        }) => Some(NamedAtom { path: name.to_string(), position: shape.center() }),
        _ => None,
    };
    Ok(Some(items.into_iter().filter_map(atom).collect()))
}
