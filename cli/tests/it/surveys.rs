//! Surveys: legs without quaternions or times, at heights and above the ground.

use crate::common::workspace::*;
use crate::scans::points;

/// A slope z = x / 2 from x = 0 to 16, on which a tree stands that is no ground, beside a plane far below.
const SLOPE: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "heightfield", "name": "slope", "heights": [[0, 8], [0, 8]], "spacing": [16, 16], "center": [8, 8, 0] },
    { "type": "sphere", "name": "tree", "center": [4, 4, 4], "radius": 0.5 },
    { "type": "plane", "name": "sea", "point": [0, 0, -9], "normal": [0, 0, 1] } ],
  "cameras": [
    { "name": "lidar", "eye": [0, 0, 20], "target": [1, 0, 20],
      "azimuth_degrees": [1, -1], "elevation_table_degrees": [0], "columns": 2, "sweep_s": 0.5 },
    { "name": "photo", "eye": [0, 0, 20], "target": [0, 0, 0], "fov_y_degrees": 40 } ] }"#;

/// Five sweeps along x in 2.5 seconds, and two along a diagonal of length 5 in one second.
const LEGS: &str = "strip,x,y,altitude,speed,down_degrees\n\
    a,2,4,3,4,90\na,12,4,3,,\n\
    b,2,2,5,5,0\nb,5,6,5,,\n";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("slope.json", SLOPE);
    workspace.write("legs.csv", LEGS);
    workspace
}

const SCAN: [&str; 6] = ["scan", "slope.json", "--legs", "legs.csv", "--device", "cpu"];

/// The rows of a table of poses.
fn poses(workspace: &Workspace, folder: &str) -> Vec<Vec<f64>> {
    let table = std::fs::read_to_string(workspace.path(folder).join("poses.csv")).unwrap();
    let numbers = |line: &str| line.split(',').map(|n| n.parse().unwrap()).collect();
    table.lines().skip(1).map(numbers).collect()
}

#[test]
fn sweeps_begin_where_a_hand_computes_them() {
    let workspace = workspace();
    let summary = workspace.json(&[&SCAN[..], &["-o", "f/", "--each", "npy"]].concat());
    assert_eq!((&summary["poses"], &summary["left_out"]), (&7.into(), &0.into()));
    let half = f64::sqrt(0.5);
    let (down, ahead) = ([0.0, half, 0.0, half], [0.0, 0.0, f64::sqrt(0.2), f64::sqrt(0.8)]);
    let expected = [
        (0.0, [2.0, 4.0, 4.0], down),
        (0.5, [4.0, 4.0, 5.0], down),
        (1.0, [6.0, 4.0, 6.0], down),
        (1.5, [8.0, 4.0, 7.0], down),
        (2.0, [10.0, 4.0, 8.0], down),
        (3.5, [2.0, 2.0, 6.0], ahead),
        (4.0, [3.5, 4.0, 6.75], ahead),
    ];
    let found = poses(&workspace, "f");
    assert_eq!(found.len(), expected.len());
    for (row, (time, position, rotation)) in found.iter().zip(expected) {
        let expected = [&[time][..], &position, &rotation].concat();
        for (a, b) in row.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-6, "{row:?} {expected:?}");
        }
    }
    // With heights the sensor is where they say, and with the tree as ground it climbs over it.
    workspace.write("heights.csv", LEGS.replace("altitude", "z"));
    let heights = ["scan", "slope.json", "--legs", "heights.csv", "-o", "f/", "--each", "npy"];
    workspace.json(&heights);
    assert!(
        poses(&workspace, "f").iter().map(|row| row[3]).eq([3.0, 3.0, 3.0, 3.0, 3.0, 5.0, 5.0])
    );
    let over = ["-o", "f/", "--each", "npy", "--ground", "slope,tr*"];
    workspace.json(&[&SCAN[..], &over].concat());
    assert!((poses(&workspace, "f")[1][3] - 7.5).abs() < 1e-6);
    workspace.json(&[&SCAN[..], &["-o", "f/", "--each", "npy", "--ground", "sea"]].concat());
    assert_eq!(poses(&workspace, "f")[1][3], -6.0);
}

#[test]
fn points_have_the_time_and_the_number_of_their_leg() {
    let workspace = workspace();
    workspace.json(&[&SCAN[..], &["-o", "c.npy"]].concat());
    let found = points(&workspace, "c.npy");
    let below: Vec<_> = found.iter().filter(|it| it.time < 3.0 && it.integers[0] == 0).collect();
    assert!(below.len() >= 8, "{}", below.len());
    for point in below {
        // The first column is cast an eighth of a second after the sweep's start, the other three eighths.
        let x = 2.0 + 4.0 * point.time;
        assert!(point.time % 0.5 == if point.integers[3] == 0 { 0.125 } else { 0.375 });
        assert!((point.position[0] - x).abs() < 1e-5, "{point:?}");
        assert!((point.position[2] - 0.5 * x).abs() < 1e-5, "{point:?}");
        assert!((f64::from(point.distance) - 3.0 / 0.5_f64.to_radians().cos()).abs() < 1e-4);
    }
    workspace.write("two.csv", "x,y,z,speed,down_degrees\n2,4,20,4,90\n12,4,20,4,90\n12,8,20,4,\n");
    workspace.json(&["scan", "slope.json", "--legs", "two.csv", "-o", "c.las", "--device", "cpu"]);
    let bytes = std::fs::read(workspace.path("c.las")).unwrap();
    let start = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
    let size = usize::from(u16::from_le_bytes([bytes[105], bytes[106]]));
    let rows = bytes[start..].chunks_exact(size);
    let sources: Vec<u16> = rows.map(|row| u16::from_le_bytes([row[20], row[21]])).collect();
    assert_eq!(sources, [[1; 10].as_slice(), &[2; 4]].concat());
    // A message of a sweep has the time of its start, and each pose of the flight its transform.
    workspace.json(&[&SCAN[..], &["-o", "m.mcap"]].concat());
}

#[test]
fn legs_that_cannot_be_flown_are_refused() {
    let workspace = workspace();
    let header = "x,y,altitude,speed\n";
    for (rows, code, place) in [
        ("2,4,3,0\n12,4,3,4\n", 3, "bad.csv:2:7: speed is '0'"),
        ("2,4,3,-4\n12,4,3,4\n", 3, "speed is '-4'"),
        ("2,4,3,nan\n12,4,3,4\n", 3, "speed is 'nan'"),
        ("2,4,3,4\n", 3, "there is one waypoint"),
        ("2,4,3,4\n2,4,3,4\n", 3, "bad.csv:3:1: this row has the same x and y as the previous row"),
        ("2,4,3,30\n12,4,3,4\n", 3, "leg 1 takes 0.3333333333333333 s, but a sweep takes 0.5 s"),
        ("2,4,3,4\n4,4,3,4\n20,4,3,4\n", 3, "leg 2 has no ground below it at x = 16."),
        ("2,4,1e-9,4\n4,4,3,4\n", 3, "more than 4194304 poses"),
    ] {
        workspace.write("bad.csv", format!("{header}{rows}"));
        let scan = ["scan", "slope.json", "--legs", "bad.csv", "-o", "c.npy", "--device", "cpu"];
        let message = workspace.fails(code, &scan);
        assert!(message.contains(place), "{rows}: {message}");
    }
    workspace.write("bad.csv", "x,y,speed\n1,2,3\n");
    let scan = ["scan", "slope.json", "--legs", "bad.csv", "-o", "c.npy"];
    assert!(workspace.fails(3, &scan).contains("neither z nor altitude"));
    workspace.write("level.csv", "x,y,z,speed\n2,4,3,4\n12,4,3,4\n");
    let level = ["scan", "slope.json", "--legs", "level.csv", "-o", "c.npy"];
    for (scan, flags, code, reason) in [
        (&SCAN[..], &["--camera", "photo"][..], 2, "choose a panoramic camera"),
        (&SCAN, &["--sweep", "0"], 2, "set the seconds of a sweep with --sweep"),
        (&SCAN, &["--ground", "rock"], 3, "--ground rock: the scene has no such shape"),
        (&SCAN, &["--eye", "0,0,0"], 2, "--eye"),
        (&SCAN, &["--stations", "s.csv"], 2, "cannot be used with"),
        (&level, &["--ground", "slope"], 2, "these legs have z"),
    ] {
        let flags = [flags, &["-o", "c.npy"][..if scan == level { 0 } else { 2 }]].concat();
        let message = workspace.fails(code, &[scan, &flags].concat());
        assert!(message.contains(reason), "{message}");
    }
    let bare = SLOPE.replace("\"type\": \"plane\"", "\"type\": \"disc\", \"radius\": 9");
    let bare = bare.replace("\"point\": [0, 0, -9]", "\"center\": [0, 0, -9]");
    workspace.write("bare.json", bare.replace("slope", "hill"));
    let scan = ["scan", "bare.json", "--legs", "legs.csv", "-o", "c.npy", "--ignore", "hill"];
    assert!(workspace.fails(3, &scan).contains("leg 1 has no ground below it at x = 2, y = 4"));
    // The standard's numbers of point sources end.
    let row = |number: usize| format!("{},4,3,4\n", 2 + 2 * (number % 2));
    let rows: String = (0..=65_536).map(row).collect();
    workspace.write("many.csv", format!("x,y,z,speed\n{rows}"));
    let scan = ["scan", "slope.json", "--legs", "many.csv", "-o", "c.laz", "--device", "cpu"];
    let message = workspace.fails(3, &scan);
    assert!(message.contains("numbers at most 65535") && message.contains("65536"), "{message}");
}

#[test]
fn the_last_sweep_of_a_flight_and_of_a_trajectory_is_cast() {
    let workspace = Workspace::new();
    // The last beam of each sweep leaves when the next one begins: by float64 the last of all, at
    // 2.9 + 0.1, leaves after the flight's end at 3.
    workspace.write(
        "strip.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] } ],
          "cameras": [
            { "name": "table", "eye": [0, 0, 5], "target": [1, 0, 5], "pattern": {
                "type": "table", "time_s": [0, 0.1], "azimuth_degrees": [0, 0], "elevation_degrees": [-40, -50] } },
            { "name": "rows", "eye": [0, 0, 5], "target": [1, 0, 5], "azimuth_degrees": [60, -60], "columns": 4,
              "sweep_s": 0.1, "elevation_table_degrees": [-40, -50], "row_times_s": [0, 0.02] } ] }"#,
    );
    workspace.write("legs.csv", "x,y,z,speed\n0,0,5,1\n3,0,5,1\n");
    let row = |index: u64, start: u64| {
        let milliseconds = start + 100 * index;
        format!("{}.{:03},{index},0,5,0,0,0,1\n", milliseconds / 1000, milliseconds % 1000)
    };
    let poses = |start: u64| -> String { (0..31).map(|index| row(index, start)).collect() };
    for (name, start) in [("short.csv", 0), ("epoch.csv", 1_700_000_000_700)] {
        workspace.write(name, format!("time,x,y,z,qx,qy,qz,qw\n{}", poses(start)));
    }
    for (camera, pixels) in [("table", 2), ("rows", 8)] {
        for (flag, file, left_out) in
            [("--legs", "legs.csv", 0), ("--poses", "short.csv", 1), ("--poses", "epoch.csv", 1)]
        {
            let scan = ["scan", "strip.json", "--camera", camera, "-o", "c.npy"];
            let summary = workspace.json(&[&scan[..], &[flag, file]].concat());
            let found = ["poses", "left_out", "rays", "cloud_points"].map(|name| &summary[name]);
            assert_eq!(found, [30, left_out, 30 * pixels, 30 * pixels], "{camera} {file}");
        }
    }
}
