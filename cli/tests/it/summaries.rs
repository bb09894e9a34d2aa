//! The objects that commands print with `--json`, and what shells and `man` get.

use crate::common::workspace::*;
use serde_json::Value;

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
    assert!(command == "render" && message.starts_with("unexpected argument"), "{message}");
    let (command, message) = error(&["rendre", "scene.json"]);
    assert!(command.is_null() && message.contains("render"), "{message}");
}

#[test]
fn shells_and_man_are_reported_of_every_command() {
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
