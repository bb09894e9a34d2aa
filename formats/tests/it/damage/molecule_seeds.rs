//! Small valid files of molecules.

use super::Seed;

pub fn pdb() -> Vec<Seed> {
    const MODELS: &str = "\
HEADER    TWO MODELS
MODEL        1
ATOM      1  N   ALA A  48       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA AALA A  48       1.460   0.000   0.000  0.40  0.00           C
ATOM      3  CA BALA A  48       1.400   0.100   0.000  0.60  0.00           C
TER
HETATMA0000 ZN    ZN B   1A      4.000   0.000   0.000
HETATMA0001  O   HOH     2       6.000   0.000   0.000                  SEG1
ENDMDL
MODEL        2
ATOM 100000  C   GLY A1000       9.000   0.000   0.000
ENDMDL
LINK         N   ALA A  48                ZN    ZN B   1A    1555   1555  4.00
CONECTA0000A0001    2
END
";
    const PLAIN: &str = "ATOM      1  C1  LIG     1       0.000   0.000   0.000\r
HETATM    2  O1  LIG     1       1.200   0.000   0.000\r
CONECT    1    2\r
";
    vec![Seed::of(MODELS), Seed::of(PLAIN)]
}

pub fn cif() -> Vec<Seed> {
    const PROTEIN: &str = "data_a # a comment
_struct.title
;several
lines
;
loop_
_atom_site.type_symbol _atom_site.label_atom_id _atom_site.label_alt_id _atom_site.label_comp_id
_atom_site.auth_asym_id _atom_site.auth_seq_id _atom_site.pdbx_PDB_ins_code _atom_site.occupancy
_atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z _atom_site.pdbx_PDB_model_num
N N . ALA A 48 ? 1.00 0.000 0.000 0.000 1
C CA A ALA A 48 ? 0.40 1.460 0.000 0.000 1
C 'CA' B ALA A 48 ? 0.60 1.400 0.100(2) 0.000 1
ZN \"ZN\" . ZN B 1 A 1.00 4.000 0.000 0.000 1
C C . GLY A 9 ? 1.00 4.000 0.000 0.000 2
loop_
_struct_conn.conn_type_id
_struct_conn.ptnr1_auth_asym_id _struct_conn.ptnr1_auth_seq_id _struct_conn.ptnr1_label_atom_id
_struct_conn.ptnr2_auth_asym_id _struct_conn.ptnr2_auth_seq_id _struct_conn.ptnr2_label_atom_id
_struct_conn.pdbx_ptnr2_PDB_ins_code
metalc A 48 N B 1 ZN A
";
    const CRYSTAL: &str = "data_none
_cell_length_a 5
data_salt
_cell_length_a 5.64(1)
_cell_length_b 5.64
_cell_length_c 6
_cell_angle_alpha 90
_cell_angle_beta 80
_cell_angle_gamma 70
loop_
_atom_site_label
_atom_site_type_symbol
_atom_site_fract_x
_atom_site_fract_y
_atom_site_fract_z
_atom_site_disorder_group
Na1 Na1+ 0 0 0 .
C1 C 0.5 0.25(1) 1e-1 -1
C2 C 0.5 0.25(1) .3 2
";
    vec![Seed::of(PROTEIN), Seed::of(CRYSTAL)]
}

pub fn xyz() -> Vec<Seed> {
    const FRAMES: &str = "3\nwater\nO 0 0 0\nH 0.96 0 0\n1 -0.24 9.3D-1 0\n\n1\nsecond\nFe 1 2 3\n";
    const EXTENDED: &str = "2\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=pos:R:3:species:S:1:forces:R:3\n\
        0 0 0 C 1 2 3\n1.2 0 0 O 1 2 3\n";
    vec![Seed::of(FRAMES), Seed::of(EXTENDED)]
}
