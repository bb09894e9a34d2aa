//! Scans by sensors on robots, whose joints the trajectory moves.

use crate::common::workspace::*;
use crate::scans::{points, workspace};

/// A sensor on a link that turns about z, and a post that stands on the base.
const ROBOT: &str = r#"<robot name="r">
  <link name="base"><visual><origin xyz="0 3 0"/><geometry><sphere radius="1"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <link name="arm"/>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="sensor"/><origin xyz="0 0 -1"/></joint>
  <link name="sensor"/>
</robot>"#;

#[test]
fn a_sensor_rides_on_the_link_that_joints_move() {
    let workspace = workspace();
    workspace.write("robot.urdf", ROBOT);
    workspace.write("joints.csv", "turn,time\n0,0\n1.5707963267948966,1\n");
    let scan = [
        "scan",
        "robot.urdf",
        "--poses",
        "joints.csv",
        "--lidar",
        "VLP-16",
        "--no-beam",
        "-o",
        "c.npy",
    ];
    let on_link = [&scan[..], &["--link", "sensor", "--device", "cpu"]].concat();
    let nearest = |at: f64| {
        let found = points(&workspace, "c.npy");
        let of_row = found.into_iter().filter(|point| point.time == at);
        of_row.min_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap().position
    };
    // The ball to the left of the sensor is ahead of it after a quarter turn to the left.
    workspace.json(&[&on_link[..], &["--sweep", "0", "--frame", "sensor"]].concat());
    let [left, ahead] = [nearest(0.0), nearest(1.0)];
    assert!((left[1] - 2.0).abs() < 0.03 && left[0].abs() < 0.1, "{left:?}");
    assert!((ahead[0] - 2.0).abs() < 0.03 && ahead[1].abs() < 0.1, "{ahead:?}");
    // The robot stands within a sweep, and so does the sensor, whose lidar takes a tenth of a second.
    let summary = workspace.json(&[&on_link[..], &["--frame", "sensor"]].concat());
    assert_eq!((&summary["poses"], &summary["left_out"]), (&2.into(), &0.into()));
    assert_eq!(summary["sweep_s"], 0.0);
    assert!(points(&workspace, "c.npy").iter().all(|point| [0.0, 1.0].contains(&point.time)));
    let [left, ahead] = [nearest(0.0), nearest(1.0)];
    assert!((left[1] - 2.0).abs() < 0.03 && (ahead[0] - 2.0).abs() < 0.03);
    let messages = workspace.run(&on_link);
    let messages = String::from_utf8_lossy(&messages.stderr).into_owned();
    assert!(
        messages.contains("casts each sweep at once, because joints and --qpos have one state"),
        "{messages}"
    );
    let joints = |flags: &[&str]| workspace.fails(2, &[&scan[..], flags].concat());
    let gripper = workspace.fails(3, &[&scan[..], &["--link", "gripper"]].concat());
    assert!(gripper.contains("it has arm, base, sensor"), "{gripper}");
    assert!(joints(&["--joint", "turn=1"]).contains("--joint turn"));
    assert!(joints(&["--link", "sensor", "--eye", "0,0,0"]).contains("--eye"));
    workspace.write("joints.csv", "time,twist\n0,0\n");
    assert!(workspace.fails(3, &on_link).contains("has no moving joint 'twist'"));
    workspace.write("joints.csv", "time,turn\n0,0\n1,9\n");
    assert!(workspace.fails(3, &[&on_link[..], &["--strict"]].concat()).contains("row 1"));
    let still = ["scan", "wall.json", "--poses", "joints.csv", "-o", "c.npy"];
    assert!(workspace.fails(3, &still).contains("has no robot, so it has no joint 'turn'"));
    let mesh = ["scan", "wall.obj", "--poses", "joints.csv", "-o", "c.npy"];
    assert!(workspace.fails(2, &mesh).contains("column turn is not part of a pose"));
}

#[test]
fn a_robot_in_a_scene_is_moved_by_joints_that_are_called_by_its_node() {
    let workspace = workspace();
    let robot = ROBOT.replace(
        r#"<link name="sensor"/>"#,
        r#"<link name="sensor"><visual><origin xyz="0.5 0 0"/><geometry><sphere radius="0.1"/></geometry></visual></link>"#,
    );
    workspace.write("robot.urdf", robot);
    let room = |joints: &str| {
        format!(
            r#"{{ "raytwin": 1, "shapes": [ {{ "type": "box", "center": [0, 0, -1], "half_extents": [9, 9, 0.1] }} ],
            "nodes": [ {{ "name": "cell", "translation": [1, 2, 0], "file": "robot.urdf"{joints} }} ],
            "cameras": [ {{ "name": "eye", "parent": "cell/sensor", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 30 }} ] }}"#
        )
    };
    workspace.write("room.json", room(r#", "joints": { "turn": 1.1 }"#));
    workspace.write("turned.json", room(r#", "joints": { "turn": 0.7 }"#));
    workspace.write(
        "hall.json",
        r#"{ "raytwin": 1, "nodes": [ { "name": "room", "file": "room.json" } ] }"#,
    );
    let render = |scene: &str, flags: &[&str]| {
        let asked = ["render", scene, "--device", "cpu", "--size", "16x12", "--out", "out"];
        workspace.json(&[&asked[..], flags].concat());
        array(&workspace.path("out/render.npz"), "distance")
    };
    let turned = render("turned.json", &[]);
    assert_ne!(turned, render("room.json", &[]));
    assert_eq!(turned, render("room.json", &["--joint", "cell/turn=0.7"]));
    let above = ["--eye", "1.5,2.5,9", "--target", "1.5,2.5,0"];
    let in_hall = [&above[..], &["--joint", "room/cell/turn=0.7"]].concat();
    assert_eq!(render("turned.json", &above), render("hall.json", &in_hall));

    workspace.write("joints.csv", "time,cell/turn\n0,0.7\n1,1.1\n");
    let scan = ["scan", "room.json", "--poses", "joints.csv", "--size", "16x12", "-o", "f/"];
    workspace.json(&[&scan[..], &["--each", "npz", "--device", "cpu"]].concat());
    let distance = |pose: &str| array(&workspace.path(&format!("f/{pose}.npz")), "distance");
    assert_eq!(turned, distance("pose_000000"));
    assert_ne!(distance("pose_000000"), distance("pose_000001"));

    for (joint, message) in [
        (
            "turn=1",
            "has no robot with a joint 'turn': put the path of the robot's node and a slash before the name of the joint; the nodes with robots are cell",
        ),
        ("cell/twist=1", "has no moving joint 'twist'"),
        ("cells/turn=1", "the nodes with robots are cell"),
    ] {
        let refused = workspace.fails(3, &["render", "room.json", "--out", "o", "--joint", joint]);
        assert!(refused.contains(message), "{refused}");
    }
}

/// A ball that a joint carries along x.
const RAIL: &str = r#"<robot name="rail">
  <link name="a"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="b">
    <visual><geometry><sphere radius="0.5"/></geometry></visual>
    <visual name="gone"><geometry><mesh filename="gone.stl"/></geometry></visual>
  </link>
  <joint name="s" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="20" effort="1" velocity="1"/></joint>
</robot>"#;

#[test]
fn a_sensor_of_flags_stays_where_it_is_whatever_the_origin() {
    let workspace = Workspace::new();
    workspace.write("rail.urdf", RAIL);
    workspace.write("rows.csv", "time,s\n0,0\n1,10\n");
    let sensor = "--eye 10,0,9 --target 10,0,0 --up 0,1,0 --size 11x11 --fov-y 10";
    let scan = "scan rail.urdf --poses rows.csv --device cpu -o out/ --each npz";
    let line = format!("{scan} {sensor}");
    for origin in ["", "--origin=5,0,0", "--origin=auto"] {
        let line = format!("{line} {origin}");
        workspace.json(&line.split_whitespace().collect::<Vec<_>>());
        let hits = ["pose_000000", "pose_000001"].map(|pose| {
            let distances = as_f32(&array(&workspace.path(&format!("out/{pose}.npz")), "distance"));
            distances.iter().filter(|distance| distance.is_finite()).count()
        });
        assert!(hits[0] == 0 && hits[1] > 9, "{origin}: {hits:?}");
        std::fs::remove_dir_all(workspace.path("out")).unwrap();
    }
}

#[test]
fn a_later_row_warns_of_what_no_row_before_did() {
    let workspace = Workspace::new();
    workspace.write("rail.urdf", RAIL);
    workspace.write("rows.csv", "time,s\n0,0\n1,10\n2,21\n3,22\n");
    let line = "scan rail.urdf --poses rows.csv --device cpu -o out/ --each npz";
    let output = workspace.run(&line.split_whitespace().collect::<Vec<_>>());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors.matches("gone.stl").count(), 1, "{errors}");
    let later = "row 2 of the trajectory: ";
    assert!(
        errors.contains(later)
            && errors.contains("21")
            && errors.contains("(1 more in later rows)"),
        "{errors}"
    );
}

/// A body that floats, with a camera that looks along its x and a ball joint before it.
const KITE: &str = r#"<mujoco><compiler autolimits="true"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <geom name="post" type="sphere" size="1" pos="9 0 2"/>
  <body name="kite" pos="0 0 2"><freejoint name="kite"/><geom name="frame" size="0.1" pos="-1 0 0"/>
    <camera name="eye" xyaxes="0 -1 0 0 0 1" fovy="40"/>
    <body name="tail" pos="0 0 -1"><joint name="tail" type="ball"/><geom size="0.2" pos="1 0 0"/></body></body>
</worldbody></mujoco>"#;

#[test]
fn rows_of_qpos_and_columns_of_a_free_joint_are_the_same_scan() {
    let workspace = workspace();
    workspace.write("kite.xml", KITE);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let rows = [
        [0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [3.0, 1.0, 2.5, half, 0.0, 0.0, half, half, 0.0, half, 0.0],
        [3.0, -1.0, 1.5, half, 0.0, 0.0, -half, 1.0, 0.0, 0.0, 0.0],
    ];
    let qpos = |rows: &[[f64; 11]]| {
        let bytes: Vec<u8> =
            rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        npy("<f8", "False", &format!("({}, 11)", rows.len()), &bytes)
    };
    workspace.write("qpos.npy", qpos(&rows));
    let columns = "time,kite.x,kite.y,kite.z,kite.qw,kite.qx,kite.qy,kite.qz,tail.qw,tail.qx,tail.qy,tail.qz\n";
    let line = |(time, row): (usize, &[f64; 11])| {
        format!("{time},{}\n", row.map(|number| number.to_string()).join(","))
    };
    let table: String = rows.iter().enumerate().map(line).collect();
    workspace.write("kite.csv", format!("{columns}{table}"));
    let scan = |flags: &[&str]| {
        let asked = ["scan", "kite.xml", "--camera", "eye", "--size", "20x15", "--device", "cpu"];
        workspace.json(&[&asked[..], flags, &["-o", "c.npy"]].concat());
        points(&workspace, "c.npy")
    };
    let by_rows = scan(&["--qpos", "qpos.npy"]);
    assert_eq!(by_rows, scan(&["--poses", "kite.csv"]));
    let mut times: Vec<f64> = by_rows.iter().map(|point| point.time).collect();
    times.dedup();
    assert_eq!(times, [0.0, 1.0, 2.0]);
    // The first row looks at the post, and the others to the left and to the right of it.
    let sees_post = |time: f64| by_rows.iter().any(|p| p.time == time && p.integers[0] == 1);
    assert_eq!([0.0, 1.0, 2.0].map(sees_post), [true, false, false]);
    // A table that has other times gives these.
    workspace.write(
        "poses.csv",
        "time,x,y,z,qx,qy,qz,qw\n5,0,0,2,1,0,0,0\n6,0,0,2,1,0,0,0\n7,0,0,2,1,0,0,0\n",
    );
    let posed = scan(&["--qpos", "qpos.npy", "--poses", "poses.csv"]);
    assert_eq!(posed[0].time, 5.0);
    let fails = |code: i32, flags: &[&str]| {
        let asked = ["scan", "kite.xml", "--camera", "eye", "--size", "20x15", "-o", "c.npy"];
        workspace.fails(code, &[&asked[..], flags].concat())
    };
    workspace.write("short.csv", "time,x,y,z,qx,qy,qz,qw\n5,0,0,2,0,0,0,1\n");
    let message = fails(3, &["--qpos", "qpos.npy", "--poses", "short.csv"]);
    assert!(message.contains("--poses has 1 rows, and --qpos 3"), "{message}");
    workspace.write("one.npy", qpos(&rows[..1]));
    let asked = ["scan", "kite.xml", "--camera", "eye", "--size", "20x15", "-o", "once.npy"];
    let once = workspace.json(&[&asked[..], &["--qpos", "one.npy"]].concat());
    assert_eq!(once["poses"], 1, "one state is scanned once");
    workspace.write("part.csv", "time,kite.qw,kite.qx\n0,1,0\n");
    let message = fails(3, &["--poses", "part.csv"]);
    assert!(message.contains("the joint kite needs the columns"), "{message}");
}

/// An arm of two joints with a mesh, whose colliders are others than its visuals.
const ARM: &str = r#"<robot name="arm">
  <link name="base"><visual><geometry><box size="1 1 0.2"/></geometry></visual>
    <collision><geometry><sphere radius="0.4"/></geometry></collision></link>
  <link name="upper"><visual><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
    <collision><geometry><capsule radius="0.2" length="1"/></geometry></collision></link>
  <link name="lower"><visual><origin xyz="0.3 0 0.2"/><geometry><mesh filename="hand.obj"/></geometry></visual>
    <collision><geometry><mesh filename="hand.obj" scale="2 1 1"/></geometry></collision></link>
  <joint name="waist" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0.6 0.8 0"/></joint>
</robot>"#;

const HAND: &str =
    "v 0 0 0\nv 0.7 0.1 0\nv 0.1 0.9 0.1\nv 0.2 0.2 0.8\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A cell that holds the arm, with a lidar whose beams have returns.
const CELL: &str = r#"{ "raytwin": 1,
  "nodes": [ { "name": "cell", "file": "arm.urdf" } ],
  "cameras": [ { "name": "lidar", "eye": [3, 0.5, 0.7], "target": [0, 0, 0.7], "azimuth_degrees": [30, -30], "columns": 24,
    "elevation_table_degrees": [12, 6, 0, -6, -12], "beam": { "divergence_mrad": 20, "subrays": 7 }, "returns": { "max": 3 } } ] }"#;

/// More rows than all threads make at once.
fn many_rows() -> usize {
    9 * std::thread::available_parallelism().map_or(2, usize::from)
}

#[test]
fn each_row_of_joints_has_the_bits_that_it_has_alone() {
    let workspace = workspace();
    workspace.write("arm.urdf", ARM);
    workspace.write("hand.obj", HAND);
    workspace.write("cell.json", CELL);
    let poses = |node: &str, rows: std::ops::Range<usize>| {
        let row = |row: usize| format!("{row},{},{}\n", 0.37 * row as f64, -0.11 * row as f64);
        format!("time,{node}waist,{node}elbow\n") + &rows.map(row).collect::<String>()
    };
    let rows = many_rows();
    let eye = "--eye 3,0.5,0.7 --target 0,0,0.7 --size 24x16 --fov-y 50";
    for (scene, node, flags) in [
        ("arm.urdf", "", format!("{eye} --device cpu")),
        ("arm.urdf", "", format!("{eye} --device cpu --collision")),
        ("arm.urdf", "", format!("{eye} --device gpu")),
        ("arm.urdf", "", format!("{eye} --device gpu --canonical")),
        ("cell.json", "cell/", "--camera lidar --device cpu".to_owned()),
    ] {
        let scan = |rows: std::ops::Range<usize>, output: &str| {
            workspace.write("rows.csv", poses(node, rows));
            let line = format!("scan {scene} --poses rows.csv -o {output} --each npz {flags}");
            workspace.json(&line.split_whitespace().collect::<Vec<_>>());
            workspace.contents(output)
        };
        let all = scan(0..rows, "all/");
        assert!(all["pose_000000.npz"] != all["pose_000001.npz"], "{scene} {flags}: the arm moves");
        for row in [0, 3, rows / 2 + 2, rows - 2] {
            let alone = scan(row..row + 1, "one/");
            let (of_row, alone) = (&all[&format!("pose_{row:06}.npz")], &alone["pose_000000.npz"]);
            assert!(of_row == alone, "{scene} {flags}: row {row}");
        }
    }
}

#[test]
fn each_row_of_qpos_has_the_bits_of_its_world_alone() {
    let workspace = workspace();
    workspace.write("kite.xml", KITE);
    let rows = many_rows();
    let row = |row: usize| {
        let turn = 0.1 * row as f64;
        [3.0, turn.sin(), 2.0, 1.0, 0.0, 0.1, turn, 1.0, turn, 0.0, 0.2]
    };
    let numbers = (0..rows).flat_map(row).flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    workspace.write("qpos.npy", npy("<f8", "False", &format!("({rows}, 11)"), &numbers));
    let scan = "scan kite.xml --camera eye --size 24x16 --device cpu --each npz --qpos qpos.npy";
    workspace.json(&[&scan.split(' ').collect::<Vec<_>>()[..], &["-o", "all/"]].concat());
    let all = workspace.contents("all");
    assert!(all["pose_000000.npz"] != all["pose_000001.npz"]);
    for row in [0, 3, rows / 2 + 2, rows - 2] {
        let (world, pose) = (row.to_string(), format!("all/pose_{row:06}.npz"));
        let render = "render kite.xml --camera eye --size 24x16 --device cpu --qpos qpos.npy";
        let render = [&render.split(' ').collect::<Vec<_>>()[..], &["--world", &world]].concat();
        workspace.json(&render);
        for name in ["distance", "geometry_ids", "primitive_normals"] {
            let of_world = array(&workspace.path("out/render.npz"), name);
            assert!(of_world == array(&workspace.path(&pose), name), "{name} of row {row}");
        }
    }
}
