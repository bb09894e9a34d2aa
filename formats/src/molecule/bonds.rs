//! The bonds of a molecule: those in its file, and those between nonmetals that are close enough.

use super::atoms::{Atom, Molecule};
use super::element::ChemicalElement;
use super::neighbors::Neighbors;

/// The length by which a bond may exceed the sum of the covalent radii, in ångström.
const TOLERANCE: f64 = 0.45;
/// Atoms closer to each other than this are copies of one, and have no bond.
const SHORTEST: f64 = 0.4;
/// The largest number of bonds that an atom has by distance. An atom with more is in a place that
/// chemistry does not allow.
const MOST_BONDS: usize = 8;
/// The largest number of examined atoms around an atom. In the same volume, ice has 90 and diamond
/// 160.
const MOST_AROUND: usize = 400;

pub(super) struct Bonds {
    /// Pairs of indices of atoms, the smaller first, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// The atoms that are close to so many others that the distances do not determine bonds.
    pub crowded: Vec<u32>,
}

impl Bonds {
    /// Finds the bonds of a molecule. If every atom of a residue has a recorded bond in the
    /// residue, only the recorded bonds between its atoms count. Elsewhere, distances add bonds.
    pub fn of(molecule: &Molecule) -> Self {
        let mut near_pairs = Vec::new();
        let mut crowded = Vec::new();
        let mut is_crowded = vec![false; molecule.atoms.len()];
        let is_described = described_residues(molecule);
        let radii = molecule.atoms.iter().filter_map(|atom| atom.element.covalent_radius());
        let longest = 2.0 * radii.fold(0.0, f64::max) + TOLERANCE;
        let neighbors = Neighbors::new(molecule.atoms.iter().map(|atom| atom.position), longest);
        for (index, atom) in (0_u32..).zip(&molecule.atoms) {
            let (mut around, mut near) = (0, 0);
            for other_index in neighbors.around(atom.position).take(MOST_AROUND + 1) {
                around += 1;
                let other = &molecule.atoms[other_index as usize];
                let is_listed =
                    atom.residue == other.residue && is_described[atom.residue as usize];
                if !is_listed && are_bonded(atom, other) {
                    near += 1;
                    near_pairs.push([index, other_index]);
                }
                if near > MOST_BONDS {
                    break;
                }
            }
            if around > MOST_AROUND || near > MOST_BONDS {
                near_pairs.truncate(near_pairs.len() - near);
                is_crowded[index as usize] = true;
                crowded.push(index);
            }
        }
        // Each pair was found from both of its atoms.
        near_pairs.retain(|[first, second]| first < second && !is_crowded[*second as usize]);
        let recorded = molecule.recorded_bonds.iter().filter(|[first, second]| first < second);
        let mut pairs: Vec<[u32; 2]> = recorded.copied().chain(near_pairs).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self { pairs, crowded }
    }
}

/// Returns for each residue whether each of its atoms has a recorded bond in it.
fn described_residues(molecule: &Molecule) -> Vec<bool> {
    let mut has_record = vec![false; molecule.atoms.len()];
    for ends in &molecule.recorded_bonds {
        let [first, second] = ends.map(|end| molecule.atoms[end as usize].residue);
        if first == second {
            ends.iter().for_each(|&end| has_record[end as usize] = true);
        }
    }
    let mut is_described = vec![true; molecule.residues.len()];
    for (atom, has_record) in molecule.atoms.iter().zip(has_record) {
        is_described[atom.residue as usize] &= has_record;
    }
    is_described
}

/// Returns whether two atoms are bonded by their distance: they must be nonmetals, not both
/// hydrogen, and not at different alternate locations.
fn are_bonded(first: &Atom, second: &Atom) -> bool {
    let radii = first.element.covalent_radius().zip(second.element.covalent_radius());
    let Some((first_radius, second_radius)) = radii else { return false };
    let are_hydrogens =
        first.element == second.element && first.element == ChemicalElement::HYDROGEN;
    let are_alternates =
        first.alternate.is_some_and(|own| second.alternate.is_some_and(|other| own != other));
    let distance = first.position.distance(second.position);
    !are_hydrogens
        && !are_alternates
        && distance > SHORTEST
        && distance <= first_radius + second_radius + TOLERANCE
}
