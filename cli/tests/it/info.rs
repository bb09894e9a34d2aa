//! `info` lists what a scene holds.

use crate::common::workspace::*;
use serde_json::json;

#[test]
fn info_counts_what_a_scene_holds_and_lists_it_on_request() {
    let workspace = Workspace::new();
    workspace.write(
        "some.json",
        r#"{ "raytwin": 1,
             "shapes": [ { "type": "sphere", "name": "ball", "center": [0, 0, 1], "radius": 0.5 },
                         { "type": "lines", "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0]],
                           "indices": [[0, 1], [1, 2]], "radius": 0.25 } ],
             "cameras": [ { "name": "side", "eye": [0, -9, 0], "target": [0, 0, 0], "height": 3 } ] }"#,
    );
    let info = workspace.json(&["info", "some.json", "--geometries"]);
    assert_eq!(info["command"], "info");
    assert_eq!(info["types"], json!({ "sphere": 1, "lines": 1 }));
    let counts = ["geometry_count", "primitive_count", "solid_count", "coarsely_rounded"];
    assert_eq!(counts.map(|key| info[key].as_u64()), [2, 3, 1, 0].map(Some));
    assert_eq!(info["bounds"], json!([[-0.5, -0.5, -0.25], [2.25, 0.5, 1.5]]));
    assert_eq!(info["cameras"], json!([{ "name": "side", "kind": "orthographic" }]));
    let expected = json!([
        { "id": 0, "type": "sphere", "primitive_count": 1, "path": "ball", "instance_id": null },
        { "id": 1, "type": "lines", "primitive_count": 2, "path": "lines[1]", "instance_id": null },
    ]);
    assert_eq!(info["geometries"], expected);
    assert!(workspace.json(&["info", "some.json"])["geometries"].is_null());

    let output = workspace.run(&["info", "some.json", "--geometries"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for line in ["sphere                1", "camera           side (orthographic)"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.ends_with("         1  lines                 2  lines[1]\n"), "{text}");
    workspace.fails(3, &["info", "none.json"]);
}

#[test]
fn shapes_that_rounding_moves_are_not_skipped_and_an_origin_is_advised_only_where_it_may_help() {
    let workspace = Workspace::new();
    let sphere = |x: f64| format!(r#"{{ "type": "sphere", "center": [{x}, 0, 0], "radius": 1 }}"#);
    let scene = |x: [f64; 2]| {
        format!(r#"{{ "raytwin": 1, "shapes": [ {}, {} ] }}"#, sphere(x[0]), sphere(x[1]))
    };
    workspace.write("apart.json", scene([1e8 + 0.3, -1e8 - 0.3]));
    let info = |flags: &[&str]| workspace.json(&[&["info", "apart.json"][..], flags].concat());
    let advice = |info: &serde_json::Value| info["inexact"][0]["what"].as_str().unwrap().to_owned();
    let errors = |flags: &[&str]| {
        let output = workspace.run(&[&["info", "apart.json"][..], flags].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("inexact          "), "{text}");
        assert!(!text.contains("skipped"), "{text}");
        String::from_utf8(output.stderr).unwrap()
    };
    for flags in [&[][..], &["--origin", "1e8,0,0"], &["--origin", "auto"]] {
        assert!(advice(&info(flags)).contains("no round origin is near all of them"), "{flags:?}");
        assert!(!errors(flags).contains("--origin"), "{flags:?}");
    }
    let with_origin = info(&["--origin", "auto"]);
    assert_eq!(
        (&with_origin["skipped"], &with_origin["inexact"][0]["count"]),
        (&json!([]), &2.into())
    );
    workspace.write("apart.json", scene([1e8 + 0.3, 1e8 + 2.3]));
    assert!(advice(&info(&[])).ends_with("; set an origin near the scene"));
    assert!(errors(&[]).contains("--origin auto"));
    assert_eq!(info(&["--origin", "auto"])["inexact"], json!([]));

    let left_out = r#"<robot name="r"><link name="l"><visual><geometry><sphere radius="1"/></geometry></visual>
        <visual><geometry><sphere radius="-1"/></geometry></visual></link></robot>"#;
    workspace.write("part.urdf", left_out);
    let part = workspace.json(&["info", "part.urdf"]);
    assert_eq!((&part["skipped"][0]["count"], &part["inexact"]), (&1.into(), &json!([])));
}

#[test]
fn a_model_is_found_in_the_folders_that_gazebos_variables_list() {
    let workspace = Workspace::new();
    let model =
        |contents: &str| format!("<sdf version='1.9'><model name='m'>{contents}</model></sdf>");
    let ball = "<link name='l'><visual name='v'><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>";
    for folder in ["robots", "models/ball"] {
        std::fs::create_dir_all(workspace.path(folder)).unwrap();
    }
    workspace.write("models/ball/model.sdf", model(ball));
    for uri in ["ball", "model://ball"] {
        workspace.write("robots/m.sdf", model(&format!("<include><uri>{uri}</uri></include>")));
        let info = |variable: &str, folders: &str| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_raytwin"));
            command.args(["info", "robots/m.sdf"]).current_dir(workspace.path(""));
            command.env_remove("GZ_SIM_RESOURCE_PATH").env_remove("GAZEBO_MODEL_PATH");
            command.env(variable, folders).output().unwrap().status.code()
        };
        for variable in ["GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"] {
            assert_eq!(info(variable, "none::models"), Some(0), "{uri}, {variable}");
            assert_eq!(info(variable, ""), Some(3), "{uri}, {variable}");
        }
    }
}
