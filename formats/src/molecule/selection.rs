//! The choice of a molecule's atoms: one of the alternate locations, and optionally no water and no
//! hydrogens.

use super::atoms::Molecule;
use super::element::ChemicalElement;
use crate::Options;
use raytwin_files::FileError;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Removes the atoms that the options exclude.
pub(super) fn select(
    path: &Path,
    molecule: &mut Molecule,
    options: &Options,
) -> Result<(), FileError> {
    let letters: BTreeSet<char> = molecule.atoms.iter().filter_map(|atom| atom.alternate).collect();
    if let Some(wanted) = options.alternate.filter(|wanted| !letters.contains(wanted)) {
        let known: Vec<String> = letters.iter().map(char::to_string).collect();
        let reason = match known.is_empty() {
            true => format!(
                "has no alternate location {wanted}: each of its atoms has only one location"
            ),
            false => format!("has no alternate location {wanted}: it has {}", known.join(", ")),
        };
        return Err(FileError::meaning(path, "", reason));
    }
    let chosen = chosen_alternates(molecule, options.alternate);
    let is_kept = |index: usize| {
        let atom = &molecule.atoms[index];
        let residue = molecule.residue_of(atom);
        let is_chosen =
            atom.alternate.is_none_or(|own| chosen.get(&residue.index_in_chain) == Some(&own));
        is_chosen
            && !(options.without_water && residue.is_water())
            && !(options.without_hydrogens && atom.element == ChemicalElement::HYDROGEN)
    };
    let is_kept: Vec<bool> = (0..molecule.atoms.len()).map(is_kept).collect();
    molecule.retain(&is_kept);
    Ok(())
}

/// Returns the alternate location to use in each place of a chain that has several: the wanted one
/// if it exists, otherwise the one whose atoms have the largest total occupancy, the first of
/// equals.
fn chosen_alternates(molecule: &Molecule, wanted: Option<char>) -> HashMap<u32, char> {
    let alternates = || {
        molecule.atoms.iter().filter_map(|atom| {
            Some((molecule.residue_of(atom).index_in_chain, atom.alternate?, atom.occupancy))
        })
    };
    let mut totals: HashMap<(u32, char), f64> = HashMap::new();
    for (place, letter, occupancy) in alternates() {
        *totals.entry((place, letter)).or_default() += occupancy;
    }
    let mut chosen: HashMap<u32, (char, f64)> = HashMap::new();
    for (place, letter, _) in alternates() {
        let total = if wanted == Some(letter) { f64::INFINITY } else { totals[&(place, letter)] };
        let best = chosen.entry(place).or_insert((letter, total));
        if total > best.1 {
            *best = (letter, total);
        }
    }
    chosen.into_iter().map(|(place, (letter, _))| (place, letter)).collect()
}
