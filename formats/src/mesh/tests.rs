use super::*;

/// Reads a mesh from a file of this name.
fn mesh(name: &str, bytes: impl AsRef<[u8]>) -> Result<Triangles, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read(&FileStore::disk(), &path, &mut MeshWarnings::default()).map_err(|error| {
        let text = error.to_string();
        text[text.find(name).unwrap()..].to_owned()
    })
}

fn shape_error(name: &str, bytes: impl AsRef<[u8]>) -> String {
    mesh(name, bytes).unwrap_err()
}

/// The positions of each triangle's corners.
fn corners(mesh: &Triangles) -> Vec<[[f64; 3]; 3]> {
    let position = |&number: &u32| mesh.vertices[number as usize].to_array();
    mesh.triangles.iter().map(|triangle| triangle.each_ref().map(position)).collect()
}

const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [1.0, 1.0, 0.1], [0.0, 1.0, 0.1]];

/// The square in two triangles, in the order of a fan.
fn halves() -> Vec<[[f64; 3]; 3]> {
    let [a, b, c, d] = SQUARE;
    vec![[a, b, c], [a, c, d]]
}

const OBJ: &str = "# a square\nv 0 0 .1\nv 1 0 1e-1\nv 1 1 0.1 # far\nv 0 1 0.1\nf 1 2 3 4\n";

#[test]
fn obj_holds_polygons_over_numbers_from_one_or_from_the_end() {
    assert_eq!(corners(&mesh("s.OBJ", OBJ).unwrap()), halves());
    let relative = OBJ.replace("f 1 2 3 4", "f -4 -3 -2 -1\r");
    assert_eq!(corners(&mesh("s.obj", relative).unwrap()), halves());
    let before = format!("f 1 2 3\n{OBJ}");
    assert_eq!(mesh("s.obj", before).unwrap().triangles, [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    let pentagon = mesh("s.obj", OBJ.replace("f 1 2 3 4", "v 0 .5 .1\nf 1 2 3 4 5")).unwrap();
    assert_eq!(pentagon.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    let marked = OBJ.replace("# a square\n", "\u{feff}");
    assert_eq!(corners(&mesh("s.obj", marked).unwrap()), halves());
    let weighed = OBJ.replace("v 1 1 0.1", "v 2 2 0.2 2");
    assert_eq!(corners(&mesh("s.obj", weighed).unwrap()), halves());
    // A reader in float32 would give another number.
    assert_eq!(mesh("s.obj", OBJ).unwrap().vertices[1].z, 0.1);
}

/// The square with a notch from the right to its middle, which a fan about its first corner would
/// fill.
const NOTCHED: &str = "v 0 0 0\nv 2 0 0\nv 1 1 0\nv 2 2 0\nv 0 2 0\n";

#[test]
fn concave_polygons_of_obj_and_ply_are_not_filled() {
    let obj = mesh("n.obj", format!("{NOTCHED}f 2 3 4 5 1\n")).unwrap();
    let head = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let ply = mesh("n.ply", format!("{head}{}5 1 2 3 4 0\n", NOTCHED.replace("v ", ""))).unwrap();
    assert_eq!(corners(&obj), corners(&ply));
    let area = |[a, b, c]: [DVec3; 3]| 0.5 * (b - a).cross(c - a).z;
    let areas: Vec<f64> =
        corners(&obj).iter().map(|corners| area(corners.map(DVec3::from_array))).collect();
    assert_eq!(areas.iter().sum::<f64>(), 3.0);
    assert!(areas.len() == 3 && areas.iter().all(|&area| area > 0.0), "{areas:?}");
}

#[test]
fn an_obj_may_continue_a_line_in_the_next() {
    let continued =
        OBJ.replace("v 1 1 0.1", "v 1\\\n1 \\ \r\n\\\n0.1").replace("3 4", "3 \\\n4 \\");
    assert_eq!(corners(&mesh("c.obj", continued).unwrap()), halves());
    let commented = OBJ.replace("# a square", "# C:\\").replace("# far", "# far\\");
    assert_eq!(corners(&mesh("c.obj", commented).unwrap()), halves());
    let fault = OBJ.replace("v 1 0 1e-1", "v \\\n1 0 \\\n1e-1").replace("v 0 1 0.1", "v 0 \\\n1");
    assert!(shape_error("c.obj", fault).starts_with("c.obj:7:1: position parse error"));
    let stray = OBJ.replace("v 1 0 1e-1", "v 1 0 \\\n1e-1").replace("3 4\n", "3 \\\n5");
    assert!(shape_error("c.obj", stray).starts_with("c.obj:7:1: a corner is vertex 5"));
}

#[test]
fn a_polygon_that_cannot_be_cut_is_reported_with_its_place() {
    let count = 70_001;
    let vertices: String = (0..count).map(|at| format!("v {} {at} 0\n", at % 2)).collect();
    let corners: String = (1..=count).map(|at| format!(" {at}")).collect();
    let reason = "is a concave polygon of 70001 corners";
    let obj = shape_error("p.obj", format!("{vertices}f 1 2\n\nf 1 2 3\nf{corners}"));
    assert!(obj.starts_with(&format!("p.obj:70005:1: {reason}")), "{obj}");
    let head = PLY.split("element edge").next().unwrap().replace("vertex 4", "vertex 70001");
    let list = "element face 1\nproperty list int int vertex_indices\nend_header\n";
    let corners: String = (0..count).map(|at| format!(" {at}")).collect();
    let text = format!("{head}{list}{}{count}{corners}\n", vertices.replace('v', "9"));
    let ply = shape_error("p.ply", text);
    assert!(ply.starts_with(&format!("p.ply: face[0]: {reason}")), "{ply}");
}

#[test]
fn obj_is_one_mesh_whatever_else_it_says() {
    let text = "mtllib absent.mtl\no one\nv 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
        usemtl red\ng a\nf 1/1/1 2/1/1 3/9/-9\nl 1 2\np 1\nf 1\nf 1 2\nf\n\
        o two\nv 0 0 1\nusemtl blue\nf 2//1 2//1 4//1\ns off\nf -4 -3 -1\n";
    let text = [text.as_bytes(), b"# caf\xe9\n"].concat();
    let mesh = mesh("two.obj", text).unwrap();
    assert_eq!(mesh.vertices.len(), 4);
    // The degenerate triangle is kept at its index.
    assert_eq!(mesh.triangles, [[0, 1, 2], [1, 1, 3], [0, 1, 3]]);
}

#[test]
fn faults_of_an_obj_are_reported_with_their_line() {
    let with = |line: &str| shape_error("o.obj", OBJ.replace("v 0 1 0.1", line));
    assert_eq!(
        with("v 0 1"),
        "o.obj:5:1: position parse error: write vertices as `v x y z` and faces as `f 1 2 3`"
    );
    assert!(with("v 0 1 x").starts_with("o.obj:5:1: position parse error"));
    assert!(with("f 1 2 three").starts_with("o.obj:5:1: face parse error"));
    let too_large = "a number is too large: the largest float64 is 1.8e308";
    for vertex in
        ["v 0 1 1e999", "v 0 1 -inf", "v 0 1e300 1 1e-300", &format!("v 0 {} 0", "9".repeat(309))]
    {
        assert_eq!(with(vertex), format!("o.obj:5:1: {too_large}"));
    }
    assert_eq!(with("v 0 nan 1"), "o.obj:5:1: a number is NaN: it must be finite");
    assert_eq!(with(""), "o.obj:6:1: a corner is vertex 4: vertices are numbered from 1 to 3");
    assert_eq!(
        shape_error("o.obj", OBJ.replace("f 1", "f 1 2 3\nf 0")),
        "o.obj:7:1: a corner is vertex 0: vertices are numbered from 1 to 4"
    );
    assert!(shape_error("o.obj", OBJ.replace("f 1", "f -5")).contains("a corner is vertex -5"));
    let huge = OBJ.replace("f 1", "f 9223372036854775807/9223372036854775807");
    assert!(shape_error("o.obj", huge).contains("a corner is vertex 9223372036854775807"));
}

fn stl_text(names: [&str; 2]) -> String {
    let facet = |[a, b, c]: &[[f64; 3]; 3]| {
        let vertex = |[x, y, z]: &[f64; 3]| format!("    vertex {x} {y} {z}\n");
        let corners = [vertex(a), vertex(b), vertex(c)].concat();
        format!("facet normal 0 0 1\n  outer loop\n{corners}  endloop\nendfacet\n")
    };
    let solid = |(name, half)| format!("solid{name}\n{}endsolid{name}\n", facet(half));
    names.into_iter().zip(&halves()).map(solid).collect()
}

fn stl_binary(title: &[u8], promised: u32, triangles: &[[[f64; 3]; 3]]) -> Vec<u8> {
    let mut bytes = title.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(promised.to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|&x| (x as f32).to_le_bytes()));
        bytes.extend([7; 2]);
    }
    bytes
}

/// The two triangles with coordinates in float32, as STL stores them.
fn rounded() -> Vec<[[f64; 3]; 3]> {
    halves()
        .into_iter()
        .map(|half| half.map(|corner| corner.map(|x| f64::from(x as f32))))
        .collect()
}

#[test]
fn stl_is_text_or_binary_and_shares_equal_corners() {
    let text = stl_text([" one", " two"]);
    let files = [
        text.clone().into_bytes(),
        stl_text(["", ""]).into_bytes(),
        text.to_uppercase().replace('\n', "\r\n").into_bytes(),
        text.replacen("0 0 1", "nan nan -nan", 1).into_bytes(),
        [b" solid caf\xe9", &stl_text(["", ""]).as_bytes()[5..]].concat(),
        stl_binary(b"made by hand", 2, &halves()),
        stl_binary(b"solid as made by many", 2, &halves()),
        stl_binary(b"solid\0", 2, &halves()),
    ];
    for (number, file) in files.iter().enumerate() {
        let mesh = mesh("s.stl", file).unwrap();
        assert_eq!(corners(&mesh), rounded(), "file {number}");
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "file {number}");
    }
    let [a, b, c, _] = SQUARE;
    let flat = stl_binary(b"", 3, &[[a, a, b], [a, b, c], [b, b, b]]);
    assert_eq!(mesh("flat.stl", flat).unwrap().triangles, [[0, 0, 1], [0, 1, 2], [1, 1, 1]]);
}

#[test]
fn a_text_may_begin_with_a_byte_order_mark() {
    let stl = stl_text([" one", " two"]);
    for (name, text) in [("m.obj", OBJ), ("m.stl", &stl), ("m.ply", PLY)] {
        assert_eq!(mesh(name, format!("\u{feff}{text}")), mesh(name, text), "{name}");
    }
}

#[test]
fn a_text_is_read_in_utf_16_with_padding_and_with_old_line_ends() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\nproperty double y\nproperty double z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 .1\n1 0 .1\n1 1 .1\n0 1 .1\n4 0 1 2 3\n";
    let stl = stl_text([" a", " b"]);
    for (name, text) in [("s.obj", OBJ), ("s.stl", &stl), ("s.ply", ply)] {
        let plain = mesh(name, text).unwrap();
        let units = || text.encode_utf16();
        let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
        let padded = [text.as_bytes(), &[0; 700]].concat();
        let forms = [[b"\xff\xfe", &little[..]].concat(), [b"\xfe\xff", &big[..]].concat(), padded];
        for (index, form) in forms.into_iter().chain([text.replace('\n', "\r").into()]).enumerate()
        {
            assert_eq!(mesh(name, form).unwrap(), plain, "{name} {index}");
        }
    }
    let short = "solid\nendsolid\n\0\0\0";
    assert!(shape_error("s.stl", short).contains("has no triangles"), "{short}");
}

#[test]
fn letters_and_comments_that_no_number_is_read_of_lose_no_file() {
    let stl = stl_text([" a", " b"]);
    let plain = mesh("s.stl", &stl).unwrap();
    assert_eq!(mesh("s.stl", stl.replace("outer", "# twice\n outer")).unwrap(), plain);
    let latin = [b"solid caf\xe9\n", stl.split_once('\n').unwrap().1.as_bytes()].concat();
    assert_eq!(mesh("s.stl", latin).unwrap(), plain);
    for order in ["binary_little_endian", "binary_big_endian"] {
        let file = ply_binary(order);
        let ends = |window: &[u8]| window == b"end_header\r\n";
        let end = file.windows(12).position(ends).unwrap() + 12;
        let header: Vec<u8> = file[..end].iter().copied().filter(|byte| *byte != b'\r').collect();
        let elements = &file[end..];
        let plain = mesh("s.ply", &file).unwrap();
        let with = |header: Vec<u8>| mesh("s.ply", [&header[..], elements].concat());
        let line = |line: &[u8]| {
            let (magic, rest) = header.split_at(4);
            [magic, line, rest].concat()
        };
        assert_eq!(with(line(b"comment caf\xe9\n")).unwrap(), plain);
        assert_eq!(with(line(b"obj_info \xa9 M\xfcller\n")).unwrap(), plain);
        assert_eq!(with(line("comment café\n".as_bytes())).unwrap(), plain);
        assert_eq!(with([b"PLY", &header[3..]].concat()).unwrap(), plain);
        let old = header.iter().map(|&byte| if byte == b'\n' { b'\r' } else { byte });
        assert_eq!(with(old.collect()).unwrap(), plain);
    }
}

#[test]
fn a_mark_before_a_binary_file_is_read_past() {
    let stl = stl_binary(b"a title", 2, &halves());
    let plain = mesh("s.stl", &stl).unwrap();
    assert_eq!(mesh("s.stl", [b"\xef\xbb\xbf", &stl[..]].concat()).unwrap(), plain);
    // The mark may belong to the title.
    assert_eq!(mesh("s.stl", stl_binary(b"\xef\xbb\xbfa title", 2, &halves())).unwrap(), plain);
}

#[test]
fn a_file_of_which_nothing_is_left_names_what_it_lacks() {
    let text = "<COLLADA><library_visual_scenes><visual_scene id=\"all\">\
        <node><instance_geometry url=\"#gone\"/></node></visual_scene></library_visual_scenes></COLLADA>";
    let refused = shape_error("a.dae", text);
    let expected = "a.dae: has no triangles: 1 parts of mesh files could not be read, and were left out: a.dae:1:62: url=\"#gone\" must be";
    assert!(refused.starts_with(expected), "{refused}");
}

#[test]
fn faults_of_an_stl_are_reported_with_their_triangle() {
    let text = stl_text([" one", " two"]);
    let cut = |at: &str| shape_error("t.stl", &text[..text.rfind(at).unwrap()]);
    assert_eq!(cut("endloop"), "t.stl:11:1: triangles[1]: EOF while expecting [\"endloop\"]");
    assert!(
        shape_error("t.stl", text.replace("1 1 0.1", "1 one 0.1"))
            .contains("t.stl:2:1: triangles[0]: invalid float")
    );
    for number in ["inf", "1e39", "-1e400", &"9".repeat(309)] {
        assert_eq!(
            shape_error("t.stl", text.replace("0 1 0.1", &format!("0 1 {number}"))),
            "t.stl:15:1: a number is too large: STL uses float32, whose largest number is 3.4e38"
        );
    }

    let lie = stl_binary(b"lie", u32::MAX, &[]);
    assert_eq!(
        shape_error("b.stl", lie),
        "b.stl: is truncated: its header declares 4294967295 triangles of 50 bytes, but the file has 84 bytes"
    );
    let more = stl_binary(b"more", 1, &halves());
    assert_eq!(
        shape_error("b.stl", &more),
        "b.stl: has 2 triangles of 50 bytes, but its header declares 1: correct the count at byte 80, or remove the extra bytes"
    );
    assert!(mesh("b.stl", &more[..more.len() - 1]).is_ok(), "what is no whole triangle is none");
    let mut half = stl_binary(b"solid\0", 2, &halves());
    half.pop();
    assert!(
        shape_error("b.stl", half).contains("b.stl: is truncated: its header declares 2 triangles")
    );
    assert!(
        shape_error("b.stl", "no mesh")
            .contains("b.stl: is not an STL file: it does not begin with `solid`")
    );
    let [a, b, _, _] = SQUARE;
    let infinite = stl_binary(b"", 2, &[[a, a, b], [a, b, [0.0, f64::NAN, 0.0]]]);
    assert_eq!(
        shape_error("b.stl", infinite),
        "b.stl: triangles[1]: has a corner [0, NaN, 0]: it must be finite"
    );
}

const PLY: &str = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty uchar red\n\
    property double x\nproperty double y\nproperty double z\nelement edge 1\nproperty int vertex1\n\
    property list uchar float weights\nelement face 1\nproperty float quality\n\
    property list uchar int vertex_indices\nend_header\n\
    9 0 0 .1\n9 1 0 0.1\n9 1 1 1e-1\n9 0 1 0.1\n1 2 0.5 0.5\n0.5 4 0 1 2 3";

/// The same in binary, with numbers of other types.
fn ply_binary(order: &str) -> Vec<u8> {
    let head = format!(
        "ply\r\nformat {order} 1.0\r\nelement vertex 4\r\nproperty short x\r\nproperty uchar y\r\n\
         property double z\r\nelement face 1\r\nproperty list ushort uint vertex_index\r\nend_header\r\n"
    );
    let is_big = order == "binary_big_endian";
    let mut bytes = head.into_bytes();
    let mut put = |big: &[u8]| match is_big {
        true => bytes.extend(big),
        false => bytes.extend(big.iter().rev()),
    };
    for [x, y, z] in SQUARE {
        put(&(x as i16).to_be_bytes());
        put(&[y as u8]);
        put(&z.to_be_bytes());
    }
    put(&4_u16.to_be_bytes());
    for corner in 0..4_u32 {
        put(&corner.to_be_bytes());
    }
    bytes
}

#[test]
fn ply_is_text_or_binary_of_either_order() {
    let square = mesh("s.ply", PLY).unwrap();
    assert_eq!(square.vertices, SQUARE.map(DVec3::from_array));
    assert_eq!(square.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh("s.ply", PLY.replace('\n', "\r\n")).unwrap(), square);
    for order in ["binary_little_endian", "binary_big_endian"] {
        assert_eq!(mesh("s.ply", ply_binary(order)).unwrap(), square, "{order}");
    }
    let flat =
        PLY.replace("face 1", "face 4").replace("4 0 1 2 3", "2 0 1\n0 0\n0 3 1 1 2\n0 3 3 2 1");
    assert_eq!(mesh("s.ply", flat).unwrap().triangles, [[1, 1, 2], [3, 2, 1]]);
}

#[test]
fn elements_of_a_ply_without_properties_take_nothing_to_pass_over() {
    let nothing = "element nothing 18446744073709551615\n";
    let many = PLY.replace("element vertex", &format!("{nothing}{nothing}element vertex"));
    assert_eq!(mesh("s.ply", many).unwrap(), mesh("s.ply", PLY).unwrap());
}

#[test]
fn faults_of_a_ply_are_reported_with_their_place() {
    let with = |from: &str, to: &str| shape_error("p.ply", PLY.replace(from, to));
    assert_eq!(
        with("4 0 1 2 3", "4 0 1 2 4"),
        "p.ply: face[0]: has the corner 4: there are 4 vertices, counted from 0"
    );
    assert!(with("4 0 1 2 3", "3 0 1 -1").contains("face[0]: has the corner -1"));
    let nan = "p.ply: vertices[2]: a number is NaN: it must be finite";
    assert_eq!(with("1 1 1e-1", "1 nan 1"), nan);
    for number in ["inf", "1e400", &"9".repeat(309)] {
        let too_large = "p.ply: vertices[2]: a number is too large: the largest float64 is 1.8e308";
        assert_eq!(with("1 1 1e-1", &format!("1 1 {number}")), too_large);
    }
    assert_eq!(with("9 1 1 1e-1", "9 1 one 1"), "p.ply:18:5: Failed to parse f64 from ASCII");
    assert_eq!(
        with("int vertex_indices", "float vertex_indices"),
        "p.ply:21:7: invalid type: floating point `0.0`, expected i64"
    );
    assert_eq!(with("double z", "double depth"), "p.ply:16:7: missing field `z`");
    assert_eq!(with("property uchar", "property colour"), "p.ply:5:1: Unknown scalar type: colour");
    assert_eq!(with("ascii", "utf8"), "p.ply:2:1: Unknown format: utf8");
    assert_eq!(with("ply\n", "obj\n"), "p.ply:1:1: File must start with 'ply'");
    assert!(with("face 1", "face -1").contains("p.ply:12:1: Invalid element count"));

    let truncated = "is truncated: the file ends before the elements that its header declares";
    assert_eq!(with(" 2 3", ""), format!("p.ply: face: {truncated}"));
    assert_eq!(shape_error("p.ply", &PLY[..99]), format!("p.ply: {truncated}"));
    let many = "edge 1000000000000000";
    assert_eq!(with("edge 1", many), format!("p.ply: edge: {truncated}"));
    assert_eq!(with("vertex 4", "vertex 1000000000000000"), format!("p.ply: vertex: {truncated}"));
    let bare = with("vertex 4", "vertex 18446744073709551615\nelement other 4");
    assert!(bare.starts_with("p.ply:16:1: missing field `x`"), "{bare}");
    for order in ["binary_little_endian", "binary_big_endian"] {
        let mut bytes = ply_binary(order);
        bytes.pop();
        assert_eq!(shape_error("p.ply", &bytes), format!("p.ply: face: {truncated}"));
        let count = bytes.len() - 17;
        bytes[count..].fill(0xff);
        assert_eq!(shape_error("p.ply", &bytes), format!("p.ply: face: {truncated}"));
    }
}

#[test]
fn a_ply_with_more_than_its_header_promises_is_refused() {
    let binary = ply_binary("binary_little_endian");
    let more = [&binary[..], &[3, 1]].concat();
    assert!(
        shape_error("b.ply", more)
            .starts_with("b.ply: has 2 bytes after the elements that its header declares")
    );
    assert!(shape_error("t.ply", format!("{PLY}\n3 0 1 2\n")).contains("has 8 bytes after"));
    // Padding is no element.
    assert!(mesh("b.ply", [&binary[..], &[0; 3]].concat()).is_ok());
    assert!(mesh("t.ply", format!("{PLY}\n \r\n")).is_ok());
}

#[test]
fn a_mesh_is_a_file_of_a_known_kind_with_triangles() {
    assert_eq!(
        shape_error("mesh.fbx", OBJ),
        "mesh.fbx: is not a mesh that raytwin reads: give a file with the extension .obj, .stl, .ply, .dae, .gltf, .glb"
    );
    assert!(shape_error("mesh", OBJ).contains("is not a mesh that raytwin reads"));
    let empty = [
        ("e.obj", b"v 0 0 0\nf 1\n".to_vec()),
        ("e.obj", Vec::new()),
        ("e.stl", b"solid e\nendsolid e\n".to_vec()),
        ("e.stl", stl_binary(b"", 0, &[])),
        (
            "e.ply",
            PLY.split("element edge").next().unwrap().replace("vertex 4", "vertex 0").into_bytes(),
        ),
    ];
    for (name, mut bytes) in empty {
        if name == "e.ply" {
            bytes.extend(b"end_header\n");
        }
        assert!(shape_error(name, bytes).contains("has no triangles"), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    for extension in EXTENSIONS {
        let path = folder.path().join(format!("absent.{extension}"));
        assert!(matches!(
            read(&FileStore::disk(), &path, &mut MeshWarnings::default()),
            Err(FileError::Read { .. })
        ));
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(
            read(&FileStore::disk(), &path, &mut MeshWarnings::default()),
            Err(FileError::Read { .. })
        ));
    }
}

#[test]
fn no_damage_ends_in_a_panic_or_a_triangle_without_vertices() {
    let files = [
        ("d.obj", OBJ.replace("f 1 2", "vt 0 0\nf 1/1 2/-1").into_bytes()),
        ("d.stl", stl_text([" one", " two"]).into_bytes()),
        ("d.stl", stl_binary(b"solid", 2, &halves())),
        ("d.ply", PLY.as_bytes().to_vec()),
        ("d.ply", ply_binary("binary_little_endian")),
        ("d.ply", ply_binary("binary_big_endian")),
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for (name, whole) in files {
        for length in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[length] = if random.bool() { random.u8(..) } else { random.u8(b' '..b':') };
            for bytes in [&whole[..length], &damaged] {
                if let Ok(mesh) = mesh(name, bytes) {
                    assert_eq!(corners(&mesh).len(), mesh.triangles.len());
                }
            }
        }
    }
}

#[test]
fn an_obj_is_divided_and_weighted_by_the_rules_of_the_program_that_reads_it() {
    let read = |text: &str, part| {
        let mut warnings = MeshWarnings::default();
        obj::parse_part(Path::new("a.obj"), text.as_bytes(), part, &mut warnings).unwrap().0
    };
    // Not flat, and its diagonal from the second corner to the fourth is shorter.
    let text = "v 0 0 0\nv 2 0 1 2\nv 3 2 0\nv 1 1 1\nf 1 2 3 4\n";
    let whole = read(text, obj::ObjPart::Whole);
    assert_eq!(whole.vertices[1], DVec3::new(1.0, 0.0, 0.5));
    let of_mujoco = read(text, obj::ObjPart::First);
    assert_eq!(of_mujoco.vertices[1], DVec3::new(2.0, 0.0, 1.0));
    assert_eq!(of_mujoco.triangles, [[0, 1, 3], [1, 2, 3]]);
    // The other diagonal is shorter.
    let turned = "v 2 0 1\nv 3 2 0\nv 1 1 1\nv 0 0 0\nf 1 2 3 4\n";
    assert_eq!(read(turned, obj::ObjPart::First).triangles, [[0, 1, 2], [0, 2, 3]]);
}

/// The parts of a file that are left out.
fn left_out(name: &str, bytes: impl AsRef<[u8]>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let mut warnings = MeshWarnings::default();
    read(&FileStore::disk(), &path, &mut warnings).unwrap();
    warnings.parts.names
}

#[test]
fn elements_of_an_obj_that_are_no_faces_are_named_with_their_number() {
    assert_eq!(left_out("o.obj", OBJ), [""; 0]);
    let others = "l 1 2 3\nl 3 4\np 1 2\ncstype bezier\ndeg 1 1\ncurv 0 1 1 2\nsurf 0 1 0 1 1 2 3 4\nparm u 0 1\nend\n";
    assert_eq!(
        left_out("o.obj", OBJ.to_owned() + others),
        [
            "o.obj: 1 statements of points",
            "o.obj: 2 lines",
            "o.obj: 1 curves",
            "o.obj: 1 free-form surfaces"
        ]
    );
    let refused = shape_error("o.obj", OBJ.replace("f 1", "l 1"));
    let expected = "o.obj: has no triangles: 1 parts of mesh files could not be read, and were left out: o.obj: 1 lines";
    assert_eq!(refused, expected);
}

#[test]
fn the_old_name_of_a_face_is_read() {
    assert_eq!(mesh("o.obj", OBJ.replace("f 1", "fo 1")).unwrap(), mesh("o.obj", OBJ).unwrap());
}

#[test]
fn elements_of_a_ply_that_hold_other_surfaces_are_named_with_their_number() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\n\
        element tristrips 1\nproperty list int int vertex_indices\n\
        element material 1\nproperty uchar red\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n4 0 1 2 -1\n7\n";
    assert_eq!(left_out("p.ply", text), ["p.ply: 1 rows of the element \"tristrips\""]);
}

#[test]
fn a_text_that_is_no_stl_is_not_taken_for_a_truncated_binary_file() {
    let text = "version https://example.org/pointers\n".repeat(4);
    assert_eq!(
        shape_error("p.stl", text),
        "p.stl: is not an STL file: it is a text that does not begin with `solid`"
    );
}

#[test]
fn an_stl_may_lack_its_end_and_be_in_one_line() {
    let text = stl_text([" a", " b"]);
    let plain = mesh("s.stl", &text).unwrap();
    assert_eq!(mesh("s.stl", text.replace('\n', " ")).unwrap(), plain);
    assert_eq!(left_out("s.stl", text.replace('\n', " ")), [""; 0]);
    let named = text.replace("solid a", "solid a facet of a solid");
    assert_eq!(mesh("s.stl", named).unwrap(), plain);
    let cut = &text[..text.rfind("endsolid").unwrap()];
    assert_eq!(mesh("s.stl", cut).unwrap(), plain);
    let expected = "s.stl: triangles may be missing at its end, because it has no `endsolid`";
    assert_eq!(left_out("s.stl", cut), [expected]);
}

#[test]
fn a_part_that_is_not_there_is_refused_with_the_names_of_those_that_are() {
    let dae = "<COLLADA><library_geometries><geometry id=\"g\"><mesh/></geometry></library_geometries>\
        <library_visual_scenes><visual_scene><node name=\"lid\"><instance_geometry url=\"#g\"/></node>\
        <node name=\"foot\"><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes></COLLADA>";
    let obj = format!("o lid\n{OBJ}g foot\nf 1 2 3\no lid\n");
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("p.dae", dae), ("p.obj", &obj)] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let read = read_part(&FileStore::disk(), &path, "Lid", &mut MeshWarnings::default());
        let refused = read.unwrap_err().to_string();
        let expected = "has no triangles in a part called \"Lid\": its parts are \"lid\", \"foot\"";
        assert!(refused.ends_with(expected), "{refused}");
    }
}
