//! Chemical elements, by their symbols and atomic numbers.

mod colors;
mod radii;

use colors::color;
use radii::{COVALENT, VAN_DER_WAALS};

/// The symbols in the order of the atomic numbers, from 1.
const SYMBOLS: [&str; 118] = [
    "H", "He", "Li", "Be", "B", "C", "N", "O", "F", "Ne", "Na", "Mg", "Al", "Si", "P", "S", "Cl",
    "Ar", "K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As",
    "Se", "Br", "Kr", "Rb", "Sr", "Y", "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In",
    "Sn", "Sb", "Te", "I", "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb",
    "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W", "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl",
    "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U", "Np", "Pu", "Am", "Cm", "Bk",
    "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh",
    "Fl", "Mc", "Lv", "Ts", "Og",
];

/// The symbols of dummy atoms in programs of quantum chemistry.
const DUMMIES: [&str; 2] = ["Bq", "Du"];

/// An element, or the unknown element of a dummy atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChemicalElement {
    /// 0 for the unknown element.
    atomic_number: u8,
}

impl ChemicalElement {
    pub const UNKNOWN: Self = Self { atomic_number: 0 };
    pub const HYDROGEN: Self = Self { atomic_number: 1 };
    pub const CARBON: Self = Self { atomic_number: 6 };

    /// Returns the element of a symbol in any case; deuterium and tritium are hydrogen, and dummy
    /// atoms are unknown.
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        if DUMMIES.iter().any(|dummy| dummy.eq_ignore_ascii_case(symbol)) {
            return Some(Self::UNKNOWN);
        }
        if symbol.eq_ignore_ascii_case("D") || symbol.eq_ignore_ascii_case("T") {
            return Some(Self::HYDROGEN);
        }
        let index = SYMBOLS.iter().position(|known| known.eq_ignore_ascii_case(symbol))?;
        Self::of_number(index + 1)
    }

    pub fn of_number(number: usize) -> Option<Self> {
        let is_known = (1..=SYMBOLS.len()).contains(&number);
        is_known.then_some(Self { atomic_number: number as u8 })
    }

    /// Returns the element whose symbol begins a label such as `Cu2+` or `C12A`: all of its first
    /// letters, otherwise two of them, otherwise one.
    pub fn of_label(label: &str) -> Option<Self> {
        let is_letter = |letter: &u8| letter.is_ascii_alphabetic();
        let letters = label.bytes().take_while(is_letter).count();
        let lengths = [letters, 2, 1];
        let mut fitting = lengths.into_iter().filter(|&length| length <= letters);
        fitting.find_map(|length| Self::of_symbol(&label[..length]))
    }

    /// Returns its symbol; `X` for the unknown element.
    pub fn symbol(self) -> &'static str {
        match self.atomic_number {
            0 => "X",
            number => SYMBOLS[usize::from(number) - 1],
        }
    }

    /// Returns the van der Waals radius in ångström; 1.7 for an element that is in no table.
    pub fn van_der_waals_radius(self) -> f64 {
        let known = VAN_DER_WAALS.iter().find(|(symbol, _)| *symbol == self.symbol());
        known.map_or(1.7, |(_, radius)| *radius)
    }

    /// Returns the covalent radius in ångström; `None` for metals, whose bonds do not follow from
    /// distances.
    pub fn covalent_radius(self) -> Option<f64> {
        let known = COVALENT.iter().find(|(symbol, _)| *symbol == self.symbol());
        known.map(|(_, radius)| *radius)
    }

    /// Returns the colour after Corey, Pauling and Koltun.
    pub fn color(self) -> [f32; 3] {
        color(self.symbol())
    }
}
