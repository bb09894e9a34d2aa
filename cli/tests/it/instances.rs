//! Scenes of definitions, uses and files: what the program prints of them, and what it refuses.

use crate::common::workspace::*;
use raytwin::NONE;
use serde_json::json;

/// Two cars of a body and two stretched wheels each, a lamp in no use, and a camera on the second car.
const CARS: &str = r#"{ "raytwin": 1,
  "shapes": [ { "type": "sphere", "name": "lamp", "center": [0, 0, 9], "radius": 1 } ],
  "definitions": {
    "car": { "shapes": [ { "type": "box", "name": "body", "center": [0, 0, 1], "half_extents": [2, 1, 0.5] } ],
      "nodes": [ { "name": "front", "translation": [1, 0, 0], "use": "wheel" },
                 { "name": "rear", "translation": [-1, 0, 0], "scale": [1, 3, 1], "use": "wheel" } ] },
    "wheel": { "shapes": [ { "type": "torus", "center": [0, 0, 0], "axis": [0, 1, 0], "major_radius": 0.5, "minor_radius": 0.1 } ] } },
  "nodes": [ { "name": "a", "translation": [10, 0, 0], "use": "car" },
             { "name": "b", "translation": [0, 10, 0], "rotation_xyzw": [0, 0, 1, 1], "use": "car" } ],
  "cameras": [ { "name": "top", "eye": [5, 5, 40], "target": [5, 5, 0], "fov_y_degrees": 30 },
               { "name": "mirror", "parent": "b/front", "eye": [0, 0, 9], "target": [0, 0, 0], "fov_y_degrees": 30 } ] }"#;

fn npy_of_rays(rays: &[[f32; 6]]) -> Vec<u8> {
    let numbers: Vec<f32> = rays.iter().flatten().copied().collect();
    npy("<f4", "False", &format!("({}, 6)", rays.len()), &float32(&numbers))
}

#[test]
fn pick_and_info_show_the_use_and_the_node_of_what_is_hit() {
    let workspace = Workspace::new();
    workspace.write("cars.json", CARS);
    let ray = ["pick", "cars.json", "--device", "cpu", "--ray", "-0.5,8.5,5,0,0,-1"];
    let pick = workspace.json(&ray);
    assert_eq!(pick["path"], "b/body");
    assert_eq!(pick["instance_id"], 1);
    assert_eq!(pick["point"], json!([-0.5, 8.5, 1.5]));
    let in_node: Vec<f64> = serde_json::from_value(pick["point_in_node"].clone()).unwrap();
    // The quarter turn takes the car's x to y.
    let expected = [-1.5, 0.5, 1.5];
    assert!(
        in_node.iter().zip(expected).all(|(is, wanted)| (is - wanted).abs() < 1e-6),
        "{in_node:?}"
    );
    let lamp = ["pick", "cars.json", "--device", "cpu", "--ray", "0,0,20,0,0,-1"];
    assert!(workspace.json(&lamp)["instance_id"].is_null());

    let info = workspace.json(&["info", "cars.json", "--geometries"]);
    assert_eq!(info["types"], json!({ "sphere": 1, "box": 2, "torus": 4 }));
    let counts = [
        "geometry_count",
        "primitive_count",
        "solid_count",
        "use_count",
        "instance_count",
        "definition_count",
        "depth",
    ];
    assert_eq!(counts.map(|key| info[key].as_u64()), [7, 7, 7, 2, 2, 2, 2].map(Some));
    assert_eq!(info["sources"], json!([{ "file": "cars.json", "geometry_count": 7 }]));
    assert!(info["device_bytes"].as_u64().unwrap() > 7 * 64);
    assert_eq!(info["geometries"][3]["path"], "a/rear/torus[0]");
    assert_eq!(info["geometries"][3]["instance_id"], 0);
    assert_eq!(info["cameras"][1]["name"], "mirror");
}

#[test]
fn instance_ids_are_written_on_request_to_every_format() {
    let workspace = Workspace::new();
    workspace.write("cars.json", CARS);
    workspace.write(
        "rays.npy",
        npy_of_rays(&[
            [10.0, 0.0, 5.0, 0.0, 0.0, -1.0],
            [0.0, 10.0, 5.0, 0.0, 0.0, -1.0],
            [0.0, 0.0, 20.0, 0.0, 0.0, -1.0],
            [50.0, 0.0, 20.0, 0.0, 0.0, -1.0],
        ]),
    );
    let query = |output: &str| {
        ["query", "cars.json", "rays.npy", "-o", output, "--instances", "--device", "cpu"]
            .map(str::to_owned)
    };
    let expected = [0, 1, NONE, NONE];
    for output in ["h.npz", "h.parquet"] {
        let arguments = query(output);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        workspace.json(&arguments);
        let path = workspace.path(output);
        let bytes = match output {
            "h.npz" => array(&path, "instance_ids"),
            _ => crate::common::parquet_files::parquet_column(&path, "instance_id").0,
        };
        assert_eq!(as_u32(&bytes), expected, "{output}");
    }
    let render = [
        "render",
        "cars.json",
        "--size",
        "40x30",
        "--shading",
        "0",
        "--out",
        "out",
        "--instances",
        "--device",
        "cpu",
    ];
    workspace.json(&render);
    let ids = as_u32(&array(&workspace.path("out/render.npz"), "instance_ids"));
    let geometries = as_u32(&array(&workspace.path("out/render.npz"), "geometry_ids"));
    for (instance, geometry) in ids.iter().zip(&geometries) {
        let expected = match geometry {
            1..=3 => 0,
            4..=6 => 1,
            _ => NONE,
        };
        assert_eq!(*instance, expected, "{geometry}");
    }
    // A geometry that no pixel shows is not listed.
    let listed = std::fs::read_to_string(workspace.path("out/geometries.json")).unwrap();
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let listed: Vec<u64> =
        listed.as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert!(!listed.is_empty() && listed.iter().all(|id| geometries.contains(&(*id as u32))));
    let wrong = ["query", "cars.json", "rays.npy", "-o", "x.npz", "--instances", "--kind", "any"];
    assert!(workspace.fails(2, &wrong).contains("--instances works with --kind closest"));
}

#[test]
fn convert_keeps_what_is_placed_in_json_and_refuses_it_elsewhere() {
    let workspace = Workspace::new();
    workspace.write("cars.json", CARS);
    workspace.json(&["convert", "cars.json", "again.json"]);
    let geometries =
        |file: &str| workspace.json(&["info", file, "--geometries"])["geometries"].clone();
    let [before, after] = ["cars.json", "again.json"].map(geometries);
    let paths = |list: &serde_json::Value| -> Vec<String> {
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| format!("{} {}", row["type"], row["path"])).collect()
    };
    assert_eq!(paths(&before), paths(&after));
    let ray = "9,-3,-0.5,0,1,0";
    let pick = |file: &str| workspace.json(&["pick", file, "--ray", ray, "--device", "cpu"]);
    let [before, after] = ["cars.json", "again.json"].map(pick);
    assert_eq!(before["geometry_id"], 3);
    assert_eq!([&before["t"], &before["normal"]], [&after["t"], &after["normal"]]);
    let text = std::fs::read_to_string(workspace.path("again.json")).unwrap();
    let again: serde_json::Value = serde_json::from_str(&text).unwrap();
    let definitions: Vec<&String> = again["definitions"].as_object().unwrap().keys().collect();
    assert_eq!(definitions, ["car", "wheel"]);
    assert_eq!([&again["nodes"][1]["name"], &again["nodes"][1]["use"]], ["b", "car"]);
    // The graph does not know of ignored shapes, so the shapes are written as they are in the world.
    workspace.json(&["convert", "cars.json", "few.json", "--ignore", "a/body"]);
    let down = ["--ray", "10,0,9,0,0,-1", "--device", "cpu"];
    let distance =
        |file| workspace.json(&[&["pick", file][..], &down].concat())["distance"].clone();
    assert_eq!([distance("again.json"), distance("few.json")], [json!(7.5), json!(null)]);

    let refused = workspace.fails(3, &["convert", "cars.json", "cars.npz"]);
    assert!(refused.contains("2 shapes whose transforms give none of raytwin's shapes: a/rear/torus[0], b/rear/torus[0]"), "{refused}");
    workspace.json(&["convert", "cars.json", "cars.npz", "--skip"]);
    assert_eq!(workspace.json(&["info", "cars.npz"])["geometry_count"], 5);
}

#[test]
fn a_converted_graph_is_the_same_scene() {
    let workspace = Workspace::new();
    let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/scenes/");
    for name in ["car_park", "robot_room", "stretched"] {
        let given = format!("{scenes}{name}.json");
        workspace.json(&["convert", &given, "again.json"]);
        let info = |scene: &str| workspace.json(&["info", scene, "--geometries"]);
        let [before, after] = [&given, "again.json"].map(info);
        for key in ["types", "use_count", "instance_count", "geometries"] {
            assert_eq!(before[key], after[key], "{name} {key}");
        }
        let arrays = |scene: &str| {
            let asked = ["render", scene, "--size", "64x48", "--device", "cpu", "--out", "out"];
            workspace.json(&[&asked[..], &["--instances"]].concat());
            ["distance", "geometry_ids", "instance_ids"]
                .map(|array_name| array(&workspace.path("out/render.npz"), array_name))
        };
        let [[far, ids, uses], [far_again, ids_again, uses_again]] =
            [&given, "again.json"].map(arrays);
        // The parts of a robot are given in the robot's space, where rounding may move them by a last digit.
        let [near, near_again] = [&far, &far_again].map(|bytes| as_f32(bytes));
        for (a, b) in near.iter().zip(near_again) {
            assert!(*a == b || (a - b).abs() < 1e-5, "{name}: {a} {b}");
        }
        assert!(name == "robot_room" || far == far_again, "{name}");
        assert_eq!((ids, uses), (ids_again, uses_again), "{name}");
    }
}

#[test]
fn what_lies_in_an_instance_is_ignored_by_its_path() {
    let workspace = Workspace::new();
    workspace.write("cars.json", CARS);
    let pick = |ignored: &str| {
        workspace.json(&[
            "pick",
            "cars.json",
            "--ray",
            "9,-3,-0.5,0,1,0",
            "--device",
            "cpu",
            "--ignore",
            ignored,
        ])
    };
    assert_eq!(pick("b/rear")["path"], "a/rear/torus[0]");
    assert_eq!(pick("a/rear")["hit"], false);
    assert_eq!(pick("a/*")["hit"], false);
}

#[test]
fn what_cannot_be_in_a_scene_ends_with_a_message_and_no_output() {
    let workspace = Workspace::new();
    for (text, message) in [
        (
            r#"{ "raytwin": 1, "definitions": { "a": { "nodes": [ { "use": "a" } ] } }, "nodes": [ { "use": "a" } ] }"#,
            "closes a circle of definitions: a -> a",
        ),
        (
            r#"{ "raytwin": 1, "nodes": [ { "file": "wrong.json" } ] }"#,
            "closes a circle of files: wrong.json -> wrong.json",
        ),
        (
            r#"{ "raytwin": 1, "nodes": [ { "file": "absent.urdf" } ] }"#,
            "absent.urdf: cannot be read",
        ),
        (r#"{ "raytwin": 1, "definitions": [] }"#, "definitions: invalid type"),
        (r#"{ "raytwin": 1, "nodes": [ { "use": 7 } ] }"#, "nodes[0].use: invalid type"),
        (
            r#"{ "raytwin": 1, "nodes": [ { "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] } ] }"#,
            "nodes[0].matrix: has a transform",
        ),
    ] {
        workspace.write("wrong.json", text);
        let error = workspace.fails(3, &["convert", "wrong.json", "out.json"]);
        assert!(error.contains(message), "{error}");
        assert!(!workspace.path("out.json").exists());
    }
}

/// Each of thirty definitions uses the next one twice at one place.
#[test]
fn a_billion_shapes_at_one_place_are_refused_with_their_number_and_can_be_ignored() {
    let workspace = Workspace::new();
    let definition = |index: usize| {
        let next = format!(r#"{{ "use": "d{}" }}"#, index + 1);
        format!(r#""d{index}": {{ "nodes": [ {next}, {next} ] }}"#)
    };
    let definitions = (0..30).map(definition).collect::<Vec<_>>().join(", ");
    workspace.write(
        "deep.json",
        format!(
            r#"{{ "raytwin": 1, "nodes": [ {{ "name": "all", "use": "d0" }} ], "definitions": {{ {definitions},
                 "d30": {{ "shapes": [ {{ "type": "sphere", "center": [0, 2, 0], "radius": 1 }} ] }} }} }}"#
        ),
    );
    assert_eq!(workspace.json(&["info", "deep.json"])["geometry_count"], 1 << 30);
    let pick = ["pick", "deep.json", "--ray", "0,2,-9,0,0,1", "--device", "cpu"];
    let messages = workspace.fails(3, &pick);
    for part in ["deep.json: 1073741824 shapes", "about [0, 2, 0] ('all/", "remove the copies"] {
        assert!(messages.contains(part), "{messages}");
    }
    for pattern in ["*", "all", "al?"] {
        let ignoring = workspace.json(&[&pick[..], &["--ignore", pattern]].concat());
        assert_eq!(ignoring["hit"], false, "{pattern}");
    }
}
