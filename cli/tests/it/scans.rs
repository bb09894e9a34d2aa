//! Scans: one camera from many poses.

use crate::common::workspace::*;

/// A long wall at x = 10, and a floor tile behind the sensor.
const WALL: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "box", "name": "wall", "center": [10.5, 0, 0], "half_extents": [0.5, 500, 5] } ],
  "cameras": [
    { "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0],
      "azimuth_degrees": [45, -45], "elevation_table_degrees": [0], "columns": 2, "sweep_s": 1 },
    { "name": "depth", "eye": [0, 0, 9], "target": [9, 0, 9], "fov_y_degrees": 40,
      "noise": { "stddev": 0.1, "seed": 3 } } ] }"#;

/// Rows one second apart. The sensor looks along x, and moves along y.
const ROWS: &str = "time,x,y,z,qx,qy,qz,qw\n5,0,0,0,0,0,0,1\n6,0,4,0,0,0,0,1\n7,2,4,0,0,0,0,2\n";

/// The optical frame's z axis along the world's x, and its y axis downwards.
const OPTICAL: &str =
    "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,-0.5,0.5,-0.5,0.5\n1,1,0,0,-0.5,0.5,-0.5,0.5\n";

pub fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("wall.json", WALL);
    workspace.write("rows.csv", ROWS);
    workspace.write("optical.csv", OPTICAL);
    workspace
}

/// A point of a cloud of a scan in NumPy's format.
#[derive(Debug, PartialEq)]
pub struct ScanPoint {
    pub position: [f64; 3],
    pub time: f64,
    /// The geometry, the primitive, the ring and the column.
    pub integers: [u32; 4],
    pub distance: f32,
}

pub fn points(workspace: &Workspace, name: &str) -> Vec<ScanPoint> {
    let bytes = std::fs::read(workspace.path(name)).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[..header]).into_owned();
    let names: Vec<&str> =
        text.split("('").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
    assert_eq!(names.join(" "), "x y z time geometry_id primitive_id ring column distance");
    let float64 = |row: &[u8], at: usize| f64::from_le_bytes(row[at..at + 8].try_into().unwrap());
    let point = |row: &[u8]| ScanPoint {
        position: [0, 8, 16].map(|at| float64(row, at)),
        time: float64(row, 24),
        integers: as_u32(&row[32..48]).try_into().unwrap(),
        distance: as_f32(&row[48..])[0],
    };
    bytes[header..].chunks_exact(52).map(point).collect()
}

/// The middles of the two columns are at 22.5 and -22.5 degrees, and at a quarter and three quarters of the second.
#[test]
fn each_column_of_a_sweep_has_its_own_time_and_place() {
    let workspace = workspace();
    let tangent = f64::sqrt(2.0) - 1.0;
    let distance = (10.0 * f64::hypot(1.0, tangent)) as f32;
    for device in ["cpu", "gpu"] {
        let scan = ["scan", "wall.json", "--poses", "rows.csv", "-o", "c.npy", "--device", device];
        let summary = workspace.json(&scan);
        assert_eq!((&summary["poses"], &summary["left_out"]), (&2.into(), &1.into()));
        assert_eq!((&summary["rays"], &summary["cloud_points"]), (&4.into(), &4.into()));
        let found = points(&workspace, "c.npy");
        for (point, (time, y, x, column)) in found.iter().zip([
            (5.25, 1.0, 0.0, 0),
            (5.75, 3.0, 0.0, 1),
            // From the second row on the sensor drives towards the wall.
            (6.25, 4.0, 0.5, 0),
            (6.75, 4.0, 1.5, 1),
        ]) {
            let side = if column == 0 { tangent } else { -tangent };
            let expected = [10.0, y + (10.0 - x) * side, 0.0];
            for (a, b) in point.position.into_iter().zip(expected) {
                assert!((a - b).abs() < 1e-5, "{device}: {point:?} {expected:?}");
            }
            assert_eq!((point.time, point.integers), (time, [0, 0, 0, column]));
            assert!((point.distance - distance * (1.0 - x as f32 / 10.0)).abs() < 1e-5);
        }
        // In the sensor's frame, which is that of each ray's time, the first two columns are alike.
        workspace.json(&[&scan[..], &["--frame", "sensor"]].concat());
        let found = points(&workspace, "c.npy");
        assert!((found[0].position[1] + found[1].position[1]).abs() < 1e-5, "{found:?}");
        workspace.json(&[&scan[..], &["--sweep", "0"]].concat());
        let found = points(&workspace, "c.npy");
        let times: Vec<f64> = found.iter().map(|point| point.time).collect();
        assert_eq!(times, [5.0, 5.0, 6.0, 6.0, 7.0, 7.0]);
        assert!((found[0].position[1] + found[1].position[1]).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn trajectories_of_all_formats_are_the_same() {
    let workspace = workspace();
    let rows = [[5, 0, 0, 0, 0, 0, 0, 1], [6, 0, 4, 0, 0, 0, 0, 1], [7, 2, 4, 0, 0, 0, 0, 2]];
    let numbers: Vec<u8> =
        rows.concat().into_iter().flat_map(|n| f64::from(n).to_le_bytes()).collect();
    workspace.write("rows.npy", npy("<f8", "False", "(3, 8)", &numbers));
    let text =
        "# timestamp tx ty tz qx qy qz qw\n5 0 0 0 0 0 0 1\n\n6 0  4 0 0 0 0 1\n7 2 4 0 0 0 0 2\n";
    workspace.write("rows.tum", text);
    workspace.write(
        "order.csv",
        "qw;x;y;z;qx;qy;qz;time\n1;0;0;0;0;0;0;5\n1;0;4;0;0;0;0;6\n2;2;4;0;0;0;0;7\n",
    );
    let scanned = |poses: &str| {
        let scan = ["scan", "wall.json", "--poses", poses, "-o", "c.npy", "--device", "cpu"];
        workspace.json(&scan);
        points(&workspace, "c.npy")
    };
    let expected = scanned("rows.csv");
    for poses in ["rows.npy", "rows.tum", "order.csv"] {
        assert_eq!(scanned(poses), expected, "{poses}");
    }
}

#[test]
fn a_folder_gets_whole_files_for_each_pose_beside_those_of_an_earlier_scan() {
    let workspace = workspace();
    let folder = |name: &str| workspace.path("f").join(name);
    std::fs::create_dir(workspace.path("f")).unwrap();
    for name in ["pose_000007.ply", "pose_000007.txt", "000000.png"] {
        std::fs::write(folder(name), "old").unwrap();
    }
    let scan = [
        "scan",
        "wall.json",
        "--camera",
        "depth",
        "--poses",
        "optical.csv",
        "-o",
        "f/",
        "--size",
        "40x30",
        "--device",
        "cpu",
        "--each",
        "ply,npz",
        "--depth-png",
        "1000",
    ];
    let summary = workspace.json(&scan);
    assert_eq!((&summary["saturated"], &summary["sweep_s"]), (&0.into(), &0.0.into()));
    let mut names: Vec<_> = std::fs::read_dir(workspace.path("f"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = "000000.png pose_000000.npz pose_000000.ply pose_000000.png pose_000001.npz \
        pose_000001.ply pose_000001.png pose_000007.ply pose_000007.txt poses.csv raytwin-mixture.json";
    assert_eq!(names.join(" "), expected);
    assert_eq!(std::fs::read(folder("pose_000007.ply")).unwrap(), b"old");
    let note = std::fs::read(folder("raytwin-mixture.json")).unwrap();
    let note: serde_json::Value = serde_json::from_slice(&note).unwrap();
    assert_eq!(note["left_alone"], serde_json::json!(["pose_000007.ply"]));
    assert!(note.get("being_replaced").is_none());
    assert_eq!(summary["files"].as_array().unwrap().len(), 7);
    let z = |name: &str| as_f32(&array(&folder(name), "z"));
    let [first, second] = [z("pose_000000.npz"), z("pose_000001.npz")];
    // The image's rays to the wall have z = 10 and 9, with noise, and each pose has noise of its own.
    let hits: Vec<(f32, f32)> = first
        .iter()
        .zip(&second)
        .map(|(a, b)| (a - 10.0, b - 9.0))
        .filter(|(a, b)| a.abs() < 1.0 && b.abs() < 1.0)
        .collect();
    assert!(hits.len() > 1000, "{}", hits.len());
    let sum =
        |of: &dyn Fn(&(f32, f32)) -> f32| hits.iter().map(of).sum::<f32>() / hits.len() as f32;
    let [variance, covariance] = [sum(&|(a, _)| a * a), sum(&|(a, b)| a * b)];
    assert!((variance.sqrt() - 0.1).abs() < 0.02, "{variance}");
    assert!(covariance.abs() < 0.1 * variance, "{covariance} {variance}");
    // The table of poses is a trajectory itself.
    workspace.json(&[
        "scan",
        "wall.json",
        "--camera",
        "depth",
        "--poses",
        "f/poses.csv",
        "-o",
        "g/",
        "--size",
        "40x30",
        "--device",
        "cpu",
        "--each",
        "npz",
    ]);
    assert_eq!(as_f32(&array(&workspace.path("g/pose_000001.npz"), "z")), second);
}

#[test]
fn an_instant_is_what_render_shows_from_there() {
    let workspace = workspace();
    workspace.write("still.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,9,-0.5,0.5,-0.5,0.5\n");
    let camera = ["--camera", "depth", "--size", "40x30"];
    for device in ["cpu", "gpu"] {
        let scan = [
            "scan",
            "wall.json",
            "--poses",
            "still.csv",
            "-o",
            "f/",
            "--each",
            "npz",
            "--device",
            device,
        ];
        workspace.json(&[&scan[..], &camera].concat());
        workspace.json(
            &[&["render", "wall.json", "--shading", "0", "--device", device][..], &camera].concat(),
        );
        for name in ["distance", "z", "geometry_ids", "primitive_normals"] {
            let scanned = array(&workspace.path("f/pose_000000.npz"), name);
            assert!(scanned == array(&workspace.path("out/render.npz"), name), "{device}: {name}");
        }
    }
}

#[test]
fn a_models_camera_rides_on_its_body() {
    let workspace = workspace();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/");
    let [model, poses] =
        ["robots/rover.xml", "trajectories/pan.csv"].map(|path| format!("{examples}{path}"));
    let scan = ["scan", &model, "--poses", &poses, "--camera", "eye", "--size", "8x6", "-o", "f/"];
    workspace.json(&[&scan[..], &["--depth-png", "1000", "--device", "cpu"]].concat());
    let table = std::fs::read_to_string(workspace.path("f/poses.csv")).unwrap();
    let numbers = |line: &str| line.split(',').map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    for (line, angle) in table.lines().skip(1).zip([-1.0, -0.5, 0.0, 0.5, 1.0_f64]) {
        // The camera stands 0.05 before the mast's axis, which is at x = -0.2.
        let expected = [0.05 * angle.cos() - 0.2, 0.05 * angle.sin(), 0.84];
        for (found, expected) in numbers(line)[1..4].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-7, "{line}");
        }
    }
    assert_eq!(table.lines().count(), 6);
}

#[test]
fn a_trajectory_that_cannot_be_is_refused_with_its_place() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "-o", "bad.npy", "--poses"];
    let header = "time,x,y,z,qx,qy,qz,qw";
    for (rows, place) in [
        (String::new(), "bad.csv:1:1: the file is empty"),
        (header.to_owned(), "bad.csv: the trajectory has no pose"),
        ("time\n1\n".to_owned(), "bad.csv:1:1: has only the column time"),
        ("times,turn\n1,2\n".to_owned(), "no column time (did you mean times?)"),
        ("time,x,y,z\n0,0,0,0\n".to_owned(), "needs the columns qx qy qz qw"),
        ("time,turn,turn\n0,0,0\n".to_owned(), "bad.csv:1:11: is a second column turn"),
        (format!("{header}\n0,0,0,0,0,0,0,0\n"), "bad.csv:2:9: qx is part of [0.0"),
        (format!("{header}\n0,0,0,0,0,0,0,nan\n"), "bad.csv:2:15: qw is NaN"),
        (format!("{header}\n0,0,2e9,0,0,0,0,1\n"), "bad.csv:2:5: y is part of"),
        (format!("{header}\n0,0,,0,0,0,0,1\n"), "bad.csv:2:5: y is empty"),
        (format!("{header}\n0,0,0,0,0,0,0,1\n0,1,0,0,0,0,0,1\n"), "bad.csv:3:1: time is 0"),
        (format!("{header}\ninf,0,0,0,0,0,0,1\n"), "bad.csv:2:1: time is inf"),
        (format!("{header}\n0,0,0,0,0,0,0\n"), "this row has 7 cells"),
        (format!("{header}\n0,0,0,0,0,0,0,1\n"), "no sweep of 1 s fits"),
    ] {
        workspace.write("bad.csv", &rows);
        let message = workspace.fails(3, &[&scan[..], &["bad.csv"]].concat());
        assert!(message.contains(place), "{rows}: {message}");
    }
    for (text, place) in [
        ("0 0 0 0 0 0 0\n", "bad.tum:1:1: this line has 7 words"),
        ("# poses\n0 0 0 a 0 0 0 1\n", "bad.tum:2:7: z is 'a'"),
        ("0 0 0 0 0 0 0 1\n-1 0 0 0 0 0 0 1\n", "bad.tum:2:1: time is -1"),
        ("", "bad.tum: the trajectory has no pose"),
    ] {
        workspace.write("bad.tum", text);
        let message = workspace.fails(3, &[&scan[..], &["bad.tum"]].concat());
        assert!(message.contains(place), "{text}: {message}");
    }
    for (descr, shape, place) in [
        ("<f8", "(1, 7)", "has shape [1, 7]: poses must have shape (N, 8)"),
        ("<f8", "(9999999999, 8)", "is truncated"),
        ("<i8", "(1, 8)", "has type int64"),
        ("<f8", "(0, 8)", "the trajectory has no pose"),
        ("<f8", "(1, 8)", "[0, 4]: qx is part of"),
    ] {
        workspace.write("bad_rows.npy", npy(descr, "False", shape, &[0; 64]));
        let message = workspace.fails(3, &[&scan[..], &["bad_rows.npy"]].concat());
        assert!(message.contains(place), "{shape}: {message}");
    }
    assert!(workspace.fails(3, &[&scan[..], &["wall.json"]].concat()).contains("not a trajectory"));
    assert!(
        workspace.fails(3, &[&scan[..], &["row.csv"]].concat()).contains("did you mean rows.csv")
    );
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "--poses", "rows.csv"];
    for (flags, expected) in [
        (&["-o", "f/"][..], "--each or --depth-png"),
        (&["-o", "c.asc"], "--each or --depth-png"),
        (&["-o", "c.asc", "--each", "ply"], "slash"),
        (&["-o", "c.ply", "--each", "ply"], "give a folder"),
        (&["-o", "f/", "--each", "obj"], "--each"),
        (&["-o", "f/", "--each", "npz", "--cloud-normals"], "--cloud-normals"),
        (&["-o", "c.ply", "--eye", "0,0,0"], "--eye"),
        (&["-o", "c.ply", "--sweep", "-1"], "--sweep"),
        (&["-o", "c.ply", "--sweep", "1", "--camera", "depth"], "depth is not"),
        (&["-o", "c.ply", "--lidar", "Mid-360"], "VLP-16"),
        (&["-o", "c.ply", "--lidar", "VLP-16", "--size", "100x17"], "16 rows"),
        (&["-o", "c.ply", "--lidar", "VLP-16", "--fov-y", "40"], "--fov-y"),
        (&["-o", "c.ply", "--lidar", "Mid-40", "--size", "100x8"], "10000 beams"),
        (&["-o", "c.ply", "--lidar", "Mid-40", "--sweep", "1"], "sets the time of each beam"),
        (&[], "--out"),
    ] {
        let message = workspace.fails(2, &[&scan[..], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    let link = [&scan[..], &["-o", "c.ply", "--link", "arm"]].concat();
    assert!(workspace.fails(3, &link).contains("the scene has no links"));
    let own = ["scan", "wall.json", "--poses", "f/poses.csv", "-o", "f/", "--each", "ply"];
    std::fs::create_dir(workspace.path("f")).unwrap();
    std::fs::copy(workspace.path("rows.csv"), workspace.path("f/poses.csv")).unwrap();
    assert!(workspace.fails(2, &own).contains("replace"));
}

#[test]
fn lidars_have_the_rows_of_their_makers_by_flag_and_in_scenes() {
    let workspace = workspace();
    let list = workspace.json(&["scan", "--list-lidars"]);
    let lidars = list["lidars"].as_array().unwrap();
    assert!(lidars.iter().any(|lidar| lidar["name"] == "VLP-32C" && lidar["columns"] == 1808));
    let camera = r#""eye": [0, 0, 0], "target": [1, 0, 0]"#;
    let with = |fields: &str| {
        let scene =
            WALL.replace(r#""cameras": ["#, &format!(r#""cameras": [ {{ {camera}, {fields} }}, "#));
        workspace.write("lidar.json", scene);
    };
    with(r#""lidar": "vlp-32c", "range_min": 1"#);
    let scan = ["scan", "lidar.json", "--poses", "rows.csv", "-o", "c.npy", "--device", "cpu"];
    let summary = workspace.json(&scan);
    let of = |name: &str| summary[name].clone();
    assert_eq!([of("width"), of("height"), of("poses")], [1808, 32, 2]);
    assert_eq!(of("sweep_s"), 0.1);
    for (fields, place) in [
        (r#""lidar": "VLP-61""#, "cameras[0].lidar: \"VLP-61\" is not a known lidar"),
        (
            r#""lidar": "VLP-16", "azimuth_degrees": [1, 2]"#,
            "cameras[0].lidar: defines the directions",
        ),
        (r#""lidar": "VLP-16", "fov_y_degrees": 40"#, "cameras[0].lidar: defines the directions"),
        (r#""fov_y_degrees": 40, "sweep_s": 1"#, "cameras[0].sweep_s"),
        (r#""lidar": "VLP-16", "columns": 0"#, "cameras[0].columns: is 0"),
        (r#""lidar": "VLP-16", "sweep_s": -1"#, "cameras[0].sweep_s: is -1"),
    ] {
        with(fields);
        let message = workspace.fails(3, &scan);
        assert!(message.contains(place), "{fields}: {message}");
    }
}

#[test]
fn a_scan_of_nothing_says_where_the_scene_is() {
    let workspace = workspace();
    workspace.write("away.csv", "x,y,z\n0,0,900\n");
    let scan = ["scan", "wall.json", "--stations", "away.csv", "-o", "c.laz", "--device", "cpu"];
    let ran = workspace.run(&scan);
    let messages = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && messages.contains("nothing was hit"), "{messages}");
    assert!(messages.contains("between [10, -500, -5] and [11, 500, 5]"), "{messages}");
}

#[test]
fn a_sensor_in_its_own_shell_is_noticed() {
    let workspace = workspace();
    let scene = |shell: &str| {
        format!(
            r#"{{ "raytwin": 1, "shapes": [ {shell}
                {{ "type": "plane", "point": [0, 0, -1], "normal": [0, 0, 1] }},
                {{ "type": "box", "center": [0, 0, 0], "half_extents": [20, 20, 10], "name": "room" }} ] }}"#
        )
    };
    let shell = r#"{ "type": "cylinder", "start": [0, 0, -0.1], "end": [0, 0, 0.1], "radius": 0.1, "name": "robot/laser_dome" },"#;
    workspace.write("shell.json", scene(shell));
    workspace.write("room.json", scene(""));
    workspace.write("here.csv", "x,y,z\n0,0,0\n");
    let warned = |scene: &str, flags: &[&str]| {
        let scan = ["scan", scene, "--lidar", "VLP-16", "--stations", "here.csv", "-o", "c.ply"];
        let ran = workspace.run(&[&scan[..], &["--device", "cpu"], flags].concat());
        assert_eq!(ran.status.code(), Some(0));
        String::from_utf8(ran.stderr).unwrap()
    };
    for flags in [&[][..], &["--no-beam"]] {
        let messages = warned("shell.json", flags);
        assert!(messages.contains("100 % of the rays hit 'robot/laser_dome'"), "{messages}");
        assert!(messages.contains("--ignore 'robot/laser_dome'"), "{messages}");
    }
    assert!(!warned("shell.json", &["--ignore", "robot"]).contains("shell"));
    assert!(!warned("room.json", &[]).contains("of the rays hit"));
}
