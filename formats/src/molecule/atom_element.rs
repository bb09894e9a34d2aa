//! The element of an atom of a macromolecule.

use super::element::ChemicalElement;

/// Residues of amino acids and nucleotides. The element of their atoms is the first letter of the
/// name, in any column.
const POLYMERS: &str = " ALA ARG ASN ASP CYS CYX GLN GLU GLY HIS HID HIE HIP HSD HSE HSP ILE LEU LYS MET PHE PRO SER THR TRP \
    TYR VAL ASH GLH LYN CYM A C G U I T DA DC DG DT DU DI RA RC RG RU ACE NME NMA ";

/// Names of ions in CHARMM, and the symbols of their elements.
const IONS: [(&str, &str); 6] =
    [("SOD", "Na"), ("POT", "K"), ("CLA", "Cl"), ("CAL", "Ca"), ("CES", "Cs"), ("LIT", "Li")];

/// Returns an atom's element: the symbol in its columns, if there is one, otherwise the one in the
/// four columns of its name. There the symbol ends in the second column, so that ` CA ` is carbon
/// and `CA  ` is calcium.
pub(super) fn atom_element(name: &str, residue: &str, symbol: &str) -> ChemicalElement {
    if let Some(element) = ChemicalElement::of_symbol(symbol) {
        return element;
    }
    let letters = |text: &str| -> String {
        text.chars().filter(|letter| letter.is_ascii_alphabetic()).collect()
    };
    let own = letters(name);
    let ion = IONS.iter().find(|(ion, _)| *ion == own).map_or(&own[..], |(_, symbol)| symbol);
    if own.eq_ignore_ascii_case(&letters(residue))
        && let Some(element) = ChemicalElement::of_symbol(ion)
    {
        return element;
    }
    let first = own.get(..1).and_then(ChemicalElement::of_symbol);
    let is_left = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_full_hydrogen = first == Some(ChemicalElement::HYDROGEN) && name.trim().len() == 4;
    let is_of_polymer = POLYMERS.contains(&format!(" {residue} "));
    let element = match name.get(..2).filter(|_| is_left && !is_full_hydrogen && !is_of_polymer) {
        Some(two) => ChemicalElement::of_symbol(two).or(first),
        None => first,
    };
    element.unwrap_or(ChemicalElement::UNKNOWN)
}
