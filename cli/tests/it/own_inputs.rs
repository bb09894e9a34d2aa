//! Outputs that would replace a file which the run reads, by whatever name.

use crate::common::workspace::*;

const MESH: &str = "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n";

/// A scene in a folder, which is made of files of every kind.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    for folder in ["in", "qf", "d", "d/device_0"] {
        std::fs::create_dir(workspace.path(folder)).unwrap();
    }
    workspace.write("in/ball.obj", MESH);
    workspace.write("in/inner.json", SCENE);
    let heights = npy("<f4", "False", "(2, 2)", &float32(&[0.0; 4]));
    for name in ["in/h.npy", "qf/t_hit.npy"] {
        workspace.write(name, &heights);
    }
    workspace.write("d/report.json", SCENE);
    workspace.write("d/device_0/worst.npy", std::fs::read(workspace.path("rays.npy")).unwrap());
    workspace.write(
        "outer.json",
        r#"{ "raytwin": 1,
          "shapes": [ { "type": "mesh", "file": "in/ball.obj" },
            { "type": "heightfield", "file": "qf/t_hit.npy", "spacing": [1, 1], "center": [9, 9, 0] },
            { "type": "heightfield", "file": "in/h.npy", "spacing": [1, 1], "center": [9, 0, 0] } ],
          "nodes": [ { "file": "in/inner.json", "translation": [0, 0, 9] } ] }"#,
    );
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &[0; 12]));
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,9,1,0,0,0\n");
    workspace
}

#[test]
fn no_output_replaces_a_file_that_the_run_reads() {
    let workspace = workspace();
    std::fs::create_dir(workspace.path("pictures")).unwrap();
    workspace.write("pictures/z_16bit.png", image_of_heights());
    workspace.write(
        "relief.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "heightfield", "file": "pictures/z_16bit.png",
          "spacing": [1, 1], "center": [0, 0, 0] } ] }"#,
    );
    let scan = ["scan", "outer.json", "--poses", "poses.csv", "--size", "4x4", "-o"];
    for (arguments, replaced) in [
        (&["convert", "outer.json", "in/inner.json"][..], "in/inner.json"),
        (&["convert", "outer.json", "in/../in/inner.json"], "in/inner.json"),
        (&["query", "outer.json", "rays.npy", "-o", "qf/"], "qf/t_hit.npy"),
        (&["query", "outer.json", "rays.npy", "-o", "h.npz", "--cloud", "in/h.npy"], "in/h.npy"),
        (&["render", "outer.json", "--cloud", "in/h.npy"], "in/h.npy"),
        (&["render", "relief.json", "--out", "pictures", "--depth-png", "9"], "z_16bit.png"),
        (&["diff", "d/report.json", "--report", "d", "--device", "cpu"], "d/report.json"),
        (
            &[
                "diff",
                "scene.json",
                "d/device_0/worst.npy",
                "--report",
                "d/device_0",
                "--device",
                "cpu",
            ],
            "d/device_0/worst.npy",
        ),
        (&[&scan[..], &["in/h.npy"]].concat(), "in/h.npy"),
        (&[&scan[..], &["./", "--each", "npy"]].concat(), "poses.csv"),
        (&["sample", "outer.json", "--rays", "9", "-o", "outer.json"], "outer.json"),
    ] {
        let message = workspace.fails(2, arguments);
        assert!(message.contains("would replace") && message.contains(replaced), "{message}");
    }
    // An input whose name this run does not write may lie in the folder of outputs.
    workspace.json(&["render", "relief.json", "--out", "pictures", "--shading", "0", "--size=4x4"]);
    workspace.json(&["points", "outer.json", "points.npy", "-o", "qf/", "--device", "cpu"]);
    assert_eq!(std::fs::read_to_string(workspace.path("in/ball.obj")).unwrap(), MESH);
}

/// A grey picture of two by two pixels.
fn image_of_heights() -> Vec<u8> {
    let workspace = Workspace::new();
    let render = ["render", "scene.json", "--size=2x2", "--depth-png=9", "--out=o", "--shading=0"];
    workspace.json(&[&render[..], &["--device=cpu"]].concat());
    std::fs::read(workspace.path("o/z_16bit.png")).unwrap()
}

#[cfg(unix)]
#[test]
fn a_file_is_known_by_all_its_names() {
    let workspace = workspace();
    std::fs::hard_link(workspace.path("in/h.npy"), workspace.path("hard.npy")).unwrap();
    std::os::unix::fs::symlink("in/h.npy", workspace.path("soft.npy")).unwrap();
    std::os::unix::fs::symlink("in", workspace.path("folder")).unwrap();
    for name in ["hard.npy", "soft.npy", "folder/h.npy", "./qf/../in/h.npy"] {
        let query = ["query", "outer.json", "rays.npy", "-o", "h.npz", "--cloud", name];
        let message = workspace.fails(2, &query);
        let expected = format!("would replace its input in/h.npy, which is {name}");
        assert!(message.contains("would replace") && message.contains("h.npy"), "{message}");
        assert!(name.starts_with('.') || message.contains(&expected), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn no_output_replaces_another_in_whatever_spelling() {
    let workspace = workspace();
    std::os::unix::fs::symlink("qf", workspace.path("link")).unwrap();
    let full = workspace.path("new/t_hit.npy").display().to_string();
    for (folder, cloud) in [
        ("new/", "new/t_hit.npy"),
        ("new/", "./new/t_hit.npy"),
        ("new/", "absent/../new/t_hit.npy"),
        ("new/", &full),
        ("link/", "qf/geometry_ids.npy"),
    ] {
        let query = ["query", "scene.json", "rays.npy", "-o", folder, "--cloud", cloud];
        let error = workspace.fails(2, &query);
        assert!(error.contains("are the same file: rename one of them"), "{error}");
        assert!(!workspace.path("new").exists());
    }
}

#[cfg(unix)]
#[test]
fn outputs_that_links_lead_to_one_absent_file_are_refused_before_anything_is_cast() {
    use std::os::unix::fs::symlink;
    let workspace = workspace();
    for folder in ["f", "r", "elsewhere"] {
        std::fs::create_dir(workspace.path(folder)).unwrap();
    }
    for (target, link) in [
        ("x.parquet", "y.parquet"),
        ("../f/z.laz", "elsewhere/step"),
        ("elsewhere/step", "far.laz"),
        ("t_hit.npy", "f/cl.npy"),
        ("render.npz", "r/render.exr"),
        ("absent", "dangling"),
    ] {
        symlink(target, workspace.path(link)).unwrap();
    }
    let before = workspace.listing();
    let query = |output: &'static str, cloud: &'static str| {
        vec!["query", "scene.json", "rays.npy", "-o", output, "--cloud", cloud, "--device", "cpu"]
    };
    for arguments in [
        query("x.parquet", "y.parquet"),
        query("y.parquet", "x.parquet"),
        query("f/", "f/cl.npy"),
        query("absent/", "dangling/t_hit.npy"),
        vec!["render", "scene.json", "--out", "r", "--size", "4x4", "--device", "cpu"],
    ] {
        let error = workspace.fails(2, &arguments);
        assert!(error.contains("are the same file: rename one of them"), "{error}");
        assert_eq!(workspace.listing(), before, "{arguments:?}");
    }
    for (output, cloud, phrase) in [
        ("n/a.parquet", "n/a.parquet/c.laz", "needs a folder where"),
        ("f/", "f/.raytwin-a.laz", "a name that raytwin uses"),
    ] {
        let error = workspace.fails(2, &query(output, cloud));
        assert!(error.contains(phrase), "{error}");
    }
    // A link whose target is no other output is followed.
    workspace.json(&query("h.npz", "far.laz"));
    assert!(workspace.path("f/z.laz").is_file() && workspace.path("far.laz").is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn no_output_replaces_the_file_that_stdout_is_written_to() {
    let workspace = workspace();
    let sample = ["sample", "scene.json", "--rays", "9", "--device", "cpu", "-o", "s.json"];
    let stdout = std::fs::File::create(workspace.path("s.json")).unwrap();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_raytwin"));
    let ended = program.args(sample).current_dir(workspace.folder.path()).stdout(stdout).output();
    let ended = ended.unwrap();
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(
        ended.status.code() == Some(2) && errors.contains("is also the file of stdout"),
        "{errors}"
    );
}

#[test]
fn an_input_with_a_name_of_drafts_is_refused() {
    let workspace = workspace();
    for name in [".raytwin-lock", ".raytwin-abcdef@here"] {
        workspace.write(name, std::fs::read(workspace.path("rays.npy")).unwrap());
        let error = workspace.fails(2, &["query", "scene.json", name, "-o", "./"]);
        assert!(error.contains("removes files whose names begin like this"), "{error}");
        assert!(workspace.path(name).exists());
    }
}
