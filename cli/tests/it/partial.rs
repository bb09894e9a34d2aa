//! `raytwin query --resume`: a run that is ended early, however, is gone on with, and its answers are those of one go.

use crate::common::asked::QUERIES;
use crate::common::place::*;
use crate::common::running::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// Writes so many random rays, of which some cannot be cast.
fn write_rays(place: &Place, name: &str, count: usize) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut numbers: Vec<f32> = (0..6 * count).map(|_| 4.0 * random.f32() - 2.0).collect();
    numbers.iter_mut().step_by(6001).for_each(|number| *number = f32::NAN);
    let bytes = float32(&numbers);
    place.write(name, npy("<f4", "False", &format!("({count}, 6)"), &bytes));
}

/// The bytes of a file, or of the files of a folder.
fn answers(place: &Place, output: &str) -> BTreeMap<String, Vec<u8>> {
    let path = place.path(output);
    if path.is_file() {
        return [(String::new(), std::fs::read(path).unwrap())].into();
    }
    let entries = path.read_dir().unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    named.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
}

/// What does not depend on how often a run was ended.
fn counts(summary: &Value) -> [Value; 4] {
    ["rays", "hits", "crossings", "invalid"].map(|name| summary[name].clone())
}

#[test]
fn whenever_a_run_is_ended_the_answers_are_those_of_one_go() {
    // More than two of the batches that rays are read in.
    const RAYS: usize = 2_300_000;
    const ENDS: usize = 3;
    let place = Place::new();
    write_rays(&place, "many.npy", RAYS);
    let mut random = fastrand::Rng::with_seed(11);
    let mut kept = 0;
    let outputs = ["parts", "parts.parquet", "parts", "parts.parquet", "parts"];
    let all_as_parquet = (QUERIES[4], "parts.parquet");
    for ((flags, _), output) in QUERIES.into_iter().zip(outputs).chain([all_as_parquet]) {
        let query = |output| {
            [&["query", "scene.json", "many.npy", "--device", "cpu", "-o", output][..], flags]
                .concat()
        };
        let one_go = output.replace("parts", "whole");
        let whole = place.json(&query(&one_go));
        let partial = place.path(&format!("{output}.partial"));
        let length = |path| std::fs::metadata(path).map_or(0, |file| file.len());
        let bytes: usize = answers(&place, &one_go).values().map(Vec::len).sum();
        let mut ends = 0;
        for _ in 0..10 * ENDS {
            let part = random.u64(..bytes as u64);
            let signal = ["KILL", "KILL", "INT"][random.usize(..3)];
            let arguments = [&query(output)[..], &["--resume", "-q"]].concat();
            let mut running = Running::start(&place, &arguments, Stdio::null());
            wait_until("some is kept", || length(&partial) >= part || !running.is_running());
            running.signal_if_running(signal);
            running.end();
            ends += usize::from(partial.exists());
            if ends == ENDS {
                break;
            }
        }
        assert_eq!(ends, ENDS, "{flags:?}: it was done before it could be ended");
        let rest = place.json(&[&query(output)[..], &["--resume"]].concat());
        assert_eq!(counts(&rest), counts(&whole), "{flags:?}");
        assert!(answers(&place, output) == answers(&place, &one_go), "{flags:?} {output}");
        assert!(!partial.exists());
        kept += rest["kept"].as_u64().unwrap();
        for done in [output, &one_go] {
            let path = place.path(done);
            std::fs::remove_dir_all(&path).or_else(|_| std::fs::remove_file(&path)).unwrap();
        }
    }
    assert!(kept > 0, "nothing was ever kept");
}

#[test]
fn answers_that_are_kept_go_on_only_with_what_they_were_begun_with() {
    let place = Place::new();
    write_rays(&place, "many.npy", 4_000_000);
    let query = ["query", "scene.json", "many.npy", "-o", "out/", "--device", "cpu"];
    let resume = [&query[..], &["--resume", "--kind", "all"]].concat();
    let running = Running::start(&place, &resume, Stdio::piped());
    let partial = place.path("out.partial");
    let length = || std::fs::metadata(&partial).map_or(0, |file| file.len());
    wait_until("some is kept", || length() > 1 << 17);
    let twice = place.run(&resume);
    assert_eq!(twice.status.code(), Some(3));
    let twice = String::from_utf8(twice.stderr).unwrap();
    assert!(twice.contains("out.partial: belongs to a run"), "{twice}");
    running.signal("INT");
    let (code, errors) = running.end();
    assert_eq!(code, Some(130));
    assert!(errors.contains("kept in out.partial: the same command goes on"), "{errors}");
    let before = std::fs::read(&partial).unwrap();

    let other = |flags: &[&str]| {
        let message = place.fails(3, &[&resume[..], flags].concat());
        assert!(message.contains("out.partial: was begun with another"), "{message}");
    };
    for flags in [&["--ignore", "1"][..], &["--strict"], &["--tree", "binary"]] {
        other(flags);
    }
    let on_gpu: Vec<&str> =
        resume.iter().map(|&word| if word == "cpu" { "gpu" } else { word }).collect();
    assert!(place.fails(3, &on_gpu).contains("out.partial: was begun with another"));
    place.write("scene.json", SCENE.replace(r#""radius": 0.5"#, r#""radius": 0.6"#));
    other(&[]);
    place.write("scene.json", SCENE);
    let archive = place.fails(2, &["query", "scene.json", "many.npy", "-o", "h.npz", "--resume"]);
    assert!(archive.contains(".parquet or a folder"), "{archive}");
    let query_two = ["query", "scene.json", "many.npy", "rays.npy", "-o", "out", "--resume"];
    assert!(place.fails(2, &query_two).contains("leave it out"));
    place.json(&["query", "scene.json", "rays.npy", "-o", "out/", "--device", "cpu"]);
    assert!(std::fs::read(&partial).unwrap() == before);
    assert!(place.json(&resume)["kept"].as_u64().unwrap() > 0);
}

#[test]
fn a_full_disk_keeps_what_was_written_before() {
    let place = Place::new();
    write_rays(&place, "many.npy", 40_000);
    let query = |output| {
        ["query", "scene.json", "many.npy", "--kind", "all", "--device", "cpu", "-o", output, "-q"]
    };
    // Files of 128 KiB at most, which is as if the disk were full then.
    let limited = Command::new("sh")
        .args(["-c", "ulimit -f 256 && exec \"$0\" \"$@\" --resume", env!("CARGO_BIN_EXE_raytwin")])
        .args(query("out/"))
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(3));
    assert!(!place.path("out").exists() && place.path("out.partial").exists());
    let rest = place.json(&[&query("out/")[..], &["--resume"]].concat());
    assert!(rest["kept"].as_u64().unwrap() > 0);
    place.json(&query("whole/"));
    assert!(answers(&place, "out") == answers(&place, "whole"));
}
