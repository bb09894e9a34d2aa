//! Bad input ends in an exit code and a message that names the place of the fault, and writes nothing.

use crate::common::workspace::*;

#[test]
fn errors_of_bad_scenes_name_the_place_of_the_fault() {
    let workspace = Workspace::new();
    let shape = |inner: &str| format!("{{ \"raytwin\": 1, \"shapes\": [ {{ {inner} }} ] }}");
    let lidar = |angles: &str| {
        format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [1,0,0], {angles} }} ] }}"#
        )
    };
    for (text, expected) in [
        (shape(r#""type": "sphere", "center": [0,0,0], "raduis": 1"#), "shapes[0].raduis"),
        (shape(r#""type": "sphere", "center": [0,0,0]"#), "shapes[0].radius"),
        (shape(r#""type": "sphere", "center": [0,0,0], "radius": NaN"#), "bad.json:1:"),
        (shape(r#""type": "sphere", "center": [0,0,0], "radius": 0"#), "shapes[0].radius"),
        (shape(r#""type": "sphere", "center": [0,0,0], "radius": 1e300"#), "shapes[0].radius"),
        (shape(r#""type": "sphere", "center": [0,0,0], "radius": 1e-30"#), "shapes[0].radius"),
        (
            shape(r#""type": "cylinder", "start": [1,1,1], "end": [1,1,1], "radius": 1"#),
            "shapes[0].end",
        ),
        (
            shape(
                r#""type": "box", "center": [0,0,0], "half_extents": [1,1,1], "rotation_xyzw": [0,0,0,0]"#,
            ),
            "shapes[0].rotation_xyzw",
        ),
        (lidar(r#""azimuth_degrees": [0, 361], "elevation_degrees": [9, 0]"#), "azimuth_degrees"),
        (lidar(r#""azimuth_degrees": [0, 90], "elevation_degrees": [99, 0]"#), "elevation_degrees"),
        (
            lidar(r#""azimuth_degrees": [0, 90], "elevation_table_degrees": [0, 91]"#),
            "cameras[0].elevation_table_degrees[1]",
        ),
        (
            lidar(r#""azimuth_degrees": [0, 90]"#),
            "elevation_table_degrees (panoramic), or pattern, or lidar",
        ),
        ("{ \"raytwin\": 1 }".to_owned(), "has no shapes"),
        ("{ \"raytwin\": 1,\n  shapes: [] }".to_owned(), "bad.json:2:3"),
        (String::new(), "bad.json:1:1: the file is empty"),
        (" \n\t".to_owned(), "bad.json:1:1: the file is empty"),
        ("{ \"raytwin\": 1,\n".to_owned(), "bad.json:2:1: EOF while parsing"),
        (
            shape("\"type\": \"sphere\", \"center\": [0,0,0],\n\"radius\": -1e400"),
            "bad.json:2:16: a number is too large: the largest float64 is 1.8e308",
        ),
        (
            shape(&format!("\"type\": \"sphere\", \"radius\": {}", "9".repeat(309))),
            "a number is too large",
        ),
        ("[".repeat(100_000), "brackets are nested too deeply"),
        ("{\"nodes\":[".repeat(100_000), "brackets are nested too deeply"),
        ("\u{0}\u{1}garbage".to_owned(), "bad.json:1:1"),
    ] {
        workspace.write("bad.json", &text);
        for command in
            [&["render", "bad.json", "--out", "new"][..], &["pick", "bad.json", "--pixel", "0,0"]]
        {
            let message = workspace.fails(3, command);
            assert!(
                message.contains("bad.json") && message.contains(expected),
                "{text}: {message}"
            );
        }
    }
    workspace.write("latin.json", [0xff, 0xfe, b'{']);
    assert!(workspace.fails(3, &["render", "latin.json"]).contains("latin.json"));
    assert!(workspace.fails(3, &["render", "absent.json"]).contains("absent.json"));
    assert!(workspace.fails(3, &["render", "."]).contains("not a scene"));
    workspace.write("scene.txt", SCENE);
    assert!(workspace.fails(3, &["render", "scene.txt"]).contains(".json"));
    std::fs::create_dir(workspace.path("folder.json")).unwrap();
    assert!(workspace.fails(3, &["render", "folder.json"]).contains("folder.json"));
}

#[test]
fn an_image_that_does_not_fit_a_lidars_table_is_refused_with_the_size_that_would() {
    let workspace = Workspace::new();
    let table = r#""azimuth_degrees": [180, -180], "elevation_table_degrees": [4, 1, -9]"#;
    let camera = format!(r#"{{ "eye": [0,0,9], "target": [1,0,9], {table} }}"#);
    let shape = r#"{ "type": "sphere", "center": [0,0,0], "radius": 1 }"#;
    let scene = format!(r#"{{ "raytwin": 1, "shapes": [ {shape} ], "cameras": [ {camera} ] }}"#);
    workspace.write("lidar.json", scene);
    for command in [
        &["render", "lidar.json", "--size", "600x4"][..],
        &["pick", "lidar.json", "--pixel", "0,0", "--size", "600x4"],
        &["diff", "lidar.json", "--size", "600x4"],
    ] {
        let message = workspace.fails(2, command);
        assert!(message.contains("3 rows") && message.contains("600x3"), "{message}");
    }
}

fn nested(open: &str, close: &str, depth: usize) -> String {
    [open.repeat(depth), close.repeat(depth)].concat()
}

#[test]
fn errors_of_bad_ray_files_say_what_to_do() {
    let workspace = Workspace::new();
    let rows = float32(&[0.0; 24]);
    for (bytes, expected) in [
        (npy("<f4", "False", "(8, 3)", &rows), "[8, 3]"),
        (npy("<f4", "False", "(24,)", &rows), "[24]"),
        (npy("<i4", "False", "(4, 6)", &rows), "int32"),
        (npy("<c8", "False", "(2, 6)", &[0; 96]), "'c8'"),
        (npy("<f4", "False", "()", &rows), "[]"),
        (npy("<f4", "True", "(5, 6)", &rows), "truncated"),
        (npy("<f4", "False", "(5, 6)", &rows), "truncated"),
        (npy("<f4", "False", "(4000000000000000000, 6)", &rows), "truncated"),
        (npy("<f4", "False", "(4611686018427387904, 6)", &rows), "truncated"),
        (npy("<f4", "False", "(18446744073709551616, 6)", &rows), "from 0 to 2^64 - 1"),
        (npy("<f4", "False", "(-4, 6)", &rows), "from 0 to 2^64 - 1"),
        (npy("|O", "False", "(4, 6)", &rows), "'O'"),
        (
            npy("<f4', 'fortran_order': 1, 'descr': 'O", "False", "(4, 6)", &rows),
            "not a NumPy array",
        ),
        (npy("<f4", "False", &nested("[", "]", 60), &rows), "not a tuple of numbers"),
        (npy("<f4", "False", &nested("(", ",)", 5000), &rows), "not a NumPy array"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}".to_vec(), "4294967295 bytes"),
        (b"\x93NUMPY\x01\x00".to_vec(), "its header is truncated"),
        (b"not an array".to_vec(), "not a NumPy array"),
        (Vec::new(), "is empty"),
    ] {
        workspace.write("bad.npy", &bytes);
        for command in [
            &["query", "scene.json", "bad.npy", "-o", "h.npz"][..],
            &["diff", "scene.json", "bad.npy"],
        ] {
            let message = workspace.fails(3, command);
            assert!(
                message.contains("bad.npy") && message.contains(expected),
                "{expected}: {message}"
            );
        }
    }
    let absent = workspace.fails(3, &["query", "scene.json", "ray.npy", "-o", "h.npz"]);
    assert!(absent.contains("did you mean rays.npy?"), "{absent}");
    workspace.fails(3, &["query", "scene.json", ".", "-o", "h/"]);
    workspace.write("bad.npz", b"PK not a zip");
    assert!(workspace.fails(3, &["render", "bad.npz"]).contains("bad.npz"));
}

#[test]
fn a_scene_that_is_given_after_the_rays_is_recognised() {
    let workspace = Workspace::new();
    for command in [
        &["query", "rays.npy", "scene.json", "-o", "h.npz"][..],
        &["points", "rays.npy", "scene.json", "-o", "h.npz"],
        &["diff", "rays.npy", "scene.json"],
    ] {
        let message = workspace.fails(2, command);
        assert!(message.contains("give the scene first"), "{message}");
    }
}

#[test]
fn impossible_outputs_and_contradictory_flags_are_refused() {
    let workspace = Workspace::new();
    workspace.write("file", "");
    for out in ["file", "file/inside"] {
        assert!(
            workspace
                .fails(3, &["render", "scene.json", "--size", "8x8", "--out", out])
                .contains("file")
        );
    }
    workspace.fails(3, &["query", "scene.json", "rays.npy", "-o", "file/h.npz"]);
    std::fs::create_dir(workspace.path("folder.npz")).unwrap();
    workspace.fails(3, &["query", "scene.json", "rays.npy", "-o", "folder.npz"]);
    workspace.fails(2, &["query", "scene.json", "rays.npy", "-o", "hits.txt"]);
    workspace.fails(2, &["query", "scene.json", "rays.npy"]);
    let for_picture = workspace.fails(2, &["render", "scene.json", "-o", "view.png"]);
    assert!(for_picture.contains("a folder, such as view,"), "{for_picture}");
    assert!(!workspace.path("view.png").exists());
    assert!(workspace.fails(2, &["render", "scene.json", "--size", "0x5"]).contains("0x5"));
    let huge = workspace.fails(2, &["render", "scene.json", "--size", "100000x100000"]);
    assert!(huge.contains("GB") && huge.contains("2^28"), "{huge}");
    let wide = workspace.fails(3, &["render", "scene.json", "--size", "8000000x30"]);
    assert!(wide.contains("4608000000") && wide.contains("2147483647"), "{wide}");
    assert!(!workspace.path("out").exists());
    workspace.fails(2, &["render", "scene.json", "--size", "640"]);
    assert!(
        workspace.fails(3, &["render", "scene.json", "--camera", "side"]).contains("main, plan")
    );
    workspace.fails(2, &["render", "scene.json", "--eye", "1,2"]);
    workspace.fails(2, &["render", "scene.json", "--eye", "0,0,1", "--target", "0,0,1"]);
    workspace.fails(2, &["pick", "scene.json", "--pixel", "640,0"]);
    workspace.fails(2, &["pick", "scene.json", "--ray", "0,0,0,0,0,0"]);
    workspace.fails(2, &["pick", "scene.json"]);
    workspace.fails(2, &["no-such-command"]);
}

#[test]
#[cfg(target_os = "linux")]
fn an_image_larger_than_memory_is_refused_with_the_bytes_that_it_needs() {
    let workspace = Workspace::new();
    let limited =
        "ulimit -v 2500000; exec \"$0\" render scene.json --size 16384x16384 --device cpu";
    let output = std::process::Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_raytwin")])
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("16384x16384") && message.contains("3221225472"), "{message}");
}

#[test]
fn kernels_of_an_unknown_name_are_a_fault_of_usage() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_raytwin"))
        .args(["bench", "--scene", "w1m_9", "--device", "gpu"])
        .env("RAYTWIN_KERNELS", "fast")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("RAYTWIN_KERNELS=fast") && message.contains("software"), "{message}");
}

#[test]
fn flags_for_models_of_mujoco_pose_them_and_are_refused_elsewhere() {
    let workspace = Workspace::new();
    let model = r#"<mujoco><worldbody><body name="b"><joint name="j" type="slide"/><geom size="1" group="1"/></body>
        <geom size="1" pos="9 0 0"/></worldbody><keyframe><key name="up" qpos="3"/></keyframe></mujoco>"#;
    workspace.write("m.xml", model);
    workspace.write("bad.xml", "<robot/>");
    let ball = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;
    workspace.write("s.json", format!(r#"{{ "raytwin": 1, "shapes": [ {ball} ] }}"#));
    let pick = |scene: &'static str| ["pick", scene, "--ray", "0,0,-9,0,0,1", "--device", "cpu"];
    let distance =
        |flags: &[&str]| workspace.json(&[&pick("m.xml")[..], flags].concat())["distance"].as_f64();
    assert_eq!(distance(&[]), Some(8.0));
    assert_eq!(distance(&["--key", "up"]), Some(11.0));
    assert_eq!(distance(&["--key", "0", "--joint", "j=-1"]), Some(7.0));
    assert_eq!(distance(&["--geomgroup", "0,2"]), None);
    for flags in [["--key", "up"], ["--qpos", "q.npy"], ["--geomgroup", "1"]] {
        let message = workspace.fails(2, &[&pick("s.json")[..], &flags].concat());
        assert!(message.contains("works only for .xml, and not for s.json"), "{message}");
    }
    workspace.fails(2, &[&pick("m.xml")[..], &["--geomgroup", "6"]].concat());
    workspace.fails(2, &[&pick("m.xml")[..], &["--collision"]].concat());
    let message = workspace.fails(3, &pick("bad.xml"));
    assert!(message.contains("bad.xml:1:1: the root element is <robot>"), "{message}");
}

#[test]
fn a_scene_that_cannot_be_read_comes_before_an_absent_device() {
    let workspace = Workspace::new();
    let point = [0.0, 0.0, 1.0];
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &float32(&point)));
    workspace.write("rows.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,5,0,0,0,1\n");
    for (command, flags) in [
        ("render", &["--out", "out"][..]),
        ("query", &["rays.npy", "-o", "hits.npz"]),
        ("points", &["points.npy", "-o", "answers.npz"]),
        ("sample", &["--rays", "10"]),
        ("pick", &["--ray", "-3,0,1,2,0,0"]),
        ("scan", &["--poses", "rows.csv", "-o", "cloud.npy"]),
        ("diff", &["rays.npy"]),
    ] {
        let fails = |code: i32, scene: &str, device: &str| {
            let run = [&[command, scene][..], flags, &["--device", device]].concat();
            workspace.fails(code, &run)
        };
        for device in ["no such GPU", "gpu", "auto", "cpu"] {
            let message = fails(3, "gone.json", device);
            assert!(message.contains("gone.json"), "{command} --device {device}: {message}");
        }
        let message = fails(4, "scene.json", "no such GPU");
        assert!(message.contains("no such GPU"), "{command}: {message}");
    }
}
