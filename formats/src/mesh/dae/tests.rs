use super::*;

/// A unit square in the plane z = 0, in counter-clockwise order, and a point above it.
const GEOMETRY: &str = r##"<geometry id="square"><mesh>
  <source id="places"><float_array id="numbers" count="15">0 0 0  1 0 0  1 1 0  0 1 0  0 0 1</float_array>
    <technique_common><accessor source="#numbers" count="5" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
  <source id="normals"><float_array id="n" count="3">0 0 one</float_array></source>
  <vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>
  POLYGONS
</mesh></geometry>"##;

const TRIANGLES: &str = r##"<triangles count="2"><input semantic="VERTEX" source="#corners" offset="0"/>
    <input semantic="NORMAL" source="#normals" offset="1"/><p>0 0 1 0 2 0  0 0 2 0 3 0</p></triangles>"##;

/// A file with a geometry of these polygons, and the rest.
fn file(polygons: &str, rest: &str) -> String {
    let geometry = GEOMETRY.replace("POLYGONS", polygons);
    format!(
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n\
         <library_geometries>{geometry}</library_geometries>\n{rest}</COLLADA>"
    )
}

/// A scene of these nodes, which the file shows.
fn scene(nodes: &str) -> String {
    format!(
        "<library_visual_scenes><visual_scene id=\"all\">{nodes}</visual_scene></library_visual_scenes>\
         <scene><instance_visual_scene url=\"#all\"/></scene>"
    )
}

const INSTANCE: &str = r##"<instance_geometry url="#square"/>"##;

fn read(text: &str) -> Result<Triangles, String> {
    read_with(text, &mut MeshWarnings::default())
}

fn read_with(text: &str, warnings: &mut MeshWarnings) -> Result<Triangles, String> {
    let parsed = parse(Path::new("a.dae"), text.as_bytes().to_vec(), warnings);
    parsed.map_err(|error| error.to_string())
}

fn corners(text: &str) -> Vec<[[f64; 3]; 3]> {
    let mesh = read(text).unwrap();
    let place = |corner: u32| mesh.vertices[corner as usize].to_array();
    mesh.triangles.iter().map(|triangle| triangle.map(place)).collect()
}

/// The vertices of a scene whose one node has these transforms.
fn moved(transforms: &str) -> Vec<DVec3> {
    read(&file(TRIANGLES, &scene(&format!("<node>{transforms}{INSTANCE}</node>"))))
        .unwrap()
        .vertices
}

fn assert_near(point: DVec3, expected: [f64; 3]) {
    assert!((point - DVec3::from(expected)).length() < 1e-12, "{point} {expected:?}");
}

#[test]
fn polygons_of_every_kind_are_triangles_of_the_same_square() {
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let input = r##"<input semantic="VERTEX" source="#corners" offset="0"/>"##;
    for (kind, inner, expected) in [
        ("triangles", "<p>0 1 2 0 2 3</p>", vec![[a, b, c], [a, c, d]]),
        (
            "polylist",
            "<vcount>4 3</vcount><p>0 1 2 3 0 1 2</p>",
            vec![[a, b, c], [a, c, d], [a, b, c]],
        ),
        ("polygons", "<p>0 1 2 3</p><p>0 1 2</p>", vec![[a, b, c], [a, c, d], [a, b, c]]),
        ("trifans", "<p>0 1 2 3</p>", vec![[a, b, c], [a, c, d]]),
        ("tristrips", "<p>0 1 3 2</p>", vec![[a, b, d], [d, b, c]]),
        ("lines", "<p>0 1</p>", vec![]),
    ] {
        let text = file(&format!("<{kind} count=\"1\">{input}{inner}</{kind}>"), "");
        assert_eq!(corners(&text), expected, "{kind}");
    }
}

#[test]
fn a_polygon_with_a_hole_is_covered_around_it() {
    let text = r##"<geometry id="square"><mesh>
      <source id="places"><float_array id="numbers">0 0 0  4 0 0  4 4 0  0 4 0  1 1 0  1 3 0  3 3 0  3 1 0</float_array></source>
      <vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>
      <polygons count="1"><input semantic="VERTEX" source="#corners" offset="0"/><ph><p>0 1 2 3</p><h>4 5 6 7</h></ph></polygons>
    </mesh></geometry>"##;
    let text = format!("<COLLADA><library_geometries>{text}</library_geometries></COLLADA>");
    let areas: Vec<f64> = corners(&text)
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(DVec3::from);
            0.5 * (b - a).cross(c - a).z
        })
        .collect();
    assert!(areas.iter().all(|&area| area > 0.0), "{areas:?}");
    assert_eq!(areas.iter().sum::<f64>(), 16.0 - 4.0);
}

#[test]
fn an_accessor_names_its_axes_among_others() {
    let text = file(TRIANGLES, "")
        .replace("0 0 0  1 0 0  1 1 0  0 1 0  0 0 1", "7 0 0 9 0  0 1 9 0  1 1 9 0  1 0 9 0  0 0 9")
        .replace("stride=\"3\"", "stride=\"4\" offset=\"1\"")
        .replace("count=\"5\"", "count=\"4\"")
        .replace(
            "<param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/>",
            "<param name=\"Y\"/><param name=\"X\"/><param name=\"S\"/><param name=\"Z\"/>",
        );
    // Each row has y, x, another number and z.
    let mesh = read(&text.replace("9 0  0 0 9</float_array>", "9 0</float_array>")).unwrap();
    let expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(mesh.vertices, expected.map(DVec3::from));
}

#[test]
fn transforms_apply_in_their_order_the_last_first() {
    assert_near(moved("<translate>1 2 3</translate><scale>2 2 2</scale>")[2], [3.0, 4.0, 3.0]);
    assert_near(moved("<scale>2 2 2</scale><translate>1 2 3</translate>")[2], [4.0, 6.0, 6.0]);
    assert_near(moved("<rotate>0 0 2 90</rotate>")[1], [0.0, 1.0, 0.0]);
    assert_near(moved("<rotate>0 0 0 0</rotate>")[1], [1.0, 0.0, 0.0]);
    assert_near(moved("<matrix>0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>")[1], [5.0, 7.0, 7.0]);
    // A view from (0, 0, 5) along +x has its −z axis along x, its x axis along −y with z upwards.
    let seen = moved("<lookat>0 0 5  9 0 5  0 0 1</lookat>");
    assert_near(seen[1], [0.0, -1.0, 5.0]);
    assert_near(seen[4], [-1.0, 0.0, 5.0]);
    // A skew by 45 degrees tilts y towards x by as much.
    let skewed = moved("<skew>45  0 1 0  1 0 0</skew>");
    assert_near(skewed[1], [1.0, 0.0, 0.0]);
    assert_near(skewed[3], [1.0, 1.0, 0.0]);
    // The diagonal, tilted by 15 of the 45 degrees between it and x, has the slope tan 30°.
    let tilted = moved("<skew>15  1 1 0  1 0 0</skew>")[2];
    assert!(
        (tilted.y / tilted.x - (1.0_f64 / 3.0).sqrt()).abs() < 1e-12
            && (tilted.y - 1.0).abs() < 1e-12
    );
}

#[test]
fn a_mirror_turns_corners_over_and_the_unit_is_applied_while_the_axis_upwards_is_not() {
    let asset = "<asset><unit name=\"inch\" meter=\"0.0254\"/><up_axis>Y_UP</up_axis></asset>";
    let node = format!("<node><scale>1 1 -1</scale><translate>0 0 1</translate>{INSTANCE}</node>");
    let mirrored = corners(&file(TRIANGLES, &(scene(&node) + asset)));
    assert_eq!(
        mirrored[0],
        [[0.0, 0.0, -0.0254], [0.0254, 0.0254, -0.0254], [0.0254, 0.0, -0.0254]]
    );
}

#[test]
fn nodes_and_uses_of_nodes_hold_geometries_in_the_order_of_the_file() {
    let wheel = format!(
        "<library_nodes><node id=\"wheel\"><translate>0 0 1</translate>{INSTANCE}</node></library_nodes>"
    );
    let use_wheel = "<instance_node url=\"#wheel\"/>";
    let nodes = format!(
        "<node><translate>1 0 0</translate>{use_wheel}<node><translate>1 0 0</translate>{use_wheel}</node></node>\
         <node><translate>9 0 0</translate>{INSTANCE}</node>"
    );
    let mesh = read(&file(TRIANGLES, &(scene(&nodes) + &wheel))).unwrap();
    let firsts: Vec<DVec3> = mesh.vertices.chunks(5).map(|part| part[0]).collect();
    assert_eq!(firsts, [[1.0, 0.0, 1.0], [2.0, 0.0, 1.0], [9.0, 0.0, 0.0]].map(DVec3::from));
    assert_eq!(mesh.triangles[2], [5, 6, 7]);
    // The scene that the file shows counts, not its first; without any, all geometries do.
    let other = "<library_visual_scenes><visual_scene id=\"none\"/></library_visual_scenes>";
    let shown =
        read(&file(TRIANGLES, &(other.to_owned() + &scene(&format!("<node>{INSTANCE}</node>")))));
    assert_eq!(shown.unwrap().triangles.len(), 2);
    assert_eq!(read(&file(TRIANGLES, other)).unwrap().triangles.len(), 0);
    assert_eq!(read(&file(TRIANGLES, "")).unwrap().triangles.len(), 2);
}

/// A geometry of one triangle, whose first corner is at this x. All parts have ids that end so.
fn triangle(id: &str, x: f64, suffix: &str) -> String {
    format!(
        "<geometry id=\"{id}\"><mesh><source id=\"p{suffix}\"><float_array id=\"a{suffix}\">{x} 0 0 9 9 0 0 9 0</float_array>\
         <technique_common><accessor source=\"#a{suffix}\" count=\"3\"/></technique_common></source>\
         <vertices id=\"v{suffix}\"><input semantic=\"POSITION\" source=\"#p{suffix}\"/></vertices>\
         <triangles><input semantic=\"VERTEX\" source=\"#v{suffix}\"/><p>0 1 2</p></triangles></mesh></geometry>"
    )
}

/// The x of the first corners of the triangles in a file of these elements.
fn first_corners(elements: &str) -> Vec<f64> {
    let text = format!("<COLLADA>{elements}</COLLADA>");
    corners(&text).iter().map(|[first, ..]| first[0]).collect()
}

#[test]
fn an_id_is_looked_up_in_its_own_geometry_first() {
    let geometries = [triangle("a", 1.0, ""), triangle("b", 2.0, "")].concat();
    let library = format!("<library_geometries>{geometries}</library_geometries>");
    assert_eq!(first_corners(&library), [1.0, 2.0]);
    let nodes = "<node><instance_geometry url=\"#b\"/><instance_geometry url=\"#a\"/></node>";
    assert_eq!(first_corners(&(scene(nodes) + &library)), [2.0, 1.0]);
    for shared in ["a", "p", "v"] {
        let [first, second] = [triangle("a", 1.0, "1"), triangle("b", 2.0, "2")];
        let first = first.replace(&format!("{shared}1\""), &format!("{shared}2\""));
        let library = format!("<library_geometries>{first}{second}</library_geometries>");
        assert_eq!(first_corners(&library), [1.0, 2.0], "{shared}");
    }
    // A source of another geometry is found where its own has none of that id.
    let second = triangle("b", 2.0, "2").replace("source=\"#p2\"", "source=\"#p1\"");
    let geometries = [triangle("a", 1.0, "1"), second].concat();
    let library = format!("<library_geometries>{geometries}</library_geometries>");
    assert_eq!(first_corners(&library), [1.0, 1.0]);
}

#[test]
fn elements_of_other_kinds_may_have_the_same_id() {
    let materials = ["a", "p", "v", "all"].map(|id| format!("<material id=\"{id}\"/>")).concat();
    let library = format!(
        "<library_materials>{materials}</library_materials>\
         <library_geometries>{}</library_geometries>\
         <library_controllers><controller id=\"a\"><skin source=\"#a\"/></controller></library_controllers>\
         <library_nodes><node id=\"a\"><instance_geometry url=\"#a\"/></node></library_nodes>",
        triangle("a", 1.0, "")
    );
    let nodes =
        "<node id=\"all\"><instance_node url=\"#a\"/><instance_controller url=\"#a\"/></node>";
    assert_eq!(first_corners(&(library + &scene(nodes))), [1.0, 1.0]);
}

#[test]
fn a_controller_holds_its_geometry_at_the_bind_shape() {
    let controllers = "<library_controllers>\
        <controller id=\"bend\"><skin source=\"#grow\"><bind_shape_matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller>\
        <controller id=\"grow\"><morph source=\"#square\"/></controller></library_controllers>";
    let nodes = "<node><scale>2 2 2</scale><instance_controller url=\"#bend\"/></node>";
    let mesh = read(&file(TRIANGLES, &(scene(nodes) + controllers))).unwrap();
    assert_eq!(mesh.vertices[1], DVec3::new(16.0, 0.0, 0.0));
    let circle = controllers.replace("source=\"#square\"", "source=\"#bend\"");
    let refused = read(&file(TRIANGLES, &(scene(nodes) + &circle))).unwrap_err();
    assert!(refused.contains("refers to 8 controllers without reaching a geometry"), "{refused}");
}

#[test]
fn faults_are_refused_with_their_line() {
    let with = |from: &str, to: &str| {
        let text = file(TRIANGLES, &scene(&format!("<node>{INSTANCE}</node>")));
        assert!(text.contains(from), "{from}");
        read(&text.replace(from, to)).unwrap_err()
    };
    for (from, to, expected) in [
        (
            "0 0 2 0 3 0<",
            "0 0 2 0 5 0<",
            "a.dae:8:60: a corner is vertex 5: there are 5 vertices, counted from 0",
        ),
        ("0 0 2 0 3 0<", "0 0 2 0 -1 0<", "a.dae:8:60: a corner is vertex -1"),
        ("0 0 2 0 3 0<", "0 0 2 0 99999999999 0<", "a.dae:8:60: a corner is vertex 99999999999"),
        ("0 0 2 0 3 0<", "0 0 2 0<", "a.dae:7:3: has 5 corners: triangles have three each"),
        ("1 1 0", "1 NaN 0", "a.dae:3:23: \"NaN\" must be a finite number"),
        (
            "count=\"5\"",
            "count=\"6\"",
            "a.dae:4:23: needs 6 points of 3 numbers from number 0 on, but the array has 15",
        ),
        (
            "count=\"5\"",
            "count=\"18446744073709551615\"",
            "a.dae:4:23: needs 18446744073709551615 points",
        ),
        ("stride=\"3\"", "stride=\"0\"", "a.dae:4:23: stride must be at least 3"),
        (
            "offset=\"1\"",
            "offset=\"4000000000\"",
            "a.dae:8:5: offset must be a whole number below 1000",
        ),
        (
            "url=\"#all\"",
            "url=\"#none\"",
            "url=\"#none\" must be # followed by the id of a <visual_scene> of this file",
        ),
        ("<node>", "<node><matrix>1 2 3</matrix>", "<matrix> has 3 numbers: it must have 16"),
        ("<node>", "<node><rotate>0 0 0 1</rotate>", "the axis must have a length"),
        ("<node>", "<node><skew>90 0 1 0 1 0 0</skew>", "a skew needs two axes"),
        ("<node>", "<node><lookat>0 0 0 0 0 1 0 0 1</lookat>", "a view needs"),
        ("<scene>", "<asset><unit meter=\"0\"/></asset><scene>", "it must be a number above 0"),
        ("COLLADA", "kml", "the root element is <kml>: it must be <COLLADA>"),
    ] {
        let refused = with(from, to);
        assert!(refused.contains(expected), "{refused}");
    }
    let polylist =
        TRIANGLES.replace("triangles", "polylist").replace("<p>", "<vcount>9</vcount><p>");
    assert!(
        read(&file(&polylist, ""))
            .unwrap_err()
            .contains("vcount needs 9 corners, but only 6 are left")
    );
    let empty = parse(Path::new("a.dae"), vec![0xff], &mut MeshWarnings::default())
        .unwrap_err()
        .to_string();
    assert_eq!(empty, "a.dae:1:1: has no XML element");
}

#[test]
fn what_refers_to_nothing_is_left_out_alone_and_named() {
    let sound = "<geometry id=\"sound\"><mesh><source id=\"s\"><float_array>0 0 7 1 0 7 0 1 7</float_array></source>\
        <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>\
        <triangles><input semantic=\"VERTEX\" source=\"#v\"/><p>0 1 2</p></triangles></mesh></geometry>";
    let rest = format!(
        "<library_geometries>{sound}</library_geometries>\
         <library_controllers><controller id=\"bend\"><skin source=\"#square\"/></controller></library_controllers>\
         <library_nodes><node id=\"used\">{INSTANCE}</node></library_nodes>"
    );
    let instances =
        [INSTANCE, "<instance_node url=\"#used\"/>", "<instance_controller url=\"#bend\"/>"];
    let lacks = [
        (
            "url=\"#square\"",
            "url=\"#gone\"",
            "url=\"#gone\" must be # followed by the id of a <geometry> of this file",
            &instances[..2],
        ),
        (
            "url=\"#square\"",
            "url=\"b.dae#square\"",
            "url=\"b.dae#square\" must be",
            &instances[..2],
        ),
        ("url=\"#used\"", "url=\"#gone\"", "the id of a <node> of this file", &instances[1..2]),
        (
            "url=\"#bend\"",
            "url=\"#gone\"",
            "the id of a <controller> of this file",
            &instances[2..],
        ),
        (
            "source=\"#square\"",
            "source=\"#gone\"",
            "the id of a <geometry> or <controller>",
            &instances[2..],
        ),
        (
            "source=\"#corners\"",
            "source=\"#places\"",
            "a.dae:7:24: source=\"#places\" must be # followed by the id of a <vertices>",
            &instances,
        ),
        (
            "semantic=\"VERTEX\" source=\"#corners\"",
            "semantic=\"V\"",
            "a.dae:7:3: has no <input semantic=\"VERTEX\">",
            &instances,
        ),
        (
            "POSITION\" source=\"#places\"",
            "POSITION\" source=\"#gone\"",
            "the id of a <source>",
            &instances,
        ),
        (
            "semantic=\"POSITION\" source=\"#places\"",
            "semantic=\"P\"",
            "a.dae:6:3: has no <input semantic=\"POSITION\">",
            &instances,
        ),
        (
            "accessor source=\"#numbers\"",
            "accessor source=\"#gone\"",
            "the id of a <float_array>",
            &instances,
        ),
        (
            "<float_array id=\"numbers\" count=\"15\">0 0 0  1 0 0  1 1 0  0 1 0  0 0 1</float_array>\n    <technique_common><accessor source=\"#numbers\" count=\"5\" stride=\"3\">",
            "<technique_common><accessor>",
            "a.dae:3:3: has no <float_array>",
            &instances,
        ),
    ];
    for (from, to, expected, instances) in lacks {
        for instance in instances {
            let nodes = format!("<node>{instance}<instance_geometry url=\"#sound\"/></node>");
            let text = file(TRIANGLES, &(scene(&nodes) + &rest));
            assert_eq!(read(&text).unwrap().triangles.len(), 3, "{instance}");
            assert!(text.contains(from), "{from}");
            let mut warnings = MeshWarnings::default();
            let mesh = read_with(&text.replace(from, to), &mut warnings).unwrap();
            assert_eq!(mesh.triangles.len(), 1, "{from} {instance}");
            assert_eq!(mesh.vertices[mesh.triangles[0][0] as usize].z, 7.0);
            assert_eq!(warnings.parts.count, 1, "{from} {:?}", warnings.parts);
            let name = &warnings.parts.names[0];
            assert!(name.starts_with("a.dae:") && name.contains(expected), "{name}");
        }
    }
    // Materials and their images are not read.
    let looks = "<node><instance_geometry url=\"#square\"><bind_material><technique_common>\
        <instance_material symbol=\"m\" target=\"#gone\"/></technique_common></bind_material></instance_geometry></node>";
    let mut warnings = MeshWarnings::default();
    assert_eq!(
        read_with(&file(TRIANGLES, &scene(looks)), &mut warnings).unwrap().triangles.len(),
        2
    );
    assert_eq!(warnings.raised().count(), 0);
}

/// The warnings of a file that holds the square and these elements too, and nodes of which one holds
/// the square.
fn warned(polygons: &str, nodes: &str, rest: &str) -> (usize, Vec<String>) {
    let nodes = scene(&format!("<node>{INSTANCE}</node>{nodes}"));
    let mut warnings = MeshWarnings::default();
    let text = file(&format!("{TRIANGLES}{polygons}"), &(nodes + rest));
    let mesh = read_with(&text, &mut warnings).unwrap();
    (mesh.triangles.len(), warnings.raised().map(|warning| warning.to_string()).collect())
}

#[test]
fn what_is_no_polygon_is_left_out_and_named() {
    let input = r##"<input semantic="VERTEX" source="#corners"/>"##;
    for (name, reason) in [
        ("lines", "has lines, which have no surface"),
        ("linestrips", "has lines, which have no surface"),
        ("polylist", "has no <vcount>"),
    ] {
        let (count, found) = warned(&format!("<{name}>{input}<p>0 1 2 3</p></{name}>"), "", "");
        assert_eq!((count, found.len()), (2, 1), "{name} {found:?}");
        let part = "1 parts of mesh files could not be read, and were left out: a.dae:8:";
        assert!(found[0].starts_with(part) && found[0].contains(reason), "{found:?}");
        assert_eq!(warned(&format!("<{name} count=\"0\"/>"), "", "").1, [""; 0]);
    }
    for form in ["<spline/>", "<brep/>", "<convex_mesh convex_hull_of=\"#square\"/>"] {
        let rest = format!(
            "<library_geometries><geometry id=\"other\">{form}</geometry></library_geometries>"
        );
        let node = "<node><instance_geometry url=\"#other\"/></node>";
        let (count, found) = warned("", node, &rest);
        assert_eq!((count, found.len()), (2, 1), "{form} {found:?}");
        assert_eq!(warned("", "", &rest).1, [""; 0]);
    }
}

#[test]
fn corners_that_belong_to_no_polygon_of_a_list_are_refused() {
    let input = r##"<input semantic="VERTEX" source="#corners"/>"##;
    let list = format!("<polylist>{input}<vcount>3</vcount><p>0 1 2 0 2 3</p></polylist>");
    let refused = read(&file(&list, "")).unwrap_err();
    assert_eq!(refused, "a.dae:7:3: has 6 corners, but vcount needs 3");
}

#[test]
fn morph_targets_in_use_are_named() {
    let controller = "<library_controllers><controller id=\"grow\"><morph source=\"#square\">\
        <source id=\"w\"><float_array>0 LAST</float_array></source>\
        <targets><input semantic=\"MORPH_WEIGHT\" source=\"#w\"/></targets></morph></controller></library_controllers>";
    let node = "<node><instance_controller url=\"#grow\"/></node>";
    let (count, found) = warned("", node, &controller.replace("0 LAST", "0 0.5"));
    let expected = "1 meshes have morph targets in use, and are read without them: a.dae";
    assert_eq!((count, found), (4, vec![expected.to_owned()]));
    assert_eq!(warned("", node, &controller.replace("0 LAST", "0 0.0")).1, [""; 0]);
}

#[test]
fn circles_and_bombs_of_nodes_are_refused() {
    let circle = "<library_nodes><node id=\"a\"><instance_node url=\"#b\"/></node>\
        <node id=\"b\"><instance_node url=\"#a\"/></node></library_nodes>";
    let nodes = scene("<node><instance_node url=\"#a\"/></node>");
    let refused = read(&file(TRIANGLES, &(nodes.clone() + circle))).unwrap_err();
    assert!(refused.contains("are nested too deeply, or in a circle"), "{refused}");
    let level = |number: u32| {
        let inner = match number {
            0 => INSTANCE.to_owned(),
            _ => format!("<instance_node url=\"#l{}\"/>", number - 1).repeat(2),
        };
        format!("<node id=\"l{number}\">{inner}</node>")
    };
    let levels: String = (0..40).map(level).collect();
    let nodes = scene("<node><instance_node url=\"#l39\"/></node>");
    let bomb = nodes + &format!("<library_nodes>{levels}</library_nodes>");
    let refused = read(&file(TRIANGLES, &bomb)).unwrap_err();
    assert!(refused.contains("is used so often that the mesh would be far larger"), "{refused}");
    let entities = "<!DOCTYPE COLLADA [<!ENTITY a \"b\">]>".to_owned() + &file(TRIANGLES, "");
    assert!(read(&entities).is_ok());
    let deep = "<node>".repeat(10_000) + &"</node>".repeat(10_000);
    if let Ok(mesh) = read(&file(TRIANGLES, &scene(&deep))) {
        assert!(mesh.triangles.is_empty());
    }
}

#[test]
fn text_that_xml_forbids_is_read_as_it_is_meant() {
    let plain = read(&file(TRIANGLES, "")).unwrap();
    let forbidden = file(TRIANGLES, "").replace("<COLLADA xmlns", "\n<COLLADA a=\"&\"xmlns");
    assert_eq!(read(&forbidden).unwrap(), plain);
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let text = format!("\u{feff}{}<!-- -- -->", file(TRIANGLES, ""));
    let mut warnings = MeshWarnings::default();
    assert_eq!(parse(Path::new("a.dae"), units(&text), &mut warnings).unwrap(), plain);
    let found: Vec<String> = warnings.raised().map(|warning| warning.to_string()).collect();
    assert_eq!(found, ["1 comments contain \"--\", which XML forbids: a.dae:10:11"]);
}
