use super::*;
use raytwin::geometry::Geometry;

/// A world of one link with these geometries as visuals, or as collisions, beside other files.
fn shapes(geometries: &[&str], which: &str, files: &[(&str, &[u8])]) -> ImportedScene {
    let items: String = geometries
        .iter()
        .map(|geometry| format!("<{which} name=\"g\"><geometry>{geometry}</geometry></{which}>"))
        .collect();
    let text = format!(
        "<sdf version=\"1.9\"><model name=\"m\"><link name=\"l\">{items}</link></model></sdf>"
    );
    let mut all = vec![("w.sdf", text.as_bytes())];
    all.extend(files);
    let options = Options { collision: which == "collision", ..Options::default() };
    let store = FileStore::in_memory(all);
    crate::read(&store, "w.sdf", &options).unwrap().flatten_any(&options).unwrap()
}

fn visuals(geometries: &[&str]) -> ImportedScene {
    shapes(geometries, "visual", &[])
}

/// The first words of what each warning says of its items.
fn message(imported: &ImportedScene) -> Vec<String> {
    imported.warnings.iter().flat_map(|warning| warning.names.clone()).collect()
}

#[test]
fn closed_forms_have_whole_lengths_along_z() {
    let imported = visuals(&[
        "<box><size>1 2 4</size></box>",
        "<cylinder><radius>0.5</radius><length>3</length></cylinder>",
        "<sphere><radius>2</radius></sphere>",
        "<capsule><radius>0.25</radius><length>2</length></capsule>",
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
        "<cone><radius>0.5</radius><length>4</length></cone>",
    ]);
    let rows = rows(&imported.scene);
    assert_eq!(rows[0][..6], [0.0, 0.0, 0.0, 0.5, 1.0, 2.0]);
    assert_eq!(rows[1][..7], [0.0, 0.0, -1.5, 0.0, 0.0, 1.5, 0.5]);
    assert_eq!(rows[2], [0.0, 0.0, 0.0, 2.0]);
    assert_eq!(rows[3], [0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.25]);
    assert_eq!(rows[4][..6], [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    assert_eq!(rows[5][..8], [0.0, 0.0, -2.0, 0.0, 0.0, 2.0, 0.5, 0.0]);
}

#[test]
fn geometry_that_cannot_be_read_keeps_its_id() {
    let imported = visuals(&[
        "<cylinder><radius>1</radius><length>-1</length></cylinder>",
        "<image><uri>a.png</uri></image>",
        "<empty/>",
        "<sphere><radius>0</radius></sphere>",
        "<mesh><uri>model://none/a.obj</uri></mesh>",
        "<mesh><uri>https://web/a.obj</uri></mesh>",
        "<sphere><radius>1</radius></sphere>",
    ]);
    let is_empty = |geometry: &Geometry| matches!(geometry, Geometry::Empty);
    assert_eq!(imported.scene.geometries().iter().filter(|it| is_empty(it)).count(), 6);
    assert_eq!(imported.scene.geometries().len(), 7);
    let names = message(&imported);
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(names[0], "m/l/g (its length is -1.0: it must be above 0)");
    assert_eq!(names[1], "m/l/g (a image)");
    assert_eq!(names[4], "m/l/g (https://web/a.obj: raytwin fetches nothing from the web)");
    assert_eq!(imported.warnings[0].remedy, Some(crate::Remedy::Packages));
}

#[test]
fn sizes_that_are_not_given_are_those_of_the_format() {
    let imported = visuals(&["<box/>", "<sphere/>", "<capsule/>", "<cone/>", ""]);
    let rows: Vec<_> = imported.scene.geometries()[..4]
        .iter()
        .map(|geometry| geometry.shape(0).unwrap().row())
        .collect();
    assert_eq!(rows[0][3..6], [0.5; 3]);
    assert_eq!([rows[1][3], rows[2][6], rows[3][6]], [1.0, 0.5, 0.5]);
    assert_eq!([rows[2][5], rows[3][5]], [0.5; 2]);
    assert_eq!(message(&imported), ["m/l/g (it has no <geometry> with a shape)"]);
}

#[test]
fn a_plane_ends_where_it_is_shown_and_not_where_it_is_hit() {
    let plane = "<plane><normal>0 1 0</normal><size>4 2</size></plane>";
    // The shortest turn from z to y leaves x where it is and takes y to -z.
    let rays = [
        ([1.9, 5.0, 0.9], [0.0, -1.0, 0.0]),
        ([1.9, 5.0, 1.1], [0.0, -1.0, 0.0]),
        ([2.1, 5.0, 0.9], [0.0, -1.0, 0.0]),
    ];
    assert_eq!(distances(visuals(&[plane]).scene, &rays), [5.0, f32::INFINITY, f32::INFINITY]);
    assert_eq!(distances(shapes(&[plane], "collision", &[]).scene, &rays), [5.0; 3]);
    let down = "<plane><normal>0 0 -2</normal><size>4 2</size></plane>";
    let rays = [([1.9, 0.9, 3.0], [0.0, 0.0, -1.0]), ([0.9, 1.9, 3.0], [0.0, 0.0, -1.0])];
    assert_eq!(distances(visuals(&[down]).scene, &rays), [3.0, f32::INFINITY]);
}

#[test]
fn polylines_are_extruded_and_every_other_one_is_a_hole() {
    let square = |half: f64, order: [usize; 4]| {
        let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
        let points: String = order
            .iter()
            .map(|&at| format!("<point>{} {}</point>", corners[at][0], corners[at][1]))
            .collect();
        format!("<polyline>{points}<height>2</height></polyline>")
    };
    let nested =
        [square(1.0, [3, 2, 1, 0]), square(3.0, [0, 1, 2, 3]), square(2.0, [0, 1, 2, 3])].concat();
    let imported = visuals(&[&nested]);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    let rays = [
        ([2.5, 0.1, 5.0], [0.0, 0.0, -1.0]),
        ([1.5, 0.1, 5.0], [0.0, 0.0, -1.0]),
        ([0.5, 0.1, 5.0], [0.0, 0.0, -1.0]),
        ([0.5, 0.1, -5.0], [0.0, 0.0, 1.0]),
        ([9.0, 0.1, 1.0], [-1.0, 0.0, 0.0]),
        ([1.5, 0.1, 1.0], [1.0, 0.0, 0.0]),
        ([1.5, 0.1, 1.0], [-1.0, 0.0, 0.0]),
    ];
    let scene = imported.scene;
    assert_eq!(distances(scene.clone(), &rays), [3.0, f32::INFINITY, 3.0, 5.0, 6.0, 0.5, 0.5]);
    // Normals lead out of the solid, so points are told inside from outside.
    let packed = PackedScene::new(scene).unwrap();
    let rays =
        [Ray::new([9.0, 0.1, 1.0], [-1.0, 0.0, 0.0]), Ray::new([1.5, 0.1, 1.0], [1.0, 0.0, 0.0])];
    let normals = CpuTracer::new(&packed).cast(&rays).unwrap().primitive_normals;
    assert_eq!(normals, [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]);
}

#[test]
fn polylines_that_bound_no_area_are_left_out() {
    let polyline = |points: &str| {
        let points: String =
            points.split(',').map(|point| format!("<point>{point}</point>")).collect();
        format!("<polyline>{points}<height>1</height></polyline>")
    };
    for (outlines, reason) in [
        (polyline("0 0,1 0"), "three points"),
        (polyline("0 0,3 3,3 0,0 1"), "cross themselves"),
        ([polyline("0 0,2 0,2 2,0 2"), polyline("1 1,3 1,3 3,1 3")].concat(), "or each other"),
        (polyline("0 0,1 0,2 0"), "cross themselves"),
        (polyline("0 0,1 0,0 1").replace("<height>1", "<height>0"), "must be above 0"),
    ] {
        let names = message(&visuals(&[&outlines]));
        assert!(names.len() == 1 && names[0].contains(reason), "{outlines}: {names:?}");
    }
    // A polyline that is closed by its first point is none the worse for it.
    let closed = polyline("0 0,1 0,1 1,0 1,0 0");
    assert!(visuals(&[&closed]).warnings.is_empty());
}

/// Two triangles apart, in a group each.
const PARTS: &[u8] = b"v 1 1 0\nv 3 1 0\nv 1 3 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\n\
                       o low\nf 1 2 3\no high\nf 4 5 6\n";

#[test]
fn parts_of_meshes_are_taken_centred_and_scaled() {
    let imported = shapes(
        &[
            "<mesh><uri>parts.obj</uri></mesh>",
            "<mesh><uri>file://parts.obj</uri><submesh><name>low</name></submesh></mesh>",
            "<mesh><uri>parts.obj</uri><scale>1 2 -1</scale><submesh><name>low</name><center>true</center></submesh></mesh>",
            "<mesh><uri>parts.obj</uri><submesh><name>none</name></submesh></mesh>",
            "<mesh><uri>parts.obj</uri><scale>1 0 1</scale></mesh>",
            "<mesh><uri>absent.obj</uri></mesh>",
        ],
        "visual",
        &[("parts.obj", PARTS)],
    );
    let bounds: Vec<_> = imported.scene.geometries().iter().map(Geometry::bounds).collect();
    let corners =
        |index: usize| bounds[index].map(|bounds| [bounds.min, bounds.max].map(|it| it.to_array()));
    assert_eq!(corners(0), Some([[0.0; 3], [3.0, 3.0, 5.0]]));
    assert_eq!(corners(1), Some([[1.0, 1.0, 0.0], [3.0, 3.0, 0.0]]));
    assert_eq!(corners(2), Some([[-1.0, -2.0, 0.0], [1.0, 2.0, 0.0]]));
    let names = message(&imported);
    assert!(names[0].contains("no triangles in a part called \"none\""), "{names:?}");
    assert!(
        names[1].contains("none of its numbers may be 0") && names[2].contains("cannot be read")
    );
}

#[test]
fn a_heightmap_stands_over_its_image_with_the_first_row_at_the_end_of_y() {
    let mut png = Vec::new();
    // A row of 0, 0, 51 at the top, and then 102, 0 and 0, and 0 again.
    let image = image::GrayImage::from_raw(3, 3, vec![0, 0, 51, 102, 0, 0, 0, 0, 0]).unwrap();
    image.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let map = "<heightmap><uri>h.png</uri><size>4 8 10</size><pos>1 0 2</pos></heightmap>";
    let imported =
        shapes(&[map, "<heightmap><uri>h.tif</uri></heightmap>"], "collision", &[("h.png", &png)]);
    assert_eq!(message(&imported).len(), 1);
    let down = [0.0, 0.0, -1.0];
    let rays =
        [([2.999, 3.999, 20.0], down), ([-0.999, 0.0, 20.0], down), ([1.0, 0.0, 20.0], down)];
    let found = distances(imported.scene, &rays);
    for (found, wanted) in found.iter().zip([13.0, 8.0, 18.0]) {
        assert!((found - wanted).abs() < 0.02, "{found} is not {wanted}");
    }
}

#[test]
fn colours_are_diffuse_or_ambient_ones() {
    let material = |inner: &str| {
        let text = ball("m", "", "");
        let material = format!("<material>{inner}</material></visual>");
        world(&text.replace("</visual>", &material)).unwrap()
    };
    let color = |inner: &str| material(inner).scene.appearance(0).color;
    assert_eq!(
        color("<ambient>1 0 0 1</ambient><diffuse>0 1 0 1</diffuse>"),
        Some([0.0, 1.0, 0.0])
    );
    assert_eq!(color("<ambient>1 0 0</ambient>"), Some([1.0, 0.0, 0.0]));
    assert_eq!(color("<script><name>Gazebo/Grey</name></script>"), None);
    let wrong = material("<diffuse>1 2 3 1</diffuse>");
    assert!(
        wrong.scene.appearance(0).color.is_none() && message(&wrong)[0].contains("from 0 to 1")
    );
}

#[test]
fn a_shape_of_a_number_that_is_not_finite_is_left_out_and_the_rest_is_read() {
    for number in ["nan", "inf", "-inf", "1e400"] {
        for geometry in [
            "<sphere><radius>?</radius></sphere>",
            "<box><size>1 ? 1</size></box>",
            "<cylinder><radius>1</radius><length>?</length></cylinder>",
            "<capsule><radius>?</radius><length>1</length></capsule>",
            "<cone><radius>1</radius><length>?</length></cone>",
            "<ellipsoid><radii>1 1 ?</radii></ellipsoid>",
            "<plane><normal>0 0 ?</normal></plane>",
            "<plane><size>1 ?</size></plane>",
            "<mesh><uri>a.stl</uri><scale>? 1 1</scale></mesh>",
            "<heightmap><uri>a.png</uri><size>1 1 ?</size></heightmap>",
            "<heightmap><uri>a.png</uri><pos>1 1 ?</pos></heightmap>",
            "<polyline><point>0 0</point><point>1 0</point><point>0 ?</point></polyline>",
            "<polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>?</height></polyline>",
        ] {
            let geometry = geometry.replace('?', number);
            let odd = format!("<visual name=\"odd\"><geometry>{geometry}</geometry></visual>");
            let imported = world(&ball("m", "", &odd)).unwrap();
            let counts: Vec<_> =
                imported.scene.geometries().iter().map(Geometry::primitive_count).collect();
            assert_eq!(counts, [0, 1], "{geometry}");
            let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
            let name = &warning.names[0];
            assert!(
                name.starts_with("m/l/odd (w.sdf:") && name.contains(": a number is "),
                "{name}"
            );
        }
    }
}

#[test]
fn a_fault_of_one_shape_leaves_out_that_shape_alone() {
    let faults = [
        ("", "<box><size>1 2 3 4</size></box>", "must be 3 numbers"),
        ("", "<sphere><radius>1 2</radius></sphere>", "<radius>1 2</radius> must be one"),
        ("", "<box><size>a b c</size></box>", "must be numbers"),
        ("", "<mesh/>", "<mesh> has no <uri>"),
        (
            "<pose rotation_format=\"quat_xyzw\">1 0 0 0 0 0 0</pose>",
            "<sphere/>",
            "a length near zero",
        ),
        ("<pose>1 2</pose>", "<sphere/>", "must be 6 numbers"),
        ("<pose relative_to=\"there\">1 0 0 0 0 0</pose>", "<sphere/>", "\"there\" is not a frame"),
        ("<pose relative_to=\"there\">1 0 0 0 0 0</pose>", "<mesh/>", "<mesh> has no <uri>"),
    ];
    for (pose, shape, fault) in faults {
        let broken = format!("<visual name=\"w\">{pose}<geometry>{shape}</geometry></visual>");
        let imported = world(&ball("m", "", &broken)).unwrap();
        assert_eq!(paths(&imported.scene), ["m/l/w", "m/l/v"], "{shape}");
        assert_eq!(imported.scene.geometries()[0], raytwin::geometry::Geometry::Empty);
        assert_eq!(imported.scene.geometries()[1].shape(0).unwrap().row(), [0.0, 0.0, 0.0, 1.0]);
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        let name = &warning.names[0];
        assert!(name.starts_with("m/l/w (") && name.contains(fault), "{name}");
    }
    // All that stands in a link would be nowhere.
    let link = ball("m", "", "<pose relative_to=\"there\">1 0 0 0 0 0</pose>");
    assert!(world(&link).unwrap_err().contains("\"there\" is not a frame"));
}

#[test]
fn a_shape_stands_in_the_frame_of_a_joint_that_it_names() {
    let joint = "<joint name=\"j\" type=\"fixed\"><pose>2 0 0 0 0 0</pose>\
        <parent>world</parent><child>l</child></joint>";
    let visual = "<visual name=\"w\"><pose relative_to=\"j\">1 0 0 0 0 0</pose>\
        <geometry><sphere/></geometry></visual>";
    let imported = world(&ball("m", joint, visual)).unwrap();
    assert_near(&centers(&imported), &[[3.0, 0.0, 0.0], [0.0; 3]]);
}

#[test]
fn elements_after_the_one_that_is_read_are_named() {
    // Whatever their order, libsdformat looks for a box before a sphere.
    let visual = "<visual name=\"w\">\n<pose>1 0 0 0 0 0</pose>\n<pose>9 0 0 0 0 0</pose>\n\
        <geometry>\n<sphere/>\n<box><size>1 2 3</size>\n<size>4 4 4</size></box></geometry>\n\
        <geometry><plane/></geometry></visual>\n<pose>0 0 5 0 0 0</pose><pose>0 0 6 0 0 0</pose>";
    let imported = world(&ball("m", "", visual)).unwrap();
    let row = imported.scene.geometries()[0].shape(0).unwrap().row();
    assert_eq!(row[..6], [1.0, 0.0, 5.0, 0.5, 1.0, 1.5]);
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(
        warning.names,
        [
            "w.sdf:10:25: <pose>",
            "w.sdf:9:1: <geometry>",
            "w.sdf:6:1: <sphere>",
            "w.sdf:8:1: <size>",
            "w.sdf:4:1: <pose>"
        ]
    );
    assert!(!warning.is_read);
    let holed = "<polyline><point>0 0</point><point>1 0</point><point>0 1</point></polyline>";
    let visual = format!("<visual name=\"w\"><geometry>{holed}{holed}</geometry></visual>");
    let imported = world(&ball("m", "", &visual)).unwrap();
    assert!(imported.warnings.iter().all(|it| !it.what.contains("after the first")));
}
