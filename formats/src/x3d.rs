//! Reads worlds: X3D in its XML encoding and its classic encoding, and VRML97. A parser for each
//! encoding makes the same tree of nodes, from which one converter makes a graph of groups and
//! shapes.
//!
//! The rules are those of X3D 3.3 (ISO/IEC 19775-1:2013) and VRML97 (ISO/IEC 14772-1:1997), with
//! the fields of X3D 4.0 that concern geometry.

mod appearance;
mod builder;
mod classic;
mod coordinates;
mod geometry;
mod geometry_fault;
mod inline;
mod node_geometry;
mod placement;
mod planar_nodes;
mod point_budget;
mod prototypes;
mod shape;
mod tree;
mod tree_reader;
mod unpack;
mod values;
mod viewpoint;
mod warnings;
mod xml_encoding;

use super::Options;
use super::graph_reader::GraphReader;
use raytwin_files::FileError;
use std::path::Path;

/// Reads a world into a graph, and returns the index of its contents there. Its first characters
/// tell the encoding, as extensions are mixed up in practice.
pub(super) fn read(
    files: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let text = unpack::read_text(&files.store, path)?;
    let source = tree::WorldText { path, text: text.strip_prefix('\u{feff}').unwrap_or(&text) };
    let tree = match source.text.trim_start().starts_with('<') {
        true => xml_encoding::parse(source)?,
        false => classic::parse(source)?,
    };
    tree_reader::TreeReader::new(&tree, files, options).read()
}

#[cfg(test)]
mod tests;
