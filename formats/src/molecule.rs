//! Reads molecules and draws them in a style. One unit of the scene is an ångström.

mod addresses;
mod atom_element;
mod atoms;
mod bonds;
mod cif;
mod colors;
mod coordinates;
mod drawing;
mod element;
mod mmcif;
mod model_choice;
mod neighbors;
mod pdb;
mod selection;
mod too_near;
mod trace;
mod unit_cell;
mod view;
mod xyz;

use super::graph::{GraphContents, GraphItem, InvalidShapes};
use super::graph_reader::{FileReader, GraphReader, called};
use super::source_text::plain_text;
use super::{Options, Warning};
use atoms::Molecule;
use drawing::{Drawing, draw};
use raytwin_files::FileError;
use raytwin_files::memory::SHAPE_BYTES;
use selection::select;
use std::path::Path;
use view::camera;

/// Reads the chosen model of a text, with warnings about what could not be read.
type ReadModel = fn(&Path, &str, Option<u32>) -> Result<(Molecule, Vec<Warning>), FileError>;

/// Reads a file of the Protein Data Bank.
pub(super) const PDB: FileReader = |reader, path, options| read(reader, path, options, pdb::read);

/// Reads a CIF of a macromolecule or of a small molecule.
pub(super) const CIF: FileReader = |reader, path, options| read(reader, path, options, mmcif::read);

pub(super) const XYZ: FileReader = |reader, path, options| read(reader, path, options, xyz::read);

fn read(
    reader: &mut GraphReader,
    path: &Path,
    options: &Options,
    read_model: ReadModel,
) -> Result<u32, FileError> {
    let bytes = reader.store.read(path)?;
    // Remarks may be in any encoding; the relevant records are in ASCII.
    let text = plain_text(&bytes);
    let text = String::from_utf8_lossy(&text);
    let (mut molecule, mut warnings) = read_model(path, &text, options.model)?;
    if molecule.atoms.is_empty() && warnings.iter().all(|warning| warning.count == 0) {
        return Err(FileError::meaning(path, "", "the chosen model has no atoms"));
    }
    select(path, &mut molecule, options)?;
    let atoms = molecule.atoms.len() as u64;
    // There are about as many bonds as atoms.
    let needs = || format!("its {atoms} atoms need");
    reader.store.take_memory(path, 2 * atoms * SHAPE_BYTES, needs)?;
    let Drawing { shapes, balls, invalid, crowded, near, unknown, .. } =
        draw(&molecule, options.style, options.colors);
    if balls.is_empty() && warnings.iter().all(|warning| warning.count == 0) {
        let reason = "has no atoms to draw: choose another style, or leave out fewer atoms";
        return Err(FileError::meaning(path, "", reason));
    }
    let mut contents = GraphContents::new(called(path), path.to_owned(), String::new());
    contents.items = shapes.into_iter().map(GraphItem::Shape).collect();
    contents.cameras.extend(camera(&balls));
    contents.invalid_shapes = InvalidShapes::Emptied(reader.warnings.len() + warnings.len());
    warnings.extend([invalid, crowded, near, unknown]);
    reader.warnings.extend(warnings);
    Ok(reader.add(contents))
}

#[cfg(test)]
mod tests;
