//! Messages of ROS 2 in MCAP files, of which `.ci/messages.py` compares every number.

use crate::common::workspace::*;
use crate::scans::workspace;

const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// Reads a file, which must be whole.
fn whole(workspace: &Workspace, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(workspace.path(name)).unwrap();
    assert!(bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC), "{name}");
    bytes
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_scan_gives_the_messages_of_its_camera() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "--poses", "rows.csv", "--device", "cpu", "-o", "m.mcap"];
    for (flags, topics, points) in [
        (&["--camera", "lidar"][..], &["/lidar/scan"][..], None),
        (&["--camera", "lidar", "--intensity"], &["/lidar/scan"], None),
        (&["--lidar", "VLP-16", "--frame", "sensor"], &["/lidar/points"], Some(true)),
        (&["--lidar", "VLP-16", "--cloud-normals"], &["/lidar/points", "normal_z"], Some(true)),
        (&["--camera", "depth", "--size", "8x6"], &["/depth/image", "/depth/camera_info"], None),
    ] {
        let summary = workspace.json(&[&scan[..], flags].concat());
        assert_eq!(summary["files"], serde_json::json!(["m.mcap"]), "{flags:?}");
        assert_eq!(summary["cloud_points"].as_u64().map(|count| count > 0), points, "{flags:?}");
        let bytes = whole(&workspace, "m.mcap");
        assert!(["ros2", "ros2msg", "cdr", "/tf"].iter().all(|text| has(&bytes, text)));
        assert!(topics.iter().all(|text| has(&bytes, text)), "{flags:?}");
        // The same scan has the same bytes.
        workspace.json(&[&scan[..], flags].concat());
        assert!(whole(&workspace, "m.mcap") == bytes, "{flags:?}");
    }
}

#[test]
fn several_returns_of_a_level_row_are_points() {
    let workspace = workspace();
    let scene = std::fs::read_to_string(workspace.path("wall.json")).unwrap();
    let beam =
        r#""beam": { "divergence_mrad": 9, "subrays": 7 }, "returns": { "max": 3 }, "sweep_s""#;
    workspace.write("beam.json", scene.replacen(r#""sweep_s""#, beam, 1));
    let scan = ["scan", "beam.json", "--poses", "rows.csv", "--strict", "-o", "m.mcap"];
    let summary = workspace.json(&scan);
    assert_eq!((&summary["cloud_points"], &summary["hits"]), (&4.into(), &4.into()));
    let bytes = whole(&workspace, "m.mcap");
    let fields = ["/lidar/points", "intensity", "return_number", "number_of_returns"];
    assert!(fields.iter().all(|text| has(&bytes, text)) && !has(&bytes, "/lidar/scan"));
}

#[test]
fn what_messages_cannot_have_is_refused_before_it_is_cast() {
    let workspace = workspace();
    let header = "time,x,y,z,qx,qy,qz,qw";
    workspace.write("early.csv", format!("{header}\n-1,0,0,0,0,0,0,1\n1,0,0,0,0,0,0,1\n"));
    workspace.write("late.csv", format!("{header}\n1,0,0,0,0,0,0,1\n1e10,0,0,0,0,0,0,1\n"));
    let scan = ["scan", "wall.json", "--device", "cpu", "--poses"];
    for (code, flags, expected) in [
        (3, &["early.csv", "-o", "m.mcap"][..], "row 0 of the trajectory has the time -1"),
        (3, &["late.csv", "-o", "m.mcap"], "row 1 of the trajectory has the time 10000000000"),
        (2, &["rows.csv", "-o", "m.mcap", "--frame", "world"], "leave --frame out"),
        (
            2,
            &["rows.csv", "-o", "m.mcap", "--camera", "depth", "--intensity"],
            "--intensity: neither a cloud nor a LaserScan",
        ),
        (2, &["rows.csv", "-o", "m.mcap", "--each", "ply"], "give a folder"),
        (2, &["rows.csv", "-o", "m.mcap", "--cloud-normals"], "no cloud is written"),
        (2, &["rows.csv", "-o", "m.mcap/"], "--each or --depth-png"),
    ] {
        let message = workspace.fails(code, &[&scan[..], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    // Files of other commands are no messages.
    for flags in
        [&["render", "wall.json", "--cloud"][..], &["query", "wall.json", "rays.npy", "--cloud"]]
    {
        assert!(workspace.fails(2, &[flags, &["m.mcap"]].concat()).contains(".las"));
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_full_disk_leave_no_part_of_a_file() {
    use crate::outputs::limited;
    use std::process::Command;
    let workspace = workspace();
    assert!(Command::new("mkfifo").arg(workspace.path("pipe.mcap")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/full", workspace.path("full.mcap")).unwrap();
    workspace.write("m.mcap", "old");
    let scan = ["scan", "wall.json", "--poses", "rows.csv", "--lidar", "VLP-16", "-o"];
    for name in ["pipe.mcap", "full.mcap"] {
        let message = workspace.fails(3, &[&scan[..], &[name]].concat());
        assert!(message.contains("answers can only replace a file"), "{message}");
    }
    let before = workspace.listing();
    let message = limited(&workspace, &[&scan[..], &["m.mcap"]].concat());
    assert!(message.contains("m.mcap: cannot be written: "), "{message}");
    assert_eq!(workspace.listing(), before);
    assert_eq!(std::fs::read(workspace.path("m.mcap")).unwrap(), b"old");
}
