//! Runs over many ray files: each is answered once, and a run goes on where another stopped.

use crate::common::columns::Column;
use crate::common::parquet_files::*;
use crate::common::place::*;
use parquet::basic::Compression;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A ray file's bytes, different for each seed, as Parquet or as an array.
fn ray_file(seed: u64, count: usize, is_parquet: bool) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let numbers: Vec<f32> = (0..6 * count).map(|_| 4.0 * random.f32() - 2.0).collect();
    if !is_parquet {
        return npy("<f4", "False", &format!("({count}, 6)"), &float32(&numbers));
    }
    let column = |place: usize| Column::F32(numbers.chunks(6).map(|row| row[place]).collect());
    let names = ["ox", "oy", "oz", "dx", "dy", "dz"];
    let columns: Vec<_> =
        names.into_iter().enumerate().map(|(n, name)| (name, column(n))).collect();
    parquet_file(&columns, 50_000, Compression::SNAPPY)
}

/// Writes four ray files, and returns their names.
fn four(place: &Place) -> [&'static str; 4] {
    let names = ["a.npy", "b.parquet", "c.npy", "d.parquet"];
    for (seed, name) in (0..).zip(names) {
        place.write(name, ray_file(seed, 500, name.ends_with("parquet")));
    }
    names
}

/// The files of a folder, with when they were written and their bytes.
fn written(place: &Place, folder: &str) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let entries = place.path(folder).read_dir().unwrap().map(|entry| entry.unwrap());
    let named = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
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
fn only_what_changed_is_cast_again() {
    let place = Place::new();
    let files = four(&place);
    let run = |more: &[&str]| {
        let query = [&["query", "scene.json"][..], &files, &["-o", "out/", "--device", "cpu"]];
        place.json(&[&query.concat()[..], more].concat())
    };
    let all = ["out/a.npz", "out/b.parquet", "out/c.npz", "out/d.parquet"];
    let first = run(&[]);
    assert_eq!(names(&first["files"]), all);
    assert_eq!((&first["rays"], names(&first["skipped"]).len()), (&2000.into(), 0));
    let of_first = written(&place, "out");
    assert_eq!(of_first.len(), 4);

    let nothing = run(&[]);
    assert_eq!((&nothing["rays"], names(&nothing["skipped"])), (&0.into(), files.to_vec()));
    assert_eq!(written(&place, "out"), of_first);

    // One is gone, one is cut, one holds no note, and of one the rays have changed by a bit.
    std::fs::remove_file(place.path("out/a.npz")).unwrap();
    let (_, whole) = &of_first["b.parquet"];
    place.write("out/b.parquet", &whole[..whole.len() - 1]);
    assert_eq!(names(&run(&[])["files"]), all[..2]);
    place.write("out/c.npz", zipped(&[("t_hit.npy", npy("<f4", "False", "(0,)", &[]))]));
    let rays = std::fs::read(place.path("d.parquet")).unwrap();
    place.write("d.parquet", ray_file(9, 500, true));
    assert_eq!(names(&run(&[])["files"]), all[2..]);
    let changed = written(&place, "out");
    assert_ne!(changed["d.parquet"].1, of_first["d.parquet"].1);
    place.write("d.parquet", rays);
    assert_eq!(names(&run(&[])["files"]), all[3..]);
    let again = written(&place, "out");
    for (name, (_, bytes)) in &of_first {
        assert!(again[name].1 == *bytes, "{name}");
    }

    // A name is nothing to a ray; a radius, a mask and a flag are.
    place.write("scene.json", SCENE.replace("ball", "bullet"));
    assert!(names(&run(&[])["files"]).is_empty());
    place.write("scene.json", SCENE.replace(r#""radius": 0.5"#, r#""radius": 0.6"#));
    assert_eq!(names(&run(&[])["files"]), all);
    place.write("scene.json", SCENE.replace(r#""name": "ball","#, r#""mask": 2,"#));
    assert_eq!(names(&run(&[])["files"]), all);
    for flags in [&["--solid"][..], &["--ignore", "1"], &["--faces"], &["--kind", "all"]] {
        assert_eq!(names(&run(flags)["files"]), all, "{flags:?}");
        assert!(names(&run(flags)["files"]).is_empty(), "{flags:?}");
    }
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let place = Place::new();
    let files = four(&place);
    place.write("b.parquet", "PAR1 and nothing else");
    std::fs::remove_file(place.path("c.npy")).unwrap();
    let query = [&["query", "scene.json"][..], &files, &["-o", "out", "--device", "cpu", "--json"]];
    let output = place.run(&query.concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("error: b.parquet") && errors.contains("error: c.npy"), "{errors}");
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(names(&summary["failed"]), ["b.parquet", "c.npy"]);
    assert_eq!(names(&summary["files"]), ["out/a.npz", "out/d.parquet"]);
    assert_eq!(written(&place, "out").len(), 2);
    // Made good, only these are left to do.
    four(&place);
    let after = place.json(&query.concat()[..query.concat().len() - 1]);
    assert_eq!(names(&after["files"]), ["out/b.parquet", "out/c.npz"]);
    let line = place.run(&query.concat()[..query.concat().len() - 1]);
    let line = String::from_utf8_lossy(&line.stderr).into_owned();
    assert!(line.contains("0 files cast, 4 skipped, 0 failed"), "{line}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_done() {
    let place = Place::new();
    four(&place);
    std::fs::create_dir(place.path("more")).unwrap();
    place.write("more/a.parquet", ray_file(1, 10, true));
    place.write("file", "");
    let of_one_name =
        place.fails(2, &["query", "scene.json", "a.npy", "more/a.parquet", "-o", "out"]);
    assert!(of_one_name.contains("a.npy and more/a.parquet"), "{of_one_name}");
    let own = place.fails(2, &["query", "scene.json", "b.parquet", "d.parquet", "-o", "."]);
    assert!(own.contains("would replace") && own.contains("b.parquet"), "{own}");
    place.fails(3, &["query", "scene.json", "a.npy", "b.parquet", "-o", "file/"]);
    place.fails(2, &["query", "scene.json", "a.npy", "b.parquet", "-o", "h.parquet"]);
}

/// What a run has written that is killed once it has answered two files.
fn killed_after_two(place: &Place, query: &[&str]) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let mut killed = Command::new(env!("CARGO_BIN_EXE_raytwin"))
        .args([query, &["parts"]].concat())
        .current_dir(place.folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !place.path("parts/1.parquet").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(1));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    written(place, "parts")
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_stopped() {
    let place = Place::new();
    let files: Vec<String> = (0..8).map(|n| format!("{n}.{}", ["npy", "parquet"][n % 2])).collect();
    for (seed, name) in (0..).zip(&files) {
        place.write(name, ray_file(seed, 200_000, name.ends_with("parquet")));
    }
    let mut query: Vec<&str> = vec!["query", "scene.json"];
    query.extend(files.iter().map(String::as_str));
    query.extend(["--kind", "all", "--device", "cpu", "-o"]);
    place.json(&[&query[..], &["whole"]].concat());
    let whole = written(&place, "whole");
    assert_eq!(whole.len(), 8);

    // A run may be done before it is killed: then another is.
    let parts = (0..20).find_map(|_| {
        let parts = killed_after_two(&place, &query);
        let is_in_the_middle = (2..8).contains(&parts.len());
        if !is_in_the_middle {
            std::fs::remove_dir_all(place.path("parts")).unwrap();
        }
        is_in_the_middle.then_some(parts)
    });
    let parts = parts.expect("a run that is killed in the middle");
    let rest = place.json(&[&query[..], &["parts"]].concat());
    assert_eq!(names(&rest["skipped"]).len(), parts.len());
    let finished = written(&place, "parts");
    assert_eq!(finished.len(), 8);
    for (name, (time, bytes)) in &finished {
        assert!(*bytes == whole[name].1, "{name} is as in one go");
        assert!(parts.get(name).is_none_or(|before| before.0 == *time), "{name} was cast twice");
    }
}
