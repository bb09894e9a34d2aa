//! The atoms of one model of a file, in the file's order.

use super::element::ChemicalElement;
use glam::DVec3;
use raytwin::scene::Name;

/// A model's atoms, their residues, and the bonds in the file.
#[derive(Debug, Default)]
pub(super) struct Molecule {
    pub atoms: Vec<Atom>,
    pub residues: Vec<Residue>,
    /// Pairs of indices into `atoms`, the smaller first.
    pub recorded_bonds: Vec<[u32; 2]>,
}

#[derive(Debug)]
pub(super) struct Atom {
    pub name: Box<str>,
    pub element: ChemicalElement,
    /// The center, in ångström.
    pub position: DVec3,
    pub occupancy: f64,
    /// The temperature factor, in square ångström.
    pub b_factor: Option<f64>,
    /// The letter of one of several possible positions of the atom; `None` for an atom with one
    /// position.
    pub alternate: Option<char>,
    /// The index of its residue.
    pub residue: u32,
}

/// A run of atoms of one residue. In a small molecule the texts are empty.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Residue {
    pub chain: Box<str>,
    pub name: Box<str>,
    /// The number in the chain, with its insertion code.
    pub number: Box<str>,
    /// Its index in the chain. Residues of different names share an index if they are alternates of
    /// each other.
    pub index_in_chain: u32,
}

impl Residue {
    /// Returns whether it is water, by its names in databases and programs of molecular dynamics.
    pub fn is_water(&self) -> bool {
        const NAMES: [&str; 16] = [
            "HOH", "WAT", "H2O", "DOD", "D2O", "TIP", "TIP2", "TIP3", "TIP4", "TIP5", "TP3M",
            "SOL", "SPC", "T3P", "T4P", "OH2",
        ];
        NAMES.contains(&&*self.name)
    }

    /// Returns its name with its number, such as `LYS48`.
    pub fn label(&self) -> String {
        format!("{}{}", self.name, self.number)
    }
}

impl Molecule {
    /// Adds an atom of a residue of this chain, name and number, and returns its index.
    pub fn push(&mut self, [chain, name, number]: [&str; 3], mut atom: Atom) -> u32 {
        let last = self.residues.last();
        let is_same_number = |last: &&Residue| &*last.chain == chain && &*last.number == number;
        let same_number = last.filter(is_same_number);
        if same_number.is_none_or(|last| &*last.name != name) {
            let index_in_chain = match (same_number, last) {
                (Some(alternative), _) if atom.alternate.is_some() => alternative.index_in_chain,
                (_, Some(last)) => last.index_in_chain + 1,
                _ => 0,
            };
            let [chain, name, number] = [chain, name, number].map(Box::from);
            self.residues.push(Residue { chain, name, number, index_in_chain });
        }
        atom.residue = (self.residues.len() - 1) as u32;
        self.atoms.push(atom);
        (self.atoms.len() - 1) as u32
    }

    /// Keeps the atoms for which this list has true, and the bonds between them.
    pub fn retain(&mut self, is_kept: &[bool]) {
        let mut kept_before = 0;
        let new_index = |&is_kept: &bool| {
            kept_before += u32::from(is_kept);
            is_kept.then(|| kept_before - 1)
        };
        let new_indices: Vec<Option<u32>> = is_kept.iter().map(new_index).collect();
        let mut is_kept = is_kept.iter();
        self.atoms.retain(|_| is_kept.next().copied().unwrap_or(false));
        let bonds = self.recorded_bonds.iter().filter_map(|bond| {
            let [first, second] = bond.map(|end| new_indices[end as usize]);
            Some([first?, second?])
        });
        self.recorded_bonds = bonds.collect();
    }

    pub fn ends(&self, bond: [u32; 2]) -> [&Atom; 2] {
        bond.map(|end| &self.atoms[end as usize])
    }

    pub fn residue_of(&self, atom: &Atom) -> &Residue {
        &self.residues[atom.residue as usize]
    }

    /// Returns the path of each residue, such as `A/LYS48`, without empty names; `None` if all are
    /// empty.
    pub fn residue_paths(&self) -> Vec<Option<Name>> {
        let mut chain: Option<(&str, Name)> = None;
        let mut paths = Vec::with_capacity(self.residues.len());
        for residue in &self.residues {
            if chain.as_ref().is_none_or(|(last, _)| **last != *residue.chain) {
                chain = Some((&residue.chain, Name::from(&*residue.chain)));
            }
            let chain = chain.as_ref().map(|(_, name)| name).filter(|name| !name.last().is_empty());
            let label = residue.label();
            paths.push(match (chain, label.is_empty()) {
                (chain, true) => chain.cloned(),
                (Some(chain), false) => Some(chain.child(label)),
                (None, false) => Some(Name::from(label)),
            });
        }
        paths
    }
}
