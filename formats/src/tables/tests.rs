use crate::{ImportedScene, Options, Origin, load};
use glam::DVec3;
use raytwin::scene::Scene;
use raytwin_files::FileStore;

fn table(text: impl AsRef<[u8]>) -> Result<ImportedScene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    load(&path, &Options::default()).map_err(|error| {
        let text = error.to_string();
        text[text.find("t.csv").unwrap()..].to_owned()
    })
}

fn rows(scene: &Scene) -> Vec<Vec<f64>> {
    let shapes = scene.geometries().iter().filter_map(|geometry| geometry.shape(0));
    shapes.map(|shape| shape.row()).collect()
}

#[test]
fn one_kind_of_shape_needs_no_type() {
    for text in [
        "center_x,center_y,center_z,radius\n1,2,3,0.5\n-1,0,1e1,2\n",
        "\u{feff}radius;center_z;center_x;center_y\r\n0.5;3;1;2\r\n\r\n2; 10 ;-1;0",
        "center_x\tcenter_y\tcenter_z\tradius\n1\t2\t3\t\"0.5\"\n-1\t0\t10\t2\n\t\t\t\n",
    ] {
        let imported = table(text).unwrap();
        assert!(imported.warnings.is_empty());
        assert_eq!(rows(&imported.scene), [[1.0, 2.0, 3.0, 0.5], [-1.0, 0.0, 10.0, 2.0]]);
    }
    let boxes =
        "center_x,center_y,center_z,half_extents_x,half_extents_y,half_extents_z\n0,0,0,1,2,3\n";
    let scene = table(boxes).unwrap().scene;
    assert_eq!(rows(&scene)[0][6..], [0.0, 0.0, 0.0, 1.0], "a rotation may be left out");
}

#[test]
fn what_fits_cylinders_and_capsules_is_cylinders() {
    let ends = "start_x,start_y,start_z,end_x,end_y,end_z,radius\n0,0,0,0,0,2,0.5\n";
    let scene = table(ends).unwrap().scene;
    assert_eq!(scene.geometry(0).unwrap().type_name(), "cylinder");
    let typed = ends.replace("radius", "radius,type").replace("0.5", "0.5,capsule");
    let scene = table(typed).unwrap().scene;
    assert_eq!(scene.geometry(0).unwrap().type_name(), "capsule");
}

#[test]
fn a_diameter_is_twice_the_radius() {
    let scene = table("center_x,center_y,center_z,diameter\n1,2,3,0.5\n").unwrap().scene;
    assert_eq!(rows(&scene), [[1.0, 2.0, 3.0, 0.25]]);
    let mixed = "type,center_x,center_y,center_z,diameter,half_extents_x,half_extents_y,half_extents_z\n\
        sphere,1,2,3,4,,,\nbox,0,0,0,,1,1,1\n";
    assert_eq!(rows(&table(mixed).unwrap().scene)[0][3], 2.0);
    for (text, expected) in [
        (
            "center_x,center_y,center_z,radius,diameter\n1,2,3,1,2\n",
            "t.csv:1:35: is given together with radius: remove one of the two",
        ),
        (
            "center_x,center_y,center_z,diameter\n1,2,3,-1\n",
            "t.csv:2:7: diameter is -1: it must be greater than 0",
        ),
        ("center_x,center_y,center_z,diameter\n1,2,3,x\n", "t.csv:2:7: diameter is 'x'"),
        ("center_x,center_y,center_z,diameter\n1,2,3,\n", "t.csv:2:7: diameter is empty"),
    ] {
        let message = table(text).unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }
}

#[test]
fn a_unit_in_a_name_is_read_as_metres() {
    let ends = "start_x,start_y,start_z,end_x,end_y,end_z";
    for (columns, row, expected) in [
        ("diameter_mm", "0,0,0,0,0,2,610", [0.0, 0.0, 2.0, 0.305]),
        ("radius [in]", "0,0,0,0,0,2,10", [0.0, 0.0, 2.0, 0.254]),
        ("diameter (cm)", "0,0,0,0,0,2,50", [0.0, 0.0, 2.0, 0.25]),
        ("radius_ft", "0,0,0,0,0,2,1", [0.0, 0.0, 2.0, 0.3048]),
        ("radius_us_ft", "0,0,0,0,0,2,3937", [0.0, 0.0, 2.0, 1200.0]),
        ("radius_m", "0,0,0,0,0,2,0.5", [0.0, 0.0, 2.0, 0.5]),
    ] {
        let scene = table(format!("{ends},{columns}\n{row}\n")).unwrap().scene;
        assert_eq!(rows(&scene)[0][3..7], expected.map(|it| f64::from(it as f32)), "{columns}");
    }
    let text = "start_x_mm;start_y_mm;start_z_mm;end_x_m;end_y_m;end_z_m;radius_cm\n\
        1500,5;0;;4500102364;0;2;2,5\n";
    let message = table(text).unwrap_err();
    assert!(message.contains("start_z_mm is empty"), "{message}");
    let far = "start_x_mm,start_y_mm,start_z_mm,end_x_mm,end_y_mm,end_z_mm,diameter_mm\n\
        4500102364.5,0,0,4500102364.5,0,6000,200\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, far).unwrap();
    let origin = Some(Origin::At(DVec3::new(4_500_100.0, 0.0, 0.0)));
    let scene = load(&path, &Options { origin, ..Options::default() }).unwrap().scene;
    assert_eq!(rows(&scene)[0][..7], [2.3645_f32, 0.0, 0.0, 2.3645, 0.0, 6.0, 0.1].map(f64::from));
    // What has its own column without a unit is read from there.
    let both = format!("{ends},radius,radius_mm\n0,0,0,0,0,2,0.5,7\n");
    assert_eq!(rows(&table(both).unwrap().scene)[0][6], 0.5);
    for (columns, row, expected) in [
        ("radius_mm,radius_in", "1,1", "t.csv:1:53: is a second column radius"),
        ("radius_mm,diameter_in", "1,1", "is given together with radius: remove one of the two"),
        ("radius_mm", "-50", "is -0.05: it must be between"),
        ("radius_mm", "-50", "(in metres; the column is in mm)"),
        ("radius_mm", "x", "radius_mm is 'x': it must be a number"),
        ("radius_mm,start_w_mm", ",1", "radius_mm is empty"),
    ] {
        let message = table(format!("{ends},{columns}\n0,0,0,0,0,2,{row}\n")).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
    for (text, expected) in [
        (
            "center_x_mm,center_y,center_z_mm,radius\n1,2,3,1\n",
            "t.csv:1:1: is in mm, but center_y has no unit: give all three a unit, or none",
        ),
        (
            "center_x,center_y,center_z,radius\n4500102364,2,3,1\n",
            "if it is in millimetres, rename the column to center_x_mm",
        ),
        (
            "start_x,start_y,start_z,end_x,end_y,end_z,DN [mm],system\n0,0,0,0,0,1,100,a\n",
            "for a cylinder, it lacks radius or diameter; columns not read: DN [mm], system",
        ),
        (
            "START_X,start_y,start_z,end_x,end_y,end_z,radius\n0,0,0,0,0,1,1\n",
            "for a cylinder, it lacks start_x; columns not read: START_X; did you mean start_x instead of START_X?",
        ),
    ] {
        let message = table(text).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn radii_in_another_unit_than_lengths_are_a_warning() {
    let ends = "start_x,start_y,start_z,end_x,end_y,end_z";
    let warned = |column: &str, diameter: f64| {
        let row = format!("0,0,0,0,0,6,{diameter}\n");
        let imported = table(format!("{ends},{column}\n{row}{row}")).unwrap();
        imported.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let warning = warned("diameter", 610.0);
    assert!(
        warning.contains("diameter (median radius 305, median length 6: diameter_mm"),
        "{warning}"
    );
    for (column, diameter) in [("diameter", 120.0), ("diameter_m", 610.0), ("diameter_mm", 610.0)] {
        assert_eq!(warned(column, diameter), "", "{column}");
    }
}

#[test]
fn numbers_between_semicolons_may_have_decimal_commas() {
    let read = |rows: &str| table(format!("name;center_x;center_y;center_z;radius;tree\n{rows}"));
    let scene = read("1,5;1,5;-2;3e0;,5;4\n\"a;b\";1;2;3;1,25e1;5\n").unwrap().scene;
    assert_eq!(rows(&scene), [[1.5, -2.0, 3.0, 0.5], [1.0, 2.0, 3.0, 12.5]]);
    assert_eq!((scene.path(0), scene.path(1)), ("1,5".to_owned(), "a;b".to_owned()));
    assert_eq!(scene.integers_of("tree", &[0, 1]), [4, 5]);
    for (rows, expected) in [
        ("a;1.234,5;2;3;1;4\n", "t.csv:2:3: center_x is '1.234,5': a number may have one decimal"),
        ("a;1,234.5;2;3;1;4\n", "t.csv:2:3: center_x is '1,234.5': a number may have one decimal"),
        ("a;1,234,567;2;3;1;4\n", "t.csv:2:3: center_x is '1,234,567': it must be a number"),
        (
            "a;1,5;2;3;1;4\nb;1.234;2;3;1;4\n",
            "t.csv:3:3: center_x is '1.234', but an earlier number",
        ),
        ("a;1.5;2;3;1;4\nb;1,5;2;3;1;4\n", "t.csv:3:3: center_x is '1,5', but an earlier number"),
    ] {
        let message = read(rows).unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }
    let english = "center_x,center_y,center_z,radius\n\"1,234\",0,0,1\n";
    let message = table(english).unwrap_err();
    assert!(
        message.starts_with("t.csv:2:1: center_x is '1,234': it must be a number"),
        "{message}"
    );
}

#[test]
fn a_table_is_read_as_spreadsheets_save_it() {
    let text =
        "name;center_x;center_y;center_z;radius;caf\u{e9}\nM\u{fc}ller \u{2013} 1;1;2;3;0.5;x\n";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let letter = |letter: char| if letter == '\u{2013}' { 0x96 } else { letter as u8 };
    let forms = [
        text.as_bytes().to_vec(),
        text.chars().map(letter).collect(),
        [b"\xff\xfe", &wide[..]].concat(),
        [text.as_bytes(), b"\0\0\0"].concat(),
    ];
    for form in forms {
        let scene = table(form).unwrap().scene;
        assert_eq!(rows(&scene), [[1.0, 2.0, 3.0, 0.5]]);
        assert_eq!(scene.path(0), "M\u{fc}ller \u{2013} 1");
    }
}

#[test]
fn several_kinds_have_a_type_and_shapes_names_masks_and_colours() {
    let text = "type,name,mask,color,center_x,center_y,center_z,radius,start_x,start_y,start_z,end_x,end_y,end_z,note\n\
        sphere,\"a, b\",5,#ff8000,0,0,1,0.5,,,,,,,x\n\
        cylinder,,,,,,,0.25,0,0,0,0,0,2,y\n";
    let ImportedScene { scene, warnings, .. } = table(text).unwrap();
    assert_eq!(scene.path(0), "a, b");
    assert_eq!((scene.mask(0), scene.mask(1)), (5, u32::MAX));
    assert_eq!(
        scene.appearance(0).color.map(|color| color.map(|level| (255.0 * level).round())),
        Some([255.0, 128.0, 0.0])
    );
    assert_eq!((scene.appearance(1).color, scene.name(1).is_none()), (None, true));
    assert_eq!(rows(&scene)[1][..8], [0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.25, 0.0]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].to_string().starts_with("1 columns were not read"), "{}", warnings[0]);
    let parts =
        "center_x,center_y,center_z,radius,color_r,color_g,color_b\n0,0,0,1,0.5,0,1\n0,0,0,1,,,\n";
    let scene = table(parts).unwrap().scene;
    assert_eq!(
        (scene.appearance(0).color, scene.appearance(1).color),
        (Some([0.5, 0.0, 1.0]), None)
    );
}

#[test]
fn labels_are_numbers_and_reflectances_shares() {
    let labelled = |rows: &str| {
        table(format!("center_x,center_y,center_z,radius,label,reflectance,tree_id\n{rows}"))
    };
    let of = |scene: &Scene| -> Vec<_> {
        let all = (0..scene.geometry_count()).map(|id| scene.appearance(id));
        all.map(|it| (it.label, it.reflectance)).collect()
    };
    let rows =
        "0,0,0,1,3,0.25,7\n0,0,0,1,65535,1,8\n0,0,0,1,0,0,9\n0,0,0,1,,,1\n0,0,0,1,NaN,nan,2\n";
    let numbers = labelled(rows).unwrap();
    let (none, black) = ((None, None), (Some(0), Some(0.0)));
    let expected = [(Some(3), Some(0.25)), (Some(65535), Some(1.0)), black, none, none];
    assert_eq!((of(&numbers.scene), numbers.warnings.len()), (expected.to_vec(), 0));
    assert_eq!(numbers.scene.integer_names().into_iter().collect::<Vec<_>>(), ["tree_id"]);
    for (rows, expected) in [
        ("0,0,0,1,1,,\n0,0,0,1,70000,,\n", "row 2: label is 70000: it must be a whole number"),
        ("0,0,0,1,-1,,\n", "row 1: label is -1: it must be a whole number from 0 to 65535"),
        ("0,0,0,1,1.5,,\n", "row 1: label is 1.5"),
        // A name without a number would be numbered by a guess.
        ("0,0,0,1,2,,\n0,0,0,1,wood,,\n", "row 2: label is 'wood': it must be a number"),
        ("0,0,0,1,1,1.5,\n", "row 1: reflectance is 1.5: it must be from 0 to 1"),
        ("0,0,0,1,1,dark,\n", "row 1: reflectance is 'dark': it must be a number"),
    ] {
        // Another program's column of that name may mean something else, so the shapes are read.
        let ImportedScene { scene, warnings, .. } = labelled(rows).unwrap();
        assert_eq!(scene.geometry_count() as usize, rows.lines().count());
        let message = warnings[0].to_string();
        assert!(message.starts_with("1 labels and reflectances could not be read"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_label_with_two_names_is_a_warning() {
    let sphere = |label: &str| {
        let ball = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;
        format!(r#"{{ "raytwin": 1, "labels": {{ "{label}": 1 }}, "shapes": [ {ball} ] }}"#)
    };
    let [wood, leaf] = ["wood", "leaf"].map(sphere);
    let scene = r#"{ "raytwin": 1, "nodes": [ { "file": "a.json" }, { "file": "b.json" } ] }"#;
    let read = |second: &str| {
        let files = [("s.json", scene), ("a.json", &wood), ("b.json", second)];
        let files = files.map(|(name, text)| (name, text.as_bytes()));
        crate::load_from(&FileStore::in_memory(files), "s.json", &Options::default()).unwrap()
    };
    assert!(read(&wood).warnings.is_empty());
    let warnings = read(&leaf).warnings;
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(
        warning.to_string().starts_with("1 labels have different names in several files"),
        "{warning}"
    );
    assert!(warning.names == ["1 (wood, leaf)"] || warning.names == ["1 (leaf, wood)"]);
}

#[test]
fn faults_are_reported_with_their_line_and_column() {
    let spheres =
        |rows: &str| table(format!("center_x,center_y,center_z,radius\n{rows}")).unwrap_err();
    for (rows, expected) in [
        ("0,0,0,1\n0,zero,0,1\n", "t.csv:3:3: center_y is 'zero': it must be a number"),
        ("0,0,0,-1\n", "t.csv:2:7: radius is -1.0: it must be between"),
        ("0,1e999,0,1\n", "t.csv:2:3: center_y is inf: it must be a finite number"),
        ("\"0\n\",0,nan,1\n", "t.csv:3:5: center_z is NaN"),
        ("0,0,,1\n", "t.csv:2:5: center_z is empty: every sphere needs a number here"),
        ("\n\n0,0,0,x\n", "t.csv:4:7: radius is 'x'"),
        ("0,0,0\n", "t.csv:2:1: this row has 3 cells, and the first line names 4 columns"),
    ] {
        let message = spheres(rows);
        assert!(message.starts_with(expected), "{message}");
    }
    for (text, expected) in [
        ("", "t.csv:1:1: the file is empty"),
        ("center_x,center_y,center_z,radius\n", "t.csv: has no shapes"),
        ("center_x,center_x\n", "t.csv:1:10: is a second column center_x"),
        ("x,y,z,radius\n0,0,0,1\n", "t.csv:1:1: has no column type"),
        (
            "type,radius\nball,1\n",
            "t.csv:2:1: type is 'ball', which is not a shape type for tables; did you mean",
        ),
        ("type,radius\n,1\n", "t.csv:2:1: type is empty: give one of sphere, box"),
        (
            "type,radius\nsphere,1\n",
            "t.csv:2:1: this row has no column center_x: every sphere needs it",
        ),
        (
            "type,center_x,center_y,center_z,radius,end_x\nsphere,0,0,0,1,7\n",
            "t.csv:2:16: end_x has a value, but the shape sphere has no such field",
        ),
        (
            "center_x,center_y,center_z,radius,mask\n0,0,0,1,-1\n",
            "t.csv:2:9: mask is -1: it must be a whole number",
        ),
        (
            "center_x,center_y,center_z,radius,color\n0,0,0,1,red\n",
            "t.csv:2:9: color is 'red': it must be a colour in hexadecimal",
        ),
        (
            "center_x,center_y,center_z,radius,color_r\n0,0,0,1,1\n",
            "t.csv:1:1: a colour needs the three columns",
        ),
        (
            "center_x,center_y,center_z,radius,color_r,color_g,color_b\n0,0,0,1,2,0,0\n",
            "t.csv:2:9: color_r is part of [2.0, 0.0, 0.0]",
        ),
        (
            "center_x,center_y,center_z,radius,name\n0,0,0,1,a\n0,0,0,1,\"b\n0,0,0,1,c\n",
            "t.csv:3:1: a quote in this row is not closed",
        ),
        (
            "center_x,center_y,center_z,\"radius\n0,0,0,1\n",
            "t.csv:1:1: a quote in this row is not closed",
        ),
    ] {
        let message = table(text).unwrap_err();
        assert!(message.starts_with(expected), "{message}");
    }
    let letter = table(b"center_x,center_y,center_z,radius\n0,0,0,\xff\n").unwrap_err();
    assert!(letter.starts_with("t.csv:2:7: radius"), "{letter}");
}

#[test]
fn a_fault_is_reported_at_its_own_column_where_one_name_begins_with_another() {
    let cone =
        "start_x,start_y,start_z,end_x,end_y,end_z,start_radius,end_radius\n0,0,0,0,0,1,-1,0\n";
    let message = table(cone).unwrap_err();
    assert!(message.starts_with("t.csv:2:13: start_radius is -1.0"), "{message}");
}

#[test]
fn cells_without_a_value_may_be_nan_and_quoted_names_may_hold_lines() {
    let text = "type,name,center_x,center_y,center_z,radius,start_x\n\
        sphere,\"of two\nlines\",0,0,0,1,NaN\nsphere,last,0,0,0,2,nan";
    let scene = table(text).unwrap().scene;
    assert_eq!(rows(&scene), [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0]]);
    assert_eq!(scene.path(0), "of two\nlines");
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let whole = "type,name,mask,color,center_x,center_y,center_z,radius\nsphere,\"a\",5,#ff8000,0,0,1,0.5\n";
    let mut random = fastrand::Rng::with_seed(5);
    for position in 0..whole.len() {
        for _ in 0..8 {
            let mut bytes = whole.as_bytes().to_vec();
            bytes[position] = *random.choice(b",\"\n\r#;-9a\xff").unwrap();
            let _ = table(bytes);
        }
    }
}

#[test]
fn an_origin_keeps_what_rounding_would_lose() {
    let far = "type,start_x,start_y,start_z,end_x,end_y,end_z,radius\n\
        capsule,500000.001,4000000,10,500000.002,4000000,10,0.001\n\
        capsule,500010.5,4000020.25,10,500010.5,4000020.25,10.5,0.001\n";
    let error = table(far).unwrap_err();
    let expected = "t.csv: row 0.end: is 500000.002, and rounding it to float32";
    assert!(error.starts_with(expected), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.csv");
    std::fs::write(&path, far).unwrap();
    let about = |origin| load(&path, &Options { origin: Some(origin), ..Options::default() });
    let at = DVec3::new(500_000.0, 4_000_000.0, 10.0);
    let scene = about(Origin::At(at)).unwrap().scene;
    assert_eq!(rows(&scene)[0][0], f64::from((500_000.001_f64 - 500_000.0) as f32));
    assert_eq!(scene.origin(), at);
    // Whoever takes zero for an origin wants it.
    let rounded = about(Origin::At(DVec3::ZERO)).unwrap_err().to_string();
    assert!(rounded.contains("end"), "both ends are equal in float32: {rounded}");
    let auto = about(Origin::Auto).unwrap();
    assert_eq!(auto.scene.origin(), DVec3::new(500_010.0, 4_000_010.0, 10.0));
    assert!(auto.warnings.is_empty());
}

#[test]
fn other_columns_of_whole_numbers_are_kept_and_written_again() {
    let text = "center_x,center_y,center_z,radius,tree_id,note,share,order,none,big\n\
        0,0,0,1,7,a,0.5,0,,3000000000\n3,0,0,1,-8,b,1,,,1\n6,0,0,1,7.0,c,2,2,,1\n";
    let ImportedScene { scene, warnings, .. } = table(text).unwrap();
    assert_eq!(scene.integer_names().into_iter().collect::<Vec<_>>(), ["order", "tree_id"]);
    assert_eq!(scene.integers_of("tree_id", &[0, 1, 2]), [7, -8, 7]);
    assert_eq!(scene.integers_of("order", &[0, 1, 2]), [0, 0, 2]);
    assert_eq!(warnings[0].names, ["note", "share", "none", "big"]);
    let folder = tempfile::tempdir().unwrap();
    for name in ["again.csv", "again.parquet", "again.json"] {
        let path = folder.path().join(name);
        crate::save(&scene, &path).unwrap();
        let again = load(&path, &Options::default()).unwrap();
        assert!(again.warnings.is_empty(), "{name}: {:?}", again.warnings);
        assert_eq!(again.scene.integers_of("tree_id", &[0, 1, 2]), [7, -8, 7], "{name}");
        assert_eq!(again.scene.integers_of("order", &[0, 1, 2]), [0, 0, 2], "{name}");
    }
    let lost = crate::left_out(&scene, "again.npz").unwrap();
    assert!(lost.iter().any(|warning| warning.names == ["order", "tree_id"]), "{lost:?}");
}

/// A trunk of two cylinders and a branch, as each program names its columns.
const TREES: [&str; 5] = [
    // SimpleForest.
    " ID, parentID, startX, startY, startZ, endX, endY, endZ, radius, length, branchOrder, branchID, treeID\n\
     0,-1,0,0,0,0,0,1,0.2,1,0,0,7\n1,0,0,0,1,0,0,3,0.1,2,0,0,7\n2,1,0,0,3,3,0,3,0.05,3,1,1,7\n",
    // aRchi.
    "startX,startY,startZ,endX,endY,endZ,cyl_ID,parent_ID,extension_ID,radius_cyl,length,branching_order,tree_ID\n\
     0,0,0,0,0,1,1,0,2,0.2,1,0,7\n0,0,1,0,0,3,2,1,0,0.1,2,0,7\n0,0,3,3,0,3,3,2,0,0.05,3,1,7\n",
    // TreeQSM's structure as a data frame, written by R.
    "\"\",\"radius\",\"length\",\"start.x\",\"start.y\",\"start.z\",\"axis.x\",\"axis.y\",\"axis.z\",\"parent\",\"BranchOrder\",\"tree_id\"\n\
     \"1\",0.2,1,0,0,0,0,0,1,0,0,7\n\"2\",0.1,2,0,0,1,0,0,0.9999,1,0,7\n\"3\",0.05,3,0,0,3,1,0,0,2,1,7\n",
    // TreeQSM's text, whose names are fewer than its columns.
    "radius (m)\tlength (m)\tstart_point\taxis_direction\tparent\textension\tbranch_order\tmad\ttree_id\n\
     0.2\t1\t0\t0\t0\t0\t0\t1\t0\t2\t0\t0.01\t7\n0.1\t2\t0\t0\t1\t0\t0\t1\t1\t0\t0\t0.02\t7\n0.05\t3\t0\t0\t3\t1\t0\t0\t2\t0\t1\t0.03\t7\n",
    // rTwig, whose axis is no torus's.
    "start_x,start_y,start_z,axis_x,axis_y,axis_z,end_x,end_y,end_z,radius,id,parent,branch,branch_order,tree_id\n\
     0,0,0,0,0,1,0,0,1,0.2,1,0,1,0,7\n0,0,1,0,0,1,0,0,3,0.1,2,1,1,0,7\n0,0,3,1,0,0,3,0,3,0.05,3,2,2,1,7\n",
];

#[test]
fn trees_are_read_as_the_programs_that_make_them_name_their_columns() {
    for text in TREES {
        let scene = table(text).unwrap_or_else(|error| panic!("{text}{error}")).scene;
        let read: Vec<Vec<f32>> = rows(&scene)
            .iter()
            .map(|row| row[..7].iter().map(|number| *number as f32).collect())
            .collect();
        let expected = [
            [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.2],
            [0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.1],
            [0.0, 0.0, 3.0, 3.0, 0.0, 3.0, 0.05],
        ];
        assert_eq!(read, expected, "{text}");
        let numbers = |name: &str| scene.integers_of(name, &[0, 1, 2]);
        assert_eq!(numbers("branch_order"), [0, 0, 1], "{text}");
        assert_eq!(numbers("tree_id"), [7, 7, 7], "{text}");
        assert_eq!(numbers("wood"), [1, 1, 1], "{text}");
    }
}

#[test]
fn a_column_of_wood_is_the_files_own_where_it_has_one() {
    let names = "startX,startY,startZ,endX,endY,endZ,radius,parentID,wood\n";
    let scene = table(format!("{names}0,0,0,0,0,1,0.2,-1,4\n")).unwrap().scene;
    assert_eq!(scene.integer("wood", 0), 4);
    let pipe = "start_x,start_y,start_z,end_x,end_y,end_z,radius\n0,0,0,0,0,2,0.5\n";
    assert!(table(pipe).unwrap().scene.integer_names().is_empty());
}

#[test]
fn faults_of_trees_name_columns_of_the_file() {
    let row = |text: &str| {
        let names = "length,start.x,start.y,start.z,axis.x,axis.y,axis.z,radius,parent\n";
        table(format!("{names}1,0,0,0,0,0,1,0.2,0\n{text}\n")).unwrap_err()
    };
    assert!(
        row("1,0,0,1,0,0,0,0.2,1")
            .starts_with("t.csv:3:9: axis.x is part of an axis of length zero")
    );
    assert!(row("0,0,0,1,0,0,1,0.2,1").starts_with("t.csv:3:1: length is 0: it must be greater"));
    assert!(
        row("1,0,0,1,0,0,1,0,1").starts_with("t.csv:3:15: radius"),
        "{}",
        row("1,0,0,1,0,0,1,0,1")
    );
    assert!(
        row("1,0,0,x,0,0,1,0.2,1").starts_with("t.csv:3:7: start"),
        "{}",
        row("1,0,0,x,0,0,1,0.2,1")
    );
    assert!(
        row("1e-30,1,1,1,0,0,1,0.2,1").contains(": length "),
        "{}",
        row("1e-30,1,1,1,0,0,1,0.2,1")
    );
    for (names, lacks) in [
        ("startX,startY,startZ,endX,endY,endZ,parentID", "a column radius"),
        ("startX,startY,startZ,endX,endY,endZ,radius", "a column parent"),
        (
            "start.x,start.y,start.z,axis.x,axis.y,axis.z,radius,parent",
            "three for the axis and one for the length",
        ),
    ] {
        let error = table(format!("{names}\n")).unwrap_err();
        assert!(error.starts_with("t.csv:1:1: ") && error.contains(lacks), "{error}");
    }
    let twice =
        "startX,startY,startZ,endX,endY,endZ,radius,parentID,treeID,treeID\n0,0,0,0,0,1,1,0,7,8\n";
    let error = table(twice).unwrap_err();
    assert!(error.contains("is a second column tree_id: remove one of the two"), "{error}");
    // A table of shapes with parents is what it says.
    let text = "type,start_x,start_y,start_z,end_x,end_y,end_z,radius,axis_x,axis_y,axis_z,center_x,center_y,center_z,major_radius,minor_radius,parent\n\
        capsule,0,0,0,0,0,1,0.2,,,,,,,,,0\n";
    assert_eq!(table(text).unwrap().scene.geometries().len(), 1);
}

#[test]
fn a_column_of_numbers_that_is_called_almost_as_labels_are_is_a_warning() {
    for name in ["Label", "labels", "LABELS"] {
        let text = format!("center_x,center_y,center_z,radius,{name}\n0,0,0,1,3\n");
        let ImportedScene { warnings, .. } = table(text).unwrap();
        assert!(warnings[0].to_string().contains(&format!("{name} (did you mean label?)")));
    }
}

#[test]
fn a_large_table_is_read_in_parts_as_row_by_row() {
    const HEAD: &str = "type,center_x,center_y,center_z,radius,name,mask,label,color,tree,last";
    let row = |index: usize| {
        let name = if index.is_multiple_of(3) { format!("ball {index}") } else { String::new() };
        let mask = if index.is_multiple_of(5) { index.to_string() } else { String::new() };
        let label = if index.is_multiple_of(7) { "3" } else { "" };
        let color = if index.is_multiple_of(11) { "#ff8000" } else { "" };
        let last = if index == 29_999 { "0.5" } else { "1" };
        format!("sphere,{index},0.25,-7,0.5,{name},{mask},{label},{color},{},{last}", index / 100)
    };
    let mut lines: Vec<String> = (0..30_000).map(row).collect();
    let both = |lines: &[String]| {
        // A quote makes the reader go through the rows one by one.
        [HEAD.to_owned(), HEAD.replace("radius", "\"radius\"")]
            .map(|head| table(format!("{head}\n{}\n", lines.join("\n"))))
    };
    let [in_parts, in_turn] = both(&lines).map(Result::unwrap);
    assert_eq!(in_parts.scene.geometry_count(), 30_000);
    assert!(format!("{:?}", in_parts.scene) == format!("{:?}", in_turn.scene));
    assert_eq!(in_parts.warnings, in_turn.warnings);
    assert!(in_parts.warnings[0].to_string().contains("last"), "{:?}", in_parts.warnings);
    // A label that is none is a warning with the number of its row.
    lines[20_006] = lines[20_006].replace(",3,", ",none,");
    let [in_parts, in_turn] = both(&lines).map(Result::unwrap);
    assert_eq!(in_parts.warnings, in_turn.warnings);
    assert!(in_parts.warnings[0].to_string().contains("row 20007"), "{:?}", in_parts.warnings);
    lines[25_000] = lines[25_000].replace("0.25", "far");
    let [in_parts, in_turn] = both(&lines).map(|read| read.unwrap_err());
    assert!(in_parts.starts_with("t.csv:25002:") && in_parts.contains("center_y"), "{in_parts}");
    assert_eq!(in_parts, in_turn);
}
