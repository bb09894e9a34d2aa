//! Reads the records of a file of the Protein Data Bank, by the columns of the wwPDB's format 3.3
//! and by common extensions of other programs.
//!
//! The crate pdbtbx (0.12) was not used: it groups atoms by chain, so that the file's order is
//! lost, drops CONECT, rejects records without an element and serial numbers in hybrid-36, and
//! needs quadratic time for many chains.

mod columns;
mod hybrid36;
mod links;

use super::atom_element::atom_element;
use super::atoms::{Atom, Molecule};
use super::coordinates::{number, position};
use super::model_choice::ModelChoice;
use crate::Warning;
use raytwin_files::FileError;

use columns::{field, letter, residue};
use glam::DVec3;
use links::Links;
use std::path::Path;

/// Reads a model, with warnings about what could not be read.
pub(super) fn read(
    path: &Path,
    text: &str,
    model: Option<u32>,
) -> Result<(Molecule, Vec<Warning>), FileError> {
    let mut models = ModelChoice::new(model);
    let mut molecule = Molecule::default();
    let mut links = Links::default();
    let mut unplaced = Warning::new("atoms have coordinates that cannot be read");
    let mut indented = Warning::new(
        "ATOM or HETATM records begin with blanks, so that their columns do not match, and were left out",
    );
    let mut model_number = 1_u32;
    // None until an atom comes, because a model without atoms does not count.
    let mut is_chosen = None;
    for (line_number, line) in (1..).zip(text.lines()) {
        match line.get(..6).unwrap_or(line).trim_end() {
            "MODEL" => {
                let word = line[5..].split_whitespace().next();
                model_number = word.and_then(|word| word.parse().ok()).unwrap_or(model_number);
                is_chosen = None;
            }
            // Some programs end each model of a trajectory with END, and begin the next one without
            // a record.
            "ENDMDL" | "END" if is_chosen.is_some() => {
                model_number = model_number.saturating_add(1);
                is_chosen = None;
            }
            "CONECT" => links.add_connections(line),
            "LINK" => links.add_link(line),
            record if is_atom(record) => {
                if !*is_chosen.get_or_insert_with(|| models.begin(model_number)) {
                    continue;
                }
                match position([30..38, 38..46, 46..54].map(|columns| field(line, columns))) {
                    Some(position) => add_atom(&mut molecule, &mut links, line, position),
                    None => unplaced.add(|| format!("line {line_number}")),
                }
            }
            _ => {
                let text = line.trim_start();
                if text.len() < line.len() && is_atom(text.get(..6).unwrap_or(text).trim_end()) {
                    indented.add(|| format!("line {line_number}"));
                }
            }
        }
    }
    models.check(path, "ATOM or HETATM record that begins in the first column")?;
    let broken = links.resolve(&mut molecule);
    Ok((molecule, vec![unplaced, indented, broken]))
}

/// Returns whether the first columns belong to a HETATM record, or to an ATOM record, whose serial
/// number may begin a column early, as in `ATOM 100000`.
fn is_atom(record: &str) -> bool {
    let early = record.strip_prefix("ATOM ");
    record == "HETATM"
        || record == "ATOM"
        || early.is_some_and(|number| number.parse::<u8>().is_ok())
}

fn add_atom<'a>(molecule: &mut Molecule, links: &mut Links<'a>, line: &'a str, position: DVec3) {
    let [mut chain, name, number_in_chain] = residue(line, 17);
    if chain.is_empty() {
        // CHARMM and NAMD distinguish chains by the segment.
        chain = field(line, 72..76).to_owned();
    }
    let atom_name = line.get(12..16).unwrap_or_default();
    let atom = Atom {
        name: atom_name.trim().into(),
        element: atom_element(atom_name, &name, field(line, 76..78)),
        position,
        occupancy: number(field(line, 54..60)).unwrap_or(1.0),
        b_factor: number(field(line, 60..66)),
        alternate: letter(line, 16),
        residue: 0,
    };
    let index = molecule.push([&chain, &name, &number_in_chain], atom);
    let serial_start = if line.starts_with("ATOM") { 4 } else { 6 };
    links.note_atom(field(line, serial_start..12), index);
}
