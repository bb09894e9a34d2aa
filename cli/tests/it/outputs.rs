//! The outputs of the program: files that it replaces, files that stay, and outputs that it refuses.

use crate::common::library_answers::QUERIES;
use crate::common::workspace::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The note in a folder whose files are of several runs.
const NOTE: &str = "raytwin-mixture.json";

/// Reads the files of a folder, by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

#[test]
fn a_folder_gets_the_arrays_of_a_run_and_a_note_of_those_that_stay() {
    let workspace = Workspace::new();
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &[0; 12]));
    let into = |command: &[&str], folder: &str, more: &[&str]| {
        workspace.json(&[command, &["-o", folder, "--device", "cpu"], more].concat());
        files(&workspace.path(folder))
    };
    let query =
        |folder: &str, more: &[&str]| into(&["query", "scene.json", "rays.npy"], folder, more);
    let points = |folder: &str| into(&["points", "scene.json", "points.npy"], folder, &[]);
    std::fs::create_dir(workspace.path("out")).unwrap();
    workspace.write("out/notes.txt", "of the user");
    let mut expected = files(&workspace.path("out"));
    for (flags, _) in QUERIES.iter().chain(&QUERIES) {
        let mut runs = vec![(query("alone", flags), query("out", flags))];
        std::fs::remove_dir_all(workspace.path("alone")).unwrap();
        if flags.contains(&"any") {
            runs.push((points("alone"), points("out")));
            std::fs::remove_dir_all(workspace.path("alone")).unwrap();
        }
        for (alone, mut found) in runs {
            let is_left = |name: &&String| name.ends_with(".npy") && !alone.contains_key(*name);
            let left: Vec<&str> = expected.keys().filter(is_left).map(String::as_str).collect();
            let note = found.remove(NOTE).unwrap_or_else(|| b"{}".into());
            let note: serde_json::Value = serde_json::from_slice(&note).unwrap();
            let messages = note["left_alone"].as_array().into_iter().flatten();
            let messages: Vec<&str> = messages.map(|name| name.as_str().unwrap()).collect();
            assert_eq!(messages, left, "{flags:?}");
            assert!(note.get("being_replaced").is_none());
            expected.extend(alone);
            assert_eq!(found, expected, "{flags:?}");
        }
    }
    let render = |more: &[&str]| {
        let images = ["render", "scene.json", "--size", "8x8", "--out", "out", "--device", "cpu"];
        workspace.json(&[&images, more].concat());
        workspace.path("out/z_16bit.png").exists()
    };
    assert_eq!([render(&[]), render(&["--depth-png", "9"]), render(&[])], [false, true, true]);
    let note = std::fs::read_to_string(workspace.path("out").join(NOTE)).unwrap();
    assert!(note.contains("z_16bit.png") && note.contains("occluded.npy"), "{note}");
}

#[test]
fn no_reader_takes_a_mixture_of_two_runs() {
    let workspace = Workspace::new();
    let run = |arguments: &[&str]| {
        let output = workspace.run(&[arguments, &["--device", "cpu"]].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let query =
        |flags: &[&str]| run(&[&["query", "scene.json", "rays.npy", "-o", "out/"], flags].concat());
    let judge = |kind| run(&["diff", "scene.json", "rays.npy", "--against", "out", "--kind", kind]);
    query(&["--kind", "all"]);
    assert_eq!(judge("all").0, Some(0));
    let (code, warned) = query(&[]);
    assert_eq!(code, Some(0));
    assert!(warned.contains("out/: kept ray_ids.npy and 1 more"), "{warned}");
    let (code, skipped) = judge("closest");
    assert_eq!(code, Some(0), "{skipped}");
    assert!(skipped.contains("ray_splits.npy: was not written by the run"), "{skipped}");
    let (code, refused) = judge("all");
    assert_eq!(code, Some(3));
    assert!(refused.contains("has no array named ray_splits"), "{refused}");
    // A run that was killed between two files leaves this.
    workspace.write(
        &format!("out/{NOTE}"),
        r#"{ "about": "", "being_replaced": ["geometry_ids.npy"] }"#,
    );
    let (code, refused) = judge("closest");
    assert_eq!(code, Some(3));
    assert!(
        refused.contains("out: geometry_ids.npy and others") && refused.contains("two runs"),
        "{refused}"
    );
    query(&[]);
    assert_eq!(judge("closest").0, Some(0));
}

#[test]
fn rays_that_answers_in_a_folder_would_overwrite_are_refused() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("out")).unwrap();
    std::fs::copy(workspace.path("rays.npy"), workspace.path("out/faces.npy")).unwrap();
    let query = ["query", "scene.json", "out/faces.npy", "-o", "out/", "--device", "cpu"];
    let message = workspace.fails(2, &[&query[..], &["--faces"]].concat());
    assert!(message.contains("out/faces.npy"), "{message}");
    workspace.json(&query);
    let [rays, kept] =
        ["rays.npy", "out/faces.npy"].map(|name| std::fs::read(workspace.path(name)));
    assert_eq!(rays.unwrap(), kept.unwrap());
}

#[test]
fn the_error_names_a_file_that_stands_where_a_folder_must_be() {
    let workspace = Workspace::new();
    workspace.write("file", "kept");
    for arguments in [
        &["query", "scene.json", "rays.npy", "-o", "file/"][..],
        &["query", "scene.json", "rays.npy", "-o", "file/h.npz"],
        &["query", "scene.json", "rays.npy", "-o", "file"],
        &["render", "scene.json", "--out", "file/new"],
    ] {
        let message = workspace.fails(3, &[arguments, &["--device", "cpu"]].concat());
        assert!(
            message.contains("error: file: cannot be written: it is not a folder"),
            "{message}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("far")).unwrap();
    for (link, target) in [("h.npz", "far/real.npz"), ("h.parquet", "far/real.parquet")] {
        std::os::unix::fs::symlink(target, workspace.path(link)).unwrap();
        for _ in 0..2 {
            workspace.json(&["query", "scene.json", "rays.npy", "-o", link, "--device", "cpu"]);
            assert!(workspace.path(link).is_symlink());
            let plain = workspace.path(target);
            assert!(plain.is_file() && !plain.is_symlink());
        }
    }
    std::os::unix::fs::symlink("far", workspace.path("folder")).unwrap();
    std::os::unix::fs::symlink("real t.npy", workspace.path("far/t_hit.npy")).unwrap();
    std::os::unix::fs::symlink("real.npz", workspace.path("far/occluded.npy")).unwrap();
    workspace.json(&["query", "scene.json", "rays.npy", "-o", "folder/", "--device", "cpu"]);
    assert!(workspace.path("folder").is_symlink() && workspace.path("far/t_hit.npy").is_symlink());
    assert!(workspace.path("far/real t.npy").is_file());
    assert!(workspace.path("far/occluded.npy").is_symlink());
    assert!(workspace.path("far/real.npz").is_file());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_neither_read_nor_replaced() {
    let workspace = Workspace::new();
    for name in ["pipe.npz", "pipe.npy", "pipe.parquet"] {
        assert!(Command::new("mkfifo").arg(workspace.path(name)).status().unwrap().success());
    }
    for (rays, output) in [
        ("rays.npy", "pipe.npz"),
        ("rays.npy", "pipe.parquet"),
        ("rays.npy", "/dev/null"),
        ("pipe.npy", "h.npz"),
        ("pipe.npz", "h.npz"),
        ("pipe.parquet", "h.npz"),
        ("/dev/null", "h.npz"),
    ] {
        let query = ["query", "scene.json", rays, "-o", output, "--device", "cpu"];
        let message = workspace.fails(3, &query);
        let special_file = if rays == "rays.npy" { output } else { rays };
        assert!(message.contains(&format!("error: {special_file}: cannot be ")), "{message}");
    }
    let points = workspace.fails(3, &["points", "scene.json", "pipe.npy", "-o", "h.npz"]);
    assert!(points.contains("error: pipe.npy: cannot be read"), "{points}");
}

/// Runs the program with a limit of 16 KiB on the size of files, which fails like a full disk.
#[cfg(unix)]
pub fn limited(workspace: &Workspace, arguments: &[&str]) -> String {
    limited_to(32, workspace, arguments)
}

/// Runs the program with a limit of so many blocks of 512 bytes on the size of files.
#[cfg(unix)]
fn limited_to(blocks: u32, workspace: &Workspace, arguments: &[&str]) -> String {
    let shell = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &shell, env!("CARGO_BIN_EXE_raytwin")])
        .args(arguments)
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    errors
}

#[cfg(unix)]
#[test]
fn a_failed_write_leaves_the_old_answers_and_one_message() {
    let workspace = Workspace::new();
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &[0; 12]));
    workspace.write("many_points.npy", npy("<f4", "False", "(40000, 3)", &[0; 480_000]));
    let mut random = fastrand::Rng::with_seed(1);
    let numbers: Vec<f32> = (0..240_000).map(|_| 4.0 * random.f32() - 2.0).collect();
    workspace.write("many.npy", npy("<f4", "False", "(40000, 6)", &float32(&numbers)));
    let query = |output| ["query", "scene.json", "rays.npy", "-o", output];
    let point = ["points", "scene.json", "points.npy", "-o", "out/p.npz"];
    let render = ["render", "scene.json", "--size=4x3", "--out", "out"];
    for (few, many) in [
        (query("out/"), "many.npy"),
        (query("out/h.npz"), "many.npy"),
        (query("out/h.parquet"), "many.npy"),
        (point, "many_points.npy"),
        (render, "--size=400x400"),
    ] {
        workspace.json(&[&few[..], &["--device", "cpu"]].concat());
        let before = files(&workspace.path("out"));
        let mut long = few;
        long[2] = many;
        let errors = limited(&workspace, &[&long[..], &["--device", "cpu", "-q"]].concat());
        assert_eq!(errors.lines().count(), 1, "{long:?}: {errors}");
        assert!(
            errors.starts_with("error: out/") && errors.to_lowercase().contains("too large"),
            "{errors}"
        );
        assert!(files(&workspace.path("out")) == before, "{long:?}");
    }
}

#[cfg(unix)]
#[test]
fn pages_of_the_manual_are_written_whole_or_not_at_all() {
    let workspace = Workspace::new();
    assert!(workspace.run(&["man", "pages"]).status.success());
    let whole = files(&workspace.path("pages"));
    assert!(whole.len() > 10 && whole.values().any(|page| page.len() > 8192));
    let errors = limited_to(16, &workspace, &["man", "pages"]);
    assert!(
        errors.starts_with("error: pages/") && errors.trim_end().ends_with("place"),
        "{errors}"
    );
    limited_to(16, &workspace, &["man", "new"]);
    assert!(files(&workspace.path("pages")) == whole && !workspace.path("new").exists());
}

#[test]
fn no_folder_is_made_of_the_name_of_a_file() {
    let workspace = Workspace::new();
    for arguments in [
        &["man", "x.1"][..],
        &["render", "scene.json", "--out", "x.png"],
        &["render", "scene.json", "--out", "x.tiff"],
        &["diff", "scene.json", "rays.npy", "--report", "x.html"],
        &["query", "scene.json", "rays.npy", "-o", "x.tsv"],
    ] {
        let name = arguments.last().unwrap();
        let message = workspace.fails(2, arguments);
        assert!(message.contains(name) && message.contains("with a slash"), "{message}");
        assert!(!workspace.path(name).exists());
    }
    assert!(workspace.run(&["man", "x.1/"]).status.success());
    assert!(workspace.run(&["man", "x.1"]).status.success(), "it is a folder");
}

#[test]
fn a_hint_names_flags_of_its_command_alone() {
    let workspace = Workspace::new();
    workspace.write("file", "kept");
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &[0; 12]));
    for (arguments, end) in [
        (&["points", "scene.json", "points.npy", "-o", "file/p.npz"][..], "another place (-o)"),
        (&["query", "scene.json", "rays.npy", "-o", "file/h.npz"], "place (-o, --cloud)"),
        (&["man", "file/pages"], "choose another place"),
        (&["diff", "scene.json", "rays.npy", "-o", "file/r"], "place (-o)"),
    ] {
        let message = workspace.fails(3, arguments);
        assert!(message.trim_end().ends_with(end), "{message}");
    }
}

#[test]
fn many_missing_folders_are_made_at_once_and_removed() {
    let workspace = Workspace::new();
    let deep = "a/".repeat(900);
    let answers = format!("{deep}h.npz");
    let query = |rays| ["query", "scene.json", rays, "-o", &answers, "--device", "cpu", "-q"];
    let start = std::time::Instant::now();
    workspace.write("bad.npy", "no array");
    workspace.fails(3, &query("bad.npy"));
    assert!(!workspace.path("a").exists());
    assert!(workspace.run(&query("rays.npy")).status.success());
    assert!(workspace.path(&answers).is_file());
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

/// A shell's `>` writes to a file if it may be opened for writing, which root may always do.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_written_is_not_replaced_and_a_drop_box_takes_files() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    let permit = |name: &str, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(workspace.path(name), permissions).unwrap();
    };
    let run = |output: &str| {
        let query = ["query", "scene.json", "rays.npy", "-o", output, "--device", "cpu", "-q"];
        let output = workspace.run(&query);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (output, file) in [("h.npz", "h.npz"), ("h.parquet", "h.parquet"), ("f/", "f/t_hit.npy")] {
        assert_eq!(run(output).0, Some(0));
        let before = std::fs::metadata(workspace.path(file)).unwrap().modified().unwrap();
        permit(file, 0o444);
        let is_writable = std::fs::File::options().append(true).open(workspace.path(file)).is_ok();
        let (code, errors) = run(output);
        let after = std::fs::metadata(workspace.path(file)).unwrap();
        assert_eq!(
            (code, after.modified().unwrap() != before),
            match is_writable {
                true => (Some(0), true),
                false => (Some(3), false),
            }
        );
        assert!(is_writable || errors.contains("is write-protected: permit"), "{errors}");
        assert_eq!(after.permissions().mode() & 0o777, 0o444);
    }
    std::fs::create_dir(workspace.path("drop")).unwrap();
    permit("drop", 0o333);
    assert_eq!(run("drop/h.npz"), (Some(0), String::new()));
    assert_eq!(run("drop/"), (Some(0), String::new()));
    permit("drop", 0o755);
    assert_eq!(files(&workspace.path("drop")).len(), 5);
}
