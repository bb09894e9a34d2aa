//! Atoms that are closer to each other than chemistry allows, as if a file were in another unit.

use super::atoms::Molecule;
use super::neighbors::Neighbors;

/// The least distance of two atoms, in ångström: the shortest bond, of two hydrogens, is 0.74 long.
/// In nanometres, most bonds are from 0.07 to 0.19 long.
const NEAREST: f64 = 0.2;
/// The number of atoms that show the unit of all.
const LOOKED_AT: usize = 10_000;

/// Returns the atoms among the first that are too near to another one, if most are.
pub(super) fn too_near(molecule: &Molecule) -> Vec<u32> {
    let looked_at = &molecule.atoms[..molecule.atoms.len().min(LOOKED_AT)];
    let neighbors = Neighbors::new(looked_at.iter().map(|atom| atom.position), NEAREST);
    let is_near = |(index, atom): &(u32, &super::atoms::Atom)| {
        neighbors.around(atom.position).any(|other| {
            other != *index && looked_at[other as usize].position.distance(atom.position) < NEAREST
        })
    };
    let near: Vec<u32> = (0_u32..).zip(looked_at).filter(is_near).map(|(index, _)| index).collect();
    if 2 * near.len() > looked_at.len() { near } else { Vec::new() }
}
