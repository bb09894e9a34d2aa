//! `raytwin sample`: its figures, its files of sums, how they add up, and what it refuses.

use crate::common::running::{Running, wait_until};
use crate::common::workspace::*;
use serde_json::Value;
use std::fs::File;

fn sums(workspace: &Workspace, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(workspace.path(name)).unwrap()).unwrap()
}

#[test]
fn volumes_hits_and_distances_of_known_shapes_are_reported() {
    let workspace = Workspace::new();
    let run = ["sample", "scene.json", "--rays", "40000", "--paths", "--histogram", "0,3,3"];
    let summary = workspace.json(&run);
    assert_eq!((&summary["rays"], &summary["ranges"][0][1]), (&40_000.into(), &40_000.into()));
    let number = |value: &Value| value.as_f64().unwrap();
    let geometries = summary["geometries"].as_array().unwrap();
    let ball = 4.0 / 3.0 * std::f64::consts::PI / 8.0;
    let cylinder = std::f64::consts::PI / 8.0;
    let mut hits = 0;
    for (geometry, (path, volume)) in
        geometries.iter().zip([("ball", ball), ("box[1]", 1.0), ("cylinder[2]", cylinder)])
    {
        assert_eq!(geometry["path"], path);
        let off = (number(&geometry["volume"]) - volume) / number(&geometry["volume_error"]);
        assert!(off.abs() < 3.5, "{geometry}");
        hits += geometry["hits"].as_u64().unwrap();
    }
    assert_eq!(hits + summary["misses"].as_u64().unwrap(), 40_000);
    let counts = summary["histogram"]["counts"].as_array().unwrap();
    assert_eq!(counts.iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), hits);
    let table = String::from_utf8(workspace.run(&run).stdout).unwrap();
    assert!(table.starts_with("geometry     type      hits"), "{table}");
    assert!(table.contains(" ± ") && table.contains("40000 rays, "), "{table}");
}

#[test]
fn parts_add_up_to_the_whole_whatever_casts_them() {
    let workspace = Workspace::new();
    let part = |rays: &str, device: &str, name: &str| {
        let run = ["sample", "scene.json", "--paths", "--canonical", "--seed", "3"];
        workspace.json(&[&run[..], &["--rays", rays, "--device", device, "-o", name]].concat());
    };
    part("0..5000", "gpu", "whole.json");
    part("0..1200", "cpu", "a.json");
    part("3000..5000", "gpu", "b.json");
    part("1200..3000", "cpu", "c.json");
    let add = ["sample", "--add", "a.json", "b.json", "c.json"];
    let summary = workspace.json(&[&add[..], &["-o", "sum.json"]].concat());
    assert_eq!((&summary["rays"], &summary["scene"]), (&5000.into(), &Value::Null));
    assert_eq!(sums(&workspace, "sum.json"), sums(&workspace, "whole.json"));
    let table = workspace.run(&add).stdout;
    assert!(String::from_utf8(table).unwrap().contains("5000 rays, "));

    let twice = workspace.fails(3, &["sample", "--add", "a.json", "sum.json"]);
    assert!(twice.contains("sum.json: both tallies contain the rays 0..1200"), "{twice}");
    workspace.json(&["sample", "scene.json", "--rays", "9..20", "--paths", "-o", "other.json"]);
    let other = workspace.fails(3, &["sample", "--add", "a.json", "other.json"]);
    assert!(other.contains("differ in their rays") && other.contains("seed 3"), "{other}");
    let text = std::fs::read_to_string(workspace.path("a.json")).unwrap();
    workspace.write("damaged.json", text.replacen("\"misses\":", "\"misses\":1", 1));
    let damaged = workspace.fails(3, &["sample", "--add", "damaged.json"]);
    assert!(damaged.contains("damaged.json: not a tally: hits, misses"), "{damaged}");
    let own = workspace.fails(2, &["sample", "--add", "a.json", "-o", "a.json"]);
    assert!(own.contains("would replace its input a.json"), "{own}");
}

#[test]
fn each_generator_casts_from_where_its_flags_say() {
    let workspace = Workspace::new();
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,9,1,0,0,0\n1,0,0,8,1,0,0,0\n");
    let sample = |flags: &[&str]| workspace.json(&[&["sample", "scene.json"], flags].concat());
    let hits = |summary: &Value, row: usize| summary["geometries"][row]["hits"].as_u64().unwrap();
    let inside = ["--generator", "box", "--min", "0,0,1", "--max", "0,0,1", "--rays", "100"];
    let inside = sample(&inside);
    assert_eq!(hits(&inside, 0), 100);
    assert!((inside["geometries"][0]["mean_t"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{inside}");
    let patch = ["--generator", "patch", "--center", "0,0,3", "--normal", "0,0,-1", "--radius"];
    let patch = sample(&[&patch[..], &["0.1", "--rays", "4000"]].concat());
    // A sphere of radius r in the distance d takes (r/d)^2 of what a point sends by the cosine law.
    assert!((200..=310).contains(&hits(&patch, 0)), "{patch}");
    let view = ["--generator", "view", "--camera", "plan", "--size", "60x60"];
    let rendered = workspace.json(&["render", "scene.json", "--camera", "plan", "--size", "60x60"]);
    let view = sample(&view);
    assert_eq!((&view["rays"], &rendered["rays"]), (&3600.into(), &3600.into()));
    let all: u64 = (0..3).map(|row| hits(&view, row)).sum();
    assert_eq!(rendered["hits"], all);
    let poses = ["--generator", "view", "--fov-y", "50", "--size", "8x8", "--poses", "poses.csv"];
    assert_eq!(sample(&poses)["rays"], 128);
    let near = sample(&["--rays", "2000", "--interval", "0,0.001"]);
    assert_eq!(near["misses"], 2000);
    // Coordinates of flags are those of the file, also about another origin.
    let about = ["--origin", "0,0,1", "--generator", "box", "--min", "0,0,1", "--max", "0,0,1"];
    assert_eq!(hits(&sample(&[&about[..], &["--rays", "50"]].concat()), 0), 50);
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let workspace = Workspace::new();
    for (flags, part) in [
        (&["scene.json"][..], "--rays 1000000"),
        (&["scene.json", "--rays", "9..3"], "'9..3' must be"),
        (
            &["scene.json", "--rays", "9", "--normal", "0,0,1"],
            "--normal: only for --generator patch",
        ),
        (&["scene.json", "--rays", "9", "--size", "8x8"], "only for --generator view"),
        (&["scene.json", "--rays", "9", "--radius", "2"], "give both"),
        (&["scene.json", "--rays", "9", "--center", "0,0,0", "--radius", "-1"], "above 0"),
        (
            &["scene.json", "--rays", "9", "--generator", "patch"],
            "needs both --center and --normal",
        ),
        (&["scene.json", "--rays", "9", "--histogram", "3,1,4"], "must end after it begins"),
        (&["scene.json", "--rays", "9", "--interval", "3,1"], "must not end before"),
        (&["scene.json", "--rays", "9", "--interval", "-1,1"], "a finite number of at least 0"),
        (&["scene.json", "--rays", "9", "--histogram", "-5,5,3"], "must be between 0 and"),
        (&["scene.json", "--rays", "9", "--histogram", "0,1,4294967296"], "have 1 to 2^20 bins"),
        (&["scene.json", "--rays", "9", "-o", "sums.npz"], "ends in .json"),
        (&["scene.json", "--add", "a.json"], "cannot be used with"),
        (&["scene.json", "--generator", "view", "--size", "2x2", "--rays", "5"], "have 4"),
    ] {
        let errors = workspace.fails(2, &[&["sample"], flags].concat());
        assert!(errors.contains(part), "{flags:?}: {errors}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_file() {
    let workspace = Workspace::new();
    let before = workspace.listing();
    let stderr = tempfile::NamedTempFile::new().unwrap();
    let run = ["sample", "scene.json", "--rays", "1000000000000", "-o", "sums.json"];
    let arguments = [&run[..], &["--device", "cpu"]].concat();
    let running = Running::start(&workspace, &arguments, File::create(stderr.path()).unwrap());
    let errors = || std::fs::read_to_string(stderr.path()).unwrap();
    wait_until("rays are cast", || errors().contains("device"));
    running.signal("INT");
    assert_eq!(running.end().0, Some(130));
    assert!(errors().contains("of 1000000000000 rays; nothing is kept"), "{}", errors());
    assert_eq!(workspace.listing(), before);
}
