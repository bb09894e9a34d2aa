//! `raytwin points` with tables of points and tables of answers.

use crate::common::workspace::{Workspace, array, as_f32};
use std::fs;

/// A workspace with points in the ball, above the box and nowhere.
const POINTS: &str = "station,x,y,z,note\n7,0,0,1.25,\"in, the ball\"\n8,2,0,3,\n007,nan,0,0,x\n";

const ANSWERS: &str = "\
x,y,z,station,note,contains,containing_id,containing_path,containing_depth,signed_distance,closest_x,closest_y,closest_z,geometry_id,primitive_id,path
0,0,1.25,7,\"in, the ball\",1,0,ball,0.25,-0.25,0,0,1.5,0,0,ball
2,0,3,8,,0,,,,2,2,0,1,1,0,box[1]
NaN,0,0,007,x,0,,,,,,,,,,
";

fn asked(workspace: &Workspace, points: &str, answers: &str) {
    let arguments = ["points", "scene.json", points, "-o", answers, "--device", "cpu"];
    let summary = workspace.json(&arguments);
    assert_eq!((&summary["points"], &summary["contained"]), (&3.into(), &1.into()));
}

#[test]
fn columns_stand_beside_the_answers_with_the_paths_of_what_is_near() {
    let workspace = Workspace::new();
    workspace.write("points.csv", POINTS);
    asked(&workspace, "points.csv", "near.csv");
    assert_eq!(fs::read_to_string(workspace.path("near.csv")).unwrap(), ANSWERS);
    // The columns of answers are not those of points, which are x y z and two others.
    let again = ["points", "scene.json", "near.csv", "-o", "again.csv", "--device", "cpu"];
    assert!(workspace.fails(3, &again).contains("have a column contains, and so do the answers"));
    asked(&workspace, "points.csv", "near.npz");
    let distances = as_f32(&array(&workspace.path("near.npz"), "signed_distance"));
    assert_eq!(distances[..2], [-0.25, 2.0]);
}

#[test]
fn a_point_near_one_shape_and_inside_another_has_its_depth_in_that_one() {
    let workspace = Workspace::new();
    let scene = r#"{ "raytwin": 1, "shapes": [
        { "type": "sphere", "name": "tank", "center": [0, 0, 0], "radius": 2 },
        { "type": "sphere", "name": "probe", "center": [1, 0, 0], "radius": 0.25 } ] }"#;
    workspace.write("scene.json", scene);
    workspace.write("points.xyz", "# a probe in a tank\n0.5 0 0 17\n\n0.875\t0 0\n3,0,0\n");
    let arguments = ["points", "scene.json", "points.xyz", "-o", "near.csv", "--device", "cpu"];
    workspace.json(&arguments);
    let near = fs::read_to_string(workspace.path("near.csv")).unwrap();
    let expected = "\
x,y,z,contains,containing_id,containing_path,containing_depth,signed_distance,closest_x,closest_y,closest_z,geometry_id,primitive_id,path
0.5,0,0,1,0,tank,1.5,-0.25,0.75,0,0,1,0,probe
0.875,0,0,2,0,tank,1.125,-0.125,0.75,0,0,1,0,probe
3,0,0,0,,,,1,2,0,0,0,0,tank
";
    assert_eq!(near, expected);
    workspace.write("points.xyz", "1 2 3\n1 2\n");
    assert!(workspace.fails(3, &arguments).contains("points.xyz:2:1: is not a point: a line"));
    let cloud = ["points", "scene.json", "points.xyz", "-o", "near.laz", "--device", "cpu"];
    assert!(workspace.fails(2, &cloud).contains("write a .parquet or a .csv"));
}

#[test]
fn tables_of_parquet_are_read_and_written() {
    let workspace = Workspace::new();
    workspace.write("points.csv", POINTS);
    asked(&workspace, "points.csv", "near.parquet");
    let file = fs::File::open(workspace.path("near.parquet")).unwrap();
    let table = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let rows: Vec<String> = table.into_iter().map(|row| row.unwrap().to_string()).collect();
    assert_eq!(rows.len(), 3);
    assert!(
        rows[0].contains("station: \"7\"") && rows[0].contains("path: \"ball\""),
        "{}",
        rows[0]
    );
    assert!(
        rows[1].contains("containing_path: null") && rows[1].contains("closest_z: 1.0"),
        "{}",
        rows[1]
    );
    // Whoever has answers may ask for others: without the columns that answers have.
    let columns = "x,y,z,tree\n0,0,1.25,3\n2,0,3,\nnan,0,0,5\n";
    workspace.write("trees.csv", columns);
    asked(&workspace, "trees.csv", "trees.parquet");
    let file = fs::File::open(workspace.path("trees.parquet")).unwrap();
    let table = parquet::file::reader::SerializedFileReader::new(file).unwrap();
    let trees: Vec<String> = table.into_iter().map(|row| row.unwrap().to_string()).collect();
    assert!(trees[0].contains("tree: 3,") && trees[1].contains("tree: null"), "{trees:?}");
}

#[test]
fn what_is_no_table_of_points_is_refused_with_its_place() {
    let workspace = Workspace::new();
    for (text, reason) in [
        ("x,y\n1,2\n", "p.csv:1:1: has no column z"),
        ("x,y,z\n1,2,up\n", "p.csv:2:5: z is 'up': it must be a number"),
        ("x;y;z\n1,5;2;1.000,5\n", "p.csv:2:7: z is '1.000,5': a number may have one decimal"),
        ("x,y,z,path\n1,2,3,a\n", "the points have a column path, and so do the answers"),
        ("x,y,z,x\n1,2,3,4\n", "p.csv:1:7: is a second column x"),
        ("x,y,z\n503214.01,2,3\n", "row 0.x: is 503214.01, and rounding it to float32"),
    ] {
        workspace.write("p.csv", text);
        let arguments = ["points", "scene.json", "p.csv", "-o", "near.csv", "--device", "cpu"];
        let error = workspace.fails(3, &arguments);
        assert!(error.contains(reason), "{error}");
    }
    let error = workspace.fails(3, &["points", "scene.json", "p.csv", "-o", "near.csv"]);
    assert!(error.contains("--origin auto"), "{error}");
    let at = ["points", "scene.json", "p.csv", "-o", "near.csv", "--origin", "503200,0,0"];
    let summary = workspace.json(&[&at[..], &["--device", "cpu"]].concat());
    assert_eq!(summary["points"], 1);
    let near = fs::read_to_string(workspace.path("near.csv")).unwrap();
    assert!(near.lines().nth(1).is_some_and(|row| row.starts_with("503214.01,2,3,")), "{near}");
}

#[test]
fn a_table_of_shapes_far_away_needs_an_origin() {
    let workspace = Workspace::new();
    workspace.write("far.csv", "center_x,center_y,center_z,radius\n503214.01,0,0,1\n");
    let error = workspace.fails(3, &["info", "far.csv"]);
    assert!(
        error.contains("row 0.center: is 503214.01") && error.contains("--origin auto"),
        "{error}"
    );
    workspace.json(&["info", "far.csv", "--origin", "auto"]);
    // Elsewhere it is a warning.
    let scene = r#"{ "raytwin": 1, "nodes": [ { "file": "far.csv" } ] }"#;
    workspace.write("far.json", scene);
    workspace.json(&["info", "far.json"]);
}
