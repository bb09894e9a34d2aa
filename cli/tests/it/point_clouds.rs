//! `raytwin points` with clouds of points.

use crate::common::workspace::Workspace;
use std::fs;

/// A cloud of a point in the ball and one above the box.
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\n\
    property double z\nproperty uchar classification\nend_header\n0 0 1.25 5\n2 0 3 2\n";

fn asked(workspace: &Workspace, cloud: &str, answers: &str) -> String {
    let arguments = ["points", "scene.json", cloud, "-o", answers, "--device", "cpu"];
    let output = workspace.run(&arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{message}");
    message
}

#[test]
fn a_clouds_numbers_stand_beside_the_answers() {
    let workspace = Workspace::new();
    workspace.write("cloud.ply", PLY);
    asked(&workspace, "cloud.ply", "near.csv");
    let near = fs::read_to_string(workspace.path("near.csv")).unwrap();
    let rows: Vec<&str> = near.lines().collect();
    assert!(rows[0].starts_with("x,y,z,classification,contains,"), "{near}");
    assert!(rows[1].starts_with("0,0,1.25,5,1,0,ball,0.25,-0.25,"), "{near}");
    assert!(rows[2].starts_with("2,0,3,2,0,,,,2,"), "{near}");
    asked(&workspace, "cloud.ply", "near/");
    assert!(workspace.path("near/signed_distance.npy").exists());
}

#[test]
fn what_a_scan_writes_is_asked() {
    let workspace = Workspace::new();
    for cloud in ["c.laz", "c.las", "c.ply", "c.pcd"] {
        let scan = ["render", "scene.json", "--size", "8x8", "--cloud", cloud, "--device", "cpu"];
        let points = workspace.json(&scan);
        let message = asked(&workspace, cloud, "near.csv");
        assert!(message.contains("leaves out the cloud's own geometry_id"), "{message}");
        let near = fs::read_to_string(workspace.path("near.csv")).unwrap();
        let mut rows = near.lines();
        let names: Vec<&str> = rows.next().unwrap().split(',').collect();
        let is_las = cloud.starts_with("c.la");
        assert_eq!(names.contains(&"classification"), is_las, "{cloud}: {names:?}");
        assert!(names.contains(&"ring") && names.contains(&"column"), "{cloud}: {names:?}");
        let distance = names.iter().position(|name| *name == "signed_distance").unwrap();
        let mut count = 0;
        for row in rows {
            let distance: f64 = row.split(',').nth(distance).unwrap().parse().unwrap();
            assert!(distance.abs() < 1e-3, "{cloud}: a hit lies on a surface: {row}");
            count += 1;
        }
        assert!(count > 0, "{points}");
    }
}

#[test]
fn a_cloud_far_away_needs_an_origin() {
    let workspace = Workspace::new();
    workspace.write("far.ply", PLY.replace("2 0 3 2", "503214.01 0 3 2"));
    let ask = ["points", "scene.json", "far.ply", "-o", "near.csv", "--device", "cpu"];
    let error = workspace.fails(3, &ask);
    assert!(error.contains("row 1.x: is 503214.01") && error.contains("--origin auto"), "{error}");
    workspace.json(&[&ask[..], &["--origin", "503000,0,0"]].concat());
}

/// The minor version stands at byte 25 of a header, and the 64-bit count of points at byte 247.
#[test]
fn a_las_whose_header_would_leave_points_out_is_refused() {
    let workspace = Workspace::new();
    for cloud in ["c.las", "c.laz"] {
        let scan = ["render", "scene.json", "--size", "8x8", "--cloud", cloud, "--device", "cpu"];
        workspace.json(&scan);
        let whole = fs::read(workspace.path(cloud)).unwrap();
        let count = u64::from_le_bytes(whole[247..255].try_into().unwrap());
        assert!(count > 2);
        let refused = |at: usize, bytes: &[u8]| {
            let mut changed = whole.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            workspace.write(cloud, changed);
            workspace.fails(3, &["points", "scene.json", cloud, "-o", "near.csv"])
        };
        assert!(refused(25, &[5]).contains("version 1.5"), "{cloud}");
        for fewer in [0, count - 1] {
            let message = refused(247, &fewer.to_le_bytes());
            let expected =
                if cloud == "c.las" || fewer == 0 { "continues after" } else { "points" };
            assert!(message.contains(expected), "{cloud} {fewer}: {message}");
        }
    }
}
