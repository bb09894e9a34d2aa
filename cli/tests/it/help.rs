//! `-h` is one screen, whose examples run; `--help` has everything, and the options of one kind of scene last; and what is
//! missing is named with all ways to give it.

use crate::common::workspace::Workspace;

/// The headings of options for one kind of scene.
const KINDS: [&str; 4] =
    ["Robots", "MuJoCo models", "Molecules", "Lines and points of X3D, VRML and glTF"];

/// Returns what the program prints.
fn printed(arguments: &[&str]) -> String {
    let output = Workspace::new().run(arguments);
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that the program's help lists.
pub fn commands() -> Vec<String> {
    let help = printed(&["-h"]);
    let list = help.split("\n\n").filter(|part| !part.starts_with("Options:"));
    let lines = list.flat_map(str::lines).filter_map(|line| line.strip_prefix("  "));
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Returns the headings of a help.
fn headings(help: &str) -> Vec<&str> {
    let lines = help.lines().filter(|line| !line.starts_with(' '));
    lines.filter_map(|line| line.strip_suffix(':')).collect()
}

/// Returns the examples of a command.
fn examples(help: &str) -> Vec<&str> {
    let after = help.split("Examples:\n").nth(1).unwrap();
    after.lines().take_while(|line| !line.is_empty()).map(str::trim).collect()
}

#[test]
fn the_programs_help_has_its_commands_in_groups() {
    let help = printed(&["-h"]);
    let groups =
        ["Cast rays", "Check answers", "Look at a scene", "Files", "Devices", "Program", "Options"];
    assert_eq!(headings(&help), groups);
    assert!(help.lines().count() <= 60, "{help}");
    // Without a command it prints the same, as an error.
    let output = Workspace::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(headings(&String::from_utf8(output.stderr).unwrap()), groups);
    assert_eq!(commands().len(), 17);
}

#[test]
fn the_help_of_a_command_is_one_screen() {
    for command in commands() {
        let help = printed(&[&command, "-h"]);
        let (lines, words) = (help.lines().count(), help.split_whitespace().count());
        assert!(lines <= 60 && words <= 450, "{command}: {lines} lines, {words} words");
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
        assert!(!help.lines().next().unwrap().is_empty(), "{command}");
        assert!(help.contains(&format!("\n\nUsage: raytwin {command} ")), "{help}");
        assert_eq!(examples(&help).len(), 2, "{help}");
        assert!(!headings(&help).iter().any(|heading| KINDS.contains(heading)), "{help}");
    }
}

#[test]
fn options_stand_under_headings_and_those_of_one_kind_of_scene_last() {
    for command in commands() {
        let help = printed(&[&command, "--help"]);
        let headings = headings(&help);
        let usual = ["Options", "Arguments", "Commands"];
        assert!(!headings.iter().any(|heading| usual.contains(heading)), "{command}: {headings:?}");
        assert!(headings.contains(&"Messages") && headings.contains(&"Device"), "{command}");
        let reads_scenes = !["witness", "devices", "bench", "schema", "completions", "man"]
            .contains(&command.as_str());
        let is_kind = |heading: &&str| KINDS.contains(heading);
        let kinds: Vec<&str> = headings.iter().copied().filter(is_kind).collect();
        assert_eq!(kinds, &KINDS[..if reads_scenes { 4 } else { 0 }], "{command}");
        assert!(headings.ends_with(&kinds), "{command}: {headings:?}");
        if reads_scenes {
            assert!(help.contains(".dae (one mesh)"), "{command} lists all formats");
        }
    }
}

#[cfg(unix)]
#[test]
fn the_examples_of_every_help_run() {
    use crate::common::documentation::PROJECT;
    let workspace = Workspace::new();
    let folder = std::path::Path::new(PROJECT).join("examples");
    std::os::unix::fs::symlink(folder, workspace.path("examples")).unwrap();
    // It serves until it is ended, and `view.rs` holds it.
    for command in commands().iter().filter(|command| *command != "view") {
        for example in examples(&printed(&[command, "-h"])) {
            let words: Vec<&str> = example.split_whitespace().collect();
            assert_eq!(words[..2], ["raytwin", command], "{example}");
            let output = workspace.run(&words[1..]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{example}: {errors}");
            assert!(!errors.contains("warning"), "{example}: {errors}");
            if let Some(flag) = words.iter().position(|word| *word == "-o") {
                assert!(workspace.path(words[flag + 1]).exists(), "{example}");
            }
        }
    }
}

#[test]
fn manual_pages_explain_what_stands_in_the_long_help_alone() {
    let workspace = Workspace::new();
    workspace.run(&["man", "pages"]);
    let page = std::fs::read_to_string(workspace.path("pages/raytwin-pick.1")).unwrap();
    let texts = ["Treat every warning as an error", "in radians or metres", "Use this world of"];
    assert!(texts.iter().all(|text| page.contains(text)), "{page}");
}

#[test]
fn what_is_missing_is_named_with_all_ways_to_give_it() {
    let workspace = Workspace::new();
    let ball = r#"{ "type": "sphere", "center": [0, 0, 1], "radius": 0.5 }"#;
    workspace.write("bare.json", format!(r#"{{ "raytwin": 1, "shapes": [{ball}] }}"#));
    for (words, ways) in [
        (
            &["scan", "bare.json", "--device", "cpu", "-o", "cloud.ply"][..],
            &["--poses", "--stations", "--legs", "--qpos", "add a camera"][..],
        ),
        (&["scan", "--poses", "rows.csv"], &["SCENE", "--out"]),
        (&["sample"], &["SCENE", "--add"]),
        (&["sample", "scene.json"], &["--rays", "--generator view"]),
        (&["sample", "scene.json", "--generator", "patch"], &["--center", "--normal"]),
        (&["diff"], &["SCENE", "--against", "--self-test", "--list-faults"]),
        (&["convert", "scene.json"], &["OUT", "--out"]),
        (&["pick", "scene.json"], &["--pixel", "--ray"]),
        (&["query", "scene.json", "rays.npy"], &["--out"]),
        (&["points", "scene.json"], &["POINTS", "--out"]),
    ] {
        let errors = workspace.fails(2, words);
        let message = errors.split("\nUsage:").next().unwrap();
        for way in ways {
            assert!(message.contains(way), "{words:?}: {errors}");
        }
    }
}

#[test]
fn advice_for_a_camera_without_sweeps_names_the_flags_that_choose_another() {
    let workspace = Workspace::new();
    workspace.write("stations.csv", "x,y,z\n0,0,5\n");
    workspace.write("legs.csv", "x,y,z,speed\n0,0,5,1\n9,0,5,1\n");
    for places in ["--stations=stations.csv", "--legs=legs.csv"] {
        let scan = ["scan", "scene.json", places, "-o", "cloud.ply", "--device", "cpu"];
        let errors = workspace.fails(2, &scan);
        assert!(errors.contains("--camera or --lidar"), "{errors}");
    }
}
