//! Bonds that CONECT and LINK records list.

use super::columns::{field, letter, residue};
use crate::Warning;
use crate::molecule::addresses::{Address, bond_addresses};
use crate::molecule::atoms::Molecule;
use std::collections::HashMap;

/// The bonds of a file, by the serial numbers or the names of their atoms.
#[derive(Default)]
pub(super) struct Links<'a> {
    /// The atom of each serial number of the chosen model; `None` if several atoms have it. The
    /// number is kept as text, because CONECT repeats it in the notation of the file.
    atoms: HashMap<&'a str, Option<u32>>,
    by_serial_number: Vec<[&'a str; 2]>,
    by_address: Vec<[Address; 2]>,
}

impl<'a> Links<'a> {
    /// Records the serial number of an atom.
    pub fn note_atom(&mut self, serial_number: &'a str, index: u32) {
        self.atoms.entry(serial_number).and_modify(|atom| *atom = None).or_insert(Some(index));
    }

    /// Adds the bonds of a CONECT record: of its first atom with each of the up to four others.
    pub fn add_connections(&mut self, line: &'a str) {
        let first = field(line, 6..11);
        let others = [11..16, 16..21, 21..26, 26..31].map(|columns| field(line, columns));
        let others = others.into_iter().filter(|other| !other.is_empty());
        self.by_serial_number.extend(others.map(|other| [first, other]));
    }

    /// Adds the bond of a LINK record, unless it leads to a copy of the molecule in the crystal.
    pub fn add_link(&mut self, line: &str) {
        if field(line, 59..65) != field(line, 66..72) {
            return;
        }
        let address = |start: usize| {
            let [chain, _, number] = residue(line, start + 5);
            let name = field(line, start..start + 4);
            ([chain.into(), number.into(), name.into()], letter(line, start + 4))
        };
        self.by_address.push([address(12), address(42)]);
    }

    /// Adds the bonds to the molecule, and returns a warning about those whose atoms it lacks.
    pub fn resolve(self, molecule: &mut Molecule) -> Warning {
        let mut broken = Warning::new(
            "bonds refer to atoms that the model lacks, or that share a serial number",
        );
        for bond in self.by_serial_number {
            match bond.map(|serial| self.atoms.get(serial).copied().flatten()) {
                [Some(first), Some(second)] => {
                    molecule.recorded_bonds.push([first.min(second), first.max(second)]);
                }
                _ => broken.add(|| bond.join("-")),
            }
        }
        for ([chain, number, name], _) in bond_addresses(molecule, self.by_address) {
            broken.add(|| format!("{chain}/{number}/{name}"));
        }
        broken
    }
}
