//! Bonds whose atoms a file names by chain, residue and atom.

use super::atoms::Molecule;
use std::collections::HashMap;

/// The chain, the number in it, the name and the alternate location of an atom.
pub(super) type Address = ([Box<str>; 3], Option<char>);

/// Adds the bonds between atoms with these addresses to a molecule. Returns the bonds to atoms that
/// it lacks.
pub(super) fn bond_addresses(molecule: &mut Molecule, bonds: Vec<[Address; 2]>) -> Vec<Address> {
    if bonds.is_empty() {
        return Vec::new();
    }
    let mut indices = HashMap::new();
    for (index, atom) in (0..).zip(&molecule.atoms) {
        let residue = molecule.residue_of(atom);
        let key = ([&*residue.chain, &*residue.number, &*atom.name], atom.alternate);
        indices.entry(key).or_insert(index);
    }
    let find = |([chain, number, name], alternate): &Address| {
        indices.get(&([&**chain, &**number, &**name], *alternate)).copied()
    };
    let mut lacking = Vec::new();
    let mut found = Vec::new();
    for [first, second] in bonds {
        match (find(&first), find(&second)) {
            (Some(first), Some(second)) => found.push([first.min(second), first.max(second)]),
            (None, _) => lacking.push(first),
            (_, None) => lacking.push(second),
        }
    }
    drop(indices);
    molecule.recorded_bonds.extend(found);
    lacking
}
