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
fn a_distance_between_atoms_is_told_by_the_names_that_a_pick_prints() {
    let workspace = Workspace::new();
    workspace.write("m.pdb", MOLECULE);
    let picked = workspace.json(&["pick", "m.pdb", "--ray", "1.4,0.3,9,0,0,-1"]);
    let path = picked["path"].as_str().unwrap();
    assert_eq!(path, "A/GLY1/CA");
    let info = |flags: &[&str]| workspace.json(&[&["info", "m.pdb"][..], flags].concat());
    let told = info(&["--distance", path, "A/GLY2/CA", "--distance", "0", "1"]);
    let [first, second] = &told["distances"].as_array().unwrap()[..] else { panic!("{told}") };
    let near = |value: &serde_json::Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-5, "{value} {expected}");
    };
    assert_eq!((&first["a"]["path"], &first["b"]["geometry_id"]), (&path.into(), &2.into()));
    near(&first["distance"], 10.0);
    // Balls have a quarter of the radius of van der Waals, which is 1.7 for carbon.
    near(&first["gap"], 10.0 - 2.0 * 0.425);
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
        (&[], "CA", "the scene has no such shape; it has A/GLY1/CA, A/GLY2/CA"),
        (&[], "A/GLY2/CB", "the scene has no such shape; did you mean A/GLY"),
        (&[], "nothing at all", "or a path as pick and info --geometries print it"),
        (&[], "99", "the scene has no such shape"),
    ] {
        let told = refused(flags, name);
        assert!(told.contains(&format!("--distance {name}: ")) && told.contains(reason), "{told}");
    }
    let without_balls = refused(&["--style", "sticks"], "A/GLY2/CA");
    assert!(without_balls.contains("; it has A/GLY1/CA-N"), "{without_balls}");
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
    let told = workspace.json(&["info", "s.json", "--distance", "ball", "1"]);
    near(&told["distances"][0]["distance"], 5.0);
    assert!(told["distances"][0]["gap"].is_null());
    let same = workspace.fails(3, &["info", "s.json", "--distance", "ball", "twin"]);
    assert!(same.contains("is the path of several shapes: give the id of one of 1, 2"), "{same}");
    let endless = workspace.fails(3, &["info", "s.json", "--distance", "ball", "0"]);
    assert!(endless.contains("has no middle"), "{endless}");
}
