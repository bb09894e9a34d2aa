//! Which files MuJoCo finds and which part of them it reads, and what is left out.

use super::*;

/// A plate of this size about the origin, in an object of its own.
fn plate(size: f64) -> String {
    format!("v -{size} 0 0\nv {size} 0 0\nv 0 {size} 0\nf -3 -2 -1\n")
}

/// Reads `main.xml` beside a folder `a` and others, in each of which is a mesh of another size.
fn read(text: &str) -> ImportedScene {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, size) in [
        ("m.obj", 1.0),
        ("a/m.obj", 2.0),
        ("part/m.obj", 3.0),
        ("part/only.obj", 4.0),
        ("a/part/late.obj", 5.0),
    ] {
        write(name, &plate(size));
    }
    for file in ["m.obj", "only.obj", "late.obj"] {
        let asset = format!(r#"<mujoco><asset><mesh name="m" file="{file}"/></asset></mujoco>"#);
        write(&format!("part/{file}.xml"), &asset);
    }
    write("a/child.xml", r#"<mujoco><worldbody><geom size="6"/></worldbody></mujoco>"#);
    write("main.xml", &format!("<mujoco>{text}</mujoco>"));
    let options = Options::default();
    let graph = crate::read(&FileStore::disk(), folder.path().join("main.xml"), &options);
    graph.unwrap().flatten_any(&options).unwrap()
}

/// The size of the mesh that a model finds; `None` if it finds none, of which a warning is left.
fn size(settings: &str, asset: &str) -> Option<f64> {
    let geom = r#"<worldbody><geom type="mesh" mesh="m"/></worldbody>"#;
    let imported = read(&format!("<compiler {settings}/>{asset}{geom}"));
    let found = &imported.scene.geometries()[0];
    let size = (found.primitive_count() > 0).then(|| found.bounds().unwrap().max.x);
    assert_eq!(imported.warnings.is_empty(), size.is_some(), "{:?}", imported.warnings);
    size
}

#[test]
fn the_path_of_a_mesh_is_reduced_by_its_text_and_leads_to_no_other_folder() {
    for (settings, file, found) in [
        ("", "m.obj", Some(1.0)),
        (r#"meshdir="a""#, "m.obj", Some(2.0)),
        (r#"meshdir="a/x/..""#, "m.obj", Some(2.0)),
        (r#"meshdir="a\x\..""#, "m.obj", Some(2.0)),
        (r#"meshdir="none/..""#, "m.obj", Some(1.0)),
        (r#"meshdir="a""#, "none/../m.obj", Some(2.0)),
        (r#"meshdir="a""#, "../m.obj", Some(1.0)),
        ("", "none/../a/./m.obj", Some(2.0)),
        (r#"strippath="true" meshdir="a""#, "none/m.obj", Some(2.0)),
        (r#"meshdir="none""#, "m.obj", None),
        (r#"meshdir="a""#, "a/m.obj", None),
        (r#"meshdir="none""#, "a/m.obj", None),
    ] {
        let asset = format!(r#"<asset><mesh name="m" file="{file}"/></asset>"#);
        assert_eq!(size(settings, &asset), found, "{settings} {file}");
    }
}

#[test]
fn the_mesh_of_an_included_file_is_that_of_the_model_first() {
    for (settings, file, found) in [
        ("", "m.obj", Some(1.0)),
        (r#"meshdir="a""#, "m.obj", Some(2.0)),
        ("", "only.obj", Some(4.0)),
        (r#"meshdir="a""#, "late.obj", Some(5.0)),
        (r#"meshdir="none""#, "m.obj", None),
        (r#"meshdir="a""#, "only.obj", None),
    ] {
        let include = format!(r#"<include file="none/../part/{file}.xml"/>"#);
        assert_eq!(size(settings, &include), found, "{settings} {file}");
    }
}

#[test]
fn the_path_of_a_model_is_reduced_by_its_text() {
    let imported = read(
        r#"<asset><model name="c" file="none/../a/child.xml"/></asset>
           <worldbody><attach model="c" prefix="p_"/></worldbody>"#,
    );
    assert_eq!(rows(&imported.scene)[0][3], 6.0);
}

#[test]
fn the_first_object_of_an_obj_is_the_mesh_and_others_are_named() {
    let plate = |above: f64, before: &str| {
        format!("v 0 0 {above}\nv 1 0 {above}\nv 0 1 {above}\n{before}f -3 -2 -1\n")
    };
    let two = |first: &str, second: &str| [plate(1.0, first), plate(2.0, second)].concat();
    for (obj, heights) in [
        (two("", ""), [1.0, 2.0]),
        (two("o a\n", "o b\n"), [1.0, 1.0]),
        (two("g a\n", "g b\n"), [1.0, 1.0]),
        (two("o a\n", "g b\n"), [1.0, 1.0]),
        (two("", "o b\n"), [1.0, 1.0]),
        (two("o a\n", "o a\n"), [1.0, 1.0]),
        (two("o a\n", "  o\tb\r\n"), [1.0, 1.0]),
        // An object without elements, a face of two corners, materials and names of nothing divide
        // nothing.
        (two("o none\no a\n", "o b\n"), [1.0, 1.0]),
        (two("o none\nf -2 -1\no a\n", "o b\n"), [1.0, 1.0]),
        (two("usemtl red\n", "usemtl blue\ns 2\n"), [1.0, 2.0]),
        (two("o\n", "g\n"), [1.0, 2.0]),
    ] {
        let asset = r#"<asset><mesh name="m" file="two.obj"/></asset>
                       <worldbody><geom type="mesh" mesh="m"/></worldbody>"#;
        let imported = model_with(asset, &[("two.obj", &obj)], &Options::default()).unwrap();
        let bounds = imported.scene.geometries()[0].bounds().unwrap();
        assert_eq!([bounds.min.z, bounds.max.z], heights, "{obj}");
        let warnings: Vec<String> = imported.warnings.iter().map(Warning::to_string).collect();
        match heights == [1.0, 2.0] {
            true => assert!(warnings.is_empty(), "{warnings:?}"),
            false => assert!(warnings[0].ends_with("two.obj (without 1 faces)"), "{warnings:?}"),
        }
        assert!(imported.warnings.iter().all(|warning| warning.is_read));
    }
}

#[test]
fn a_geom_of_a_number_that_is_not_finite_is_left_out_and_the_rest_is_read() {
    for number in ["nan", "inf", "1e400"] {
        for (asset, geom) in [
            ("", r#"size="?""#),
            ("", r#"size="1" pos="0 ? 0""#),
            ("", r#"size="1" euler="0 ? 0""#),
            ("", r#"size="1" quat="0 ? 0 0""#),
            ("", r#"type="box" size="1 1 ?""#),
            ("", r#"type="capsule" size="1" fromto="0 0 0 0 0 ?""#),
            (r#"<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 ?"/>"#, r#"type="mesh" mesh="m""#),
            (r#"<mesh name="m" file="a.stl" scale="1 ? 1"/>"#, r#"type="mesh" mesh="m""#),
            (r#"<mesh name="m" file="a.stl" refpos="1 ? 1"/>"#, r#"type="mesh" mesh="m""#),
            (
                r#"<hfield name="h" nrow="2" ncol="2" size="1 1 ? 1"/>"#,
                r#"type="hfield" hfield="h""#,
            ),
        ] {
            let [asset, geom] = [asset, geom].map(|text| text.replace('?', number));
            let imported = model(&format!(
                "<asset>{asset}</asset><worldbody>\n<geom name=\"odd\" {geom}/><geom size=\"2\"/></worldbody>"
            ))
            .unwrap();
            let scene = imported.scene;
            assert_eq!(scene.geometries()[0].primitive_count(), 0, "{asset}{geom}");
            assert_eq!(scene.geometries()[1].shape(0).unwrap().row(), [0.0, 0.0, 0.0, 2.0]);
            let name = &imported.warnings[0].names[0];
            assert!(name.starts_with("odd (m.xml:") || name.contains("/m.xml:"), "{name}");
            assert!(name.contains("is invalid: a number is "), "{name}");
        }
        // A colour is no part of the shape.
        let painted = world(&format!(r#"<geom size="1" rgba="0 {number} 0 1"/>"#)).unwrap();
        assert_eq!(painted.scene.geometries()[0].primitive_count(), 1);
        assert!(painted.warnings[0].names[0].contains("is invalid: a number is "));
    }
}

#[test]
fn numbers_are_those_of_mujoco_or_refused() {
    for (written, number) in [("+1", 1.0), ("1.", 1.0), (".5", 0.5), ("1E1", 10.0), ("00012", 12.0)]
    {
        let scene = world(&format!(r#"<geom size="{written}"/>"#)).unwrap().scene;
        assert_eq!(rows(&scene)[0][3], number, "{written}");
    }
    for text in ["0x10", "1e", "1e+", "1d0", "1x", "1;", "1,2", "1_0", "--1", "1\u{a0}2", "1 2 3 4"]
    {
        let refused = world(&format!(r#"<geom size="{text}"/>"#)).map(drop).unwrap_err();
        assert!(refused.starts_with("m.xml:3:1: size="), "{text}: {refused}");
    }
    for text in ["1.0", "1e0", "0x1", "1.5", "2147483648", "1 2", "1\u{a0}"] {
        let refused = world(&format!(r#"<geom size="1" group="{text}"/>"#)).map(drop).unwrap_err();
        assert!(refused.starts_with("m.xml:3:1: group="), "{text}: {refused}");
    }
    world(r#"<geom size="1" group=" +2 "/>"#).unwrap();
}

#[test]
fn a_camera_whose_numbers_make_none_is_left_out_and_the_rest_is_read() {
    for odd in [
        r#"fovy="0""#,
        r#"fovy="-1""#,
        r#"fovy="nan""#,
        r#"projection="orthographic" fovy="0""#,
        r#"pos="nan 0 0""#,
        r#"pos="inf 0 0""#,
        r#"quat="1 0 nan 0""#,
        r#"resolution="0 0""#,
        r#"resolution="-1 5""#,
        r#"resolution="99999999 9999999""#,
        r#"sensorsize="-1 1" resolution="9 9""#,
        r#"sensorsize="1 1" focal="0 0" resolution="9 9""#,
        r#"sensorsize="1 1" focal="nan 1" resolution="9 9""#,
    ] {
        let imported = world(&format!(
            r#"<geom size="1"/><camera name="odd" {odd}/><camera name="sound" fovy="45"/>"#
        ))
        .unwrap();
        assert_eq!(imported.scene.geometries().len(), 1, "{odd}");
        let names: Vec<&str> = imported.scene.cameras.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["sound"], "{odd}");
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        let name = &warning.names[0];
        assert!(name.starts_with("odd (") && name.contains("m.xml:3:"), "{name}");
    }
}
