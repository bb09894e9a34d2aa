//! The objects that commands print with `--json`, and what shells and `man` are told.

use crate::common::workspace::*;
use serde_json::Value;

/// Returns the schema of the objects.
fn schema(workspace: &Workspace) -> Value {
    let schema = workspace.run(&["schema", "--summaries"]).stdout;
    serde_json::from_slice(&schema).unwrap()
}

#[test]
fn the_summary_of_each_command_fits_the_schema_and_names_the_command() {
    let workspace = Workspace::new();
    let schema = jsonschema::validator_for(&schema(&workspace)).unwrap();
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &float32(&[0.0; 3])));
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n");
    let small = ["--size", "16x12"];
    for (arguments, code) in [
        (&["render", "scene.json", "--depth-png", "10"][..], 0),
        (&["scan", "scene.json", "--poses", "poses.csv", "--size", "8x8", "-o", "c.ply"], 0),
        (&["scan", "--list-lidars"], 0),
        (&["sample", "scene.json", "--rays", "99", "--paths", "--histogram", "0,9,3"], 0),
        (&["sample", "scene.json", "--rays", "9", "-o", "sums.json"], 0),
        (&["sample", "--add", "sums.json"], 0),
        (&["query", "scene.json", "rays.npy", "-o", "h.npz"], 0),
        (&["query", "scene.json", "rays.npy", "-o", "h.npz", "--kind", "count"], 0),
        (&["query", "scene.json", "absent.npy", "rays.npy", "-o", "several"], 3),
        (&["points", "scene.json", "points.npy", "-o", "p.npz"], 0),
        (&["pick", "scene.json", "--pixel", "8,6"], 0),
        (&["pick", "scene.json", "--ray", "0,0,9,0,0,1"], 0),
        (&["diff", "scene.json"], 0),
        (&["diff", "scene.json", "--mutate", "sphere-no-depth"], 1),
        (&["diff", "--list-faults"], 0),
        (&["witness", "--case", "sphere-tangent"], 0),
        (&["witness", "--list"], 0),
        (&["diff", "--self-test", "scene.json"], 0),
        (&["info", "scene.json", "--geometries"], 0),
        (&["convert", "scene.json", "scene.csv", "--skip"], 0),
        (&["devices", "--check"], 0),
        (&["bench", "--scene", "scene.json", "--rays", "rays.npy", "--repeat", "1"], 0),
        (&["bench", "--scene", "scene.json", "--rays", "rays.npy", "--device", "cpu"], 0),
        (&["render", "absent.json"], 3),
        (&["render", "scene.json", "--camera", "side"], 3),
        (&["pick", "scene.json"], 2),
    ] {
        let takes_size = ["render", "diff"].contains(&arguments[0]) && code < 2;
        let is_of_faults =
            arguments.iter().any(|flag| ["--list-faults", "--self-test"].contains(flag));
        let takes_size = takes_size && !is_of_faults;
        let size = if takes_size { &small[..] } else { &[] };
        let output = workspace.run(&[arguments, size, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        let faults: Vec<_> = schema.iter_errors(&object).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{arguments:?}: {faults:#?}");
        if object["command"].is_null() {
            assert_eq!(object["error"]["code"], code, "{object}");
        } else {
            assert_eq!(object["command"], arguments[0]);
        }
    }
}

#[test]
fn an_error_is_an_object_of_the_message_and_the_exit_code() {
    let workspace = Workspace::new();
    let error = |arguments: &[&str]| {
        let output = workspace.run(&[arguments, &["--json"]].concat());
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error"]["code"], output.status.code().unwrap());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!stderr.contains("error:"), "{stderr}");
        (object["command"].clone(), object["error"]["message"].as_str().unwrap().to_owned())
    };
    let (command, message) = error(&["render", "scen.json"]);
    assert!(command == "render" && message.contains("did you mean scene.json?"), "{message}");
    let (command, message) = error(&["render", "scene.json", "--sise", "8x8"]);
    assert!(command.is_null() && message.starts_with("unexpected argument"), "{message}");
}

#[test]
fn shells_and_man_are_told_of_every_command() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = workspace.run(&["completions", shell]).stdout;
        let script = String::from_utf8(script).unwrap();
        assert!(script.contains("points") && script.contains("list-faults"), "{shell}");
    }
    assert!(workspace.run(&["man", "pages"]).status.success());
    for page in ["raytwin.1", "raytwin-render.1", "raytwin-diff.1"] {
        let text = std::fs::read_to_string(workspace.path("pages").join(page)).unwrap();
        assert!(text.contains(".SH"), "{page}");
    }
}
