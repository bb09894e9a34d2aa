//! Reads the atoms of a CIF file: of a macromolecule (mmCIF), or of a small molecule, whose
//! positions are fractions of a crystal's cell. Chains, residues and atoms have the names of the
//! authors, which are those of a PDB file of the same molecule.

use super::addresses::{Address, bond_addresses};
use super::atom_element::atom_element;
use super::atoms::{Atom, Molecule};
use super::cif::{CifTable, read_tables};
use super::coordinates::{number, position};
use super::element::ChemicalElement;
use super::model_choice::ModelChoice;
use super::unit_cell::orthogonal_from_fractions;
use crate::Warning;
use glam::{DMat3, DVec3};
use raytwin_files::FileError;
use std::path::Path;

const CATEGORIES: [&str; 3] = ["_atom_site", "_struct_conn", "_cell"];
const SITES: usize = 0;
const CONNECTIONS: usize = 1;
const CELL: usize = 2;

type Row<'a> = [Option<&'a str>];

/// Reads a model, with warnings about what could not be read.
pub(super) fn read(
    path: &Path,
    text: &str,
    model: Option<u32>,
) -> Result<(Molecule, Vec<Warning>), FileError> {
    let (tables, other_blocks) =
        read_tables(path, text, &CATEGORIES, |tables| Sites::of(tables).is_some())?;
    let mut models = ModelChoice::new(model);
    let mut molecule = Molecule::default();
    let mut unplaced = Warning::new("atoms have coordinates that cannot be read");
    if let Some(sites) = Sites::of(&tables) {
        let orthogonal = sites.orthogonal(path, &tables)?;
        let mut last_model = None;
        let mut is_chosen = false;
        for (index, row) in sites.table.rows().enumerate() {
            let model = sites.model.value(row).and_then(|model| model.parse().ok()).unwrap_or(1);
            if last_model != Some(model) {
                last_model = Some(model);
                is_chosen = models.begin(model);
            }
            if !is_chosen {
                continue;
            }
            match position(sites.coordinates.map(|column| row[column].unwrap_or_default())) {
                Some(place) => sites.add_atom(&mut molecule, row, orthogonal * place),
                None => unplaced.add(|| format!("row {} of _atom_site", index + 1)),
            }
        }
    }
    models.check(
        path,
        "rows of _atom_site with Cartn_x, Cartn_y, Cartn_z or fract_x, fract_y, fract_z",
    )?;
    let connections = tables.iter().filter(|(category, _)| *category == CONNECTIONS);
    let bonds = connections.flat_map(|(_, table)| recorded_bonds(table)).collect();
    let mut broken = Warning::new("bonds refer to atoms that the model lacks");
    for ([chain, number, name], _) in bond_addresses(&mut molecule, bonds) {
        broken.add(|| format!("{chain}/{number}/{name}"));
    }
    Ok((molecule, vec![unplaced, other_blocks, broken]))
}

/// The columns of one field, the preferred one first.
struct Field(Vec<usize>);

impl Field {
    fn of(table: &CifTable<'_>, names: &[&str]) -> Self {
        Self(names.iter().filter_map(|name| table.column(name)).collect())
    }

    fn value<'a>(&self, row: &Row<'a>) -> Option<&'a str> {
        self.0.iter().find_map(|&column| row[column])
    }

    fn text<'a>(&self, row: &Row<'a>) -> &'a str {
        self.value(row).unwrap_or_default()
    }
}

/// The table of the atoms, and its columns.
struct Sites<'t, 'a> {
    table: &'t CifTable<'a>,
    coordinates: [usize; 3],
    is_fractional: bool,
    chain: Field,
    residue: Field,
    number: Field,
    insertion_code: Field,
    name: Field,
    symbol: Field,
    alternate: Field,
    occupancy: Field,
    b_factor: Field,
    model: Field,
}

impl<'t, 'a> Sites<'t, 'a> {
    fn of(tables: &'t [(usize, CifTable<'a>)]) -> Option<Self> {
        let tables = tables.iter().filter(|(category, _)| *category == SITES);
        tables.map(|(_, table)| table).find_map(|table| {
            let columns = |names: [&str; 3]| -> Option<[usize; 3]> {
                let [x, y, z] = names.map(|name| table.column(name));
                Some([x?, y?, z?])
            };
            let cartesian = columns(["cartn_x", "cartn_y", "cartn_z"]);
            let coordinates = cartesian.or_else(|| columns(["fract_x", "fract_y", "fract_z"]))?;
            let field = |names: &[&str]| Field::of(table, names);
            Some(Self {
                table,
                coordinates,
                is_fractional: cartesian.is_none(),
                chain: field(&["auth_asym_id", "label_asym_id"]),
                residue: field(&["auth_comp_id", "label_comp_id"]),
                number: field(&["auth_seq_id", "label_seq_id"]),
                insertion_code: field(&["pdbx_pdb_ins_code"]),
                name: field(&["auth_atom_id", "label_atom_id", "label"]),
                symbol: field(&["type_symbol"]),
                alternate: field(&["label_alt_id", "disorder_group"]),
                occupancy: field(&["occupancy"]),
                b_factor: field(&["b_iso_or_equiv"]),
                model: field(&["pdbx_pdb_model_num"]),
            })
        })
    }

    /// Returns the matrix from coordinates to ångström.
    fn orthogonal(
        &self,
        path: &Path,
        tables: &[(usize, CifTable<'_>)],
    ) -> Result<DMat3, FileError> {
        if !self.is_fractional {
            return Ok(DMat3::IDENTITY);
        }
        let cell = tables.iter().find(|(category, _)| *category == CELL).map(|(_, table)| table);
        let three = |names: [&str; 3]| {
            let table = cell?;
            let row = table.rows().next()?;
            let [a, b, c] = names.map(|name| number(row[table.column(name)?]?));
            Some(DVec3::new(a?, b?, c?))
        };
        let edges = three(["length_a", "length_b", "length_c"]);
        let angles = three(["angle_alpha", "angle_beta", "angle_gamma"]);
        let orthogonal =
            edges.zip(angles).and_then(|(edges, angles)| orthogonal_from_fractions(edges, angles));
        orthogonal.ok_or_else(|| {
            let reason = "must have three lengths above 0 and three angles of a cell, because the coordinates of the atoms are fractions of the cell";
            FileError::meaning(path, "_cell", reason)
        })
    }

    fn add_atom(&self, molecule: &mut Molecule, row: &Row<'_>, position: DVec3) {
        let [residue, name, symbol] =
            [&self.residue, &self.name, &self.symbol].map(|it| it.text(row));
        let number_in_chain = [self.number.text(row), self.insertion_code.text(row)].concat();
        let atom = Atom {
            name: name.into(),
            element: ChemicalElement::of_label(symbol)
                .unwrap_or_else(|| atom_element(name, residue, "")),
            position,
            occupancy: number(self.occupancy.text(row)).unwrap_or(1.0),
            b_factor: number(self.b_factor.text(row)),
            // A group of disorder around a point of symmetry has a negative number.
            alternate: self.alternate.text(row).trim_start_matches('-').chars().next(),
            residue: 0,
        };
        molecule.push([self.chain.text(row), residue, &number_in_chain], atom);
    }
}

/// Returns the bonds of a table of connections, except hydrogen bonds, salt bridges and bonds to a
/// copy of the molecule in the crystal.
fn recorded_bonds(table: &CifTable<'_>) -> Vec<[Address; 2]> {
    const NO_BONDS: [&str; 3] = ["hydrog", "saltbr", "mismat"];
    let kind = Field::of(table, &["conn_type_id"]);
    let partners = ["ptnr1", "ptnr2"].map(|partner| {
        let field = |names: &[&str]| {
            let names: Vec<String> =
                names.iter().map(|name| name.replace("ptnr", partner)).collect();
            Field::of(table, &names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let symmetry = field(&["ptnr_symmetry"]);
        let address = [
            field(&["ptnr_auth_asym_id", "ptnr_label_asym_id"]),
            field(&["ptnr_auth_seq_id", "ptnr_label_seq_id"]),
            field(&["pdbx_ptnr_pdb_ins_code"]),
            field(&["ptnr_auth_atom_id", "ptnr_label_atom_id"]),
            field(&["pdbx_ptnr_label_alt_id"]),
        ];
        (symmetry, address)
    });
    let rows = table.rows().filter(|row| {
        let [first, second] = [0, 1].map(|partner| partners[partner].0.value(row));
        first == second && !NO_BONDS.contains(&kind.text(row))
    });
    rows.map(|row| {
        [0, 1].map(|partner| {
            let [chain, number, code, name, alternate] =
                [0, 1, 2, 3, 4].map(|field| partners[partner].1[field].text(row));
            let number = [number, code].concat();
            ([chain.into(), number.into(), name.into()], alternate.chars().next())
        })
    })
    .collect()
}
