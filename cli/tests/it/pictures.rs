//! What pictures frame, and what they show where nothing was hit.

use crate::common::workspace::*;

/// Two residues of a glycine each, whose atoms lie on a line.
const MOLECULE: &str = "\
ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N
ATOM      2  CA  GLY A   1       1.400   0.300   0.000  1.00  0.00           C
ATOM      3  CA  GLY A   2      11.400   0.300   0.000  1.00  0.00           C
ATOM      4  N   GLY A   2      12.800   0.600   0.000  1.00  0.00           N
END
";

/// The columns and the rows of the pixels that show something, from the first to behind the last.
fn shown(workspace: &Workspace, arguments: &[&str], width: usize) -> [usize; 4] {
    workspace.json(&[&["render"], arguments, &["--shading", "0", "-o", "out"]].concat());
    let distance = as_f32(&array(&workspace.path("out/render.npz"), "distance"));
    let met = (0..distance.len()).filter(|&pixel| distance[pixel].is_finite());
    met.fold([usize::MAX, 0, usize::MAX, 0], |[left, right, top, bottom], pixel| {
        let (column, row) = (pixel % width, pixel / width);
        [left.min(column), right.max(column + 1), top.min(row), bottom.max(row + 1)]
    })
}

#[test]
fn a_picture_of_a_selection_frames_it_unless_a_flag_or_the_file_says_where_the_camera_is() {
    let workspace = Workspace::new();
    workspace.write("m.pdb", MOLECULE);
    let frame = |flags: &[&str]| shown(&workspace, &[&["m.pdb"], flags].concat(), 640);
    let fills = |[left, right, top, bottom]: [usize; 4]| {
        let [across, down] = [right - left, bottom - top];
        left.abs_diff(640 - right) <= 40
            && (across.abs_diff(576) <= 2 || down.abs_diff(432) <= 2)
            && across <= 578
            && down <= 434
    };
    for flags in [&[][..], &["--only", "A/GLY2"], &["--ignore", "A/GLY1"], &["--only", "A/GLY1/CA"]]
    {
        assert!(fills(frame(flags)), "{flags:?}: {:?}", frame(flags));
        let by_name = [flags, &["--camera", "molecule"]].concat();
        assert_eq!(frame(flags), frame(&by_name));
    }
    let placed = ["--eye", "6,-30,0", "--target", "6,0,0", "--up", "0,0,1"];
    let all = frame(&placed);
    let some = frame(&[&placed[..], &["--only", "A/GLY2"]].concat());
    assert!(some[0] > all[0] && some[1] == all[1], "{all:?} {some:?}");

    // The camera of a file stays, and a molecule in a scene does not bring one that moves.
    let ball = |x: u32| {
        format!(r#"{{ "type": "sphere", "name": "b{x}", "center": [{x}, 0, 0], "radius": 1 }}"#)
    };
    let scene = |cameras: &str| {
        let balls = [ball(0), ball(9)].join(", ");
        format!(r#"{{ "raytwin": 1, "shapes": [{balls}], "cameras": [{cameras}] }}"#)
    };
    let own = r#"{ "eye": [4, -30, 0], "target": [4, 0, 0], "fov_y_degrees": 40 }"#;
    workspace.write("own.json", scene(own));
    workspace.write("none.json", scene(""));
    let all = shown(&workspace, &["own.json"], 640);
    let some = shown(&workspace, &["own.json", "--only", "b0"], 640);
    assert!(some[0] == all[0] && some[1] < 320, "{all:?} {some:?}");
    assert!(fills(shown(&workspace, &["none.json"], 640)));
    assert!(fills(shown(&workspace, &["none.json", "--only", "b9"], 640)));
}

#[test]
fn a_background_is_given_by_name_or_digits_and_none_makes_pictures_transparent() {
    let workspace = Workspace::new();
    // The kind of colour of a PNG is the tenth byte of its first chunk's data: 2 or, with alpha, 6.
    let kinds = |flags: &[&str]| {
        let command = ["render", "scene.json", "--size", "64x48", "--label-ids", "-o", "out"];
        workspace.json(&[&command[..], flags].concat());
        let names = ["shaded", "distance", "geometry_ids", "labels", "normals"];
        names.map(|name| {
            workspace.contents(&format!("out/{name}.png")).into_values().next().unwrap()[25]
        })
    };
    assert_eq!(kinds(&[]), [2; 5]);
    assert_eq!(kinds(&["--background", "white"]), [2; 5]);
    assert_eq!(kinds(&["--background", "#102030"]), [2; 5]);
    assert_eq!(kinds(&["--background", "none"]), [6; 5]);
    let refused = workspace.fails(2, &["render", "scene.json", "--background", "pink"]);
    assert!(refused.contains("white, black, a colour such as #ff8000, or none"), "{refused}");
}

#[test]
fn a_distance_between_atoms_is_reported_by_the_names_that_a_pick_prints() {
    let workspace = Workspace::new();
    workspace.write("m.pdb", MOLECULE);
    let picked = workspace.json(&["pick", "m.pdb", "--ray", "1.4,0.3,9,0,0,-1"]);
    let path = picked["path"].as_str().unwrap();
    assert_eq!(path, "A/GLY1/CA");
    let info = |flags: &[&str]| workspace.json(&[&["info", "m.pdb"][..], flags].concat());
    let summary = info(&["--distance", path, "A/GLY2/CA", "--distance", "0", "1"]);
    let [first, second] = &summary["distances"].as_array().unwrap()[..] else {
        panic!("{summary}")
    };
    let near = |value: &serde_json::Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-5, "{value} {expected}");
    };
    assert_eq!((&first["a"]["path"], &first["b"]["geometry_id"]), (&path.into(), &2.into()));
    near(&first["distance"], 10.0);
    // Balls have a quarter of the radius of van der Waals, which is 1.7 for carbon.
    near(&first["gap"], 10.0 - 2.0 * 0.425);
    // They are the file's own numbers, not those of float32.
    assert_eq!(first["distance"].as_f64().unwrap(), 11.4 - 1.4);
    near(&second["distance"], (1.4_f64 * 1.4 + 0.09).sqrt());
    let text = workspace.run(&["info", "m.pdb", "--distance", path, "A/GLY2/CA"]).stdout;
    let line = "distance         10.0000, gap 9.1500 (A/GLY1/CA to A/GLY2/CA)\n";
    assert!(String::from_utf8(text).unwrap().ends_with(line));
    // The end of a path is enough, if no other ends so.
    let by_end = info(&["--distance", path, "GLY2/CA"]);
    assert_eq!(by_end["distances"][0], *first);
    assert_eq!(info(&[])["distances"], serde_json::json!([]));

    let refused = |flags: &[&str], name: &str| {
        workspace.fails(3, &[&["info", "m.pdb"][..], flags, &["--distance", path, name]].concat())
    };
    for (flags, name, reason) in [
        (&[][..], "A/GLY2", "names several shapes: give one of A/GLY2/CA, A/GLY2/N"),
        (&[], "CA", "names several atoms: give one of A/GLY1/CA, A/GLY2/CA"),
        (&[], "A/GLY2/CB", "the scene has no such shape; did you mean A/GLY"),
        (&[], "nothing at all", "or a path as pick and info --geometries print it"),
        (&[], "99", "the scene has no such shape"),
    ] {
        let summary = refused(flags, name);
        assert!(
            summary.contains(&format!("--distance {name}: ")) && summary.contains(reason),
            "{summary}"
        );
    }
    // Without balls the atoms are where they were, and no surface is between them.
    let summary = info(&["--style", "sticks", "--distance", path, "GLY2/CA"]);
    assert_eq!(summary["distances"][0]["distance"], first["distance"]);
    let of_atom = serde_json::json!({ "path": path, "geometry_id": null });
    assert_eq!(summary["distances"][0]["a"], of_atom);
    assert!(summary["distances"][0]["gap"].is_null());
    workspace.fails(2, &["info", "m.pdb", "--distance", path]);

    let plane = r#"{ "type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] }"#;
    let both =
        r#"{ "type": "box", "name": "twin", "center": [0, 3, 4], "half_extents": [1, 1, 1] }"#;
    workspace.write(
        "s.json",
        format!(
            r#"{{ "raytwin": 1, "shapes": [{plane}, {both}, {both}], "nodes": [
            {{ "scale": [2, 2, 2], "shapes": [
                {{ "type": "sphere", "name": "ball", "center": [0, 0, 0], "radius": 1 }} ] }} ] }}"#
        ),
    );
    let summary = workspace.json(&["info", "s.json", "--distance", "ball", "1"]);
    near(&summary["distances"][0]["distance"], 5.0);
    assert!(summary["distances"][0]["gap"].is_null());
    let same = workspace.fails(3, &["info", "s.json", "--distance", "ball", "twin"]);
    assert!(same.contains("is the path of several shapes: give the id of one of 1, 2"), "{same}");
    let endless = workspace.fails(3, &["info", "s.json", "--distance", "ball", "0"]);
    assert!(endless.contains("has no middle"), "{endless}");
}

#[test]
fn angles_and_torsions_are_those_of_the_atoms_in_the_file_whatever_is_drawn() {
    let workspace = Workspace::new();
    let atom = |number: usize, name: &str, [x, y, z]: [f64; 3]| {
        format!("HETATM{number:>5}  {name:<3} ABC A   1    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00\n")
    };
    // From B to C, D is turned by a quarter clockwise from A, and E by as much the other way.
    let [a, b, c] = [[0.0, 1.4, 0.0], [0.0; 3], [1.4, 0.0, 0.0]];
    let atoms = [("A", a), ("B", b), ("C", c), ("D", [1.4, 0.0, 1.4]), ("E", [1.4, 0.0, -1.4])];
    let lines = (1..).zip(atoms).map(|(number, (name, at))| atom(number, &format!("C{name}"), at));
    workspace.write("m.pdb", lines.collect::<String>() + "END\n");
    for style in ["ball-and-stick", "space-filling", "sticks"] {
        let command = ["info", "m.pdb", "--style", style, "--angle", "CA", "CB", "CC"];
        let torsions =
            ["--torsion", "CA", "CB", "CC", "CD", "--torsion", "A/ABC1/CA", "CB", "CC", "CE"];
        let summary = workspace.json(&[&command[..], &torsions].concat());
        let near = |value: &serde_json::Value, expected: f64| {
            assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{style} {summary}");
        };
        near(&summary["angles"][0]["angle_degrees"], 90.0);
        assert_eq!(summary["angles"][0]["b"]["path"], "A/ABC1/CB");
        near(&summary["torsions"][0]["torsion_degrees"], 90.0);
        near(&summary["torsions"][1]["torsion_degrees"], -90.0);
    }
    let text = workspace.run(&["info", "m.pdb", "--torsion", "CA", "CB", "CC", "CE"]).stdout;
    let line = "torsion          -90.000° (A/ABC1/CA, A/ABC1/CB, A/ABC1/CC, A/ABC1/CE)\n";
    assert!(String::from_utf8(text).unwrap().ends_with(line));
    let refused = workspace.fails(3, &["info", "m.pdb", "--torsion", "CA", "CB", "CA", "CE"]);
    assert!(refused.contains("--torsion CA CB CA CE: is not defined if"), "{refused}");
    let refused = workspace.fails(3, &["info", "m.pdb", "--angle", "CA", "CB", "CX"]);
    assert!(refused.contains("--angle CX: the scene has no such shape"), "{refused}");
    workspace.fails(2, &["info", "m.pdb", "--angle", "CA", "CB"]);
}

/// The width and the height of an image that was rendered.
fn size(rendered: &serde_json::Value) -> [usize; 2] {
    ["width", "height"].map(|side| rendered[side].as_u64().unwrap() as usize)
}

#[test]
fn a_cropped_picture_is_what_is_shown_with_a_margin_in_all_files_alike() {
    let workspace = Workspace::new();
    workspace.write("m.pdb", MOLECULE);
    let command = ["render", "m.pdb", "--size", "400x300", "--shading", "1", "-o", "out", "--crop"];
    let rendered = workspace.json(&command);
    let [width, height] = size(&rendered);
    assert!(width >= 399 && height < 60, "{rendered}");
    let distance = as_f32(&array(&workspace.path("out/render.npz"), "distance"));
    assert_eq!(distance.len(), width * height);
    let [left, right, top, bottom] =
        shown(&workspace, &["m.pdb", "--size", "400x300", "--crop"], width);
    for (before, after, all) in [(left, width - right, width), (top, height - bottom, height)] {
        for free in [before, after] {
            assert!((free as f64 - 0.05 * all as f64).abs() < 2.0, "{free} of {all}");
        }
    }
    let picture = workspace.contents("out/shaded.png").into_values().next().unwrap();
    let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap()) as usize;
    // Small pictures are enlarged.
    assert_eq!(side(16) * height, side(20) * width);
    // A pick means the same pixels.
    let pixel = format!("{},{}", left + 1, (top + bottom) / 2);
    let picked =
        workspace.json(&["pick", "m.pdb", "--size", "400x300", "--crop", "--pixel", &pixel]);
    assert_eq!(picked["hit"], true);
    let away = ["--eye", "0,-9,0", "--target", "0,-99,0"];
    let refused = workspace.fails(2, &[&["render", "m.pdb", "--crop"][..], &away].concat());
    assert!(refused.contains("--crop needs all shapes in front of the camera"), "{refused}");
}

#[test]
fn a_side_is_looked_at_from_where_all_just_fits() {
    let workspace = Workspace::new();
    // It is 2 wide along x, 4 along y and 8 along z; its front is the small box.
    let scene = r#"{ "raytwin": 1, "shapes": [
        { "type": "box", "name": "block", "center": [0, 0, 0], "half_extents": [1, 2, 4] },
        { "type": "box", "name": "nose", "center": [0, -2.1, 3], "half_extents": [0.2, 0.1, 0.2] },
        { "type": "box", "name": "ear", "center": [1.1, 0, 3], "half_extents": [0.1, 0.2, 0.2] } ] }"#;
    workspace.write("s.json", scene);
    let aspect = |side: &str| {
        let [left, right, top, bottom] = shown(&workspace, &["s.json", "--view", side], 640);
        assert!(left >= 30 && right <= 610 && top >= 22 && bottom <= 458, "{side}");
        assert!(bottom - top >= 430 || right - left >= 574, "{side}");
        (right - left) as f64 / (bottom - top) as f64
    };
    for (side, expected) in [("front", 0.25), ("back", 0.25), ("left", 0.5), ("top", 0.5)] {
        assert!((aspect(side) / expected - 1.0).abs() < 0.2, "{side}: {}", aspect(side));
    }
    let sees = |side: &str, name: &str| {
        workspace.json(&["render", "s.json", "--view", side, "--shading", "0", "-o", "out"]);
        std::fs::read_to_string(workspace.path("out/geometries.json"))
            .unwrap()
            .contains(&format!("\"path\":\"{name}\""))
    };
    // Parallel rays keep the height, and what is shown is in the middle.
    for side in ["right", "top", "1,-1,0.5"] {
        let flags = ["s.json", "--view", side, "--orthographic", "10"];
        let [left, right, top, bottom] = shown(&workspace, &flags, 640);
        let apart = [left.abs_diff(640 - right), top.abs_diff(480 - bottom)];
        assert!(apart.iter().all(|pixels| *pixels <= 2), "{side}: {apart:?}");
    }
    assert!(sees("front", "nose") && !sees("back", "nose") && sees("0,-1,0", "nose"));
    assert!(sees("right", "ear") && !sees("left", "ear") && sees("1,-1,0", "ear"));
    for (flags, reason) in [
        (&["--view", "up"][..], "'up' must be front, back, left, right, top or bottom"),
        (&["--view", "0,0,0"], "or a direction such as 1,-1,0.5"),
        (&["--view", "top", "--eye", "0,0,9"], "cannot be used with"),
    ] {
        let refused = workspace.fails(2, &[&["render", "s.json"][..], flags].concat());
        assert!(refused.contains(reason), "{refused}");
    }
}

#[test]
fn names_stand_on_the_shapes_that_a_picture_shows() {
    let workspace = Workspace::new();
    workspace.write("m.pdb", MOLECULE);
    let named = |flags: &[&str]| {
        let command = ["render", "m.pdb", "--size", "800x600", "--shading", "1", "-o", "out"];
        let output = workspace.run(&[&command[..], flags].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(named(&["--names", "sphere"]).contains("named.png: 4 names\n"));
    let bytes =
        |name: &str| workspace.contents(&format!("out/{name}")).into_values().next().unwrap();
    let with_all = bytes("named.png");
    assert!(with_all != bytes("shaded.png"));
    assert!(named(&["--names", "GLY1/CA,A/GLY2/*"]).contains("named.png: "));
    assert!(with_all != bytes("named.png"));
    let places: serde_json::Value = serde_json::from_slice(&bytes("geometries.json")).unwrap();
    let first = &places[0];
    // The atom at the left, in the middle of the rows.
    let at = |key: &str| first[key].as_f64().unwrap();
    assert!(at("column") < 80.0 && (at("row") - 300.0).abs() < 20.0, "{first}");
    assert!(first["pixel_count"].as_u64().unwrap() > 300, "{first}");
    // Nothing is named without the flag.
    assert!(!named(&[]).contains("named.png: "));
    let refused = workspace.fails(3, &["render", "m.pdb", "--names", "nothing"]);
    assert!(refused.contains("--names nothing: the scene has no such shape"), "{refused}");
    workspace.fails(2, &["render", "m.pdb", "--names", "0", "--shading", "0"]);
}
