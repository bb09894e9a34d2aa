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
fn flags_and_files_of_gazebo_name_the_topic_and_the_frame() {
    let workspace = workspace();
    let sensor = |kind: &str, names: &str, view: &str| {
        format!("<sensor name='{kind}' type='{kind}'>{names}{view}</sensor>")
    };
    let names = "<topic>front/laser</topic><gz_frame_id>front_link</gz_frame_id>";
    let samples = "<samples>3</samples><min_angle>-0.2</min_angle><max_angle>0.2</max_angle>";
    let vertical = format!("<vertical>{samples}</vertical>");
    let scan = format!("<scan><horizontal>{samples}</horizontal>{vertical}</scan>");
    let lidar = format!("<lidar>{scan}<range><min>0.1</min><max>90</max></range></lidar>");
    let wall = "<visual name='w'><pose>9 0 0 0 0 0</pose><geometry><sphere><radius>2</radius></sphere></geometry></visual>";
    let sensors = [
        sensor("gpu_lidar", names, &lidar),
        sensor("depth_camera", names, "<camera/>"),
        sensor("lidar", "", &lidar),
    ];
    workspace.write(
        "world.sdf",
        format!(
            "<sdf version='1.9'><model name='m'><link name='l'>{wall}{}</link></model></sdf>",
            sensors.concat()
        ),
    );
    let scan = ["scan", "world.sdf", "--poses", "rows.csv", "--device", "cpu", "-o", "m.mcap"];
    let flags = ["--topic", "rear/points_2", "--frame-id", "rear_link"];
    let none: &[&str] = &[];
    for (camera, given, expected, absent) in [
        ("m/l/gpu_lidar", none, ["/front/laser/points", "front_link"], "gpu_lidar"),
        ("m/l/gpu_lidar", &flags, ["/rear/points_2", "rear_link"], "front"),
        ("m/l/depth_camera", none, ["/front/laser", "/front/camera_info"], "optical"),
        ("m/l/depth_camera", &flags, ["/rear/points_2", "/rear/camera_info"], "front"),
        ("m/l/lidar", none, ["/m_l_lidar/points", "m_l_lidar"], "front"),
        ("m/l/lidar", &flags[..2], ["/rear/points_2", "m_l_lidar"], "front"),
        ("m/l/lidar", &flags[2..], ["/m_l_lidar/points", "rear_link"], "front"),
    ] {
        workspace.json(&[&scan[..], &["--camera", camera], given].concat());
        let bytes = whole(&workspace, "m.mcap");
        assert!(expected.iter().all(|text| has(&bytes, text)), "{camera} {given:?}");
        assert!(!has(&bytes, absent), "{camera} {given:?}");
    }
    // The header of the points and the frame on /tf are one name.
    let bytes = whole(&workspace, "m.mcap");
    assert!(!has(&bytes, "m_l_lidar\0") && has(&bytes, "rear_link\0"));
    let scan = ["scan", "wall.json", "--poses", "rows.csv", "--device", "cpu", "-o"];
    for (output, flags, expected) in [
        ("c.ply", &["--topic", "a"][..], "--topic is for ROS 2 messages: write an .mcap"),
        ("c/", &["--each", "ply", "--frame-id", "a"], "--frame-id is for ROS 2 messages"),
        ("m.mcap", &["--topic", "2d"], "is not a ROS 2 topic"),
        ("m.mcap", &["--topic", "/tf"], "is the topic of the sensor's poses"),
        ("m.mcap", &["--frame-id", "/a"], "is not a frame name"),
        ("m.mcap", &["--frame-id", "map"], "is the world's frame"),
    ] {
        let message = workspace.fails(2, &[&scan[..], &[output], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
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
        assert!(message.contains("raytwin writes answers only to files"), "{message}");
    }
    let before = workspace.listing();
    let message = limited(&workspace, &[&scan[..], &["m.mcap"]].concat());
    assert!(message.contains("m.mcap: cannot be written: "), "{message}");
    assert_eq!(workspace.listing(), before);
    assert_eq!(std::fs::read(workspace.path("m.mcap")).unwrap(), b"old");
}
