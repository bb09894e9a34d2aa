//! Queries of several ray files: each file is answered once, and a run goes on where another stopped.

use crate::common::columns::Column;
use crate::common::parquet_files::*;
use crate::common::workspace::*;
use parquet::basic::Compression;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// The bytes of a file of random rays, as Parquet or as an `.npy`.
fn ray_file(seed: u64, count: usize, is_parquet: bool) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let numbers: Vec<f32> = (0..6 * count).map(|_| 4.0 * random.f32() - 2.0).collect();
    if !is_parquet {
        return npy("<f4", "False", &format!("({count}, 6)"), &float32(&numbers));
    }
    let column = |index: usize| Column::F32(numbers.chunks(6).map(|row| row[index]).collect());
    let names = ["ox", "oy", "oz", "dx", "dy", "dz"];
    let columns: Vec<_> =
        names.into_iter().enumerate().map(|(n, name)| (name, column(n))).collect();
    parquet_file(&columns, 50_000, Compression::SNAPPY)
}

/// Writes four ray files, and returns their names.
fn four(workspace: &Workspace) -> [&'static str; 4] {
    let names = ["a.npy", "b.parquet", "c.npy", "d.parquet"];
    for (seed, name) in (0..).zip(names) {
        workspace.write(name, ray_file(seed, 500, name.ends_with("parquet")));
    }
    names
}

/// Reads the files of a folder by their names: the time of writing, and the bytes.
fn written(workspace: &Workspace, folder: &str) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let entries = workspace.path(folder).read_dir().unwrap().map(|entry| entry.unwrap());
    // Beside them there are drafts, and as long as not all are there, a note.
    let is_other = |name: &str| name.starts_with('.') || name == "raytwin-mixture.json";
    let named = entries.filter(|entry| !is_other(&entry.file_name().to_string_lossy()));
    named
        .map(|entry| {
            let time = entry.metadata().unwrap().modified().unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            (entry.file_name().to_string_lossy().into_owned(), (time, bytes))
        })
        .collect()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn only_files_that_changed_are_cast_again() {
    let workspace = Workspace::new();
    let files = four(&workspace);
    let run = |more: &[&str]| {
        let query = [&["query", "scene.json"][..], &files, &["-o", "out/", "--device", "cpu"]];
        workspace.json(&[&query.concat()[..], more].concat())
    };
    let all = ["out/a.npz", "out/b.parquet", "out/c.npz", "out/d.parquet"];
    let first = run(&[]);
    assert_eq!(names(&first["files"]), all);
    assert_eq!((&first["rays"], names(&first["skipped"]).len()), (&2000.into(), 0));
    let of_first = written(&workspace, "out");
    assert_eq!(of_first.len(), 4);

    let nothing = run(&[]);
    assert_eq!((&nothing["rays"], names(&nothing["skipped"])), (&0.into(), files.to_vec()));
    assert_eq!(written(&workspace, "out"), of_first);

    // One file of answers is gone, one is truncated, one has no hash, and the rays of one are different.
    std::fs::remove_file(workspace.path("out/a.npz")).unwrap();
    let (_, whole) = &of_first["b.parquet"];
    workspace.write("out/b.parquet", &whole[..whole.len() - 1]);
    assert_eq!(names(&run(&[])["files"]), all[..2]);
    workspace.write("out/c.npz", zipped(&[("t_hit.npy", npy("<f4", "False", "(0,)", &[]))]));
    let rays = std::fs::read(workspace.path("d.parquet")).unwrap();
    workspace.write("d.parquet", ray_file(9, 500, true));
    assert_eq!(names(&run(&[])["files"]), all[2..]);
    let changed = written(&workspace, "out");
    assert_ne!(changed["d.parquet"].1, of_first["d.parquet"].1);
    workspace.write("d.parquet", rays);
    assert_eq!(names(&run(&[])["files"]), all[3..]);
    let again = written(&workspace, "out");
    for (name, (_, bytes)) in &of_first {
        assert!(again[name].1 == *bytes, "{name}");
    }

    // A name changes no answer; a radius, a mask or a flag may change them all.
    workspace.write("scene.json", SCENE.replace("ball", "bullet"));
    assert!(names(&run(&[])["files"]).is_empty());
    workspace.write("scene.json", SCENE.replace(r#""radius": 0.5"#, r#""radius": 0.6"#));
    assert_eq!(names(&run(&[])["files"]), all);
    workspace.write("scene.json", SCENE.replace(r#""name": "ball","#, r#""mask": 2,"#));
    assert_eq!(names(&run(&[])["files"]), all);
    for flags in [&["--solid"][..], &["--ignore", "1"], &["--faces"], &["--kind", "all"]] {
        assert_eq!(names(&run(flags)["files"]), all, "{flags:?}");
        assert!(names(&run(flags)["files"]).is_empty(), "{flags:?}");
    }
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let workspace = Workspace::new();
    let files = four(&workspace);
    workspace.write("b.parquet", "PAR1 and nothing else");
    std::fs::remove_file(workspace.path("c.npy")).unwrap();
    let query = [&["query", "scene.json"][..], &files, &["-o", "out", "--device", "cpu", "--json"]];
    let output = workspace.run(&query.concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("error: b.parquet") && errors.contains("error: c.npy"), "{errors}");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(names(&summary["failed"]), ["b.parquet", "c.npy"]);
    assert_eq!(names(&summary["files"]), ["out/a.npz", "out/d.parquet"]);
    assert_eq!(written(&workspace, "out").len(), 2);
    // Once the bad files are good, only they are cast.
    four(&workspace);
    let after = workspace.json(&query.concat()[..query.concat().len() - 1]);
    assert_eq!(names(&after["files"]), ["out/b.parquet", "out/c.npz"]);
    let line = workspace.run(&query.concat()[..query.concat().len() - 1]);
    let line = String::from_utf8_lossy(&line.stderr).into_owned();
    assert!(line.contains("0 files answered, 4 skipped, 0 failed"), "{line}");
}

#[test]
fn ambiguous_outputs_are_refused_before_rays_are_cast() {
    let workspace = Workspace::new();
    four(&workspace);
    workspace.write("a.parquet", ray_file(1, 10, true));
    workspace.write("file", "");
    let equal_names =
        workspace.fails(2, &["query", "scene.json", "a.npy", "a.parquet", "-o", "out"]);
    assert!(equal_names.contains("a.npy and a.parquet"), "{equal_names}");
    let replaced =
        workspace.fails(2, &["query", "scene.json", "b.parquet", "d.parquet", "-o", "."]);
    assert!(replaced.contains("would replace") && replaced.contains("b.parquet"), "{replaced}");
    workspace.fails(3, &["query", "scene.json", "a.npy", "b.parquet", "-o", "file/"]);
    workspace.fails(2, &["query", "scene.json", "a.npy", "b.parquet", "-o", "h.parquet"]);
}

/// Kills a run once it has answered two files, and returns the files that it wrote.
fn killed_after_two(
    workspace: &Workspace,
    query: &[&str],
) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let mut killed = Command::new(env!("CARGO_BIN_EXE_raytwin"))
        .args([query, &["parts"]].concat())
        .current_dir(workspace.folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !workspace.path("parts/1.parquet").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    written(workspace, "parts")
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_stopped() {
    let workspace = Workspace::new();
    let files: Vec<String> = (0..8).map(|n| format!("{n}.{}", ["npy", "parquet"][n % 2])).collect();
    for (seed, name) in (0..).zip(&files) {
        workspace.write(name, ray_file(seed, 200_000, name.ends_with("parquet")));
    }
    let mut query: Vec<&str> = vec!["query", "scene.json"];
    query.extend(files.iter().map(String::as_str));
    query.extend(["--kind", "all", "--device", "cpu", "-o"]);
    workspace.json(&[&query[..], &["whole"]].concat());
    let whole = written(&workspace, "whole");
    assert_eq!(whole.len(), 8);

    // If a run is done before it is killed, another one is tried.
    let parts = (0..20).find_map(|_| {
        let parts = killed_after_two(&workspace, &query);
        let is_in_the_middle = (2..8).contains(&parts.len());
        if !is_in_the_middle {
            std::fs::remove_dir_all(workspace.path("parts")).unwrap();
        }
        is_in_the_middle.then_some(parts)
    });
    let parts = parts.expect("a run that is killed in the middle");
    let rest = workspace.json(&[&query[..], &["parts"]].concat());
    assert_eq!(names(&rest["skipped"]).len(), parts.len());
    let finished = written(&workspace, "parts");
    assert_eq!(finished.len(), 8);
    for (name, (time, bytes)) in &finished {
        assert!(*bytes == whole[name].1, "{name} differs from an uninterrupted run");
        assert!(parts.get(name).is_none_or(|before| before.0 == *time), "{name} was cast twice");
    }
}
