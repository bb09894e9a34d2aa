use super::*;
use crate::import::{MoleculeStyle, load};
use crate::scene::Scene;
use glam::DVec3;

/// A residue of four atoms, of which the last is hydrogen, and water with an insertion code.
const ALANINE: &str = "\
ATOM      1  N   ALA A  48       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA  ALA A  48       1.460   0.000   0.000  1.00  0.00           C
ATOM      3  CB AALA A  48       2.000   1.400   0.000  0.40  0.00           C
ATOM      4  CB BALA A  48       2.000  -1.400   0.000  0.60  0.00           C
ATOM      5  H   ALA A  48      -0.500   0.800   0.000  1.00  0.00           H
HETATM    6  O   HOH A 101C      9.000   9.000   9.000  1.00  0.00           O
END
";

fn load_text(name: &str, text: &str, options: &Options) -> Result<Imported, FileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    load(path, options)
}

fn read_text(name: &str, text: &str, options: &Options) -> Imported {
    load_text(name, text, options).unwrap()
}

fn styled(style: MoleculeStyle) -> Options {
    Options { style, ..Options::default() }
}

fn space_filling() -> Options {
    styled(MoleculeStyle::SpaceFilling)
}

fn paths(scene: &Scene) -> Vec<String> {
    (0..scene.geometry_count()).map(|id| scene.path(id)).collect()
}

/// The names, numbers and colours of all shapes, and the cameras.
fn told(imported: &Imported) -> String {
    let scene = &imported.scene;
    let shapes = scene
        .written_out()
        .map(|(id, shape, _)| format!("{} {shape:?} {:?}\n", scene.path(id), scene.color(id)));
    format!("{}{:?}", shapes.collect::<String>(), scene.cameras)
}

fn refusal(name: &str, text: &str, options: &Options) -> String {
    load_text(name, text, options).unwrap_err().to_string()
}

/// A file with one atom a line, given by its name, residue, chain and number, and its point.
fn atoms(lines: &[(&str, &str, [f64; 3])]) -> String {
    let line = |(index, (name, residue, [x, y, z])): (usize, &(&str, &str, [f64; 3]))| {
        format!("ATOM  {:>5} {name} {residue}    {x:8.3}{y:8.3}{z:8.3}\n", index + 1)
    };
    lines.iter().enumerate().map(line).collect()
}

#[test]
fn an_atom_is_a_sphere_named_by_chain_residue_and_atom() {
    let Imported { scene, warnings, .. } = read_text("a.pdb", ALANINE, &space_filling());
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(
        paths(&scene),
        ["A/ALA48/N", "A/ALA48/CA", "A/ALA48/CB", "A/ALA48/H", "A/HOH101C/O"]
    );
    let shapes: Vec<String> = scene.geometries().iter().map(|shape| format!("{shape:?}")).collect();
    // The second place of CB has the larger occupancy.
    assert!(shapes[2].contains("-1.4") && shapes[2].contains("1.7"), "{}", shapes[2]);
    assert!(shapes[0].contains("1.55"), "{}", shapes[0]);
    assert!(scene.color(0).unwrap()[2] > 0.9 && scene.color(4).unwrap()[0] > 0.9);
}

#[test]
fn options_choose_alternates_and_leave_out_hydrogens_and_water() {
    let options = Options { alternate: Some('A'), ..space_filling() };
    let scene = read_text("a.ent", ALANINE, &options).scene;
    assert!(format!("{:?}", scene.geometries()[2]).contains("1.4"));
    assert!(!format!("{:?}", scene.geometries()[2]).contains("-1.4"));
    let options = Options { without_hydrogens: true, without_water: true, ..space_filling() };
    let scene = read_text("a.pdb", ALANINE, &options).scene;
    assert_eq!(paths(&scene), ["A/ALA48/N", "A/ALA48/CA", "A/ALA48/CB"]);
    let options = Options { alternate: Some('C'), ..space_filling() };
    let message = refusal("a.pdb", ALANINE, &options);
    assert!(message.contains("no alternate location C: it has A, B"), "{message}");
}

#[test]
fn balls_and_sticks_meet_at_the_rims_of_the_sticks() {
    let carbon_monoxide = "2\n\nC 0 0 0\nO 0 0 1.2\n";
    let scene = read_text("a.xyz", carbon_monoxide, &Options::default()).scene;
    assert_eq!(paths(&scene), ["C1", "O2", "C1-O2", "O2-C1"]);
    // Balls of radii 0.425 and 0.38 hide the stick of radius 0.15 up to these depths.
    let start = (0.425_f64 * 0.425 - 0.0225).sqrt();
    let end = 1.2 - (0.38_f64 * 0.38 - 0.0225).sqrt();
    for (id, height, kept) in [(2, start, 1.0), (3, end, -1.0)] {
        let ray = |x: f32, z: f64| {
            let origin = [x, 5.0, z as f32];
            crate::Ray::new(origin.into(), [0.0, -1.0, 0.0].into())
        };
        let tracer = crate::cpu::CpuTracer::new(&scene);
        let hits =
            tracer.closest(&[ray(0.0, height + 0.01 * kept), ray(0.16, height + 0.01 * kept)]);
        assert_eq!(hits.geometry_ids[0], id);
    }
}
