//! Interrupted and killed runs: the files that they leave, their last message, and the next run.

use crate::common::running::*;
use crate::common::workspace::*;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Writes far more rays or points than a test waits for. They are zeros in a sparse file, which takes no space on disk.
fn endless(workspace: &Workspace, name: &str, columns: usize) {
    const COUNT: usize = 100_000_000;
    let header = npy("<f4", "False", &format!("({COUNT}, {columns})"), &[]);
    let length = header.len() + 4 * columns * COUNT;
    workspace.write(name, header);
    let file = File::options().write(true).open(workspace.path(name)).unwrap();
    file.set_len(length as u64).unwrap();
}

/// Lists all files and folders in the workspace.
fn tree(workspace: &Workspace) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = workspace.listing();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        }
        found.push(path);
    }
    found.sort();
    found
}

fn has_drafts(workspace: &Workspace, folder: &str) -> bool {
    draft_count(workspace, folder) > 0
}

/// Returns true if a draft holds something. An empty one may be that by which a run tries whether
/// it can write.
fn has_filled_draft(workspace: &Workspace, folder: &str) -> bool {
    let Ok(entries) = workspace.path(folder).read_dir() else { return false };
    let mut drafts = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let is_draft = entry.file_name().to_string_lossy().starts_with(".raytwin-");
        is_draft.then_some(entry.metadata().ok()?.len())
    });
    drafts.any(|length| length > 0)
}

fn draft_count(workspace: &Workspace, folder: &str) -> usize {
    let Ok(entries) = workspace.path(folder).read_dir() else { return 0 };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The folder's lock is no draft.
    names.filter(|name| name.starts_with(".raytwin-") && name != ".raytwin-lock").count()
}

#[test]
fn a_signal_removes_drafts_and_says_how_far_the_run_came() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    endless(&workspace, "points.npy", 3);
    std::fs::create_dir(workspace.path("there")).unwrap();
    workspace.write("there/t_hit.npy", "old");
    workspace.write("there/h.npz", "old");
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,9,1,0,0,0\n1,0,0,8,1,0,0,0\n");
    let before = tree(&workspace);
    let query = ["query", "scene.json", "many.npy", "--device", "cpu", "-o"];
    let points = ["points", "scene.json", "points.npy", "--device", "cpu", "-o"];
    let big = ["scene.json", "--device", "cpu", "--size", "6000x6000"];
    let render = [&["render"], &big[..], &["--out", "there"]].concat();
    let scan = [&["scan"], &big[..], &["--poses", "poses.csv"]].concat();
    let cloud = [&scan[..], &["-o", "new/c.ply"]].concat();
    let images = [&scan[..], &["-o", "new/sub/", "--each", "npz,pcd"]].concat();
    let image_alone = ["--kind", "closest", "--random", "0", "--report", "new/report"];
    let diff = [&["diff"], &big[..], &image_alone].concat();
    let with = |first: &[&'static str], last: &'static str| [first, &[last]].concat();
    for (arguments, drafts, expected) in [
        (with(&query, "there/"), "there", "100000000 rays; nothing is kept"),
        (with(&query, "there/h.npz"), "there", "100000000 rays; nothing is kept"),
        (with(&query, "new/sub/h.parquet"), "new/sub", "with --resume"),
        (with(&points, "new/sub/"), "new/sub", "100000000 points; nothing is kept"),
        (with(&points, "there/h.npz"), "there", "of 100000000 points; nothing is kept"),
        (render, "", "of 36000000 rays; nothing is kept"),
        (cloud, "new", "of 72000000 rays; nothing is kept"),
        (images, "new/sub", "of 72000000 rays; nothing is kept"),
        (diff, "", "of 36000000 answers; nothing is kept"),
        (vec!["bench", "--device", "cpu", "--repeat", "1000"], "", "nothing is kept"),
    ] {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let stderr = File::create(workspace.path("stderr")).unwrap();
            let running = Running::start(&workspace, &arguments, stderr);
            // Drafts also stand for a moment where it is tried whether files can be written.
            let mut in_a_row = 0;
            let is_casting = || {
                let errors = std::fs::read_to_string(workspace.path("stderr")).unwrap();
                let has_drafts = drafts.is_empty() || has_drafts(&workspace, drafts);
                in_a_row = if errors.contains("device") && has_drafts { in_a_row + 1 } else { 0 };
                in_a_row > 100
            };
            wait_until("rays are cast", is_casting);
            running.signal(signal);
            let (ended, _) = running.end();
            let errors = std::fs::read_to_string(workspace.path("stderr")).unwrap();
            assert_eq!(ended, Some(code), "{arguments:?}: {errors}");
            let last = errors.lines().last().unwrap();
            assert!(last.starts_with(&format!("error: interrupted by SIG{signal} ")), "{errors}");
            assert!(last.contains(expected), "{arguments:?}: {last}");
            std::fs::remove_file(workspace.path("stderr")).unwrap();
            assert_eq!(tree(&workspace), before, "{arguments:?}");
        }
    }
    assert_eq!(std::fs::read(workspace.path("there/t_hit.npy")).unwrap(), b"old");
    assert_eq!(std::fs::read(workspace.path("there/h.npz")).unwrap(), b"old");
}

#[test]
fn a_second_signal_ends_a_run_that_cannot_end_itself() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    // The pipe is full and nobody reads it, so the program waits for ever to write its message.
    let (_reader, mut stderr) = std::io::pipe().unwrap();
    stderr.write_all(&[b' '; 1 << 16]).unwrap();
    let query = ["query", "scene.json", "many.npy", "-o", "out/", "--device", "cpu", "-q"];
    let mut running = Running::start(&workspace, &query, stderr);
    wait_until("rays are cast", || has_drafts(&workspace, "out"));
    running.signal("INT");
    wait_until("drafts are removed", || !workspace.path("out").exists());
    assert!(running.is_running());
    // Sooner it would count as the same signal.
    std::thread::sleep(Duration::from_millis(1200));
    running.signal("TERM");
    assert_eq!(running.end().0, Some(143));
}

#[test]
fn a_signal_that_is_sent_twice_at_once_leaves_nothing() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    let query = ["query", "scene.json", "many.npy", "-o", "out/", "--device", "cpu", "-q"];
    for _ in 0..6 {
        let running = Running::start(&workspace, &query, Stdio::null());
        wait_until("rays are cast", || has_drafts(&workspace, "out"));
        running.signal("TERM");
        running.signal("TERM");
        assert_eq!(running.end().0, Some(143));
        assert!(!workspace.path("out").exists());
    }
}

#[test]
fn the_next_run_removes_what_a_killed_one_left_and_leaves_what_is_being_written() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    let into = |output: &'static str, rays| {
        ["query", "scene.json", rays, "-o", output, "--device", "cpu", "-q"]
    };
    let killed = Running::start(&workspace, &into("out/h.parquet", "many.npy"), Stdio::null());
    wait_until("answers are written", || has_filled_draft(&workspace, "out"));
    killed.signal("KILL");
    assert_eq!(killed.end().0, None);
    assert!(has_drafts(&workspace, "out"));
    workspace.json(&into("out/few.parquet", "rays.npy")[..]);
    assert!(!has_drafts(&workspace, "out"));

    let mut running = Running::start(&workspace, &into("out/", "many.npy"), Stdio::null());
    wait_until("each array has its draft", || draft_count(&workspace, "out") == 4);
    let before = tree(&workspace);
    workspace.json(&into("out/few.parquet", "rays.npy")[..]);
    assert!(running.is_running());
    assert_eq!(tree(&workspace), before);
}

#[test]
fn a_killed_scan_leaves_old_files_and_new_ones_and_says_so() {
    let workspace = Workspace::new();
    let rows = |count: usize| {
        let row = |row| format!("{row},0,0,{},1,0,0,0\n", 9.0 + row as f64 / 1e4);
        let rows: String = (0..count).map(row).collect();
        workspace.write("rows.csv", format!("time,x,y,z,qx,qy,qz,qw\n{rows}"));
    };
    let scan = ["scan", "scene.json", "--poses", "rows.csv", "-o", "f/", "--each", "npy"];
    let scan = [&scan[..], &["--size", "8x8", "--device", "cpu"]].concat();
    let read = |name: &str| std::fs::read(workspace.path("f").join(name)).unwrap();
    rows(3);
    workspace.json(&scan);
    let names = ["poses.csv", "pose_000000.npy", "pose_000001.npy", "pose_000002.npy"];
    assert_eq!(workspace.path("f").read_dir().unwrap().count(), names.len());
    let old = names.map(read);
    rows(5000);
    let scan = [&scan[..], &["--cloud-normals", "-q"]].concat();
    let mut killed = Running::start(&workspace, &scan, Stdio::null());
    wait_until("a file is replaced", || read("pose_000000.npy") != old[1]);
    // Another run is refused, and the lock of the one that is killed ends with it.
    assert!(workspace.fails(3, &scan).contains("f/: cannot be written: another run"));
    assert!(killed.is_running());
    killed.signal("KILL");
    assert_eq!(killed.end().0, None);
    assert_eq!(read("poses.csv"), old[0]);
    let note: serde_json::Value = serde_json::from_slice(&read("raytwin-mixture.json")).unwrap();
    assert_eq!(note["being_replaced"].as_array().unwrap().len(), names.len());
    rows(2);
    workspace.json(&scan);
    let note: serde_json::Value = serde_json::from_slice(&read("raytwin-mixture.json")).unwrap();
    assert!(note.get("being_replaced").is_none() && note["left_alone"][0] == "pose_000002.npy");
    assert!(!has_drafts(&workspace, "f"));
}

#[test]
fn a_second_run_into_a_folder_is_refused_until_the_first_one_ends_or_is_killed() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    workspace.json(&["query", "scene.json", "rays.npy", "-o", "out/", "--device", "cpu"]);
    let before = tree(&workspace);
    let query = ["query", "scene.json", "many.npy", "-o", "out/", "--device", "cpu", "-q"];
    let killed = Running::start(&workspace, &query, Stdio::null());
    wait_until("answers are written", || has_filled_draft(&workspace, "out"));
    let few = ["scene.json", "--device", "cpu"];
    for second in [
        [&["query"], &few[..], &["rays.npy", "-o", "out/"]].concat(),
        [&["render"], &few[..], &["--out", "out", "--size", "4x4"]].concat(),
        [&["diff"], &few[..], &["rays.npy", "--report", "out"]].concat(),
    ] {
        let message = workspace.fails(3, &second);
        assert!(message.contains("another run is writing its files"), "{message}");
    }
    killed.signal("KILL");
    assert_eq!(killed.end().0, None);
    workspace.json(&[&["query"], &few[..], &["rays.npy", "-o", "out/"]].concat());
    assert_eq!(tree(&workspace), before);
}

#[test]
fn answers_and_their_cloud_appear_together_whenever_a_signal_comes() {
    let workspace = Workspace::new();
    let mut random = fastrand::Rng::with_seed(1);
    let mut rays = |name: &str, count: usize| {
        let numbers: Vec<f32> = (0..6 * count).map(|_| 2.0 * random.f32() - 1.0).collect();
        workspace.write(name, npy("<f4", "False", &format!("({count}, 6)"), &float32(&numbers)));
    };
    rays("few.npy", 10);
    rays("many.npy", 300_000);
    let query = |rays| {
        let files = ["query", "scene.json", rays, "-o", "a.npz", "--cloud", "c.laz"];
        [&files[..], &["--device", "cpu", "-q"]].concat()
    };
    let read = |name: &str| std::fs::read(workspace.path(name)).unwrap();
    assert!(workspace.run(&query("few.npy")).status.success());
    let old = ["a.npz", "c.laz"].map(read);
    let mut running = Running::start(&workspace, &query("many.npy"), Stdio::piped());
    wait_until("answers are replaced", || read("a.npz") != old[0]);
    running.signal_if_running("TERM");
    let (code, errors) = running.end();
    assert!(read("c.laz") != old[1], "the cloud is that of the answers: {errors}");
    // The signal may come before the result is noted as printed, after that, or too late.
    let late = ["after all outputs were written", "after everything was done"];
    let is_late = late.iter().any(|message| errors.contains(message));
    assert!(code == Some(0) || code == Some(143) && is_late, "{code:?}: {errors}");
}

#[test]
fn two_runs_never_mix_their_answers_to_several_files() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    let query = ["query", "scene.json", "rays.npy", "many.npy", "-o", "out", "--device", "cpu"];
    let running = Running::start(&workspace, &query, Stdio::piped());
    wait_until("the first is done", || workspace.path("out/rays.npz").exists());
    let error = workspace.fails(3, &[&query[..], &["--kind", "any"]].concat());
    assert!(error.contains("out: cannot be written: another run is writing its files"), "{error}");
    running.signal("KILL");
    assert_eq!(running.end().0, None);
    let note = || std::fs::read_to_string(workspace.path("out/raytwin-mixture.json"));
    let text = note().unwrap();
    assert!(text.contains("being_replaced") && text.contains("many.npz"), "{text}");
    // The note goes with the run that completes the set.
    workspace.write("many.npy", std::fs::read(workspace.path("rays.npy")).unwrap());
    workspace.json(&query);
    assert!(note().is_err());
}

#[test]
fn an_interrupted_run_keeps_the_files_that_are_done() {
    let workspace = Workspace::new();
    endless(&workspace, "many.npy", 6);
    let query = ["query", "scene.json", "rays.npy", "many.npy", "-o", "out", "--device", "cpu"];
    let running = Running::start(&workspace, &query, Stdio::piped());
    wait_until("the first is done", || workspace.path("out/rays.npz").exists());
    wait_until("the second is begun", || has_drafts(&workspace, "out"));
    running.signal("INT");
    let (code, errors) = running.end();
    assert_eq!(code, Some(130));
    assert!(errors.contains("1 of 2 files are done: the same command continues"), "{errors}");
    assert!(workspace.path("out/rays.npz").exists() && !has_drafts(&workspace, "out"));
}
