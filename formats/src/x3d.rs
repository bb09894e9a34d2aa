//! Reads worlds: X3D in its XML encoding and its classic encoding, and VRML97. A parser for each
//! encoding makes the same kind of node tree, and one converter makes a graph of groups and shapes
//! from it.
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
use super::xml::Lapses;
use raytwin_files::FileError;
use std::path::Path;

/// Reads a world into a graph, and returns the index of its contents there. Its first characters
/// decide the encoding, because extensions are mixed up in practice.
pub(super) fn read(
    files: &mut GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let mut lapses = Lapses::default();
    let text = unpack::read_text(&files.store, path, &mut lapses)?;
    let source = tree::WorldText { path, text: &text };
    let is_blank = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
    let tree = match text.trim_start_matches(is_blank).starts_with('<') {
        true => {
            let tree = xml_encoding::parse(source, &mut lapses)?;
            files.warnings.extend(lapses.warnings());
            tree
        }
        false => classic::parse(source)?,
    };
    tree_reader::TreeReader::new(&tree, files, options).read()
}

#[cfg(test)]
mod tests;
