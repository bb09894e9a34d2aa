//! `raytwin query --resume`: a run that was interrupted or killed goes on, and gives the answers of an uninterrupted
//! one.

use crate::common::library_answers::QUERIES;
use crate::common::running::*;
use crate::common::workspace::*;
use serde_json::Value;
use std::process::{Command, Stdio};

/// Writes random rays, some of them invalid.
fn write_rays(workspace: &Workspace, name: &str, count: usize) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut numbers: Vec<f32> = (0..6 * count).map(|_| 4.0 * random.f32() - 2.0).collect();
    numbers.iter_mut().step_by(6001).for_each(|number| *number = f32::NAN);
    let bytes = float32(&numbers);
    workspace.write(name, npy("<f4", "False", &format!("({count}, 6)"), &bytes));
}

/// The counts that do not depend on the number of interruptions.
fn counts(summary: &Value) -> [Value; 4] {
    ["rays", "hits", "crossings", "invalid"].map(|name| summary[name].clone())
}

#[test]
fn a_resumed_run_gives_the_answers_of_an_uninterrupted_one() {
    // More than two batches.
    const RAYS: usize = 2_300_000;
    const INTERRUPTIONS: usize = 3;
    let workspace = Workspace::new();
    write_rays(&workspace, "many.npy", RAYS);
    let mut random = fastrand::Rng::with_seed(11);
    let mut kept = 0;
    let outputs = ["parts", "parts.parquet", "parts", "parts.parquet", "parts"];
    let all_as_parquet = (QUERIES[4], "parts.parquet");
    for ((flags, _), output) in QUERIES.into_iter().zip(outputs).chain([all_as_parquet]) {
        let query = |output| {
            [&["query", "scene.json", "many.npy", "--device", "cpu", "-o", output][..], flags]
                .concat()
        };
        let uninterrupted = output.replace("parts", "whole");
        let whole = workspace.json(&query(&uninterrupted));
        let partial = workspace.path(&format!("{output}.partial"));
        let length = |path| std::fs::metadata(path).map_or(0, |file| file.len());
        let bytes: usize = workspace.contents(&uninterrupted).values().map(Vec::len).sum();
        let mut interruptions = 0;
        for _ in 0..10 * INTERRUPTIONS {
            let part = random.u64(..bytes as u64);
            let signal = ["KILL", "KILL", "INT"][random.usize(..3)];
            let arguments = [&query(output)[..], &["--resume", "-q"]].concat();
            let mut running = Running::start(&workspace, &arguments, Stdio::null());
            wait_until("some is kept", || length(&partial) >= part || !running.is_running());
            running.signal_if_running(signal);
            running.end();
            interruptions += usize::from(partial.exists());
            if interruptions == INTERRUPTIONS {
                break;
            }
        }
        assert_eq!(interruptions, INTERRUPTIONS, "{flags:?}: too many runs ended by themselves");
        let rest = workspace.json(&[&query(output)[..], &["--resume"]].concat());
        assert_eq!(counts(&rest), counts(&whole), "{flags:?}");
        assert!(
            workspace.contents(output) == workspace.contents(&uninterrupted),
            "{flags:?} {output}"
        );
        assert!(!partial.exists());
        kept += rest["kept"].as_u64().unwrap();
        for done in [output, &uninterrupted] {
            let path = workspace.path(done);
            std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path)).unwrap();
        }
    }
    assert!(kept > 0, "nothing was ever kept");
}

#[test]
fn kept_answers_are_resumed_only_with_the_same_inputs_and_options() {
    let workspace = Workspace::new();
    write_rays(&workspace, "many.npy", 4_000_000);
    let query = ["query", "scene.json", "many.npy", "-o", "out/", "--device", "cpu"];
    let resume = [&query[..], &["--resume", "--kind", "all"]].concat();
    let running = Running::start(&workspace, &resume, Stdio::piped());
    let partial = workspace.path("out.partial");
    let length = || std::fs::metadata(&partial).map_or(0, |file| file.len());
    wait_until("some is kept", || length() > 1 << 17);
    let twice = workspace.run(&resume);
    assert_eq!(twice.status.code(), Some(3));
    let twice = String::from_utf8(twice.stderr).unwrap();
    assert!(twice.contains("out/: cannot be written: another run is writing"), "{twice}");
    running.signal("INT");
    let (code, errors) = running.end();
    assert_eq!(code, Some(130));
    assert!(errors.contains("are in out.partial: the same command continues"), "{errors}");
    let before = std::fs::read(&partial).unwrap();

    let other = |flags: &[&str]| {
        let message = workspace.fails(3, &[&resume[..], flags].concat());
        assert!(message.contains("out.partial: was started with another"), "{message}");
    };
    for flags in [&["--ignore", "1"][..], &["--strict"], &["--build", "fast"]] {
        other(flags);
    }
    let on_gpu: Vec<&str> =
        resume.iter().map(|&word| if word == "cpu" { "gpu" } else { word }).collect();
    assert!(workspace.fails(3, &on_gpu).contains("out.partial: was started with another"));
    workspace.write("scene.json", SCENE.replace(r#""radius": 0.5"#, r#""radius": 0.6"#));
    other(&[]);
    workspace.write("scene.json", SCENE);
    let archive =
        workspace.fails(2, &["query", "scene.json", "many.npy", "-o", "h.npz", "--resume"]);
    assert!(archive.contains(".parquet or a folder"), "{archive}");
    let query_two = ["query", "scene.json", "many.npy", "rays.npy", "-o", "out", "--resume"];
    assert!(workspace.fails(2, &query_two).contains("leave it out"));
    workspace.json(&["query", "scene.json", "rays.npy", "-o", "out/", "--device", "cpu"]);
    assert!(std::fs::read(&partial).unwrap() == before);
    assert!(workspace.json(&resume)["kept"].as_u64().unwrap() > 0);
}

/// Canonical answers do not depend on the device and the tree, so another device goes on with them.
#[test]
fn canonical_answers_are_resumed_on_another_device() {
    let workspace = Workspace::new();
    // The answers to a million rays are a piece of 24 MiB, which is kept once it is whole.
    write_rays(&workspace, "many.npy", 8_000_000);
    let query = ["query", "scene.json", "many.npy", "--canonical", "-o", "out/", "--resume"];
    let on_cpu = [&query[..], &["--device", "cpu"]].concat();
    let running = Running::start(&workspace, &on_cpu, Stdio::piped());
    let partial = workspace.path("out.partial");
    let length = || std::fs::metadata(&partial).map_or(0, |file| file.len());
    wait_until("some is kept", || length() > 1 << 25);
    running.signal("INT");
    running.end();
    let on_gpu = [&query[..], &["--device", "gpu", "--build", "fast"]].concat();
    assert!(workspace.json(&on_gpu)["kept"].as_u64().unwrap() > 0);
}

#[test]
fn a_full_disk_keeps_what_was_written_before() {
    let workspace = Workspace::new();
    write_rays(&workspace, "many.npy", 40_000);
    let query = |output| {
        ["query", "scene.json", "many.npy", "--kind", "all", "--device", "cpu", "-o", output, "-q"]
    };
    // A limit of 128 KiB on the size of files fails like a full disk.
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 256 && exec \"$0\" \"$@\" --resume", env!("CARGO_BIN_EXE_raytwin")])
        .args(query("out/"))
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(3));
    assert!(!workspace.path("out").exists() && workspace.path("out.partial").exists());
    let rest = workspace.json(&[&query("out/")[..], &["--resume"]].concat());
    assert!(rest["kept"].as_u64().unwrap() > 0);
    workspace.json(&query("whole/"));
    assert!(workspace.contents("out") == workspace.contents("whole"));
}
