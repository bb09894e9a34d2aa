//! The trace of a molecule's chains: from each residue to the next.

use super::atoms::Molecule;
use super::element::ChemicalElement;

/// The largest distance between the guide atoms of neighbours, in ångström: alpha carbons are 3.8
/// apart, or 2.9 across a cis bond, and phosphorus atoms of a strand are from 5 to 7.5 apart.
const LONGEST_STEP_OF_PROTEIN: f64 = 4.2;
const LONGEST_STEP_OF_NUCLEIC_ACID: f64 = 8.0;

/// Returns the steps from the guide atom of each residue of a chain to that of the next, as indices
/// of atoms.
pub(super) fn steps(molecule: &Molecule) -> Vec<[u32; 2]> {
    let mut guides: Vec<(u32, f64)> = Vec::new();
    let mut is_nucleotide = vec![false; molecule.residues.len()];
    for atom in &molecule.atoms {
        is_nucleotide[atom.residue as usize] |= ["C4'", "C4*"].contains(&&*atom.name);
    }
    for (index, atom) in (0..).zip(&molecule.atoms) {
        if &*atom.name == "CA" && atom.element == ChemicalElement::CARBON {
            guides.push((index, LONGEST_STEP_OF_PROTEIN));
        } else if &*atom.name == "P" && is_nucleotide[atom.residue as usize] {
            guides.push((index, LONGEST_STEP_OF_NUCLEIC_ACID));
        }
    }
    let pairs = guides.windows(2).map(|pair| [pair[0], pair[1]]);
    let are_near = pairs.filter(|[(first, longest), (second, other_longest)]| {
        let [first, second] = [first, second].map(|index| &molecule.atoms[*index as usize]);
        let [first_residue, second_residue] = [first, second].map(|atom| molecule.residue_of(atom));
        longest == other_longest
            && first_residue.chain == second_residue.chain
            && first_residue.index_in_chain != second_residue.index_in_chain
            && first.position.distance(second.position) <= *longest
    });
    are_near.map(|[(first, _), (second, _)]| [first, second]).collect()
}
