//! Reads molecules and draws them in a style. One unit of the scene is an ångström.

mod addresses;
mod atom_element;
mod atoms;
mod bonds;
mod cif;
mod coordinates;
mod drawing;
mod element;
mod mmcif;
mod model_choice;
mod neighbors;
mod pdb;
mod selection;
mod trace;
mod unit_cell;
mod view;
mod xyz;

use super::{Imported, Options, Warning};
use crate::io::memory::SHAPE_BYTES;
use crate::io::{FileError, FileStore};
use crate::scene::Scene;
use atoms::Molecule;
use drawing::draw;
use selection::select;
use std::path::Path;
use view::camera;

/// Reads the chosen model of a text, with warnings about what could not be read.
type ReadModel = fn(&Path, &str, Option<u32>) -> Result<(Molecule, Vec<Warning>), FileError>;

/// Reads a file of the Protein Data Bank.
pub(super) fn read_pdb(
    store: &FileStore,
    scene: Scene,
    path: &Path,
    options: &Options,
) -> Result<Imported, FileError> {
    read(store, scene, path, options, pdb::read)
}

/// Reads a CIF of a macromolecule or of a small molecule.
pub(super) fn read_cif(
    store: &FileStore,
    scene: Scene,
    path: &Path,
    options: &Options,
) -> Result<Imported, FileError> {
    read(store, scene, path, options, mmcif::read)
}

/// Reads a file in the XYZ format.
pub(super) fn read_xyz(
    store: &FileStore,
    scene: Scene,
    path: &Path,
    options: &Options,
) -> Result<Imported, FileError> {
    read(store, scene, path, options, xyz::read)
}

fn read(
    store: &FileStore,
    mut scene: Scene,
    path: &Path,
    options: &Options,
    read_model: ReadModel,
) -> Result<Imported, FileError> {
    let bytes = store.read(path)?;
    // Remarks may be in any encoding; what is read is in ASCII.
    let text = String::from_utf8_lossy(&bytes);
    let (mut molecule, mut warnings) = read_model(path, &text, options.model)?;
    select(path, &mut molecule, options)?;
    let atoms = molecule.atoms.len() as u64;
    // There are about as many bonds as atoms.
    store.take_memory(path, 2 * atoms * SHAPE_BYTES, || format!("its {atoms} atoms need"))?;
    let (balls, of_drawing) = draw(&mut scene, &molecule, options.style);
    if balls.is_empty() && warnings.iter().all(|warning| warning.count == 0) {
        let reason = "has no atom to draw: take another style, or leave fewer atoms out";
        return Err(FileError::meaning(path, "", reason));
    }
    scene.cameras.extend(camera(&balls, scene.origin()));
    warnings.extend(of_drawing);
    warnings.retain(|warning| warning.count > 0);
    Ok(Imported { scene, warnings, ..Imported::default() })
}

#[cfg(test)]
mod tests;
