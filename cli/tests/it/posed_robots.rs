//! Scans along the poses of a robot, whose sensors ride on it as its file has them.

use crate::common::workspace::*;
use crate::scans::points;
use raytwin_files::bags::Bag;

/// Where the robot's base is in each row, and how it is turned about z.
const BASE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [2.0, 1.0, 0.4], [3.0, -1.0, -0.3]];

/// A wall at x = 8.5, and a robot that its file has elsewhere and turned.
const WORLD: &str = r#"<sdf version="1.9"><world name="w">
  <model name="wall"><link name="l"><visual name="v"><pose>9 0 0 0 0 0</pose>
    <geometry><box><size>1 90 90</size></box></geometry></visual></link></model>
  <model name="bot"><pose>-3 1 0.2 0 0 0.7</pose><link name="base">
    <visual name="hull"><pose>0 0 -0.5 0 0 0</pose><geometry><box><size>0.4 0.4 0.2</size></box></geometry></visual>
    <sensor name="depth" type="depth_camera"><pose>0.3 0 0.1 0 0 0</pose>
      <camera><horizontal_fov>0.5</horizontal_fov><image><width>9</width><height>9</height></image>
        <clip><near>0.1</near><far>50</far></clip></camera></sensor>
    <sensor name="lidar" type="gpu_lidar"><pose>0.1 0.5 0.3 0 0 0.2</pose><lidar><scan><horizontal><samples>3</samples>
      <min_angle>-0.2</min_angle><max_angle>0.2</max_angle></horizontal></scan>
      <range><min>0.1</min><max>90</max></range></lidar></sensor></link></model></world></sdf>"#;

const ROBOT: &str = r#"<robot name="r"><link name="base_link"><visual><geometry><box size="0.4 0.4 0.2"/></geometry></visual></link>
  <joint name="pan" type="continuous"><parent link="base_link"/><child link="head"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/></joint>
  <link name="head"/><joint name="fix" type="fixed"><parent link="head"/><child link="lidar_link"/><origin xyz="0.5 0 0"/></joint>
  <link name="lidar_link"/></robot>"#;

const MODEL: &str = r#"<mujoco><worldbody><geom type="plane" size="9 9 1"/><body name="rover" pos="1 0 0.5"><freejoint/>
  <geom size="0.1"/><site name="top" pos="0 0 0.5"/></body></worldbody></mujoco>"#;

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("bot.sdf", WORLD);
    workspace.write("bot.urdf", ROBOT);
    workspace.write("bot.xml", MODEL);
    let row = |(time, [x, y, yaw]): (usize, [f64; 3])| {
        let (sine, cosine) = (0.5 * yaw).sin_cos();
        format!("{time},{x},{y},0,0,0,{sine},{cosine}\n")
    };
    let rows: String = BASE.into_iter().enumerate().map(row).collect();
    workspace.write("base.csv", format!("time,x,y,z,qx,qy,qz,qw\n{rows}"));
    workspace
}

fn messages(workspace: &Workspace, arguments: &[&str]) -> String {
    let run = workspace.run(arguments);
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{arguments:?}: {messages}");
    messages
}

/// The place of a frame on `/tf` in each row, and how it is turned about z.
fn frame_on_tf(workspace: &Workspace, frame: &str) -> Vec<([f64; 3], f64)> {
    let bag = Bag::read(&workspace.path("m.mcap")).unwrap();
    let topic = format!("/tf:{frame}").parse().unwrap();
    let rows = bag.rows(&bag.chosen(Some(&topic)).unwrap()).unwrap();
    assert!(rows.frame.unwrap().ends_with(frame));
    let poses = rows.poses.unwrap().into_iter();
    let place = poses.map(|pose| {
        let [_, _, z, w] = pose.rotation.to_array();
        (pose.position.to_array(), 2.0 * f64::atan2(z, w))
    });
    place.collect()
}

/// Asserts that a frame is at `[x, y, z]` in the base's frame in each row, and turned in it.
fn assert_on_base(found: &[([f64; 3], f64)], place: impl Fn(usize) -> ([f64; 3], f64)) {
    assert_eq!(found.len(), BASE.len());
    for (row, ((at, turn), [x, y, yaw])) in found.iter().zip(BASE).enumerate() {
        let ([ahead, left, up], turned) = place(row);
        let (sine, cosine) = yaw.sin_cos();
        let wanted = [x + cosine * ahead - sine * left, y + sine * ahead + cosine * left, up];
        let far = (0..3).map(|axis| (at[axis] - wanted[axis]).abs()).fold(0.0, f64::max);
        assert!(far < 1e-6 && (turn - yaw - turned).sin().abs() < 1e-6, "{row}: {at:?} {turn}");
    }
}

#[test]
fn sensors_ride_on_the_link_whose_poses_the_rows_are() {
    let workspace = workspace();
    let scan = ["scan", "bot.sdf", "--poses", "base.csv", "--poses-of", "base", "--device", "cpu"];
    for (camera, middle, [ahead, left, up], turned) in
        [("depth", [4, 4], [0.3, 0.0, 0.1], 0.0), ("lidar", [0, 1], [0.1, 0.5, 0.3], 0.2)]
    {
        workspace.json(&[&scan[..], &["--camera", camera, "-o", "c.npy"]].concat());
        let found = points(&workspace, "c.npy").into_iter();
        let found: Vec<_> = found.filter(|it| it.integers[2..4] == middle).collect();
        assert_eq!(found.len(), 3, "{camera}");
        for (point, [x, y, yaw]) in found.iter().zip(BASE) {
            let (sine, cosine) = yaw.sin_cos();
            let eye = [x + cosine * ahead - sine * left, y + sine * ahead + cosine * left];
            let wanted = [8.5, eye[1] + (8.5 - eye[0]) * (yaw + turned).tan(), up];
            let far = (0..3).map(|axis| (point.position[axis] - wanted[axis]).abs());
            assert!(far.fold(0.0, f64::max) < 1e-4, "{camera}: {point:?} {wanted:?}");
        }
    }
    // Its frames are where the rows have them, also if no ray meets the robot.
    for flags in [&[][..], &["--ignore", "bot"], &["--fixed"]] {
        let moves = !flags.contains(&"--fixed");
        let asked = [&scan[..], &["--camera", "lidar", "-o", "m.mcap"], flags].concat();
        assert!(!messages(&workspace, &asked).contains("moves with the sensor"), "it is asked for");
        assert_on_base(&frame_on_tf(&workspace, "bot_base_lidar"), |_| ([0.1, 0.5, 0.3], 0.2));
        if moves {
            assert_on_base(&frame_on_tf(&workspace, "base"), |_| ([0.0; 3], 0.0));
        }
    }
    // A bag says whose poses it has.
    workspace.json(&[&scan[..], &["--camera", "lidar", "-o", "a.npy"]].concat());
    workspace.json(&[&scan[..], &["--camera", "lidar", "-o", "m.mcap"]].concat());
    let by_bag = ["scan", "bot.sdf", "--poses", "m.mcap", "--camera", "lidar", "--device", "cpu"];
    for (topic, expected) in [
        ("/tf:base", "the rows are poses of bot/base, according to the bag"),
        ("/tf:bot_base_lidar", "reads the rows as poses of the sensor"),
    ] {
        let asked = [&by_bag[..], &["--poses-topic", topic, "-o", "b.npy"]].concat();
        let messages = messages(&workspace, &asked);
        assert!(messages.contains(expected), "{messages}");
        let [a, b] = ["a.npy", "b.npy"].map(|name| points(&workspace, name));
        assert_eq!((a.len(), b.len()), (9, 9));
        for (a, b) in a.iter().zip(&b) {
            assert!((0..3).all(|axis| (a.position[axis] - b.position[axis]).abs() < 1e-5));
        }
    }
}

#[test]
fn joints_of_the_same_rows_move_the_sensor_on_its_robot() {
    let workspace = workspace();
    let base = std::fs::read_to_string(workspace.path("base.csv")).unwrap();
    let with_pan = base.lines().zip(["pan", "0", "1", "-2"]);
    let with_pan: String = with_pan.map(|(row, pan)| format!("{row},{pan}\n")).collect();
    workspace.write("both.csv", with_pan);
    let scan = ["scan", "bot.urdf", "--poses", "both.csv", "--poses-of", "base_link", "--sweep"];
    let scan = [&scan[..], &["0", "--link", "lidar_link", "--lidar", "VLP-16"]].concat();
    let messages = messages(&workspace, &[&scan[..], &["-o", "m.mcap"]].concat());
    assert!(!messages.contains("/tf has no frame"), "{messages}");
    let pan = |row: usize| [0.0, 1.0, -2.0][row];
    assert_on_base(&frame_on_tf(&workspace, "base_link"), |_| ([0.0; 3], 0.0));
    assert_on_base(&frame_on_tf(&workspace, "head"), |row| ([0.0, 0.0, 1.0], pan(row)));
    let on_arm = |row: usize| ([0.5 * f64::cos(pan(row)), 0.5 * f64::sin(pan(row)), 1.0], pan(row));
    assert_on_base(&frame_on_tf(&workspace, "lidar_link"), on_arm);
    // The sensor sees the robot below it as its file alone has it.
    let own = |flags: &[&str]| -> Vec<f32> {
        workspace.json(&[&scan[..], &["--no-beam", "-o", "c.npy"], flags].concat());
        let found = points(&workspace, "c.npy").into_iter().filter(|it| it.time == 0.0);
        found.map(|it| it.distance).collect()
    };
    let seen = own(&[]);
    workspace.json(&[
        "scan",
        "bot.urdf",
        "--link",
        "lidar_link",
        "--lidar",
        "VLP-16",
        "--no-beam",
        "-o",
        "c.npy",
    ]);
    let still: Vec<f32> = points(&workspace, "c.npy").iter().map(|it| it.distance).collect();
    assert!(seen.len().abs_diff(still.len()) <= 2 && seen.len() == own(&[]).len());
}

#[test]
fn a_sensor_on_a_link_has_the_frame_of_the_link() {
    let workspace = workspace();
    for (scene, flags, frame) in [
        ("bot.urdf", &["--link", "lidar_link"][..], "lidar_link"),
        ("bot.sdf", &["--link", "base"], "bot/base"),
        ("bot.xml", &["--link", "rover"], "rover"),
        ("bot.xml", &["--site", "top"], "VLP_16"),
    ] {
        for poses in [&[][..], &["--poses", "base.csv", "--sweep", "0"]] {
            let lidar = ["scan", scene, "--lidar", "VLP-16", "-o", "m.mcap"];
            let messages = messages(&workspace, &[&lidar[..], flags, poses].concat());
            assert!(messages.contains("by camera VLP-16"), "{scene}: {messages}");
            assert!(!messages.contains("/tf has no frame"), "{scene}: {messages}");
            let bytes = std::fs::read(workspace.path("m.mcap")).unwrap();
            let has = |text: &[u8]| bytes.windows(text.len()).any(|it| it == text);
            assert!(has(b"/VLP_16/points"), "{scene}");
            assert!(!frame_on_tf(&workspace, frame).is_empty());
        }
    }
    let named = ["scan", "bot.urdf", "--link", "lidar_link", "--lidar", "VLP-16", "-o", "m.mcap"];
    workspace.json(&[&named[..], &["--frame-id", "eye"]].concat());
    assert_eq!(frame_on_tf(&workspace, "eye"), frame_on_tf(&workspace, "lidar_link"));
}

#[test]
fn what_the_rows_cannot_be_poses_of_is_refused() {
    let workspace = workspace();
    workspace.write("pan.csv", "time,pan\n0,0\n1,1\n");
    let lidar = ["--lidar", "VLP-16"];
    let [sdf, urdf, mjcf] =
        ["bot.sdf", "bot.urdf", "bot.xml"].map(|scene| ["scan", scene, "--poses", "base.csv"]);
    let pan = ["scan", "bot.urdf", "--poses", "pan.csv", "--link", "head", "--lidar", "VLP-16"];
    for (code, scan, flags, expected) in [
        (2, &sdf[..], &["--camera", "depth", "--link", "base"][..], "give --poses-of bot/base"),
        (2, &sdf, &["--camera", "depth", "--poses-of", "wall/l"], "is not mounted on the robot"),
        (3, &sdf, &["--camera", "depth", "--poses-of", "hand"], "it has bot/base, wall/l"),
        (2, &urdf, &["--lidar", "VLP-16", "--poses-of", "base_link"], "is not mounted on"),
        (2, &pan, &["--poses-of", "base_link"], "these rows have only joints"),
        (2, &pan, &["--sweep", "0.1"], "have one state for each sweep"),
        (2, &sdf, &["--link", "base", "--fixed", lidar[0], lidar[1]], "has no effect"),
        (2, &urdf, &["--link", "head", "--fixed", lidar[0], lidar[1]], "has no effect"),
        (2, &mjcf, &["--link", "rover", "--fixed", lidar[0], lidar[1]], "has no effect"),
    ] {
        let message = workspace.fails(code, &[scan, flags, &["-o", "c.npy"]].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
}
