//! Draws a molecule in a style, as shapes of a scene.

use super::atoms::{Atom, Molecule};
use super::bonds::Bonds;
use super::colors::AtomColors;
use super::element::ChemicalElement;
use super::too_near::too_near;
use super::trace::steps;
use crate::closed_form::closed_form;
use crate::graph::GraphShape;
use crate::{MoleculeColors, MoleculeStyle, Warning};
use glam::DVec3;
use raytwin::geometry::Geometry;
use raytwin::scene::Name;

/// The radii of bonds, sticks and traces in ångström.
const BOND_RADIUS: f64 = 0.15;
const STICK_RADIUS: f64 = 0.2;
const TRACE_RADIUS: f64 = 0.3;
/// The share of the van der Waals radius that a ball has.
const BALL: f64 = 0.25;

/// A drawn point of a molecule, and its radius.
pub(super) type Ball = (DVec3, f64);

/// Draws a molecule: its atoms in the file's order, then its bonds.
pub(super) fn draw(
    molecule: &Molecule,
    style: MoleculeStyle,
    colors: Option<MoleculeColors>,
) -> Drawing<'_> {
    let own =
        if style == MoleculeStyle::Trace { MoleculeColors::Chain } else { MoleculeColors::Element };
    let mut drawing = Drawing {
        molecule,
        colors: AtomColors::of(molecule, colors.unwrap_or(own)),
        paths: molecule.residue_paths(),
        shapes: Vec::new(),
        balls: Vec::new(),
        invalid: Warning::new(
            "atoms and bonds cannot be drawn; they keep their ids, but no ray can hit them",
        ),
        crowded: Warning::about_read(
            "atoms are too close to too many others to find their bonds from distances",
        ),
        near: Warning::about_read(
            "atoms are within 0.2 Å of another, as if the file were in nanometres: its coordinates must be in ångström",
        ),
        unknown: Warning::about_read(
            "atoms are of an unknown element, and are drawn with common sizes and colours",
        ),
    };
    for index in too_near(molecule) {
        let atom = &molecule.atoms[index as usize];
        let path = drawing.path(atom, &atom.name);
        drawing.near.add(|| path.to_string());
    }
    for atom in molecule.atoms.iter().filter(|atom| atom.element == ChemicalElement::UNKNOWN) {
        let path = drawing.path(atom, &atom.name);
        drawing.unknown.add(|| path.to_string());
    }
    match style {
        MoleculeStyle::SpaceFilling => drawing.atoms(|_, atom| Some(van_der_waals(atom))),
        MoleculeStyle::BallAndStick => drawing.balls_and_sticks(),
        MoleculeStyle::Sticks => drawing.sticks(),
        MoleculeStyle::Trace => drawing.trace(),
    }
    drawing
}

fn van_der_waals(atom: &Atom) -> f64 {
    atom.element.van_der_waals_radius()
}

/// A molecule as shapes.
pub(super) struct Drawing<'a> {
    molecule: &'a Molecule,
    colors: AtomColors,
    /// The path of each residue's names.
    paths: Vec<Option<Name>>,
    pub shapes: Vec<GraphShape>,
    /// The balls around everything that is drawn.
    pub balls: Vec<Ball>,
    /// Atoms and bonds without shapes.
    pub invalid: Warning,
    /// Atoms with too many neighbours.
    pub crowded: Warning,
    /// Atoms that are as close to others as if their coordinates had another unit.
    pub near: Warning,
    /// Atoms of unknown elements.
    pub unknown: Warning,
}

impl<'a> Drawing<'a> {
    /// Adds a sphere for each atom for which this function of its index and itself returns a
    /// radius.
    fn atoms(&mut self, radius: impl Fn(usize, &Atom) -> Option<f64>) {
        for (index, atom) in self.molecule.atoms.iter().enumerate() {
            if let Some(radius) = radius(index, atom) {
                let DVec3 { x, y, z } = atom.position;
                let name = self.path(atom, &atom.name);
                let color = self.colors.of_atom(self.molecule, atom);
                self.add("sphere", &[x, y, z, radius], name, color);
                self.balls.push((atom.position, radius));
            }
        }
    }

    fn balls_and_sticks(&mut self) {
        let molecule = self.molecule;
        let ball_radius = |atom: &Atom| BALL * van_der_waals(atom);
        self.atoms(|_, atom| Some(ball_radius(atom)));
        // The depth in a ball at which the rim of a stick is on the ball's surface, so that the two
        // overlap as little as possible.
        let rim = |atom: &Atom| {
            let radius = ball_radius(atom);
            (radius * radius - BOND_RADIUS * BOND_RADIUS).max(0.0).sqrt()
        };
        for [first, second] in self.bonds().into_iter().map(|bond| molecule.ends(bond)) {
            let way = second.position - first.position;
            let length = way.length();
            let (start, end) = (rim(first), length - rim(second));
            // Between balls that touch, nothing of the bond is visible.
            if start < end {
                let at = |distance: f64| first.position + (distance / length) * way;
                let middle = at(0.5 * (start + end));
                self.half_bond("cylinder", [at(start), middle], BOND_RADIUS, [first, second]);
                self.half_bond("cylinder", [at(end), middle], BOND_RADIUS, [second, first]);
            }
        }
    }

    fn sticks(&mut self) {
        let molecule = self.molecule;
        let bonds = self.bonds();
        let mut is_bonded = vec![false; molecule.atoms.len()];
        bonds.iter().flatten().for_each(|&end| is_bonded[end as usize] = true);
        self.atoms(|index, _| (!is_bonded[index]).then_some(STICK_RADIUS));
        for [first, second] in bonds.into_iter().map(|bond| molecule.ends(bond)) {
            let middle = 0.5 * (first.position + second.position);
            for [own, other] in [[first, second], [second, first]] {
                self.half_bond("capsule", [own.position, middle], STICK_RADIUS, [own, other]);
                self.balls.push((own.position, STICK_RADIUS));
            }
        }
    }

    fn trace(&mut self) {
        let molecule = self.molecule;
        for [first, second] in steps(molecule).into_iter().map(|step| molecule.ends(step)) {
            let color = self.colors.of_atom(molecule, first);
            let name = self.path(first, &self.bond_name(first, second));
            let ends = [first.position, second.position];
            self.add("capsule", &segment(ends, TRACE_RADIUS), name, color);
            self.balls.extend(ends.map(|end| (end, TRACE_RADIUS)));
        }
    }

    /// Finds the bonds, and records the atoms that have too many.
    fn bonds(&mut self) -> Vec<[u32; 2]> {
        let Bonds { pairs, crowded } = Bonds::of(self.molecule);
        for index in crowded {
            let atom = &self.molecule.atoms[index as usize];
            let path = self.path(atom, &atom.name);
            self.crowded.add(|| path.to_string());
        }
        pairs
    }

    /// Adds the half of a bond that belongs to the first of two atoms.
    fn half_bond(&mut self, kind: &str, ends: [DVec3; 2], radius: f64, [own, other]: [&Atom; 2]) {
        let name = self.path(own, &self.bond_name(own, other));
        let color = self.colors.of_atom(self.molecule, own);
        self.add(kind, &segment(ends, radius), name, color);
    }

    /// The path of a name in an atom's residue.
    fn path(&self, atom: &Atom, name: &str) -> Name {
        match &self.paths[atom.residue as usize] {
            Some(residue) => residue.child(name),
            None => Name::from(name),
        }
    }

    /// The name of an atom's bond with another, such as `CA-CB`, `C-GLY49.N` or `SG-B.CYS7.SG`,
    /// with only the part of the other's path that distinguishes it.
    fn bond_name(&self, own: &Atom, other: &Atom) -> String {
        let [own_residue, residue] = [own, other].map(|atom| self.molecule.residue_of(atom));
        let chain = if own_residue.chain == residue.chain { "" } else { &*residue.chain };
        let label = if own_residue == residue { String::new() } else { residue.label() };
        let names = [chain, &label, &other.name];
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        format!("{}-{}", own.name, names.join("."))
    }

    /// Adds a shape whose last fields have their defaults.
    fn add(&mut self, kind: &str, row: &[f64], name: Name, color: [f32; 3]) {
        let geometry = closed_form(kind, row).unwrap_or_else(|reason| {
            self.invalid.add(|| format!("{name} ({reason})"));
            Geometry::Empty
        });
        let index = self.shapes.len() as u32;
        self.shapes.push(GraphShape {
            name: Some(name),
            appearance: color.into(),
            ..GraphShape::new(0, index, geometry)
        });
    }
}

/// The first fields of a shape along a line between two ends.
fn segment([start, end]: [DVec3; 2], radius: f64) -> [f64; 7] {
    [start.x, start.y, start.z, end.x, end.y, end.z, radius]
}
