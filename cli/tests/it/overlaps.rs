//! `raytwin overlaps`: exit codes, files and pictures of what overlaps.

use crate::common::workspace::*;
use serde_json::Value;

/// Two balls that pierce each other, one in a box, and a pipe of two pieces, of which one touches the box.
const CLASHES: &str = r#"{ "raytwin": 1, "shapes": [
    { "type": "sphere", "name": "left", "center": [0, 0, 0], "radius": 1 },
    { "type": "sphere", "name": "right", "center": [1.5, 0, 0], "radius": 1 },
    { "type": "box", "name": "crate", "center": [10, 0, 0], "half_extents": [2, 2, 2] },
    { "type": "sphere", "name": "apple", "center": [10, 0, 0], "radius": 0.5 },
    { "type": "cylinder", "name": "pipe1", "start": [10, 0, 2], "end": [10, 0, 5], "radius": 0.25 },
    { "type": "cylinder", "name": "pipe2", "start": [10, 0, 5], "end": [14, 0, 5], "radius": 0.25 }
] }"#;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("clashes.json", CLASHES);
    workspace
}

/// The object that the program prints, and its exit code.
fn overlaps(workspace: &Workspace, flags: &[&str]) -> (Value, Option<i32>) {
    let output = workspace.run(&[&["overlaps", "clashes.json", "--json"], flags].concat());
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

#[test]
fn the_exit_code_tells_what_is_neither_allowed_nor_known() {
    let workspace = workspace();
    let (all, code) = overlaps(&workspace, &["-o", "pairs.csv"]);
    let pairs = all["pairs"].as_array().unwrap().iter();
    let pairs: Vec<[&str; 3]> = pairs
        .map(|pair| {
            [&pair["a"]["path"], &pair["b"]["path"], &pair["kind"]].map(|it| it.as_str().unwrap())
        })
        .collect();
    assert_eq!(
        pairs,
        [
            ["left", "right", "pierces"],
            ["crate", "apple", "inside"],
            ["crate", "pipe1", "touching"]
        ]
    );
    assert_eq!((&all["adjacent"], &all["refused"], code), (&1.into(), &3.into(), Some(1)));
    assert_eq!((&all["pairs"][1]["inner"], &all["pairs"][1]["proved"]), (&3.into(), &true.into()));
    let witness = all["pairs"][0]["witness"].as_array().unwrap();
    assert!((witness[0].as_f64().unwrap() - 0.75).abs() < 0.05, "{witness:?}");

    let (allowed, code) = overlaps(&workspace, &["--allow", "inside,touching"]);
    assert_eq!((&allowed["refused"], code), (&1.into(), Some(1)));
    let (known, code) = overlaps(&workspace, &["--known", "pairs.csv"]);
    assert_eq!((&known["known"], &known["refused"], code), (&3.into(), &0.into(), Some(0)));
    let (_, code) = overlaps(&workspace, &["--between", "apple", "pipe*"]);
    assert_eq!(code, Some(0));
    let (near, code) = overlaps(&workspace, &["--between", "apple", "pipe1", "--clearance", "2"]);
    assert_eq!((&near["pairs"][0]["kind"], code), (&"near".into(), Some(0)));
    assert_eq!((&near["pairs"][0]["gap"], &near["pairs"][0]["depth"]), (&1.5.into(), &Value::Null));
    let (deepest, _) = overlaps(&workspace, &["--max", "1"]);
    assert_eq!((&deepest["pairs"][0]["kind"], &deepest["refused"]), (&"inside".into(), &3.into()));
}

#[test]
fn pairs_are_written_as_tables_and_read_as_known_ones() {
    let workspace = workspace();
    for file in ["pairs.csv", "pairs.parquet", "pairs.json"] {
        overlaps(&workspace, &["-o", file]);
        assert!(workspace.path(file).metadata().unwrap().len() > 100, "{file}");
    }
    let (_, code) = overlaps(&workspace, &["--known", "pairs.json"]);
    assert_eq!(code, Some(0));
    let text = std::fs::read_to_string(workspace.path("pairs.csv")).unwrap();
    assert!(
        text.starts_with("a_geometry_id,a_path,b_geometry_id,b_path,kind,inner,depth,gap,"),
        "{text}"
    );
    workspace.write("ids.csv", "a,b\n0,1\n");
    let message = workspace.fails(3, &["overlaps", "clashes.json", "--known", "ids.csv"]);
    assert!(message.contains("ids.csv") && message.contains("a_path"), "{message}");
    workspace.write("broken.json", "{ \"pairs\": [ {} ] }");
    let message = workspace.fails(3, &["overlaps", "clashes.json", "--known", "broken.json"]);
    assert!(message.contains("broken.json: pairs[0]"), "{message}");
    for (flags, word) in [
        (["-o", "pairs.npz"], ".csv, a .parquet or a .json"),
        (["-o", "clashes.json"], "would replace"),
        (["--clearance", "-1"], "0 or more"),
        (["--picture", "a.png"], "folder"),
        (["--world", "4"], "world"),
    ] {
        let code = if flags[0] == "--world" { 3 } else { 2 };
        let message = workspace.fails(code, &[&["overlaps", "clashes.json"], &flags[..]].concat());
        assert!(message.contains(word), "{message}");
    }
    let message = workspace.fails(3, &["overlaps", "clashes.json", "--between", "apple", "pear"]);
    assert!(message.contains("--between pear"), "{message}");
}

#[test]
fn the_deepest_pairs_have_a_picture() {
    let workspace = workspace();
    let (all, _) = overlaps(&workspace, &["--picture", "cut"]);
    assert_eq!(all["files"].as_array().unwrap().len(), 3);
    let pictures = workspace.contents("cut/");
    assert!(pictures.values().all(|bytes| bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000));
    // Files of an earlier run are no files of this one.
    let (one, _) = overlaps(&workspace, &["--picture", "cut", "--max", "1"]);
    assert_eq!((one["files"].as_array().unwrap().len(), workspace.contents("cut/").len()), (1, 3));
}

#[test]
fn what_moves_together_is_left_out_and_parents_and_excludes_of_mujoco_are() {
    let workspace = Workspace::new();
    let body = |name: &str, inner: &str| {
        format!(
            "<body name='{name}' pos='0.5 0 0'><joint/><geom size='1' name='{name}'/>{inner}</body>"
        )
    };
    let model = |contact: &str| {
        let bodies = body("a", &body("b", &body("c", "")));
        format!("<mujoco><worldbody>{bodies}</worldbody>{contact}</mujoco>")
    };
    for (contact, pairs) in [("", 1), ("<contact><exclude body1='a' body2='c'/></contact>", 0)] {
        workspace.write("model.xml", model(contact));
        let output = workspace.run(&["overlaps", "model.xml", "--json"]);
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["pairs"].as_array().unwrap().len(), pairs, "{object}");
        assert_eq!(object["adjacent"], 3 - pairs);
    }
}
