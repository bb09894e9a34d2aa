//! Shapes that cannot be read keep their ids, which no ray meets, in every command.

use crate::common::workspace::*;
use serde_json::json;

/// A robot whose second and fourth shape cannot be read.
const ROBOT: &str = r#"<robot name="r"><link name="a">
  <visual><geometry><sphere radius="1"/></geometry></visual>
  <visual><geometry><sphere radius="0"/></geometry></visual>
  <visual><origin xyz="5 0 0"/><geometry><box size="2 2 2"/></geometry></visual>
  <visual><geometry><mesh filename="none.stl"/></geometry></visual></link></robot>"#;

/// Twice the robot; the second is flattened, so that its sphere is placed.
const TWICE: &str = r#"{ "raytwin": 1, "nodes": [
  { "name": "first", "file": "robot.urdf" },
  { "name": "second", "matrix": [1, 0.5, 0, 0,  0, 1, 0, 0,  0, 0, 1, 9], "file": "robot.urdf" } ] }"#;

#[test]
fn every_command_counts_them_and_answers_as_if_they_were_not_there() {
    let workspace = Workspace::new();
    workspace.write("robot.urdf", ROBOT);
    workspace.write("twice.json", TWICE);
    let rays = [[5.0, 0.0, 5.0], [0.0, 0.0, 30.0], [5.0, 0.0, 30.0]];
    let rays: Vec<f32> = rays.iter().flat_map(|[x, y, z]| [*x, *y, *z, 0.0, 0.0, -1.0]).collect();
    workspace.write("rays.npy", npy("<f4", "False", "(3, 6)", &float32(&rays)));
    let hits = |scene: &str| {
        workspace.json(&["query", scene, "rays.npy", "-o", "hits.npz", "--device", "cpu"]);
        as_u32(&array(&workspace.path("hits.npz"), "geometry_ids"))
    };
    assert_eq!(hits("twice.json"), [2, 4, 6]);

    let info = workspace.json(&["info", "twice.json", "--geometries"]);
    assert_eq!((&info["geometry_count"], &info["primitive_count"]), (&json!(8), &json!(4)));
    assert_eq!(info["types"]["empty"], 4);
    let fourth = &info["geometries"][3];
    assert_eq!((&fourth["type"], &fourth["path"]), (&json!("empty"), &json!("first/a/visual[3]")));

    // A native scene holds them; tables cannot.
    workspace.json(&["convert", "twice.json", "copy.json"]);
    assert_eq!(hits("copy.json"), [2, 4, 6]);
    let message = workspace.fails(3, &["convert", "twice.json", "copy.csv"]);
    assert!(message.contains("4 ids that no ray can hit"), "{message}");

    workspace.json(&["diff", "twice.json", "--size", "24x18", "--kind", "closest"]);
    let samples = workspace.json(&["sample", "twice.json", "--rays", "2000"]);
    let met = samples["geometries"].as_array().unwrap().iter().map(|row| &row["geometry_id"]);
    assert_eq!(met.collect::<Vec<_>>(), [0, 2, 4, 6]);
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &float32(&[5.0, 0.0, 0.0])));
    workspace.json(&["points", "twice.json", "points.npy", "-o", "near.npz"]);
    assert_eq!(as_u32(&array(&workspace.path("near.npz"), "geometry_ids")), [2]);

    // A scene of nothing else holds no shape.
    workspace.write(
        "robot.urdf",
        ROBOT.replace("radius=\"1\"", "radius=\"0\"").replace("2 2 2", "2 0 2"),
    );
    let message = workspace.fails(3, &["info", "robot.urdf"]);
    assert!(message.contains("has no shapes to cast rays at; 4 visual geometries"), "{message}");
}

#[test]
fn a_robot_of_collision_geometry_alone_is_reported_with_the_flag() {
    let workspace = Workspace::new();
    workspace.write("robot.urdf", ROBOT.replace("visual", "collision"));
    let message = workspace.fails(3, &["info", "robot.urdf"]);
    assert!(
        message.trim_end().ends_with("has no shapes to cast rays at (--collision)"),
        "{message}"
    );
    workspace.json(&["info", "robot.urdf", "--collision"]);
}
