//! `raytwin points`: its answers, its files and its errors.

use crate::common::parquet_files::parquet_names;
use crate::common::workspace::{Workspace, array, as_f32, as_u32, float32, npy};

const NONE: u32 = u32::MAX;

/// A workspace with points in the ball, above the box, nowhere (a NaN), and in the cylinder.
fn with_points() -> Workspace {
    let workspace = Workspace::new();
    let points = [[0.0, 0.0, 1.25], [2.0, 0.0, 3.0], [f32::NAN, 0.0, 0.0], [0.0, 2.125, 1.0]];
    workspace.write("points.npy", npy("<f4", "False", "(4, 3)", &float32(&points.concat())));
    workspace
}

#[test]
fn points_are_answered_with_their_solids_and_their_nearest_surface() {
    for device in ["cpu", "gpu"] {
        let workspace = with_points();
        let arguments =
            ["points", "scene.json", "points.npy", "-o", "near.npz", "--device", device];
        let summary = workspace.json(&arguments);
        assert_eq!(summary["points"], 4);
        assert_eq!(summary["contained"], 2);
        assert_eq!(summary["invalid"], 1);
        let read = |name: &str| array(&workspace.path("near.npz"), name);
        assert_eq!(as_u32(&read("contains")), [1, 0, 0, 1]);
        assert_eq!(as_u32(&read("containing_ids")), [0, NONE, NONE, 2]);
        assert_eq!(as_u32(&read("geometry_ids")), [0, 1, NONE, 2]);
        assert_eq!(as_u32(&read("primitive_ids")), [0, 0, NONE, 0]);
        let distances = as_f32(&read("signed_distance"));
        assert_eq!([distances[0], distances[1], distances[3]], [-0.25, 2.0, -0.125]);
        assert!(distances[2].is_nan());
        let nearest = as_f32(&read("closest_points"));
        assert_eq!(nearest[..6], [0.0, 0.0, 1.5, 2.0, 0.0, 1.0]);
        assert!(nearest[6..9].iter().all(|c| c.is_nan()));
        assert_eq!(nearest[9..], [0.0, 2.25, 1.0]);
    }
}

#[test]
fn answers_go_to_a_folder_too_and_a_file_may_hold_no_points() {
    let workspace = with_points();
    workspace.write("none.npy", npy("<f4", "False", "(0, 3)", &[]));
    let arguments = ["points", "scene.json", "none.npy", "-o", "near/", "--device", "cpu"];
    let summary = workspace.json(&arguments);
    assert_eq!(
        (summary["points"].as_u64(), summary["files"].as_array().unwrap().len()),
        (Some(0), 6)
    );
    let mut names: Vec<_> = std::fs::read_dir(workspace.path("near"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [
        "closest_points.npy",
        "containing_ids.npy",
        "contains.npy",
        "geometry_ids.npy",
        "primitive_ids.npy",
        "signed_distance.npy",
    ];
    assert_eq!(names, expected);
}

#[test]
fn files_that_hold_no_points_are_refused_with_advice() {
    let workspace = with_points();
    let fails = |file: &str, more: &[&str]| {
        let arguments = ["points", "scene.json", file, "-o", "near.npz", "--device", "cpu"];
        workspace.fails(3, &[&arguments, more].concat())
    };
    let strict = fails("points.npy", &["--strict"]);
    assert!(strict.contains("point 2") && strict.contains("finite"), "{strict}");
    workspace.write("whole.npy", npy("<i8", "False", "(1, 3)", &[0; 24]));
    assert!(fails("whole.npy", &[]).contains("astype(numpy.float64)"));
    workspace.write("rays.npy", npy("<f4", "False", "(1, 6)", &[0; 24]));
    assert!(fails("rays.npy", &[]).contains("(N, 3)"));
    assert!(fails("absent.npy", &[]).contains("absent.npy"));
    workspace.write("short.npy", npy("<f4", "False", "(9, 3)", &[0; 24]));
    assert!(fails("short.npy", &[]).contains("truncated"));
    std::fs::create_dir(workspace.path("out")).unwrap();
    let none = npy("<f4", "False", "(0, 3)", &[]);
    workspace.write("out/contains.npy", &none);
    let replaced = workspace.fails(2, &["points", "scene.json", "out/contains.npy", "-o", "out/"]);
    assert!(replaced.contains("replace"), "{replaced}");
    assert_eq!(std::fs::read(workspace.path("out/contains.npy")).unwrap(), none);
}

#[test]
fn the_innermost_solid_stands_beside_the_answers_of_every_format() {
    let workspace = with_points();
    let nested = r#"{"raytwin": 1, "shapes": [
        {"type": "plane", "point": [0, 0, 9], "normal": [0, 0, 1]},
        {"type": "sphere", "name": "air", "center": [0, 0, 0], "radius": 2},
        {"type": "sphere", "name": "target", "center": [0, 0, 1], "radius": 1}]}"#;
    workspace.write("nested.json", nested);
    let points = |output: &str, device: &str| {
        let asked = ["points", "nested.json", "points.npy", "--innermost", "-o", output];
        workspace.json(&[&asked[..], &["--device", device]].concat())
    };
    for device in ["cpu", "gpu"] {
        points("near.npz", device);
        let read = |name: &str| as_u32(&array(&workspace.path("near.npz"), name));
        assert_eq!(read("innermost_ids"), [2, NONE, NONE, NONE], "{device}");
        assert_eq!(read("containing_ids"), [0, 0, NONE, 0], "{device}");
    }
    let summary = points("near/", "cpu");
    assert_eq!(summary["files"].as_array().unwrap().len(), 7);
    assert!(workspace.path("near/innermost_ids.npy").exists());
    points("near.csv", "cpu");
    let table = std::fs::read_to_string(workspace.path("near.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].ends_with(",path,innermost_id,innermost_path"), "{}", rows[0]);
    assert!(rows[1].ends_with(",2,target") && rows[2].ends_with(",,"), "{table}");
    points("near.parquet", "cpu");
    assert!(parquet_names(&workspace.path("near.parquet")).ends_with(&["innermost_path".into()]));
    // Judged are the others.
    let judged = ["diff", "nested.json", "--points", "points.npy", "--against", "near.npz"];
    let summary = workspace.json(&judged);
    assert!(summary["not_judged"].to_string().contains("innermost_ids"), "{summary}");
}
