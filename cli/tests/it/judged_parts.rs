//! `diff` judges what there is of the closest hits that another caster saved, and says what there is not.

use crate::common::workspace::*;
use serde_json::Value;
use std::process::Output;

/// A scene with a mesh of two triangles in front of two balls, the second of which stands twice there.
const SCENE_OF_TIES: &str = r#"{ "raytwin": 1, "shapes": [
    { "type": "mesh", "vertices": [[-1,-1,4],[1,-1,4],[0,1,4],[0,3,4]], "triangles": [[0,1,2],[2,1,3]] },
    { "type": "sphere", "center": [0,0,0], "radius": 1 },
    { "type": "sphere", "center": [5,0,0], "radius": 1 },
    { "type": "sphere", "center": [5,0,0], "radius": 0.99999994 } ],
    "cameras": [ { "name": "above", "eye": [0,0,9], "target": [0,0,0], "up": [0,1,0], "fov_y_degrees": 40 } ] }"#;

const AGAINST: [&str; 4] = ["diff", "ties.json", "down.npy", "--against"];

/// A workspace with rays of twice the unit length from above, and the arrays of their right answers.
fn workspace() -> (Workspace, Vec<f32>, Vec<u32>, Vec<u32>) {
    let workspace = Workspace::new();
    workspace.write("ties.json", SCENE_OF_TIES);
    let ray = |number: usize| {
        [0.31 * (number % 20) as f32 - 0.4, 0.17 * (number / 20) as f32 - 0.8, 9.0, 0.0, 0.0, -2.0]
    };
    let rays: Vec<f32> = (0..200).flat_map(ray).collect();
    workspace.write("down.npy", npy("<f4", "False", "(200, 6)", &float32(&rays)));
    workspace.json(&["query", "ties.json", "down.npy", "--device", "cpu", "-o", "all.npz"]);
    let of = |name| array(&workspace.path("all.npz"), name);
    let (t, ids) = (as_f32(&of("t_hit")), ["geometry_ids", "primitive_ids"].map(of));
    let [geometry_ids, primitive_ids] = ids.map(|bytes| as_u32(&bytes));
    (workspace, t, geometry_ids, primitive_ids)
}

fn floats(name: &str, numbers: &[f32]) -> (String, Vec<u8>) {
    let shape = format!("({},)", numbers.len());
    (format!("{name}.npy"), npy("<f4", "False", &shape, &float32(numbers)))
}

fn ids(name: &str, numbers: &[u32]) -> (String, Vec<u8>) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    (format!("{name}.npy"), npy("<u4", "False", &format!("({},)", numbers.len()), &bytes))
}

fn save(workspace: &Workspace, file: &str, arrays: &[(String, Vec<u8>)]) {
    let files: Vec<(&str, Vec<u8>)> =
        arrays.iter().map(|(name, bytes)| (&name[..], bytes.clone())).collect();
    workspace.write(file, zipped(&files));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Judges, with a report in `r`, and returns the exit code, the object and stderr.
fn judged(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output: Output = workspace.run(&[arguments, &["--report", "r", "--json"]].concat());
    let object = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), object, text(&output.stderr))
}

#[test]
fn each_part_of_closest_hits_is_judged_alone_and_the_rest_is_not_claimed() {
    let (workspace, t, geometry_ids, primitive_ids) = workspace();
    let distances: Vec<f32> = t.iter().map(|t| 2.0 * t).collect();
    for (arrays, title, sentence, has_t) in [
        (vec![floats("t_hit", &t)], "rays, closest, only distances", "ids were not given", true),
        (
            vec![floats("distance", &distances)],
            "rays, closest, only distances",
            "ids were not",
            true,
        ),
        (
            vec![ids("geometry_ids", &geometry_ids), ids("primitive_ids", &primitive_ids)],
            "rays, closest, only ids",
            "distances were not given",
            false,
        ),
        (
            vec![ids("geometry_ids", &geometry_ids)],
            "rays, closest, only geometry ids",
            "distances and primitive ids were not given",
            false,
        ),
    ] {
        save(&workspace, "some.npz", &arrays);
        let (code, diff, phrase) = judged(&workspace, &[&AGAINST[..], &["some.npz"]].concat());
        assert_eq!((code, &diff["parts"][0]["title"]), (Some(0), &title.into()), "{diff}");
        let sentences = diff["judged_in_part"].as_array().unwrap();
        assert!(sentences.len() == 1 && sentences[0].as_str().unwrap().contains(sentence));
        assert_eq!(diff["distance_error"].is_null(), !has_t, "{diff}");
        assert!(!diff["not_judged"].as_array().unwrap().is_empty(), "{diff}");
        assert!(phrase.contains(sentence), "{phrase}");
        let table = text(&workspace.run(&[&AGAINST[..], &["some.npz"]].concat()).stdout);
        assert!(table.contains(sentence) && table.contains(title), "{table}");
        assert_eq!(table.contains(" 0.0000"), has_t, "no t was judged: {table}");
        for file in ["r/junit.xml", "r/report.html"] {
            let written = std::fs::read_to_string(workspace.path(file)).unwrap();
            assert!(written.contains(title), "{file}");
        }
        let page = std::fs::read_to_string(workspace.path("r/report.html")).unwrap();
        assert!(page.contains(sentence));
        let limited = workspace.run(&[&AGAINST[..], &["some.npz", "--hard-limit", "1"]].concat());
        assert_eq!(limited.status.code(), Some(if has_t { 0 } else { 2 }));
    }
    save(
        &workspace,
        "whole.npz",
        &[
            floats("t_hit", &t),
            ids("geometry_ids", &geometry_ids),
            ids("primitive_ids", &primitive_ids),
        ],
    );
    let (_, whole, phrase) = judged(&workspace, &[&AGAINST[..], &["whole.npz"]].concat());
    assert_eq!(whole["judged_in_part"], serde_json::json!([]));
    assert!(!phrase.contains("not given"), "{phrase}");
}

#[test]
fn wrong_parts_fail_and_ties_pass() {
    let (workspace, t, geometry_ids, primitive_ids) = workspace();
    let first = |id: u32| geometry_ids.iter().position(|&it| it == id).unwrap();
    let code = |arrays: &[(String, Vec<u8>)]| {
        save(&workspace, "some.npz", arrays);
        let (code, diff, _) = judged(&workspace, &[&AGAINST[..], &["some.npz"]].concat());
        (code, diff)
    };
    let with_id = |at: usize, id: u32| {
        let mut changed = geometry_ids.clone();
        changed[at] = id;
        changed
    };
    let (passed, diff) = code(&[ids("geometry_ids", &with_id(first(2), 3))]);
    assert_eq!((passed, &diff["classes"]["tie"]), (Some(0), &1.into()), "{diff}");
    let behind = code(&[ids("geometry_ids", &with_id(first(0), 1))]).0;
    let missed = code(&[ids("geometry_ids", &with_id(first(1), u32::MAX))]).0;
    assert_eq!([behind, missed], [Some(1); 2]);
    let mut other_triangle = primitive_ids.clone();
    other_triangle[first(0)] ^= 1;
    let both = [ids("geometry_ids", &geometry_ids), ids("primitive_ids", &other_triangle)];
    assert_eq!(code(&both).0, Some(1));
    // The distance of what lies behind the first hit is none.
    for wrong in [t[first(0)] + 1.5, t[first(0)] + 0.25, f32::INFINITY, f32::NAN] {
        let mut changed = t.clone();
        changed[first(0)] = wrong;
        let (failed, diff) = code(&[floats("t_hit", &changed)]);
        assert_eq!((failed, &diff["mismatches"]), (Some(1), &1.into()), "{wrong}");
        // Rays are of length 2.
        let error = &diff["distance_error"]["largest"];
        let expected = if wrong.is_finite() { 2.0 * f64::from(wrong - t[first(0)]) } else { 0.0 };
        assert!((error.as_f64().unwrap() - expected).abs() < 1e-6, "{error} {expected}");
        if wrong.is_finite() {
            assert_eq!(&diff["worst"][0]["distance_error"], error);
        }
    }
}

#[test]
fn a_file_with_neither_distances_nor_ids_says_what_to_give() {
    let (workspace, t, _, primitive_ids) = workspace();
    for (file, arrays, phrase) in [
        ("a.npz", vec![ids("primitive_ids", &primitive_ids)], "no answers to judge: give t_hit"),
        ("b.npz", vec![floats("depth", &t)], "depth: is not a known array: give t_hit, distance"),
        ("c.npz", vec![floats("z", &t)], "z: is a depth along the axis of a camera"),
    ] {
        save(&workspace, file, &arrays);
        let message = workspace.fails(3, &[&AGAINST[..], &[file]].concat());
        assert!(message.contains(phrase), "{message}");
    }
    let explicit = [&AGAINST[..], &["a.npz", "--kind", "closest"]].concat();
    let message = workspace.fails(3, &explicit);
    assert!(message.contains("neither distances nor ids of closest hits: give t_hit"), "{message}");
    let (_, lone) = floats("t_hit", &t);
    workspace.write("t_hit.npy", lone.clone());
    workspace.json(&[&AGAINST[..], &["t_hit.npy"]].concat());
    workspace.write("mine.npy", lone);
    let message = workspace.fails(3, &[&AGAINST[..], &["mine.npy"]].concat());
    assert!(
        message.contains("the name of an .npy file") && message.contains("rename it"),
        "{message}"
    );
}

#[test]
fn a_depth_image_is_judged_by_distance_or_by_z() {
    let workspace = Workspace::new();
    workspace.write("ties.json", SCENE_OF_TIES);
    let size = ["--size", "40x30"];
    workspace.json(&[&["render", "ties.json", "--device", "cpu"], &size[..]].concat());
    for name in ["z", "distance"] {
        let depth = as_f32(&array(&workspace.path("out/render.npz"), name));
        let file = format!("{name}.npy");
        let write = |depth: &[f32], shape: &str| {
            workspace.write(&file, npy("<f4", "False", shape, &float32(depth)));
        };
        write(&depth, "(30, 40)");
        let asked = [&["diff", "ties.json", "--against", &file], &size[..]].concat();
        let (code, diff, phrase) = judged(&workspace, &asked);
        assert_eq!((code, &diff["rays"]), (Some(0), &1200.into()), "{diff}");
        assert_eq!(diff["parts"][0]["title"], "image, closest, only distances");
        assert!(phrase.contains("ids were not given"), "{phrase}");
        assert!(workspace.path("r/classes.png").exists());
        let mut wrong = depth.clone();
        wrong[15 * 40 + 20] *= 1.001;
        write(&wrong, "(30, 40)");
        assert_eq!(judged(&workspace, &asked).0, Some(1), "{name}");
        write(&depth, "(40, 30)");
        assert!(workspace.fails(3, &asked).contains("has 30 rows of 40 pixels"));
    }
    let around = ["diff", "ties.json", "--lidar", "VLP-16", "--eye", "0,0,2", "--against", "z.npy"];
    let message = workspace.run(&around);
    assert_ne!(message.status.code(), Some(0), "z of a camera that looks around");
}

/// A planted fault makes all of several parts wrong. Each wrong answer is listed in the case of its part
/// and in no other, and nothing else is.
#[test]
fn junit_lists_the_mismatches_of_each_part_alone_and_each_once() {
    let (workspace, t, mut geometry_ids, primitive_ids) = workspace();
    let hits: Vec<usize> = (0..200).filter(|&ray| t[ray].is_finite()).collect();
    let mut wrong = t.clone();
    // Five right answers are within the bound, and would be among the worst.
    hits[..5].iter().for_each(|&ray| wrong[ray] = wrong[ray].next_up());
    hits[5..35].iter().for_each(|&ray| wrong[ray] += 0.5);
    geometry_ids.truncate(200);
    let occluded: Vec<u8> =
        (0..200).map(|ray| u8::from(t[ray].is_finite() != (ray < 120))).collect();
    let flipped = 120;
    save(
        &workspace,
        "some.npz",
        &[
            floats("t_hit", &wrong),
            ids("geometry_ids", &geometry_ids),
            ids("primitive_ids", &primitive_ids),
            ("occluded.npy".to_owned(), npy("|b1", "False", "(200,)", &occluded)),
        ],
    );
    let (code, diff, _) = judged(&workspace, &[&AGAINST[..], &["some.npz"]].concat());
    assert_eq!((code, &diff["mismatches"]), (Some(1), &(30 + flipped).into()), "{diff}");
    let junit = std::fs::read_to_string(workspace.path("r/junit.xml")).unwrap();
    assert!(junit.contains(r#"tests="3" failures="2" errors="0" skipped="0""#), "{junit}");
    let case = |name: &str| {
        let (_, case) = junit.split_once(&format!(r#"<testcase name="{name}""#)).unwrap();
        case.split_once("</testcase>").unwrap().0.to_owned()
    };
    let listed = |case: &str| -> Vec<String> {
        let of_ray = |line: &str| {
            Some(line.split_once("# mismatch of ray ")?.1.split(':').next()?.to_owned())
        };
        case.lines().filter_map(of_ray).collect()
    };
    let mut of_closest = listed(&case("rays, closest"));
    of_closest.sort_by_key(|ray| ray.parse::<usize>().unwrap());
    let planted: Vec<String> = hits[5..35].iter().map(usize::to_string).collect();
    assert_eq!(of_closest, planted);
    let of_any = case("rays, any");
    let mut once = listed(&of_any);
    once.sort();
    once.dedup();
    assert_eq!(once.len(), 100, "{of_any}");
    assert!(of_any.contains("and 20 more: mismatches.npz contains the numbers of all"), "{of_any}");
    assert!(!case("limits").contains("failure"), "{junit}");
    assert_eq!(junit.matches("; exact ").count(), 130);
    // One wrong answer is allowed, and its error is not.
    let mut one = t.clone();
    one[hits[0]] += 0.5;
    save(&workspace, "one.npz", &[floats("t_hit", &one)]);
    let limited = [&AGAINST[..], &["one.npz", "--fail-percent", "1", "--hard-limit", "1"]].concat();
    assert_eq!(judged(&workspace, &limited).0, Some(1));
    let junit = std::fs::read_to_string(workspace.path("r/junit.xml")).unwrap();
    assert!(
        junit.contains(r#"failures="1""#) && junit.contains("the largest error in t is"),
        "{junit}"
    );
}

#[test]
fn what_is_not_judged_is_an_error_if_warnings_are() {
    let (workspace, _, geometry_ids, _) = workspace();
    let against = [&AGAINST[..], &["part.npz"]].concat();
    let strict = [&against[..], &["--strict"]].concat();
    let code = |arguments: &[&str]| workspace.run(arguments).status.code();
    save(&workspace, "part.npz", &[ids("geometry_ids", &geometry_ids)]);
    assert_eq!(code(&against), Some(0));
    let refused = workspace.run(&strict);
    let phrase = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{phrase}");
    assert!(phrase.contains("--strict: not all answers were judged"), "{phrase}");
}
