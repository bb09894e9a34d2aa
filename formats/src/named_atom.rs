//! The positions of the atoms of a molecule's file.

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
    /// Its path, such as `A/LYS48/CA`.
    pub path: String,
    /// Its position, in ångström, as in the file.
    pub position: DVec3,
}

/// Returns the positions of a molecule's atoms, in ångström as in its file, each with the path of
/// the atom, whatever the style draws of them; `None` for a file without a molecule.
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
