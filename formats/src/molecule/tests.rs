use super::*;
use crate::{ImportedScene, MoleculeColors, MoleculeStyle, load};
use glam::DVec3;
use raytwin::scene::Scene;

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

fn load_text(name: &str, text: &str, options: &Options) -> Result<ImportedScene, FileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    load(path, options)
}

fn read_text(name: &str, text: &str, options: &Options) -> ImportedScene {
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
fn messages(imported: &ImportedScene) -> String {
    let scene = &imported.scene;
    let shapes = scene.written_out().map(|(id, shape, _)| {
        format!("{} {shape:?} {:?}\n", scene.path(id), scene.appearance(id).color)
    });
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

/// The numbers of each shape, which are float32.
fn rows(scene: &Scene) -> Vec<Vec<f64>> {
    scene.geometries().iter().map(|geometry| geometry.shape(0).unwrap().row()).collect()
}

fn rounded<const N: usize>(numbers: [f64; N]) -> [f64; N] {
    numbers.map(|number| f64::from(number as f32))
}

#[test]
fn an_atom_is_a_sphere_named_by_chain_residue_and_atom() {
    let ImportedScene { scene, warnings, .. } = read_text("a.pdb", ALANINE, &space_filling());
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(
        paths(&scene),
        ["A/ALA48/N", "A/ALA48/CA", "A/ALA48/CB", "A/ALA48/H", "A/HOH101C/O"]
    );
    let rows = rows(&scene);
    assert_eq!(rows[0], rounded([0.0, 0.0, 0.0, 1.55]));
    // The second place of CB has the larger occupancy.
    assert_eq!(rows[2], rounded([2.0, -1.4, 0.0, 1.7]));
    assert_eq!(rows[4], rounded([9.0, 9.0, 9.0, 1.52]));
    let [nitrogen, oxygen] = [0, 4].map(|id| scene.appearance(id).color.unwrap());
    assert!(nitrogen[2] > 0.9 && oxygen[0] > 0.9, "nitrogen is blue, and oxygen red");
}

#[test]
fn options_choose_alternates_and_leave_out_hydrogens_and_water() {
    let options = Options { alternate: Some('A'), ..space_filling() };
    assert_eq!(rows(&read_text("a.ent", ALANINE, &options).scene)[2][1], rounded([1.4])[0]);
    let options = Options { without_hydrogens: true, without_water: true, ..space_filling() };
    let scene = read_text("a.pdb", ALANINE, &options).scene;
    assert_eq!(paths(&scene), ["A/ALA48/N", "A/ALA48/CA", "A/ALA48/CB"]);
    let options = Options { alternate: Some('C'), ..space_filling() };
    let message = refusal("a.pdb", ALANINE, &options);
    assert!(message.contains("no alternate location C: it has A, B"), "{message}");
}

#[test]
fn an_mmcif_file_of_the_same_atoms_is_the_same_scene() {
    let alanine_cif = "\
data_alanine
# A comment, and a text of several lines that nothing asks for.
_struct.title
;A title
loop_ data_
;
_struct.pdbx_descriptor 'it''s \"quoted\"'
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_seq_id
_atom_site.pdbx_PDB_ins_code
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
_atom_site.occupancy
_atom_site.auth_seq_id
_atom_site.auth_asym_id
_atom_site.pdbx_PDB_model_num
ATOM 1 N N . ALA X 1 ? 0.000 0.000 0.000 1.00 48 A 1
ATOM 2 C CA . ALA X 1 ? 1.460 0.000 0.000 1.00 48 A 1
ATOM 3 C 'CB' A ALA X 1 ? 2.000 1.400 0.000(5) 0.40 48 A 1
ATOM 4 C \"CB\" B ALA X 1 ? 2.000 -1.400 0.000 0.60 48 A 1
ATOM 5 H H . ALA X 1 ? -0.500 0.800 0.000 1.00 48 A 1
HETATM 6 O O . HOH Y . C 9.000 9.000 9.000 1.00 101 A 1
";
    for style in [MoleculeStyle::SpaceFilling, MoleculeStyle::BallAndStick, MoleculeStyle::Sticks] {
        let pdb = read_text("a.pdb", ALANINE, &styled(style));
        let cif = read_text("a.cif", alanine_cif, &styled(style));
        assert_eq!(messages(&pdb), messages(&cif));
    }
}

#[test]
fn colours_show_chains_and_b_factors() {
    let atom = |serial: u32, chain: &str, b_factor: &str| {
        format!(
            "ATOM  {serial:>5}  CA  ALA {chain}{serial:>4}    {:>8.3}{:>8.3}{:>8.3}  1.00{b_factor:>6}           C\n",
            4.0 * f64::from(serial),
            0.0,
            0.0
        )
    };
    let text =
        [atom(1, "A", "10.00"), atom(2, "A", "20.00"), atom(3, "B", "30.00"), atom(4, "B", "")]
            .concat();
    let colors = |colors| {
        let options = Options { colors, ..space_filling() };
        let scene = read_text("a.pdb", &text, &options).scene;
        [0, 1, 2, 3].map(|id| scene.appearance(id).color.unwrap())
    };
    let [a, b, c, d] = colors(Some(MoleculeColors::Chain));
    assert!(a == b && c == d && b != c);
    let [low, middle, high, none] = colors(Some(MoleculeColors::BFactor));
    assert!(low[2] > low[0] && high[0] > high[2], "{low:?} {high:?}");
    assert!((middle[0] - middle[2]).abs() < 0.1 && middle[1] > 0.8, "{middle:?}");
    assert!(none[0] == none[1] && none[1] == none[2]);
    assert_eq!(colors(None), colors(Some(MoleculeColors::Element)));
}

#[test]
fn balls_and_sticks_meet_at_the_rims_of_the_sticks() {
    let scene = read_text("a.xyz", "2\n\nC 0 0 0\nO 0 0 1.2\n", &Options::default()).scene;
    // A molecule stands on nothing.
    assert!(scene.floats);
    assert_eq!(paths(&scene), ["C1", "O2", "C1-O2", "O2-C1"]);
    // Balls of radii 0.425 and 0.38 hide the stick of radius 0.15 up to these depths; its halves
    // meet midway between.
    let start = (0.425_f64 * 0.425 - 0.0225).sqrt();
    let end = 1.2 - (0.38_f64 * 0.38 - 0.0225).sqrt();
    let middle = 0.5 * (start + end);
    let rows = rows(&scene);
    for (row, from) in [(&rows[2], start), (&rows[3], end)] {
        for (number, wanted) in row.iter().zip([0.0, 0.0, from, 0.0, 0.0, middle, 0.15]) {
            assert!((number - wanted).abs() < 1e-6, "{row:?}");
        }
    }
}

#[test]
fn sticks_join_atoms_and_lone_atoms_are_spheres() {
    let text = "3\n\nC 0 0 0\nO 0 0 1.2\nAr 9 0 0\n";
    let scene = read_text("a.xyz", text, &styled(MoleculeStyle::Sticks)).scene;
    assert_eq!(paths(&scene), ["Ar3", "C1-O2", "O2-C1"]);
    assert_eq!(rows(&scene)[1], rounded([0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.2]));
}

#[test]
fn ethanol_has_eight_bonds_and_benzene_twelve() {
    let ethanol = "9\nethanol\nC 0.0072 -0.5687 0\nC -1.2854 0.2499 0\nO 1.1304 0.3147 0\n\
        H 0.0392 -1.1972 0.89\nH 0.0392 -1.1972 -0.89\nH -1.3175 0.8784 0.89\nH -1.3175 0.8784 -0.89\n\
        H -2.1422 -0.4239 0\nH 1.9857 -0.1365 0\n";
    let scene = read_text("a.xyz", ethanol, &Options::default()).scene;
    assert_eq!(scene.geometry_count(), 9 + 2 * 8);
    let corner = |radius: f64, index: i32| {
        let angle = std::f64::consts::FRAC_PI_3 * f64::from(index);
        format!("{} {} 0", radius * libm::cos(angle), radius * libm::sin(angle))
    };
    // The symbols are atomic numbers here.
    let carbons = (0..6).map(|index| format!("6 {}\n", corner(1.39, index)));
    let hydrogens = (0..6).map(|index| format!("1 {}\n", corner(2.48, index)));
    let benzene = format!("12\n\n{}", carbons.chain(hydrogens).collect::<String>());
    let scene = read_text("a.xyz", &benzene, &Options::default()).scene;
    assert_eq!(scene.geometry_count(), 12 + 2 * 12);
    assert_eq!(scene.path(0), "C1");
    // The camera looks along the axis of the flat molecule.
    let camera = &scene.cameras[0];
    assert_eq!(camera.name, "molecule");
    assert!(camera.forward.z.abs() > 0.999_999, "{}", camera.forward);
}

#[test]
fn records_make_bonds_between_far_atoms_and_with_metals() {
    let far = "\
HETATM    1 ZN    ZN A   1       0.000   0.000   0.000  1.00  0.00          ZN
HETATM    2  O   HOH B   2       2.000   0.000   0.000  1.00  0.00           O
HETATM    3  C1  LIG C   3       9.000   0.000   0.000  1.00  0.00           C
HETATM    4  C2  LIG C   3      19.000   0.000   0.000  1.00  0.00           C
HETATM    5  C3  LIG C   3      19.000   1.500   0.000  1.00  0.00           C
";
    let bonds_of = |text: &str, name: &str| {
        let paths = paths(&read_text(name, text, &Options::default()).scene);
        paths.into_iter().skip(5).collect::<Vec<_>>()
    };
    let near = ["C/LIG3/C2-C3", "C/LIG3/C3-C2"];
    assert_eq!(bonds_of(far, "a.pdb"), near);
    let connected = format!("{far}CONECT    1    2\nCONECT    2    1\nCONECT    3    4\n");
    let metal = ["A/ZN1/ZN-B.HOH2.O", "B/HOH2/O-A.ZN1.ZN"];
    let long = ["C/LIG3/C1-C2", "C/LIG3/C2-C1"];
    assert_eq!(bonds_of(&connected, "a.pdb"), [&metal[..], &long, &near].concat());
    let described = format!("{connected}CONECT    3    5\n");
    let described_bonds = ["C/LIG3/C1-C3", "C/LIG3/C3-C1"];
    assert_eq!(
        bonds_of(&described, "a.pdb"),
        [&metal[..], &long, &described_bonds].concat(),
        "records that tell of each atom of a residue tell all of its bonds"
    );
    let link = format!(
        "{far}LINK        ZN    ZN A   1                 O   HOH B   2     1555   1555  2.00\n\
         LINK        ZN    ZN A   1                 C1  LIG C   3     1555   2555  2.00\n"
    );
    assert_eq!(bonds_of(&link, "a.pdb"), [&metal[..], &near].concat());
    let broken = read_text("a.pdb", &format!("{far}CONECT    1   77\n"), &Options::default());
    assert!(broken.warnings[0].to_string().contains("1-77"), "{:?}", broken.warnings);

    let cif = "\
data_far
loop_
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
ZN ZN ZN A 1 0 0 0
O O HOH B 2 2 0 0
C C1 LIG C 3 9 0 0
C C2 LIG C 3 19 0 0
C C3 LIG C 3 19 1.5 0
loop_
_struct_conn.conn_type_id
_struct_conn.ptnr1_label_asym_id
_struct_conn.ptnr1_auth_seq_id
_struct_conn.ptnr1_label_atom_id
_struct_conn.ptnr2_label_asym_id
_struct_conn.ptnr2_auth_seq_id
_struct_conn.ptnr2_label_atom_id
_struct_conn.ptnr2_symmetry
metalc A 1 ZN B 2 O ?
hydrog A 1 ZN C 3 C1 ?
covale C 3 C1 C 3 C2 ?
covale B 2 O C 3 C2 2_555
";
    assert_eq!(bonds_of(cif, "a.cif"), [&metal[..], &long, &near].concat());
    let pdb = read_text("a.pdb", &connected, &Options::default());
    assert_eq!(messages(&pdb), messages(&read_text("a.cif", cif, &Options::default())));
}

#[test]
fn a_trace_joins_alpha_carbons_and_breaks_at_gaps_and_chains() {
    let text = atoms(&[
        (" CA  GLY", "A   1", [0.0, 0.0, 0.0]),
        (" C   GLY", "A   1", [1.5, 0.0, 0.0]),
        (" CA  ALA", "A   2", [3.8, 0.0, 0.0]),
        (" CA  SER", "A   3", [9.0, 0.0, 0.0]),
        (" CA  SER", "B   4", [12.8, 0.0, 0.0]),
        ("CA    CA", "B   5", [16.0, 0.0, 0.0]),
        (" P    DA", "C   1", [0.0, 50.0, 0.0]),
        (" C4'  DA", "C   1", [1.0, 50.0, 0.0]),
        (" P    DT", "C   2", [6.5, 50.0, 0.0]),
        (" C4'  DT", "C   2", [7.0, 50.0, 0.0]),
    ]);
    let scene = read_text("a.pdb", &text, &styled(MoleculeStyle::Trace)).scene;
    assert_eq!(paths(&scene), ["A/GLY1/CA-ALA2.CA", "C/DA1/P-DT2.P"]);
    assert_eq!(rows(&scene)[0], rounded([0.0, 0.0, 0.0, 3.8, 0.0, 0.0, 0.3]));
    assert_ne!(scene.appearance(0).color, scene.appearance(1).color);
    let message = refusal("a.xyz", "1\n\nC 0 0 0\n", &styled(MoleculeStyle::Trace));
    assert!(message.contains("choose another style"), "{message}");
}

#[test]
fn a_model_is_chosen_by_its_number() {
    let model = |number: &str, x: f64| {
        let atom = atoms(&[(" CA  GLY", "A   1", [x, 0.0, 0.0])]);
        format!("MODEL     {number:>4}\n{atom}ENDMDL\n")
    };
    let text = [model("3", 1.0), model("7", 2.0), model("7", 3.0)].concat();
    let x_of = |name: &str, text: &str, model| {
        let options = Options { model, ..space_filling() };
        load_text(name, text, &options).map(|imported| rows(&imported.scene)[0][0])
    };
    assert_eq!(x_of("a.pdb", &text, None).unwrap(), 1.0);
    assert_eq!(x_of("a.pdb", &text, Some(7)).unwrap(), 2.0, "the first of a number counts");
    let message = x_of("a.pdb", &text, Some(4)).unwrap_err().to_string();
    assert!(message.contains("its 3 models have the numbers 3 to 7"), "{message}");
    // Frames of a trajectory that only END parts.
    let frame = |x: f64| atoms(&[(" CA  GLY", "A   1", [x, 0.0, 0.0])]) + "END\n";
    assert_eq!(x_of("a.pdb", &(frame(1.0) + &frame(2.0)), Some(2)).unwrap(), 2.0);
    let frames = "1\nfirst\nC 1 0 0\n\n1\nsecond\nC 2 0 0\n";
    assert_eq!(x_of("a.xyz", frames, Some(2)).unwrap(), 2.0);
    let message = x_of("a.xyz", frames, Some(3)).unwrap_err().to_string();
    assert!(message.contains("have the numbers 1 to 2"), "{message}");
    let cif = "data_\nloop_ _atom_site.pdbx_PDB_model_num _atom_site.label_atom_id\n\
        _atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z\n1 C 1 0 0 2 C 2 0 0\n";
    assert_eq!(x_of("a.mmcif", cif, None).unwrap(), 1.0);
    assert_eq!(x_of("a.mmcif", cif, Some(2)).unwrap(), 2.0);
}

#[test]
fn elements_follow_from_names_where_their_columns_are_blank() {
    let radius_of = |name: &str, residue: &str| {
        let text = format!("HETATM    1 {name} {residue} A   1       1.000   2.000   3.000\n");
        rows(&read_text("a.pdb", &text, &space_filling()).scene)[0][3]
    };
    for (name, residue, radius) in [
        (" CA ", "ALA", 1.70),
        ("CA  ", "ALA", 1.70),
        ("CA  ", " CA", 2.31),
        (" NA ", " NA", 2.27),
        ("CL1 ", "LIG", 1.75),
        (" CL1", "LIG", 1.70),
        ("HG11", "VAL", 1.20),
        ("HE21", "LIG", 1.20),
        ("1HB ", "ALA", 1.20),
        ("SE  ", "MSE", 1.90),
        ("SOD ", "SOD", 2.27),
        (" OW ", "SOL", 1.52),
        (" ?? ", "LIG", 1.70),
    ] {
        assert_eq!(radius_of(name, residue), rounded([radius])[0], "{name} of {residue}");
    }
}

#[test]
fn numbers_beyond_their_columns_are_read() {
    let text = "\
ATOM  A0000  CA  GLY AA000       1.000   0.000   0.000
ATOM 100001  CB  GLY A10000      2.000   0.000   0.000
HETATMA0002  O   TIP3W   1       9.000   0.000   0.000                  SEG2
HETATMA0003  CB  LIG     2      19.000   0.000   0.000                  SEG1
CONECTA0002A0003
";
    let ImportedScene { scene, warnings, .. } = read_text("a.pdb", text, &Options::default());
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(
        paths(&scene)[..6],
        [
            "A/GLY10000/CA",
            "A/GLY10000/CB",
            "W/TIP31/O",
            "SEG1/LIG2/CB",
            "A/GLY10000/CA-CB",
            "A/GLY10000/CB-CA",
        ]
    );
    assert_eq!(scene.path(6), "W/TIP31/O-SEG1.LIG2.CB");
}

#[test]
fn a_small_molecule_lies_in_the_cell_of_its_crystal() {
    let cif = |fractions: &str, angle: &str| {
        format!(
            "data_a\n_cell_length_a 10.0(2)\n_cell_length_b 20\n_cell_length_c 30\n_cell_angle_alpha {angle}\n\
             _cell_angle_beta 90\n_cell_angle_gamma 60\nloop_\n_atom_site_label\n_atom_site_type_symbol\n\
             _atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n{fractions}\n\
             loop_\n_atom_site_aniso_label\n_atom_site_aniso_U_11\nO1 0.1\n"
        )
    };
    let scene = read_text("a.cif", &cif("O1 O2- 0.5(1) 0.25 0.1", "90"), &space_filling()).scene;
    assert_eq!(paths(&scene), ["O1"]);
    // 5 along x, 5 along a direction of 60 degrees from it, and 3 along z.
    let wanted = [7.5, 5.0 * 0.75_f64.sqrt(), 3.0, 1.52];
    for (number, wanted) in rows(&scene)[0].iter().zip(wanted) {
        assert!((number - wanted).abs() < 1e-6, "{:?}", rows(&scene)[0]);
    }
    let message = refusal("a.cif", &cif("O1 O 0 0 0", "0"), &space_filling());
    assert!(message.contains("_cell") && message.contains("three angles"), "{message}");
}

#[test]
fn an_extended_xyz_file_names_its_columns() {
    let text = "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=id:I:1:pos:R:3:species:S:1 pbc=\"T T T\"\n\
        7 1 2 3 Fe\n8 4 5 6D0 X\n";
    let scene = read_text("a.xyz", text, &space_filling()).scene;
    assert_eq!(paths(&scene), ["Fe1", "X2"]);
    assert_eq!(rows(&scene), [rounded([1.0, 2.0, 3.0, 2.44]), rounded([4.0, 5.0, 6.0, 1.7])]);
}

#[test]
fn text_of_another_kind_is_refused_with_its_place() {
    for (name, text, wanted) in [
        ("a.pdb", "REMARK nothing\n", "it has no ATOM or HETATM record"),
        ("a.xyz", "0\n\n", "a.xyz: the chosen model has no atoms"),
        ("a.xyz", "many\n\nC 0 0 0\n", "a.xyz:1:1: 'many' must be the number of atoms"),
        ("a.xyz", "9999999999999\n\nC 0 0 0\n", "a.xyz:1:1: declares 9999999999999 atoms"),
        ("a.xyz", "1\n\nC 0 0\n", "a.xyz:3:1: 'C 0 0' must be an element"),
        ("a.cif", "ATOM 1\n", "a.cif:1:1: a CIF file must begin with data_"),
        ("a.cif", "data_a\n_b 'c\n", "a.cif:2:4: a text in quotes has no end"),
        ("a.cif", "data_a\n_b\n;c\n", "a.cif:3:1: a text that begins with ';'"),
        ("a.cif", "data_a\nloop_ _b _c 1\n", "has 2 names and 1 values"),
        ("a.cif", "data_a\n_b _c 1\n", "_b has no value"),
        ("a.cif", "data_a\n_b 1 2\n", "'2', has no name"),
        ("a.cif", "data_a\n_b 1\n", "has no atoms"),
    ] {
        let message = refusal(name, text, &Options::default());
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn atoms_that_are_nowhere_are_counted_and_left_out() {
    let text = ALANINE
        .replace("   1.460", "     nan")
        .replace("   9.000   9.000   9.000", "   9.000           9.000");
    let ImportedScene { scene, warnings, .. } = read_text("a.pdb", &text, &space_filling());
    assert_eq!(scene.geometry_count(), 3);
    assert_eq!(
        warnings[0].to_string(),
        "2 atoms have coordinates that cannot be read: line 2, line 6"
    );
}

#[test]
fn a_crowd_of_atoms_takes_no_quadratic_time() {
    let line = |index: usize| format!("C {}e-3 0 0\n", index % 700);
    let crowd: String = (0..10_000).map(line).collect();
    let text = format!("10000\n\n{crowd}");
    let ImportedScene { scene, warnings, .. } = read_text("a.xyz", &text, &Options::default());
    assert_eq!(scene.geometry_count(), 10_000);
    assert_eq!(warnings[0].count, 10_000, "{}", warnings[0]);
}

#[test]
fn the_camera_sees_every_atom() {
    let text = "4\n\nC 100 0 0\nC 112 0 0\nC 106 7 0\nH 100 3 2\n";
    let scene = read_text("a.xyz", text, &space_filling()).scene;
    let camera = &scene.cameras[0];
    let slope = libm::tan(20.0_f64.to_radians());
    for row in rows(&scene) {
        let offset = DVec3::from_slice(&row) - camera.eye;
        let depth = offset.dot(camera.forward);
        // The distances from the center to the planes through the eye and the edges of an image of
        // the default size.
        for (axis, slope) in [(camera.right, slope * 640.0 / 480.0), (camera.up, slope)] {
            let to_edge = (slope * depth - offset.dot(axis).abs()) / (1.0 + slope * slope).sqrt();
            assert!(to_edge >= row[3], "{row:?}");
        }
    }
    assert!(camera.right.x > 0.9 && camera.forward.z.abs() > 0.9, "{camera:?}");
}

#[test]
fn the_first_atom_behind_a_byte_order_mark_is_read() {
    let marked = read_text("m.pdb", &format!("\u{feff}{ALANINE}"), &space_filling());
    assert_eq!(messages(&marked), messages(&read_text("m.pdb", ALANINE, &space_filling())));
}

#[test]
fn a_molecule_is_read_in_every_encoding_with_padding_and_with_old_line_ends() {
    let xyz = "1\ncafe\nO 1 2 3\n";
    let pdb = "REMARK   1 CAFE\n\
        ATOM      1  CA  ALA A   1      11.104   6.134  -6.504  1.00  0.00           C  \nEND\n";
    let cif = "data_x\n# cafe\nloop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\n\
        _atom_site.Cartn_y\n_atom_site.Cartn_z\nC 1 2 3\n";
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        messages(&load(path, &Options::default()).unwrap())
    };
    for (name, text) in [("a.xyz", xyz), ("a.pdb", pdb), ("a.cif", cif)] {
        let plain = read(name, text.as_bytes());
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(name, &[b"\xff\xfe", &wide[..]].concat()), plain, "{name}");
        assert_eq!(read(name, text.replace('\n', "\r").as_bytes()), plain, "{name}");
        assert_eq!(read(name, &[text.as_bytes(), b"\0\0\0"].concat()), plain, "{name}");
        let latin: Vec<u8> = text.bytes().collect();
        let at = text.to_lowercase().find("cafe").unwrap() + 3;
        let latin = [&latin[..at], b"\xe9", &latin[at + 1..]].concat();
        assert_eq!(read(name, &latin), plain, "{name}");
    }
}

#[test]
fn ghost_atoms_are_of_no_element() {
    let scene = read_text("a.xyz", "3\n\nBq 0 0 0\nbq2 9 0 0\nB 0 9 0\n", &space_filling()).scene;
    assert_eq!(paths(&scene), ["X1", "X2", "B3"]);
}

#[test]
fn atoms_of_a_pdb_that_begin_after_blanks_are_named() {
    let atom = |serial: u32, x: u32| {
        format!(
            "ATOM  {serial:>5}  N   ALA A   1    {x:>8}       0       0  1.00  0.00           N\n"
        )
    };
    let text = format!("{}  {} REMARK ATOM\n", atom(1, 1), atom(2, 9));
    let imported = read_text("a.pdb", &text, &space_filling());
    assert_eq!(imported.scene.geometry_count(), 1);
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(warning.names, ["line 2"]);
    let message = refusal("a.pdb", &format!(" {}", atom(1, 1)), &Options::default());
    assert!(message.contains("that begins in the first column"), "{message}");
}

#[test]
fn later_blocks_of_a_cif_are_named_if_they_hold_atoms_or_a_fault() {
    let block = |name: &str, x: u32| {
        format!(
            "data_{name}\nloop_\n_atom_site.type_symbol\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n\
             _atom_site.Cartn_z\nN {x} 0 0\n"
        )
    };
    let text =
        ["data_notes\n_a 1\n", &block("x", 1), "data_more\n_a 1\n", &block("y", 9), "data_z 'c"];
    let imported = read_text("a.cif", &text.concat(), &space_filling());
    assert_eq!(rows(&imported.scene).len(), 1);
    assert_eq!(rows(&imported.scene)[0][0], 1.0);
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(warning.names[0], "y");
    assert!(warning.names[1].contains("a.cif:19:8: a text in quotes"), "{}", warning.names[1]);
}

#[test]
fn a_symbol_of_no_element_stays_in_the_name_that_a_warning_tells() {
    let imported = read_text("a.xyz", "3\n\nQq 0 0 0\n? 9 0 0\nC 0 9 0\n", &space_filling());
    assert_eq!(paths(&imported.scene), ["Qq1", "X2", "C3"]);
    assert_eq!(imported.warnings[0].names, ["Qq1", "X2"]);
}

#[test]
fn atoms_in_nanometres_are_a_warning_and_a_few_that_are_near_are_none() {
    let water = |unit: f64| {
        let [a, b] = [0.96 * unit, 0.24 * unit];
        format!("3\n\nO 0 0 0\nH {a} 0 0\nH -{b} {a} 0\n")
    };
    assert!(read_text("a.xyz", &water(1.0), &space_filling()).warnings.is_empty());
    let imported = read_text("a.xyz", &water(0.1), &space_filling());
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!((warning.count, warning.is_read), (3, true));
    assert!(warning.what.contains("must be in ångström"), "{warning}");
    let twins = "5\n\nC 0 0 0\nC 0.1 0 0\nC 5 0 0\nC 10 0 0\nC 15 0 0\n";
    assert!(read_text("a.xyz", twins, &space_filling()).warnings.is_empty());
}

#[test]
fn atoms_are_reported_as_the_file_has_them_whatever_is_drawn() {
    let files = crate::FileStore::in_memory([("m.pdb", ALANINE.as_bytes())]);
    for style in [MoleculeStyle::BallAndStick, MoleculeStyle::Trace] {
        let options = Options { without_hydrogens: true, ..styled(style) };
        let atoms = crate::atoms(&files, "m.pdb", &options).unwrap().unwrap();
        let paths: Vec<&str> = atoms.iter().map(|atom| &*atom.path).collect();
        assert_eq!(paths, ["A/ALA48/N", "A/ALA48/CA", "A/ALA48/CB", "A/HOH101C/O"]);
        assert_eq!(atoms[1].position, DVec3::new(1.46, 0.0, 0.0));
    }
    let scene = crate::FileStore::in_memory([("s.json", &br#"{ "raytwin": 1 }"#[..])]);
    assert_eq!(crate::atoms(&scene, "s.json", &Options::default()).unwrap(), None);
}
