//! Distances, angles and torsions between the middles of shapes and atoms.

use crate::failure::Failure;
use crate::shape_names::{chosen, listed};
use crate::summary::{AngleSummary, DistanceSummary, NamedGeometry, TorsionSummary};
use raytwin::geometry::Geometry;
use raytwin::glam::DVec3;
use raytwin::scene::{Scene, ends_in};
use raytwin::shapes::{Shape, Sphere};
use raytwin_formats::NamedAtom;
use std::collections::HashMap;

/// The items to measure between: the shapes of a scene, and the atoms of a molecule file, whether
/// they are drawn or not.
pub(super) struct Measurable<'a> {
    scene: &'a Scene,
    atoms: &'a [NamedAtom],
    by_path: HashMap<&'a str, &'a NamedAtom>,
}

/// A shape or an atom that a text names.
struct MeasuredItem {
    name: NamedGeometry,
    middle: DVec3,
    /// The radius, if it is a sphere that is drawn.
    radius: Option<f64>,
}

impl<'a> Measurable<'a> {
    pub fn new(scene: &'a Scene, atoms: &'a [NamedAtom]) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        atoms.iter().for_each(|atom| *counts.entry(&atom.path).or_default() += 1);
        let alone = atoms.iter().filter(|atom| counts[&*atom.path] == 1);
        Self { scene, atoms, by_path: alone.map(|atom| (&*atom.path, atom)).collect() }
    }

    /// Measures from one shape to another, each given by its path or id.
    pub fn distance(&self, [a, b]: [&str; 2]) -> Result<DistanceSummary, Failure> {
        let [from, to] = [self.found("--distance", a)?, self.found("--distance", b)?];
        let distance = from.middle.distance(to.middle);
        Ok(DistanceSummary {
            a: from.name,
            b: to.name,
            distance,
            gap: from.radius.zip(to.radius).map(|(near, far)| distance - near - far),
        })
    }

    /// Measures the angle at the second of three shapes.
    pub fn angle(&self, texts: [&str; 3]) -> Result<AngleSummary, Failure> {
        let [a, b, c] = self.all_found("--angle", texts)?;
        let [to_a, to_c] = [a.middle - b.middle, c.middle - b.middle];
        if to_a == DVec3::ZERO || to_c == DVec3::ZERO {
            return Err(at_one_place("--angle", texts));
        }
        let angle_degrees = to_a.cross(to_c).length().atan2(to_a.dot(to_c)).to_degrees();
        Ok(AngleSummary { a: a.name, b: b.name, c: c.name, angle_degrees })
    }

    /// Measures the torsion of four shapes about the line from the second to the third: positive if
    /// the last is turned clockwise from the first, seen along it (IUPAC 1974).
    pub fn torsion(&self, texts: [&str; 4]) -> Result<TorsionSummary, Failure> {
        let [a, b, c, d] = self.all_found("--torsion", texts)?;
        let steps = [b.middle - a.middle, c.middle - b.middle, d.middle - c.middle];
        let [first, second] = [steps[0].cross(steps[1]), steps[1].cross(steps[2])];
        if first == DVec3::ZERO || second == DVec3::ZERO {
            return Err(at_one_place("--torsion", texts));
        }
        let across = steps[1].length() * steps[0].dot(second);
        let torsion_degrees = across.atan2(first.dot(second)).to_degrees();
        Ok(TorsionSummary { a: a.name, b: b.name, c: c.name, d: d.name, torsion_degrees })
    }

    fn all_found<const N: usize>(
        &self,
        flag: &str,
        texts: [&str; N],
    ) -> Result<[MeasuredItem; N], Failure> {
        let found: Vec<MeasuredItem> =
            texts.iter().map(|text| self.found(flag, text)).collect::<Result<_, _>>()?;
        found.try_into().map_err(|_| Failure::usage(format!("{flag} needs {N} shapes")))
    }

    /// Returns the atom that a text names by its path or the end of it, or else the shape.
    fn found(&self, flag: &str, text: &str) -> Result<MeasuredItem, Failure> {
        let refuse = |reason: String| Failure::input(format!("{flag} {text}: {reason}"));
        let by_end = || {
            let atoms = self.atoms.iter();
            atoms.filter(|atom| ends_in(&atom.path, text)).collect::<Vec<_>>()
        };
        let geometry_id = match self.by_path.get(text) {
            Some(atom) => return Ok(self.atom(atom)),
            None => match shape(self.scene, text) {
                Ok(id) => id,
                Err(reason) => match by_end()[..] {
                    [] => return Err(refuse(reason)),
                    [atom] => return Ok(self.atom(atom)),
                    ref atoms => {
                        let paths = atoms.iter().map(|atom| atom.path.clone());
                        let reason = format!("names several atoms: give one of {}", listed(paths));
                        return Err(refuse(reason));
                    }
                },
            },
        };
        let path = self.scene.path(geometry_id);
        if let Some(atom) = self.by_path.get(&*path) {
            return Ok(self.atom(atom));
        }
        let (middle, radius) =
            middle(self.scene, geometry_id).ok_or_else(|| refuse(NO_MIDDLE.to_owned()))?;
        let name = NamedGeometry { geometry_id: Some(geometry_id), path };
        Ok(MeasuredItem { name, middle: middle + self.scene.origin(), radius })
    }

    /// Returns an atom at its position in the file, with the sphere that is drawn for it.
    fn atom(&self, atom: &NamedAtom) -> MeasuredItem {
        let drawn = self.scene.select_ranges(&atom.path).into_iter().flatten();
        let geometry_id = drawn.take(2).find(|&id| self.scene.path(id) == atom.path);
        let radius = geometry_id.and_then(|id| middle(self.scene, id)?.1);
        let name = NamedGeometry { geometry_id, path: atom.path.clone() };
        MeasuredItem { name, middle: atom.position, radius }
    }
}

const NO_MIDDLE: &str = "has no middle: give a shape with an extent";

fn at_one_place<const N: usize>(flag: &str, texts: [&str; N]) -> Failure {
    let texts = texts.join(" ");
    Failure::input(format!(
        "{flag} {texts}: is not defined if neighbours are at the same place or three are on a line"
    ))
}

/// Returns the id of the one shape that a text names: by its id, by its whole path, or by a path, a
/// pattern or the end of a path that chooses no other shape. If there is none, returns the reason.
fn shape(scene: &Scene, text: &str) -> Result<u32, String> {
    let ids: Vec<u32> = chosen(scene, text)?.into_iter().flatten().take(100_000).collect();
    if let [id] = ids[..] {
        return Ok(id);
    }
    let whole: Vec<u32> = ids.iter().copied().filter(|&id| scene.path(id) == text).collect();
    match &whole[..] {
        [id] => Ok(*id),
        [] => {
            let paths = ids.iter().map(|&id| scene.path(id));
            Err(format!("names several shapes: give one of {}", listed(paths)))
        }
        same => Err(format!(
            "is the path of several shapes: give the id of one of {}",
            listed(same.iter().map(u32::to_string))
        )),
    }
}

/// Returns the middle of a shape in the world, and its radius if it is a sphere; `None` for a shape
/// without an extent.
fn middle(scene: &Scene, id: u32) -> Option<(DVec3, Option<f64>)> {
    let geometry = scene.geometry(id);
    let own = match geometry {
        Some(Geometry::Shape(shape)) if shape.bounds().is_some() => Some(shape.center()),
        Some(geometry) => {
            geometry.bounds().map(|bounds| bounds.center()).filter(|middle| middle.is_finite())
        }
        None => None,
    };
    let own = own?;
    let radius = match geometry {
        Some(Geometry::Shape(Shape::Sphere(Sphere { radius, .. }))) => Some(*radius),
        _ => None,
    };
    Some(match scene.placement(id) {
        None => (own, radius),
        Some(placement) => {
            let grown = radius.filter(|_| placement.keeps_angles());
            let [_, stretch] = placement.stretches();
            (placement.world_from_object().point(own), grown.map(|radius| stretch * radius))
        }
    })
}
