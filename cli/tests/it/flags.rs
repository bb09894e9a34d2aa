//! Flags are the same in every command: where it writes, how many, which numbers belong together, what is not found.

use crate::common::workspace::*;

/// A workspace with a file of every kind that commands read.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &float32(&[0.0, 0.0, 1.0])));
    workspace.write("rows.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,5,0,0,0,1\n1,0,0,5,0,0,0,1\n");
    workspace.write(
        "arm.urdf",
        r#"<robot name="r"><link name="base"><visual><geometry><sphere radius="1"/></geometry></visual></link>
        <link name="arm"/><joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"#,
    );
    workspace.write("turns.csv", "time,turn\n0,0\n1,1\n");
    workspace
}

#[test]
fn every_command_that_writes_takes_the_place_by_the_same_flags() {
    let workspace = workspace();
    for (command, place, file) in [
        (
            &["render", "scene.json", "--size", "8x8", "--device", "cpu"][..],
            "a/b",
            "a/b/render.npz",
        ),
        (&["query", "scene.json", "rays.npy", "--device", "cpu"], "h.npz", "h.npz"),
        (&["points", "scene.json", "points.npy", "--device", "cpu"], "p.npz", "p.npz"),
        (
            &["scan", "scene.json", "--poses", "rows.csv", "--size", "4x4", "--device", "cpu"],
            "c.ply",
            "c.ply",
        ),
        (&["sample", "scene.json", "--rays", "1e1", "--device", "cpu"], "s.json", "s.json"),
        (&["diff", "scene.json", "rays.npy"], "r", "r/report.json"),
        (&["convert", "scene.json"], "other.json", "other.json"),
    ] {
        for flag in ["-o", "--out", "--output"] {
            workspace.json(&[command, &[flag, place]].concat());
            std::fs::remove_file(workspace.path(file)).unwrap();
        }
        let help = workspace.run(&[command[0], "--help"]).stdout;
        assert!(String::from_utf8(help).unwrap().contains("-o, --"), "{}", command[0]);
    }
    workspace.fails(2, &["convert", "scene.json"]);
    workspace.fails(2, &["convert", "scene.json", "a.json", "-o", "b.json"]);
}

#[test]
fn numbers_that_are_typed_apart_are_shown_with_commas() {
    let workspace = workspace();
    let render = |words: &[&str]| workspace.fails(2, &[&["render", "scene.json"], words].concat());
    for words in
        [&["--eye", "1", "-2", "3.5"][..], &["--target", "0,0,0", "--eye", "1,", "-2,", "3.5"]]
    {
        assert!(render(words).ends_with("tip: separate the numbers with commas: --eye 1,-2,3.5\n"));
    }
    let before_scene =
        workspace.fails(2, &["pick", "--ray", "0", "0", "9", "0", "0", "-1", "scene.json"]);
    assert!(before_scene.contains("--ray 0,0,9,0,0,-1"), "{before_scene}");
    // One number is no point, and a flag that takes none has no commas to be missed.
    for words in [&["--eye", "1"][..], &["--fov-y", "30", "40"], &["--instances", "1", "2"]] {
        assert!(!render(words).contains("separate the numbers with commas"));
    }
    let output = workspace.run(&["render", "scene.json", "--eye", "1", "2", "3", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().ends_with("--eye 1,2,3"), "{error}");
}

#[test]
fn counts_may_be_written_with_an_exponent_and_must_be_whole() {
    let workspace = workspace();
    let device = ["--device", "cpu"];
    let sample = |rays| [&["sample", "scene.json", "--rays", rays][..], &device].concat();
    assert_eq!(workspace.json(&sample("1e3"))["rays"], 1000);
    assert_eq!(workspace.json(&sample("1e3..2.5e3"))["rays"], 1500);
    let bench = |scene, repeat| {
        [&["bench", "--scene", scene, "--rays", "rays.npy", "--repeat", repeat][..], &device]
            .concat()
    };
    assert_eq!(workspace.json(&bench("w1m_1e1", "1e0"))["results"][0]["shapes"], 10);
    let render = |count| {
        [&["render", "scene.json", "--size", "4x4", "--shading", count][..], &device].concat()
    };
    workspace.json(&render("1e0"));
    let diff = |count| ["diff", "scene.json", "--size", "4x4", "--random", count];
    let seeded = workspace.json(&diff("1e2"));
    assert_eq!(seeded["parts"], workspace.json(&diff("100"))["parts"]);
    for refused in [&sample("1.5")[..], &bench("w1m_10", "1.5"), &bench("w1m_10", "0")] {
        workspace.fails(2, refused);
    }
    // A name that is none of a scene of spheres is taken for a file's name.
    workspace.fails(3, &bench("w1m_1.5", "1"));
    for refused in [&render("1.5")[..], &render("1e4"), &diff("1.5")] {
        workspace.fails(2, refused);
    }
}

#[test]
fn what_is_not_found_is_bad_input_in_every_command() {
    let workspace = workspace();
    let scenes = [
        "json", "npz", "csv", "parquet", "urdf", "xml", "sdf", "world", "x3d", "wrl", "pdb", "cif",
        "xyz", "gltf", "glb",
    ];
    for extension in scenes.into_iter().chain(["obj", "stl", "ply"]) {
        let name = format!("none.{extension}");
        assert!(workspace.fails(3, &["info", &name]).contains(&name));
    }
    workspace.write("node.json", r#"{ "raytwin": 1, "nodes": [ { "file": "none.urdf" } ] }"#);
    workspace.write(
        "mesh.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "mesh", "file": "none.obj" } ] }"#,
    );
    for command in [
        &["render", "none.json"][..],
        &["render", "node.json"],
        &["render", "mesh.json"],
        &["render", "scene.json", "--camera", "none"],
        &["query", "none.json", "rays.npy", "-o", "h.npz"],
        &["query", "scene.json", "none.npy", "-o", "h.npz"],
        &["query", "scene.json", "none.npz", "-o", "h.npz"],
        &["query", "scene.json", "none.parquet", "-o", "h.npz"],
        &["query", "scene.json", "none/", "-o", "h/"],
        &["query", "scene.json", "none/*.npy", "-o", "h/"],
        &["query", "scene.json", "rays.npy", "-o", "h.npz", "--ignore", "none"],
        &["points", "none.json", "points.npy", "-o", "p.npz"],
        &["points", "scene.json", "none.npy", "-o", "p.npz"],
        &["pick", "none.json", "--pixel", "0,0"],
        &["pick", "scene.json", "--pixel", "0,0", "--camera", "none"],
        &["diff", "none.json"],
        &["diff", "scene.json", "none.npy"],
        &["diff", "scene.json", "--points", "none.npy"],
        &["diff", "scene.json", "rays.npy", "--against", "none.npz"],
        &["diff", "scene.json", "rays.npy", "--against", "none.parquet"],
        &["diff", "scene.json", "rays.npy", "--against", "none/"],
        &["diff", "--against", "none.json"],
        &["scan", "none.json", "--poses", "rows.csv", "-o", "c.ply"],
        &["scan", "scene.json", "--poses", "none.csv", "-o", "c.ply"],
        &["scan", "scene.json", "--poses", "rows.csv", "-o", "c.ply", "--camera", "none"],
        &["scan", "arm.urdf", "--poses", "turns.csv", "-o", "c.ply", "--link", "none"],
        &["scan", "scene.json", "--poses", "turns.csv", "-o", "c.ply"],
        &["sample", "none.json", "--rays", "10"],
        &["sample", "scene.json", "--generator", "view", "--poses", "none.csv"],
        &["sample", "scene.json", "--generator", "view", "--camera", "none"],
        &["sample", "--add", "none.json"],
        &["bench", "--scene", "none.json"],
        &["bench", "--scene", "w1m_10", "--rays", "none.npy", "--device", "cpu"],
        &["convert", "none.json", "o.json"],
        &["view", "none.json", "--no-open"],
        &["info", "scene.json", "--world", "7"],
        &["info", "scene.json", "--joint", "none=1"],
        &["info", "arm.urdf", "--joint", "none=1"],
    ] {
        let message = workspace.fails(3, command);
        let is_named = ["none", "7", "turn"].iter().any(|name| message.contains(name));
        assert!(is_named || command[0] == "view", "{command:?}: {message}");
    }
}

#[test]
fn rays_meet_only_the_shapes_that_are_asked_for_and_start_in_solids_if_asked() {
    let workspace = Workspace::new();
    workspace.write(
        "nest.json",
        r#"{ "raytwin": 1,
          "shapes": [ { "type": "sphere", "name": "shell", "center": [0, 0, 0], "radius": 2 } ],
          "nodes": [ { "name": "core", "shapes": [
            { "type": "sphere", "name": "seed", "center": [0, 0, 0], "radius": 1 } ] } ] }"#,
    );
    let pick = |words: &[&str]| {
        workspace.json(&[&["pick", "nest.json", "--device", "cpu"], words].concat())
    };
    let ray = ["--ray", "0,0,9,0,0,-1"];
    assert_eq!(pick(&ray)["path"], "shell");
    let alone = pick(&[&ray[..], &["--only", "core"]].concat());
    assert_eq!((&alone["path"], &alone["t"]), (&"core/seed".into(), &8.0.into()));
    assert_eq!(pick(&[&ray[..], &["--only", "core", "--ignore", "1"]].concat())["hit"], false);
    let errors = workspace.fails(3, &["pick", "nest.json", "--only", "cork", "--ray", ray[1]]);
    assert!(errors.contains("--only cork: the scene has no such shape; did you mean"), "{errors}");
    assert_eq!(pick(&[&ray[..], &["--only", "seed"]].concat())["path"], "core/seed");
    for (text, reason) in [("core/sed", "did you mean core/seed?"), ("99", "give an id from 0 to")]
    {
        let errors = workspace.fails(3, &["pick", "nest.json", "--ignore", text, "--ray", ray[1]]);
        assert!(errors.contains(reason), "{errors}");
    }

    // A ray that is cut inside of a solid meets that where it starts.
    let cut = ["--ray", "0,0,9,0,0,-1,8.5,inf"];
    assert_eq!(pick(&cut)["t"], 10.0);
    let solid = pick(&[&cut[..], &["--solid"]].concat());
    assert_eq!((&solid["path"], &solid["t"]), (&"shell".into(), &8.5.into()));
    assert_eq!(solid["normal"], serde_json::json!([0.0, 0.0, 0.0]));
    workspace.fails(2, &["pick", "nest.json", "--pixel", "1,1", "--solid"]);

    // Parallel rays through the corners of the image meet nothing, and through its middle the ball.
    let parallel = ["--eye", "0,0,9", "--target", "0,0,0", "--orthographic", "6", "--size", "7x7"];
    let at = |pixel: &str| pick(&[&parallel[..], &["--pixel", pixel]].concat());
    assert_eq!((&at("3,3")["distance"], &at("0,0")["hit"]), (&7.0.into(), &false.into()));
    workspace.fails(2, &[&["render", "nest.json", "--fov-y", "40"][..], &parallel].concat());
    workspace.fails(2, &["render", "nest.json", "--orthographic", "-1"]);
}
