//! `diff` as a gate: every kind of query, saved answers, limits and reports.

use crate::common::workspace::*;
use raytwin::Ray;
use raytwin_verify::aim::{self, Family};
use serde_json::Value;
use std::path::Path;

/// The kinds of queries, each with an array of its answers.
const KINDS: [(&str, &str); 4] =
    [("closest", "t_hit"), ("any", "occluded"), ("count", "intersections"), ("all", "ray_splits")];

/// Makes a workspace with a few hundred rays at its scene, in `many.npy`.
fn with_rays() -> Workspace {
    let workspace = Workspace::new();
    let scene =
        raytwin_formats::load(workspace.path("scene.json"), &Default::default()).unwrap().scene;
    let rays: Vec<Ray> =
        Family::ALL.into_iter().flat_map(|family| aim::rays(5, family, 60, &scene, 1.0)).collect();
    let numbers: Vec<f32> = rays
        .iter()
        .flat_map(|ray| [&ray.origin[..], &ray.direction, &[ray.t_min, ray.t_max]].concat())
        .collect();
    let shape = format!("({}, 8)", rays.len());
    workspace.write("many.npy", npy("<f4", "False", &shape, &float32(&numbers)));
    workspace
}

#[test]
fn a_sound_device_passes_every_kind_of_query_and_an_update() {
    let workspace = Workspace::new();
    for device in ["gpu", "cpu", "all"] {
        let diff = workspace.json(&["diff", "scene.json", "--size", "40x30", "--device", device]);
        let of_one = if device == "all" { &diff["devices"][0] } else { &diff };
        let parts: Vec<&str> = of_one["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["title"].as_str().unwrap())
            .collect();
        for part in [
            "image, closest",
            "seeded rays, closest",
            "filtered rays, closest",
            "seeded rays, closest, solid",
            "seeded rays, any",
            "filtered rays, count",
            "seeded rays, all",
            "points",
            "after an update, closest",
            "after an update, count",
            "filtered rays after an update, closest",
        ] {
            assert!(parts.contains(&part), "{device}: {part} is not in {parts:?}");
        }
        assert_eq!((&of_one["mismatches"], &diff["sound"]), (&0.into(), &true.into()));
        assert!(of_one["points"].as_u64().unwrap() > 10_000);
    }
}

#[test]
fn saved_answers_are_judged_and_one_wrong_answer_fails() {
    let workspace = with_rays();
    for (kind, array_name) in KINDS {
        let query = ["query", "scene.json", "many.npy", "--kind", kind, "-o"];
        let mut saved = vec![format!("{kind}.npz"), format!("{kind}/")];
        if kind != "all" {
            saved.push(format!("{kind}.parquet"));
        }
        for answers in &saved {
            workspace.json(&[&query[..], &[answers]].concat());
            let judged = ["diff", "scene.json", "many.npy", "--kind", kind, "--against", answers];
            let diff = workspace.json(&judged);
            assert_eq!((&diff["rays"], &diff["mismatches"]), (&420.into(), &0.into()), "{answers}");
        }
        // One answer is wrong: a ray is said to hit where it misses, or has a crossing more.
        let archive = workspace.path(&saved[0]);
        let damaged = workspace.path("damaged.npz");
        damage(&archive, &damaged, kind);
        let judged = ["diff", "scene.json", "many.npy", "--kind", kind, "--against", "damaged.npz"];
        let output = workspace.run(&judged);
        assert_eq!(output.status.code(), Some(1), "{kind} {array_name}");
        if kind == "closest" {
            // No surface is infinitely far away, however wide a bound is there.
            endless(&archive, &damaged);
            assert_eq!(workspace.run(&judged).status.code(), Some(1));
        }
    }
    let lists = ["query", "scene.json", "many.npy", "--kind", "all", "-o", "all.parquet"];
    workspace.json(&lists);
    for kind in ["closest", "all"] {
        let judged = ["diff", "scene.json", "many.npy", "--kind", kind, "--against", "all.parquet"];
        let message = workspace.fails(3, &judged);
        assert!(message.contains("t_hit: is a list") && message.contains("as .npz"), "{message}");
    }
}

/// Copies an archive of closest hits with the first hit at an infinite t.
fn endless(from: &Path, to: &Path) {
    let mut t_hit = as_f32(&array(from, "t_hit"));
    let hit = t_hit.iter().position(|t| t.is_finite()).unwrap();
    t_hit[hit] = f32::INFINITY;
    let shape = format!("({},)", t_hit.len());
    let ids = |name| npy("<u4", "False", &shape, &array(from, name));
    let files = [
        ("t_hit.npy", npy("<f4", "False", &shape, &float32(&t_hit))),
        ("geometry_ids.npy", ids("geometry_ids")),
        ("primitive_ids.npy", ids("primitive_ids")),
    ];
    std::fs::write(to, zipped(&files)).unwrap();
}

/// Copies an archive of answers with one of them made wrong.
fn damage(from: &Path, to: &Path, kind: &str) {
    let names: &[&str] = match kind {
        "closest" => &["t_hit", "geometry_ids", "primitive_ids"],
        "any" => &["occluded"],
        "count" => &["intersections"],
        _ => &["ray_splits", "t_hit", "geometry_ids", "primitive_ids"],
    };
    let mut arrays: Vec<Vec<u8>> = names.iter().map(|name| array(from, name)).collect();
    match kind {
        "closest" => {
            let hit = as_f32(&arrays[0]).iter().position(|t| t.is_finite()).unwrap();
            let wrong = 1.001 * as_f32(&arrays[0])[hit] + 0.01;
            arrays[0][4 * hit..][..4].copy_from_slice(&wrong.to_le_bytes());
        }
        "any" => arrays[0][0] ^= 1,
        "count" => {
            let crossed = as_u32(&arrays[0]).iter().position(|&count| count == 2).unwrap();
            // Each crossing is counted twice, as a node that is visited twice does.
            arrays[0][4 * crossed] = 4;
        }
        _ => {
            // The first crossing is said to be of another shape.
            let other = (as_u32(&arrays[2])[0] + 1) % 3;
            arrays[2][..4].copy_from_slice(&other.to_le_bytes());
        }
    }
    let descr = |name: &str| match name {
        "t_hit" => "<f4",
        "occluded" => "|b1",
        "ray_splits" => "<u8",
        _ => "<u4",
    };
    let width = |name: &str| descr(name)[2..].parse::<usize>().unwrap();
    let file_names: Vec<String> = names.iter().map(|name| format!("{name}.npy")).collect();
    let file = |index: usize| {
        let (name, bytes) = (names[index], &arrays[index]);
        let shape = format!("({},)", bytes.len() / width(name));
        (&file_names[index][..], npy(descr(name), "False", &shape, bytes))
    };
    let files: Vec<(&str, Vec<u8>)> = (0..names.len()).map(file).collect();
    std::fs::write(to, zipped(&files)).unwrap();
}

#[test]
fn a_saved_image_is_judged_and_one_of_another_size_is_refused() {
    let workspace = Workspace::new();
    let size = ["--size", "60x40"];
    for device in ["gpu", "cpu"] {
        workspace.json(&[&["render", "scene.json", "--device", device], &size[..]].concat());
        let against = ["diff", "scene.json", "--against", "out/render.npz"];
        let diff = workspace.json(&[&against[..], &size].concat());
        assert_eq!((&diff["rays"], &diff["mismatches"]), (&2400.into(), &0.into()));
        workspace.fails(3, &[&against[..], &["--size", "60x41"]].concat());
        let other_camera = workspace.run(&[&against[..], &size, &["--camera", "plan"]].concat());
        assert_eq!(other_camera.status.code(), Some(1));
    }
}

#[test]
fn nothing_that_cannot_be_compared_passes() {
    let workspace = with_rays();
    workspace.json(&["query", "scene.json", "many.npy", "-o", "h.npz"]);
    workspace.json(&["query", "scene.json", "rays.npy", "-o", "few.npz"]);
    workspace.write(
        "ball.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": 1 } ] }"#,
    );
    workspace.write("nothing.json", r#"{ "raytwin": 1, "shapes": [] }"#);
    let against = |scene, rays, answers| vec!["diff", scene, rays, "--against", answers];
    for (arguments, expected) in [
        (against("scene.json", "many.npy", "few.npz"), "rays or points to compare"),
        (against("scene.json", "many.npy", "absent.npz"), "absent.npz"),
        (against("scene.json", "many.npy", "many.npy"), "must be that of an array of answers"),
        (against("ball.json", "many.npy", "h.npz"), "another scene"),
        (
            [&against("scene.json", "many.npy", "h.npz")[..], &["--kind", "count"]].concat(),
            "intersections",
        ),
        (vec!["diff", "nothing.json"], "no shape"),
        (vec!["diff", "scene.json", "absent.npy"], "absent.npy"),
    ] {
        let message = workspace.fails(3, &arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    for flags in [["--kind", "any", "--random", "0"], ["--kind", "count", "--random", "9"]] {
        let solid = if flags[1] == "count" { &["--solid"][..] } else { &[] };
        workspace.fails(2, &[&["diff", "scene.json"], &flags[..], solid].concat());
    }
    let several = ["--kind", "closest,any", "--against", "h.npz"];
    let message = workspace.fails(3, &[&["diff", "scene.json", "many.npy"], &several[..]].concat());
    assert!(message.contains("occluded"), "{message}");
}

#[test]
fn limits_allow_and_forbid_as_image_comparisons_do() {
    let workspace = with_rays();
    workspace.json(&["query", "scene.json", "many.npy", "--device", "gpu", "-o", "h.npz"]);
    damage(&workspace.path("h.npz"), &workspace.path("damaged.npz"), "closest");
    let judge = |answers: &str, limits: &[&str]| {
        let diff = ["diff", "scene.json", "many.npy", "--against", answers];
        workspace.run(&[&diff[..], limits].concat()).status.code()
    };
    assert_eq!(judge("damaged.npz", &["--report", "r"]), Some(1));
    // Of the worst answers, the only wrong one is a failure.
    let report = std::fs::read_to_string(workspace.path("r/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["worst"].as_array().unwrap().len() > 1, "{report}");
    let junit = std::fs::read_to_string(workspace.path("r/junit.xml")).unwrap();
    let failures: Vec<&str> = junit.lines().filter(|line| line.contains("; exact ")).collect();
    assert!(failures.len() == 1 && failures[0].contains("# mismatch of ray "), "{junit}");
    assert_eq!(judge("damaged.npz", &["--fail-percent", "1"]), Some(0));
    assert_eq!(judge("damaged.npz", &["--fail-percent", "0.1"]), Some(1));
    assert_eq!(judge("damaged.npz", &["--fail-percent", "1", "--hard-limit", "1"]), Some(1));
    assert_eq!(judge("h.npz", &["--hard-limit", "1"]), Some(0));
    assert_eq!(judge("h.npz", &["--hard-limit", "1e-9"]), Some(1));
    for limit in [["--fail-percent", "101"], ["--hard-limit", "-1"], ["--fail-percent", "nan"]] {
        assert_eq!(judge("h.npz", &limit), Some(2), "{limit:?}");
    }
}

#[test]
fn a_report_stands_alone_and_its_worst_rays_fail_again() {
    let workspace = Workspace::new();
    let job = workspace.path("job.md");
    let diff = ["diff", "scene.json", "--size", "60x40", "--report", "r"];
    let run = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .current_dir(workspace.folder.path())
            .env("GITHUB_STEP_SUMMARY", &job)
            .output()
            .unwrap()
    };
    let names = |folder: &str| {
        let entries = std::fs::read_dir(workspace.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let sound = run(&diff);
    assert_eq!(sound.status.code(), Some(0));
    assert!(names("r").contains(&"report.html".to_owned()), "a pass has a report too");
    assert!(std::fs::read_to_string(&job).unwrap().contains("no mismatch"));

    let mutated = run(&[&diff[..], &["--mutate", "sphere-no-depth"]].concat());
    assert_eq!(mutated.status.code(), Some(1));
    let page = std::fs::read_to_string(workspace.path("r/report.html")).unwrap();
    assert!(page.contains("Not sound") && page.contains("sphere-no-depth"));
    assert!(page.matches("data:image/png").count() > 8);
    for outside in ["http", "<script", "src=\"/", "href=\"/"] {
        assert!(!page.contains(outside), "the page needs {outside}");
    }
    let junit = std::fs::read_to_string(workspace.path("r/junit.xml")).unwrap();
    assert!(junit.contains("<failure") && junit.contains("raytwin pick "), "{junit}");
    let report = std::fs::read(workspace.path("r/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!((&report["command"], &report["sound"]), (&"diff".into(), &false.into()));
    let job = std::fs::read_to_string(&job).unwrap();
    assert!(job.contains("answers are wrong") && job.contains("raytwin pick"), "{job}");

    let worst = names("r").into_iter().find(|name| name.starts_with("worst.")).unwrap();
    let worst = format!("r/{worst}");
    let again = ["diff", "scene.json", &worst, "--kind", "closest"];
    assert_eq!(
        run(&[&again[..], &["--mutate", "sphere-no-depth"]].concat()).status.code(),
        Some(1)
    );
    assert_eq!(run(&again).status.code(), Some(0));
}
