//! `diff --against` explains wrong answers: the tolerances that they need, what they have in common,
//! and which pixel and shape each is about.

use crate::common::workspace::*;
use serde_json::Value;

/// Balls about a point, and rays to them from one side.
fn workspace(center: [f64; 3]) -> (Workspace, Vec<f32>, Vec<u8>) {
    let workspace = Workspace::new();
    let [x, y, z] = center;
    let ball = |number: usize| {
        let (column, row) = ((number % 4) as f64, (number / 4) as f64);
        format!(
            r#"{{ "type": "sphere", "name": "ball {number}", "center": [{}, {}, {z}], "radius": 0.55 }}"#,
            x + 1.3 * column,
            y + 1.3 * row
        )
    };
    let balls: Vec<String> = (0..16).map(ball).collect();
    workspace
        .write("balls.json", format!(r#"{{ "raytwin": 1, "shapes": [{}] }}"#, balls.join(",")));
    let ray = |number: usize| {
        let (column, row) = ((number % 50) as f64, (number / 50) as f64);
        [x - 0.6 + 0.1 * column, y - 0.6 + 0.1 * row, z + 3.0, 0.01, 0.02, -2.0]
    };
    let rays: Vec<u8> = (0..2500).flat_map(ray).flat_map(f64::to_le_bytes).collect();
    workspace.write("rays.npy", npy("<f8", "False", "(2500, 6)", &rays));
    workspace.json(&["query", "balls.json", "rays.npy", "--device", "cpu", "-o", "right.npz"]);
    let t = as_f32(&array(&workspace.path("right.npz"), "t_hit"));
    let ids = array(&workspace.path("right.npz"), "geometry_ids");
    (workspace, t, ids)
}

/// Judges distances with ids, and returns the exit code and the object.
fn judged(workspace: &Workspace, (t, ids): (&[f32], &[u8]), flags: &[&str]) -> (i32, Value) {
    let shape = format!("({},)", t.len());
    let arrays = [
        ("t_hit.npy", npy("<f4", "False", &shape, &float32(t))),
        ("geometry_ids.npy", npy("<u4", "False", &shape, ids)),
    ];
    workspace.write("mine.npz", zipped(&arrays));
    let command = ["diff", "balls.json", "rays.npy", "--against", "mine.npz", "--json"];
    let output = workspace.run(&[&command[..], flags].concat());
    let code = output.status.code().unwrap();
    (code, serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_tolerance_that_wrong_answers_need_makes_them_right_and_a_narrower_one_does_not() {
    let (workspace, right, ids) = workspace([0.0; 3]);
    let noise = |(index, t): (usize, &f32)| t * (1.0 + 1e-4 * (index as f32 % 7.0 - 3.0));
    let t: Vec<f32> = right.iter().enumerate().map(noise).collect();
    let (code, diff) = judged(&workspace, (&t, &ids), &[]);
    assert_eq!(code, 1);
    let needed = &diff["needed_tolerance"];
    assert_eq!(needed["wrong"], diff["mismatches"]);
    // More are wrong than are tried one by one, and what all need is found all the same.
    assert!(needed["wrong"].as_u64() > needed["tried"].as_u64(), "{needed}");
    assert!(needed["tried"].as_u64().unwrap() >= 512, "{needed}");
    for (flag, kind) in [("--tolerance-abs", "absolute"), ("--tolerance-rel", "relative")] {
        let sizes = &needed[kind];
        let of = |name: &str| sizes[name].as_f64().unwrap();
        assert!(of("median") <= of("percentile_99") && of("percentile_99") <= of("all"));
        let wrong_with = |factor: f64| {
            let size = (factor * of("all")).to_string();
            judged(&workspace, (&t, &ids), &[flag, &size]).1["mismatches"].as_u64().unwrap()
        };
        assert_eq!(wrong_with(1.001), 0, "{flag}: {sizes}");
        assert!(wrong_with(0.98) > 0, "{flag}: {sizes}");
        // An error in t of 3e-4 of it, on surfaces that are hit at angles up to the grazing one.
        assert!((1e-5..2e-3).contains(&of("all")), "{sizes}");
    }
    assert_eq!(diff["clues"], serde_json::json!([]));
}

#[test]
fn an_id_of_another_shape_needs_more_than_any_tolerance_and_is_named() {
    let (workspace, t, mut ids) = workspace([0.0; 3]);
    let first = ids.chunks(4).position(|id| id == [0; 4]).unwrap();
    ids[4 * first] = 5;
    let (code, diff) = judged(&workspace, (&t, &ids), &[]);
    assert_eq!((code, &diff["mismatches"]), (1, &1.into()));
    let needed = &diff["needed_tolerance"];
    assert!(needed["absolute"]["all"].is_null() && needed["relative"]["median"].is_null());
    let worst = &diff["worst"][0];
    assert_eq!(worst["index"], first);
    assert_eq!([&worst["given"]["path"], &worst["exact"]["path"]], ["ball 5", "ball 0"]);
    let output = workspace.run(&["diff", "balls.json", "rays.npy", "--against", "mine.npz"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let listed = text.split("worst answers:").nth(1).unwrap();
    assert_eq!(listed.lines().filter(|line| line.contains("pick")).count(), 1, "{listed}");
    assert!(listed.contains("(ball 5); exact") && text.contains("no tolerance up to"), "{text}");
}

#[test]
fn what_wrong_answers_have_in_common_is_said() {
    let (near, right, ids) = workspace([0.0; 3]);
    let zeros: Vec<f32> = right.iter().map(|t| if t.is_finite() { *t } else { 0.0 }).collect();
    let millimetres: Vec<f32> = right.iter().map(|t| 1000.0 * t).collect();
    for (t, said) in [(&zeros, "write inf for a miss"), (&millimetres, "about 1000 times")] {
        let (code, diff) = judged(&near, (t, &ids), &[]);
        let clues = diff["clues"].as_array().unwrap();
        assert_eq!((code, clues.len()), (1, 1), "{clues:?}");
        assert!(clues[0].as_str().unwrap().contains(said), "{clues:?}");
    }

    // A caster in float64 sees the balls where they are, and not where float32 moves them.
    let exact = workspace([1000.1, 2000.2, 30.3]);
    let command = ["query", "balls.json", "rays.npy", "--origin", "auto", "--device", "cpu"];
    exact.0.json(&[&command[..], &["-o", "exact.npz"]].concat());
    let t = as_f32(&array(&exact.0.path("exact.npz"), "t_hit"));
    let ids = array(&exact.0.path("exact.npz"), "geometry_ids");
    let (code, diff) = judged(&exact.0, (&t, &ids), &[]);
    let clue = diff["clues"][0].as_str().unwrap_or_default();
    assert!(
        code == 1 && clue.contains("an origin near it"),
        "{clue}: {}",
        diff["needed_tolerance"]
    );
    assert_eq!(judged(&exact.0, (&t, &ids), &["--origin", "auto"]).0, 0);
}

#[test]
fn a_wrong_pixel_has_a_column_and_a_row() {
    let (workspace, ..) = workspace([0.0; 3]);
    let view = ["--eye", "2,2,9", "--target", "2,2,0", "--up", "0,1,0", "--size", "40x30"];
    let render = ["render", "balls.json", "--device", "cpu", "--out", "out"];
    workspace.json(&[&render[..], &view].concat());
    let mut t = as_f32(&array(&workspace.path("out/render.npz"), "distance"));
    let hit = (0..1200).find(|pixel| t[*pixel].is_finite()).unwrap();
    t[hit] *= 1.01;
    workspace.write("distance.npy", npy("<f4", "False", "(30, 40)", &float32(&t)));
    let command = ["diff", "balls.json", "--against", "distance.npy"];
    let output = workspace.run(&[&command[..], &view].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let named = format!("{hit} (pixel {},{})", hit % 40, hit / 40);
    assert!(text.contains(&named), "{named}: {text}");
    let report = [&command[..], &view, &["--report", "r", "--json"]].concat();
    let output = workspace.run(&report);
    let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(diff["worst"][0]["pixel"], serde_json::json!([hit % 40, hit / 40]));
    let junit = std::fs::read_to_string(workspace.path("r/junit.xml")).unwrap();
    assert!(junit.contains(&format!("pixel {},{}, ray {hit}", hit % 40, hit / 40)), "{junit}");
}

#[test]
fn a_negative_limit_is_said_to_be_none() {
    let workspace = Workspace::new();
    for flag in ["--tolerance-abs", "--tolerance-rel", "--hard-limit", "--fail-percent"] {
        let message = workspace.fails(2, &["diff", "a.json", "--against", "b.npz", flag, "-1"]);
        assert!(message.contains("'-1' must be a number"), "{message}");
    }
}
