//! The colours of a molecule's atoms.

use super::atoms::{Atom, Molecule};
use crate::MoleculeColors;
use std::collections::HashMap;

/// The colours of chains, one after the other.
const CHAINS: [[f32; 3]; 8] = [
    [0.20, 0.45, 0.80],
    [0.92, 0.55, 0.16],
    [0.25, 0.65, 0.35],
    [0.80, 0.26, 0.30],
    [0.52, 0.38, 0.72],
    [0.90, 0.78, 0.25],
    [0.30, 0.70, 0.76],
    [0.72, 0.46, 0.36],
];

/// The colours of B factors from the lowest to the highest.
const B_FACTORS: [[f32; 3]; 3] = [[0.20, 0.38, 0.80], [0.93, 0.92, 0.90], [0.82, 0.20, 0.18]];

/// The share of atoms at either end of the B factors that have the colour of the end, so that a few
/// loose atoms leave colours for the differences of all others.
const OUTLIERS: f64 = 0.02;

/// The colour of an atom whose file has no B factor.
const UNKNOWN: [f32; 3] = [0.6, 0.6, 0.6];

/// What decides the colours of atoms.
pub(super) enum AtomColors {
    Element,
    /// The number of each chain, in the order of the file.
    Chain(HashMap<Box<str>, usize>),
    /// The B factors that have the first and the last colour.
    BFactor([f64; 2]),
}

impl AtomColors {
    pub fn of(molecule: &Molecule, colors: MoleculeColors) -> Self {
        match colors {
            MoleculeColors::Element => Self::Element,
            MoleculeColors::Chain => {
                let mut numbers = HashMap::new();
                for residue in &molecule.residues {
                    let next = numbers.len();
                    numbers.entry(residue.chain.clone()).or_insert(next);
                }
                Self::Chain(numbers)
            }
            MoleculeColors::BFactor => {
                let mut factors: Vec<f64> =
                    molecule.atoms.iter().filter_map(|atom| atom.b_factor).collect();
                factors.sort_unstable_by(f64::total_cmp);
                let at = |share: f64| {
                    let last = factors.len().saturating_sub(1);
                    factors.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
                };
                Self::BFactor([at(OUTLIERS), at(1.0 - OUTLIERS)])
            }
        }
    }

    /// Returns the sRGB colour of an atom.
    pub fn of_atom(&self, molecule: &Molecule, atom: &Atom) -> [f32; 3] {
        match self {
            Self::Element => atom.element.color(),
            Self::Chain(numbers) => {
                let number = numbers.get(&molecule.residue_of(atom).chain).copied().unwrap_or(0);
                CHAINS[number % CHAINS.len()]
            }
            Self::BFactor([low, high]) => match atom.b_factor {
                Some(factor) if high > low => scaled((factor - low) / (high - low)),
                Some(_) => B_FACTORS[1],
                None => UNKNOWN,
            },
        }
    }
}

/// Returns the colour at a share of the scale.
fn scaled(share: f64) -> [f32; 3] {
    let place = 2.0 * share.clamp(0.0, 1.0);
    let first = (place as usize).min(1);
    let part = (place - first as f64) as f32;
    std::array::from_fn(|channel| {
        let [from, to] = [B_FACTORS[first], B_FACTORS[first + 1]].map(|color| color[channel]);
        from + part * (to - from)
    })
}
