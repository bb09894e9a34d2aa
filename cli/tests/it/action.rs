//! The shell parts of the GitHub action, run as a runner runs them.

use crate::common::workspace::*;
use std::path::Path;
use std::process::{Command, Output};

/// Returns the script of a step of the action.
fn script(step: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let action = std::fs::read_to_string(root.join("action.yml")).unwrap();
    let (_, step) = action.split_once(&format!("- name: {step}\n")).unwrap();
    let (_, script) = step.split_once("run: |\n").unwrap();
    let is_of_script = |line: &&str| line.is_empty() || line.starts_with("        ");
    script
        .lines()
        .take_while(is_of_script)
        .fold(String::new(), |all, line| all + line.trim_start_matches("        ") + "\n")
}

/// Runs a step in a folder, with these variables.
fn run(folder: &Path, step: &str, variables: &[(&str, &str)]) -> Output {
    Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script(step)])
        .current_dir(folder)
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

/// Checks scenes by a program that fails with the code that a scene's file holds, and returns the code and the scenes.
fn checked(workspace: &Workspace, scenes: &str) -> (i32, Vec<String>) {
    checked_by(workspace, scenes, ["", ""])
}

/// Checks scenes likewise, with rays and saved answers.
fn checked_by(
    workspace: &Workspace,
    scenes: &str,
    [rays, against]: [&str; 2],
) -> (i32, Vec<String>) {
    let temporary = workspace.folder.path().to_str().unwrap();
    let variables = [
        ("RUNNER_TEMP", temporary),
        ("SCENES", scenes),
        ("RAYS", rays),
        ("AGAINST", against),
        ("ARGUMENTS", "--kind 'any \"one\"'"),
        ("REPORT", "r"),
    ];
    std::fs::write(workspace.path("calls"), "").unwrap();
    let output = run(workspace.folder.path(), "Check the answers", &variables);
    let calls = std::fs::read_to_string(workspace.path("calls")).unwrap();
    (output.status.code().unwrap(), calls.lines().map(str::to_owned).collect())
}

#[test]
fn the_action_takes_scenes_with_spaces_and_keeps_the_highest_exit_code() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    let program = workspace.path("raytwin/bin/raytwin");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::write(
        &program,
        "#!/bin/sh\n(IFS='|'; echo \"$*\") >>calls\nexit $(cat \"$2\" || echo 3)\n",
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(workspace.path("my scenes")).unwrap();
    for (name, code) in [
        ("good one.json", "0"),
        ("my scenes/a.json", "1"),
        ("my scenes/b c.json", "4"),
        ("one[1].json", "0"),
    ] {
        workspace.write(name, code);
    }
    let call = |scene: &str, number: usize| {
        let file = scene.rsplit('/').next().unwrap();
        format!("diff|{scene}|--kind|any \"one\"|--report|r/{number}-{file}/")
    };
    let both = vec![call("my scenes/a.json", 1), call("my scenes/b c.json", 2)];
    assert_eq!(checked(&workspace, "my scenes/*.json\n"), (4, both));
    let two = vec![call("good one.json", 1), call("my scenes/a.json", 2)];
    assert_eq!(checked(&workspace, "  good one.json\n\nmy scenes/a.json"), (1, two));
    assert_eq!(checked(&workspace, "one[1].json"), (0, vec![call("one[1].json", 1)]));
    assert_eq!(checked(&workspace, "none.json"), (3, vec![call("none.json", 1)]));
    assert_eq!(checked(&workspace, "none*.json"), (3, vec![]));
    assert_eq!(checked(&workspace, " \n"), (3, vec![]));
    let good = vec![call("good one.json", 1)];
    assert_eq!(checked(&workspace, "none*.json\ngood one.json"), (3, good));
    let files = ["my rays.npy", "my hits.npz"];
    let (code, calls) = checked_by(&workspace, "good one.json", files);
    let call = "diff|good one.json|my rays.npy|--against|my hits.npz|--kind|any \"one\"|--report|r/1-good one.json/";
    assert_eq!((code, calls), (0, vec![call.to_owned()]));
}

/// The program's own flags are what the step gives it, so it runs once with the program itself.
#[test]
fn the_action_judges_saved_answers_by_the_program() {
    let workspace = Workspace::new();
    let program = workspace.path("raytwin/bin/raytwin");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_raytwin"), &program).unwrap();
    workspace.json(&["query", "scene.json", "rays.npy", "-o", "hits.npz", "--device", "cpu"]);
    let temporary = workspace.folder.path().to_str().unwrap();
    let code = |scene: &str| {
        let variables = [
            ("RUNNER_TEMP", temporary),
            ("SCENES", scene),
            ("RAYS", "rays.npy"),
            ("AGAINST", "hits.npz"),
            ("ARGUMENTS", "--tolerance-abs 1e-4"),
            ("REPORT", "reports"),
        ];
        run(workspace.folder.path(), "Check the answers", &variables).status.code()
    };
    assert_eq!(code("scene.json"), Some(0));
    assert!(workspace.path("reports/1-scene.json/report.html").is_file());
    let moved = std::fs::read_to_string(workspace.path("scene.json")).unwrap();
    workspace.write("moved.json", moved.replacen("\"radius\": 0.5", "\"radius\": 0.6", 1));
    assert_eq!(code("moved.json"), Some(1));
}

#[test]
fn the_action_needs_a_gpu_and_the_self_test_only_where_a_device_casts() {
    let workspace = Workspace::new();
    let needs = |against: &str, arguments: &str, self_test: &str| {
        let file = workspace.path("needs");
        let variables = [
            ("AGAINST", against),
            ("ARGUMENTS", arguments),
            ("SELF_TEST", self_test),
            ("GITHUB_OUTPUT", file.to_str().unwrap()),
        ];
        std::fs::write(&file, "").unwrap();
        let output = run(workspace.folder.path(), "Choose what is needed", &variables);
        let printed = String::from_utf8(output.stdout).unwrap();
        let needs = std::fs::read_to_string(&file).unwrap();
        assert_eq!(printed.contains("the self-test does not run"), needs.contains("gpu=false"));
        (output.status.code().unwrap(), needs)
    };
    let output = |self_test: bool, gpu: bool| (0, format!("self-test={self_test}\ngpu={gpu}\n"));
    assert_eq!(needs("", "", "auto"), output(true, true));
    assert_eq!(needs("", "--kind any", "false"), output(false, true));
    assert_eq!(needs("hits.npz", "", "auto"), output(false, false));
    assert_eq!(needs("hits.npz", "", "true"), output(true, true));
    assert_eq!(needs("", "r.npy --against hits.npz", "auto"), output(false, false));
    assert_eq!(needs("", "--against=hits.npz", "auto"), output(false, false));
    assert_eq!(needs("", "--ignore my--against", "auto"), output(true, true));
    assert_eq!(needs("", "", "yes"), (2, String::new()));
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("action.yml");
    let action = std::fs::read_to_string(action).unwrap();
    for (step, condition) in [
        ("Install a software Vulkan driver where there is no GPU", "gpu == 'true'"),
        ("Check that the gate notices faults", "self-test == 'true'"),
    ] {
        let (_, step) = action.split_once(&format!("- name: {step}\n")).unwrap();
        let first = step.lines().next().unwrap();
        assert!(first.contains(&format!("steps.needs.outputs.{condition}")), "{first}");
    }
}

#[test]
fn the_action_takes_a_compiled_program_only_of_the_same_sources() {
    let workspace = Workspace::new();
    for folder in ["src", "shaders", "files", "formats", "cli/src"] {
        std::fs::create_dir_all(workspace.path(folder)).unwrap();
    }
    for file in ["Cargo.lock", "Cargo.toml", "rust-toolchain.toml", "src/lib.rs", "shaders/a.wgsl"]
    {
        workspace.write(file, file);
    }
    let key = || {
        let place = workspace.folder.path().to_str().unwrap();
        let output = workspace.path("key");
        let variables =
            [("GITHUB_ACTION_PATH", place), ("GITHUB_OUTPUT", output.to_str().unwrap())];
        assert!(
            run(workspace.folder.path(), "Tell these sources from others", &variables)
                .status
                .success()
        );
        let key = std::fs::read_to_string(&output).unwrap();
        std::fs::remove_file(output).unwrap();
        assert!(key.starts_with("hash=") && key.trim().len() == 45, "{key}");
        key
    };
    let first = key();
    assert_eq!(key(), first);
    workspace.write("shaders/a.wgsl", "other");
    assert_ne!(key(), first);
}
