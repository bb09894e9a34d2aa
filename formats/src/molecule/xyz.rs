//! Reads frames of atoms in the XYZ format, and in its extended form, whose comment names the
//! columns.

use super::atoms::{Atom, Molecule};
use super::coordinates::position;
use super::element::ChemicalElement;
use super::model_choice::ModelChoice;
use crate::Warning;
use crate::shortened::shortened;
use raytwin_files::FileError;
use std::path::Path;

/// Reads a frame, with warnings about what could not be read. Frames are numbered from 1.
pub(super) fn read(
    path: &Path,
    text: &str,
    model: Option<u32>,
) -> Result<(Molecule, Vec<Warning>), FileError> {
    let refuse = |line: usize, reason: String| {
        let path = path.to_owned();
        FileError::Syntax { path, line, column: 1, reason }
    };
    let mut models = ModelChoice::new(model);
    let mut molecule = Molecule::default();
    let mut unplaced = Warning::new("atoms have coordinates that cannot be read");
    let mut lines = (1..).zip(text.lines());
    let mut frame = 0;
    while let Some((line_number, line)) = lines.find(|(_, line)| !line.trim().is_empty()) {
        let Ok(count) = line.trim().parse::<u64>() else {
            let reason = format!(
                "'{}' must be the number of atoms, which follow after a comment line",
                shortened(line.trim())
            );
            return Err(refuse(line_number, reason));
        };
        let (_, comment) = lines.next().unwrap_or_default();
        frame += 1;
        let is_chosen = models.begin(frame);
        let columns = Columns::of(comment);
        for index in 0..count {
            let Some((line_number, line)) = lines.next() else {
                let reason = format!("declares {count} atoms, but the file ends after {index}");
                return Err(refuse(line_number, reason));
            };
            if !is_chosen {
                continue;
            }
            let Some([species, x, y, z]) = columns.words(line) else {
                let reason = format!(
                    "'{}' must be an element and three coordinates: this is atom {} of {count}",
                    shortened(line.trim()),
                    index + 1
                );
                return Err(refuse(line_number, reason));
            };
            let Some(position) = position([x, y, z]) else {
                unplaced.add(|| format!("line {line_number}"));
                continue;
            };
            let by_number = species.parse().ok().map(ChemicalElement::of_number);
            let element = by_number.unwrap_or_else(|| ChemicalElement::of_label(species));
            // An unknown symbol stays in the name, so that a warning shows it.
            let is_word = species.len() <= 8 && species.bytes().all(|it| it.is_ascii_alphabetic());
            let symbol = match element {
                Some(element) => element.symbol(),
                None if is_word => species,
                None => ChemicalElement::UNKNOWN.symbol(),
            };
            let element = element.unwrap_or(ChemicalElement::UNKNOWN);
            let atom = Atom {
                name: format!("{symbol}{}", index + 1).into(),
                element,
                position,
                occupancy: 1.0,
                b_factor: None,
                alternate: None,
                residue: 0,
            };
            molecule.push([""; 3], atom);
        }
    }
    models.check(path, "frame")?;
    Ok((molecule, vec![unplaced]))
}

/// The places of an atom's element and of its first coordinate in a line.
struct Columns {
    species: usize,
    position: usize,
}

impl Columns {
    /// The columns that a comment names, as in `Properties=species:S:1:pos:R:3`, or the first four.
    fn of(comment: &str) -> Self {
        let properties =
            comment.split_whitespace().find_map(|word| word.strip_prefix("Properties="));
        let words: Vec<&str> =
            properties.unwrap_or_default().trim_matches('"').split(':').collect();
        let mut columns = Self { species: 0, position: 1 };
        let mut start = 0_usize;
        for property in words.chunks_exact(3) {
            match property[0] {
                "species" => columns.species = start,
                "pos" => columns.position = start,
                _ => {}
            }
            start = start.saturating_add(property[2].parse().unwrap_or(1));
        }
        columns
    }

    fn words<'a>(&self, line: &'a str) -> Option<[&'a str; 4]> {
        let mut words = line.split_whitespace();
        let species = words.clone().nth(self.species)?;
        let mut next = words.by_ref().skip(self.position);
        Some([species, next.next()?, next.next()?, next.next()?])
    }
}
