//! Clouds as text, the colours of points, and lidars whose beams a table lists.

use crate::common::las_rules;
use crate::common::workspace::*;
use crate::scans::{points, workspace};

/// Two trees of two cylinders each, beside a scanner.
const FOREST: &str = "parentID,startX,startY,startZ,endX,endY,endZ,radius,treeID\n\
    -1,5,0,-2,5,0,0,0.3,7\n0,5,0,0,5,0,2,0.2,7\n-1,5,3,-2,5,3,0,0.3,9\n2,5,3,0,5,3,2,0.2,9\n";

const SCAN: [&str; 9] = [
    "scan",
    "forest.csv",
    "--stations",
    "s.csv",
    "--lidar",
    "vlp-16",
    "--no-beam",
    "--device",
    "cpu",
];

fn forest() -> Workspace {
    let workspace = workspace();
    workspace.write("forest.csv", FOREST);
    workspace.write("s.csv", "x,y,z\n0,0,0\n");
    workspace
}

fn text(workspace: &Workspace, name: &str) -> String {
    std::fs::read_to_string(workspace.path(name)).unwrap()
}

#[test]
fn rows_of_text_are_the_points_of_other_formats() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "--poses", "rows.csv", "--device", "cpu"];
    let far = ["--origin", "512,-256,64"];
    for name in ["c.npy", "c.csv", "c.xyz"] {
        workspace.json(&[&scan[..], &far, &["-o", name]].concat());
    }
    let expected = points(&workspace, "c.npy");
    let (csv, xyz) = (text(&workspace, "c.csv"), text(&workspace, "c.xyz"));
    let names = "x,y,z,time,geometry_id,primitive_id,ring,column,distance";
    assert_eq!(csv.lines().next(), Some(names));
    assert_eq!((csv.lines().count(), xyz.lines().count()), (5, 4));
    for ((row, line), point) in csv.lines().skip(1).zip(xyz.lines()).zip(expected) {
        let row: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        let line: Vec<f64> = line.split(' ').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!((&row[..3], &line[..]), (&point.position[..], &point.position[..]));
        assert_eq!((row[3], row[8] as f32), (point.time, point.distance));
    }
    let each = ["--each", "csv,xyz", "-o", "folder/"];
    workspace.json(&[&scan[..], &each].concat());
    let whole = text(&workspace, "folder/pose_000001.xyz");
    assert_eq!(whole.lines().count(), 2);
    // The table of poses is none of the clouds.
    assert!(text(&workspace, "folder/poses.csv").starts_with("time,x,y,z,qx"));
}

#[test]
fn what_rows_of_three_numbers_cannot_hold_is_refused_and_leaves_the_old_file() {
    let workspace = forest();
    workspace.write("c.xyz", "old");
    for flag in [
        &["--label-ids"][..],
        &["--cloud-normals"],
        &["--intensity"],
        &["--keep", "tree_id"],
        &["--color-by", "height"],
    ] {
        let message = workspace.fails(2, &[&SCAN[..], flag, &["-o", "c.xyz"]].concat());
        assert!(message.contains(flag[0]) && message.contains("write a .csv"), "{message}");
    }
    assert_eq!(text(&workspace, "c.xyz"), "old");
    workspace.json(&[&SCAN[..], &["--label-ids", "--each", "xyz,csv", "-o", "both/"]].concat());
    let message = workspace.fails(2, &[&SCAN[..], &["-o", "s.csv"]].concat());
    assert!(message.contains("replace its input s.csv"), "{message}");
}

#[test]
fn points_have_the_colours_of_their_trees_or_heights() {
    let workspace = forest();
    let colored = |by: &str| {
        workspace
            .json(&[&SCAN[..], &["--color-by", by, "--keep", "tree_id", "-o", "c.csv"]].concat());
        let csv = text(&workspace, "c.csv");
        let rows: Vec<Vec<f64>> = csv
            .lines()
            .skip(1)
            .map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect())
            .collect();
        assert!(csv.lines().next().unwrap().ends_with(",red,green,blue"));
        rows
    };
    let colors_of = |rows: &[Vec<f64>], tree: f64| {
        let own = rows.iter().filter(|row| row[8] == tree);
        let mut colors: Vec<[f64; 3]> = own.map(|row| *row.last_chunk().unwrap()).collect();
        colors.dedup();
        colors
    };
    let by_tree = colored("tree_id");
    let [seven, nine] = [7.0, 9.0].map(|tree| colors_of(&by_tree, tree));
    assert_eq!((seven.len(), nine.len()), (1, 1));
    let apart: f64 = (0..3).map(|part| (seven[0][part] - nine[0][part]).abs()).sum();
    assert!(apart > 60.0, "{seven:?} {nine:?}");
    assert!(colors_of(&colored("height"), 7.0).len() > 3);
    let output = workspace.run(&[&SCAN[..], &["--color-by", "height", "-o", "c.ply"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("c.ply: colours range from z = -") && said.contains("(light)"), "{said}");
    workspace.json(&[&SCAN[..], &["--color-by", "tree_id", "-o", "c.las"]].concat());
    let las = las_rules::read(&std::fs::read(workspace.path("c.las")).unwrap()).unwrap();
    let whole = seven[0].map(|part| 257 * part as u16);
    assert!(las.points.iter().any(|point| point.color == Some(whole)));
    for (by, reason) in [
        ("order", "it has parentID, tree_id, wood; or give label or height"),
        ("label", "or give one of parentID, tree_id, wood, height"),
    ] {
        let message = workspace.fails(3, &[&SCAN[..], &["--color-by", by, "-o", "d.las"]].concat());
        assert!(message.contains(reason), "{message}");
    }
    let message =
        workspace.fails(2, &[&SCAN[..], &["--color-by", "height", "-o", "d.mcap"]].concat());
    assert!(message.contains("--color-by"), "{message}");
    let query = ["query", "scene.json", "rays.npy", "-o", "h.npz", "--color-by", "height"];
    assert!(workspace.fails(2, &query).contains("give --cloud"));
    let cloud = ["--cloud", "q.csv", "--device", "cpu"];
    workspace.json(&[&query[..], &cloud].concat());
    assert!(text(&workspace, "q.csv").starts_with("x,y,z,geometry_id,ray_id,red,green,blue\n"));
}

#[test]
fn wood_is_brown_and_a_picture_is_painted_by_trees() {
    let workspace = forest();
    let render = ["render", "forest.csv", "--size", "60x40", "--device", "cpu"];
    workspace.json(&render);
    let own = std::fs::read(workspace.path("out/shaded.png")).unwrap();
    let albedo = array(&workspace.path("out/render.npz"), "albedo");
    let shown: std::collections::BTreeSet<&[u8]> = albedo.chunks_exact(3).collect();
    // Nothing, and 0.45, 0.34, 0.25 of 255.
    assert_eq!(shown.into_iter().collect::<Vec<_>>(), [&[0, 0, 0], &[115, 87, 64]]);
    workspace.json(&[&render[..], &["--color-by", "tree_id"]].concat());
    assert!(std::fs::read(workspace.path("out/shaded.png")).unwrap() != own);
    // A scene that says a colour keeps it.
    workspace.write(
        "stand.json",
        r#"{ "raytwin": 1, "nodes": [ { "name": "trees", "color": [1, 0, 0], "file": "forest.csv" } ] }"#,
    );
    workspace.json(&["render", "stand.json", "--size", "60x40", "--device", "cpu"]);
    let albedo = array(&workspace.path("out/render.npz"), "albedo");
    assert!(
        albedo.chunks_exact(3).all(|it| [[0, 0, 0], [255, 0, 0]].contains(&[it[0], it[1], it[2]]))
    );
}

#[test]
fn a_table_of_ones_own_is_a_lidar() {
    let workspace = workspace();
    // Livox numbers its rows, and counts from straight up.
    workspace.write("own.csv", "Time/s,Azimuth/deg,Zenith/deg\n1,0,90\n2,22.5,90\n3,-22.5,90\n");
    let scan = ["scan", "wall.json", "--poses", "rows.csv", "--device", "cpu", "-o", "c.npy"];
    let summary = workspace.json(&[&scan[..], &["--lidar", "own.csv,6"]].concat());
    assert_eq!((&summary["width"], &summary["sweep_s"]), (&3.into(), &0.5.into()));
    let found = points(&workspace, "c.npy");
    let times: Vec<f64> = found.iter().take(3).map(|point| point.time).collect();
    let expected = [0.5, 1.5, 2.5].map(|beam| 5.0 + beam / 6.0);
    assert!(times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
    // Positive azimuths are to the left, and the sensor moves along y.
    let left = 4.0 * (1.5 / 6.0) + 10.0 * (f64::sqrt(2.0) - 1.0);
    assert!((found[1].position[1] - left).abs() < 1e-5, "{:?}", found[1]);
    let thin = [&scan[..], &["--lidar", "own.csv,6", "--size", "1x1"]].concat();
    assert_eq!(workspace.json(&thin)["width"], 1);
    workspace.write("bad.csv", "azimuth_degrees,elevation_degrees,time_s\n0,100,1\n");
    for (code, lidar, reason) in [
        (3, "own.csv", "add the number of beams per second"),
        (3, "none.csv,6", "none.csv"),
        (3, "rows.csv,6", "is not a column of patterns"),
        (3, "bad.csv", "bad.csv: pattern.elevation_degrees[0] is 100"),
        (2, "own.csv,0", "must end in a number of beams per second"),
        (2, "Mid-360", "or a .csv of your own"),
    ] {
        let message = workspace.fails(code, &[&scan[..], &["--lidar", lidar]].concat());
        assert!(message.contains(reason), "{message}");
    }
    let over =
        ["scan", "wall.json", "--lidar", "own.csv,6", "--poses", "rows.csv", "-o", "own.csv"];
    assert!(workspace.fails(2, &over).contains("replace its input own.csv"));
}
