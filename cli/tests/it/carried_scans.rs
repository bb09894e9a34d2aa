//! Scans along a trajectory by sensors on robots, which move with their sensors.

use crate::common::workspace::*;
use raytwin::camera::Pose;
use raytwin_files::bags::Bag;
use std::collections::BTreeMap;

/// The sensor on the rover: ahead and to the left of its middle.
const MOUNT: [f64; 3] = [0.2, 0.1, 0.5];

/// Where the rover is in each row, and how it is turned about z.
const PLACES: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.5, -0.5, 0.7], [-1.0, 0.75, -2.0]];

/// A rover with a hood before its lidar and a mast beside it, on a model of its own, in a room.
fn world([x, y, yaw]: [f64; 3]) -> String {
    let [mount_x, mount_y, mount_z] = MOUNT;
    format!(
        r#"<sdf version="1.9"><world name="w">
  <model name="room"><link name="l">
    <visual name="floor"><geometry><plane><normal>0 0 1</normal><size>50 50</size></plane></geometry></visual>
    <visual name="post"><pose>4 1 1 0 0 0</pose><geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry></visual>
    <visual name="wall"><pose>-5 0 1 0 0 0.3</pose><geometry><box><size>0.2 9 2</size></box></geometry></visual>
  </link></model>
  <model name="rover"><pose>{x} {y} 0 0 0 {yaw}</pose>
    <link name="base">
      <visual name="hood"><pose>0.9 0 0.3 0 0.1 0</pose><geometry><box><size>0.8 0.6 0.2</size></box></geometry></visual>
      <sensor name="lidar" type="gpu_lidar"><pose>{mount_x} {mount_y} {mount_z} 0 0 0</pose>
        <lidar>
          <scan>
            <horizontal><samples>91</samples><min_angle>-3.14159</min_angle><max_angle>3.14159</max_angle></horizontal>
            <vertical><samples>5</samples><min_angle>-0.3</min_angle><max_angle>0.1</max_angle></vertical>
          </scan>
          <range><min>0.05</min><max>30</max></range>
        </lidar>
      </sensor>
    </link>
    <model name="rig"><link name="l"><visual name="mast">
      <pose>0 0.6 0.5 0.2 0 0</pose><geometry><cylinder><radius>0.1</radius><length>1.5</length></cylinder></geometry>
    </visual></link></model>
  </model>
</world></sdf>"#
    )
}

/// Rows of the poses that the sensor has with the rover at these places, a second apart.
fn sensor_rows(places: &[[f64; 3]]) -> String {
    let mut rows = "time,x,y,z,qx,qy,qz,qw\n".to_owned();
    for (time, [x, y, yaw]) in places.iter().enumerate() {
        let [mount_x, mount_y, z] = MOUNT;
        let (sine, cosine) = yaw.sin_cos();
        let x = x + cosine * mount_x - sine * mount_y;
        let y = y + sine * mount_x + cosine * mount_y;
        let half = 0.5 * yaw;
        rows += &format!("{time},{x},{y},{z},0,0,{},{}\n", half.sin(), half.cos());
    }
    rows
}

/// A point of a cloud: its position and normal, and its geometry, ring and column.
#[derive(Clone, Debug)]
struct Point {
    numbers: [f64; 6],
    time: f64,
    distance: f32,
    integers: [u32; 3],
}

impl Point {
    /// Returns true if two points of sensors at the same place are the same but for rounding.
    fn is_like(&self, other: &Self) -> bool {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 3e-5;
        self.integers == other.integers && self.numbers.iter().zip(&other.numbers).all(is_near)
    }
}

fn cloud(workspace: &Workspace, command: &[&str]) -> Vec<Point> {
    let out = ["--cloud-normals", "-o", "c.npy"];
    workspace.json(&[command, &out].concat());
    let bytes = std::fs::read(workspace.path("c.npy")).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[..header]).into_owned();
    // What a beam returns stands between the distance and the normal.
    assert!(text.contains("('column', '<u4'), ('distance', '<f4'), "), "{text}");
    assert!(text.contains("('nx', '<f4'), ('ny', '<f4'), ('nz', '<f4')]"), "{text}");
    let size = (bytes.len() - header) / text_rows(&text);
    let float64 = |row: &[u8], at: usize| f64::from_le_bytes(row[at..at + 8].try_into().unwrap());
    let point = |row: &[u8]| {
        let normal = as_f32(&row[size - 12..]);
        let integers = as_u32(&row[32..48]);
        Point {
            numbers: [
                float64(row, 0),
                float64(row, 8),
                float64(row, 16),
                normal[0].into(),
                normal[1].into(),
                normal[2].into(),
            ],
            time: float64(row, 24),
            distance: as_f32(&row[48..52])[0],
            integers: [integers[0], integers[2], integers[3]],
        }
    };
    bytes[header..].chunks_exact(size).map(point).collect()
}

/// The rows that the header of an array says it has.
fn text_rows(header: &str) -> usize {
    let (_, shape) = header.split_once("'shape': (").unwrap();
    shape.split(',').next().unwrap().parse().unwrap()
}

/// The oracle is the same world with the rover elsewhere, scanned from where its sensor stands.
#[test]
fn a_model_moves_with_its_sensor() {
    let workspace = Workspace::new();
    workspace.write("rows.csv", sensor_rows(&PLACES));
    for (number, place) in PLACES.into_iter().enumerate() {
        workspace.write(&format!("at{number}.sdf"), world(place));
    }
    let beam = ["--beam", "20", "--returns", "3"];
    for (device, beam) in [("cpu", &[][..]), ("cpu", &beam), ("gpu", &[]), ("gpu", &beam)] {
        let flags = [&["--device", device], beam].concat();
        let moving = [&["scan", "at0.sdf", "--poses", "rows.csv"], &flags[..]].concat();
        let found = cloud(&workspace, &moving);
        let mut seen = [0; 5];
        for number in 0..PLACES.len() {
            let name = format!("at{number}.sdf");
            let expected = cloud(&workspace, &[&["scan", &name], &flags[..]].concat());
            let found: Vec<&Point> = found.iter().filter(|it| it.time == number as f64).collect();
            assert_eq!(found.len(), expected.len(), "{flags:?} {number}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.is_like(expected), "{flags:?} {number}: {found:?} {expected:?}");
                seen[found.integers[0] as usize] += 1;
            }
        }
        // Hood and mast are seen in each row, and hide others.
        assert!(seen.iter().all(|count| *count > 3), "{seen:?}");
        let fixed = cloud(&workspace, &[&moving[..], &["--fixed"]].concat());
        assert_ne!(fixed.len(), 0);
        let own = |points: &[Point]| {
            points.iter().filter(|it| it.integers[0] > 2 && it.time > 0.0).count()
        };
        assert_ne!(own(&fixed), own(&found), "the rover stays behind");
    }
}

/// While a sweep takes its time, what carries the sensor stays where it is seen, and all else is
/// what it is without it.
#[test]
fn a_model_does_not_lag_behind_its_sensor_within_a_sweep() {
    let workspace = Workspace::new();
    workspace.write("w.sdf", world(PLACES[0]));
    workspace.write("rows.csv", sensor_rows(&PLACES[..2]));
    let scan = ["scan", "w.sdf", "--device", "cpu"];
    let sweep = [&scan[..], &["--poses", "rows.csv", "--sweep", "1"]].concat();
    let still = cloud(&workspace, &scan);
    let alone = cloud(&workspace, &[&sweep[..], &["--ignore", "rover"]].concat());
    let found = cloud(&workspace, &sweep);
    let own = |points: &[Point]| -> Vec<Point> {
        points.iter().filter(|it| it.integers[0] > 2).cloned().collect()
    };
    let (own_found, own_still) = (own(&found), own(&still));
    assert!(own_found.len() > 20);
    assert_eq!(own_found.len(), own_still.len());
    for (found, still) in own_found.iter().zip(&own_still) {
        assert_eq!(found.integers, still.integers);
        assert!((found.distance - still.distance).abs() < 1e-5, "{found:?} {still:?}");
    }
    let others: Vec<&Point> = found.iter().filter(|it| it.integers[0] <= 2).collect();
    let is_hidden = |it: &&Point| own_found.iter().any(|own| own.integers[1..] == it.integers[1..]);
    let expected: Vec<&Point> = alone.iter().filter(|it| !is_hidden(it)).collect();
    assert_eq!(others.len(), expected.len());
    assert!(others.iter().zip(&expected).all(|(a, b)| a.is_like(b)));
}

/// What a command that succeeds prints on standard error.
fn printed(workspace: &Workspace, command: &[&str]) -> String {
    let output = workspace.run(command);
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{command:?}: {printed}");
    printed
}

#[test]
fn what_carries_a_sensor_is_known_by_its_camera_or_its_link() {
    let workspace = Workspace::new();
    workspace.write("w.sdf", world(PLACES[0]));
    workspace.write("rows.csv", sensor_rows(&PLACES));
    // A rover of a file that another scene uses, behind a shape of its own.
    workspace.write(
        "room.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 50], "radius": 1 } ],
             "nodes": [ { "name": "in", "file": "w.sdf" } ] }"#,
    );
    workspace.write(
        "m.xml",
        r#"<mujoco><worldbody><geom type="plane" size="9 9 1"/><camera name="far" pos="0 0 9"/>
          <body name="rover"><freejoint/><geom name="hull" size="0.2"/>
            <body name="arm"><joint/><geom name="hand" size="0.1" pos="0 0 1"/>
              <camera name="eye" pos="0.5 0 0.5" xyaxes="0 -1 0 0 0 1"/></body></body>
          <body name="other"><geom name="rock" size="0.3" pos="3 0 0"/></body></worldbody></mujoco>"#,
    );
    workspace.write(
        "r.urdf",
        r#"<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
          <joint name="j" type="fixed"><parent link="base"/><child link="head"/><origin xyz="0.9 0 0"/></joint>
          <link name="head"/></robot>"#,
    );
    workspace.write(
        "cell.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 50], "radius": 1 } ],
             "nodes": [ { "name": "arm", "file": "r.urdf" }, { "name": "free" } ],
             "cameras": [ { "name": "eye", "parent": "arm/head", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 40 },
               { "name": "whole", "parent": "arm", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 40 },
               { "name": "none", "parent": "free", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 40 } ] }"#,
    );
    let scan = |scene: &'static str, flags: &[&'static str]| {
        let out = ["--poses", "rows.csv", "-o", "c.npy", "--device", "cpu"];
        [&["scan", scene], flags, &out].concat()
    };
    for (scene, flags, expected) in [
        ("w.sdf", &["--camera", "lidar"][..], "rover moves with the sensor"),
        ("w.sdf", &["--camera", "lidar", "--lidar", "VLP-16"], "rover moves with the sensor"),
        ("w.sdf", &["--lidar", "VLP-16"], "rover does not move"),
        ("w.sdf", &["--link", "rover/rig/l", "--lidar", "VLP-16"], "rover moves with the sensor"),
        ("room.json", &["--camera", "lidar"], "in/rover moves with the sensor"),
        ("cell.json", &["--camera", "eye"], "arm/base moves with the sensor"),
        ("cell.json", &["--camera", "whole"], "arm/base moves with the sensor"),
        ("m.xml", &["--camera", "eye"], "rover moves with the sensor"),
        ("m.xml", &["--link", "arm", "--lidar", "VLP-16"], "rover moves with the sensor"),
        ("r.urdf", &["--link", "head", "--lidar", "VLP-16"], "moves with the sensor"),
    ] {
        let message = printed(&workspace, &scan(scene, flags));
        assert!(message.contains(expected), "{scene} {flags:?}: {message}");
    }
    for (scene, flags) in [
        ("w.sdf", &["--camera", "lidar", "--fixed"][..]),
        ("w.sdf", &["--camera", "lidar", "--ignore", "rover"]),
        ("m.xml", &["--camera", "far"]),
        ("cell.json", &["--camera", "none"]),
    ] {
        let message = printed(&workspace, &scan(scene, flags));
        assert!(!message.contains("moves with"), "{scene} {flags:?}: {message}");
    }
    for (scene, flags, expected) in [
        ("m.xml", &["--camera", "far", "--fixed"][..], "nothing in the scene carries"),
        ("r.urdf", &["--link", "head", "--lidar", "VLP-16", "--fixed"], "leave it out"),
    ] {
        let refused = workspace.fails(2, &scan(scene, flags));
        assert!(refused.contains(expected), "{scene} {flags:?}: {refused}");
    }
    let still = ["scan", "w.sdf", "-o", "c.npy", "--fixed"];
    assert!(workspace.fails(2, &still).contains("--fixed is for a sensor that"));
}

/// The poses of a frame on `/tf`: its position, and how it is turned about z.
fn frame_on_tf(workspace: &Workspace, frame: &str) -> Vec<([f64; 3], f64)> {
    let bag = Bag::read(&workspace.path("m.mcap")).unwrap();
    let topic = format!("/tf:{frame}").parse().unwrap();
    let rows = bag.rows(&bag.chosen(Some(&topic)).unwrap()).unwrap();
    let turned = |pose: &Pose| {
        let [_, _, z, w] = pose.rotation.to_array();
        (pose.position.to_array(), 2.0 * f64::atan2(z, w))
    };
    rows.poses.unwrap().iter().map(turned).collect()
}

fn assert_at(found: ([f64; 3], f64), position: [f64; 3], yaw: f64) {
    // Where a scene has its camera is rounded to float32.
    let is_near = (0..3).all(|axis| (found.0[axis] - position[axis]).abs() < 1e-6);
    assert!(is_near && (found.1 - yaw).sin().abs() < 1e-6, "{found:?} {position:?} {yaw}");
}

#[test]
fn messages_publish_where_the_links_of_a_robot_are() {
    let workspace = Workspace::new();
    workspace.write("w.sdf", world(PLACES[0]));
    workspace.write("rows.csv", sensor_rows(&PLACES));
    workspace.json(&["scan", "w.sdf", "--poses", "rows.csv", "-o", "m.mcap"]);
    let (base, rig) =
        (frame_on_tf(&workspace, "rover/base"), frame_on_tf(&workspace, "rover/rig/l"));
    for (found, [x, y, yaw]) in base.iter().chain(&rig).zip(PLACES.into_iter().cycle()) {
        assert_at(*found, [x, y, 0.0], yaw);
    }
    assert_eq!((base.len(), rig.len()), (3, 3));
    let room = frame_on_tf(&workspace, "room/l");
    room.into_iter().for_each(|found| assert_at(found, [0.0; 3], 0.0));
    // Joints of the same table bend what moves with the sensor, which is on the link that turns.
    workspace.write(
        "r.urdf",
        r#"<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
          <joint name="turn" type="revolute"><parent link="base"/><child link="head"/><origin xyz="2 0 0"/>
            <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
          <link name="head"/><joint name="fix" type="fixed"><parent link="head"/><child link="two words"/></joint>
          <link name="two words"/></robot>"#,
    );
    workspace.write(
        "joints.csv",
        "time,x,y,z,qx,qy,qz,qw,turn\n0,2,0,0,0,0,0,1,0\n1,5,7,0,0,0,0,1,1.5707963267948966\n",
    );
    let scan = ["scan", "r.urdf", "--poses", "joints.csv", "-o", "m.mcap", "--sweep", "0"];
    let message =
        printed(&workspace, &[&scan[..], &["--link", "head", "--lidar", "VLP-16"]].concat());
    assert!(
        message.contains("/tf has no frame for 1 of the links, such as 'two words'"),
        "{message}"
    );
    let [first, second] = frame_on_tf(&workspace, "base")[..] else { panic!() };
    assert_at(first, [0.0; 3], 0.0);
    // The head looks along x, so its base is turned back, and its arm of 2 reaches to the head.
    assert_at(second, [5.0, 9.0, 0.0], -0.5 * std::f64::consts::PI);
}

#[test]
fn a_model_moves_with_a_sensor_at_its_site() {
    let workspace = Workspace::new();
    workspace.write(
        "m.xml",
        r#"<mujoco><worldbody><geom type="plane" size="9 9 1"/>
          <body name="rover" pos="1 0 0"><freejoint/><geom name="hull" size="0.2" pos="0.6 0 0.5"/>
            <site name="top" pos="0 0 0.5"/></body></worldbody></mujoco>"#,
    );
    workspace
        .write("rows.csv", "time,x,y,z,qx,qy,qz,qw\n0,4,4,0.5,0,0,0.6,0.8\n1,5,4,0.5,0,0,0,1\n");
    // A lidar without firing times casts the same rays whether its sweep takes time or none.
    let scan = ["scan", "m.xml", "--site", "top", "--lidar", "PandarXT-16", "--no-beam"];
    let moved = cloud(&workspace, &[&scan[..], &["--poses", "rows.csv", "--sweep", "0"]].concat());
    let still = cloud(&workspace, &scan);
    let hull = |points: &[Point], time: f64| -> BTreeMap<[u32; 3], f32> {
        let own = points.iter().filter(|it| it.integers[0] == 1 && it.time == time);
        own.map(|it| (it.integers, it.distance)).collect()
    };
    let still = hull(&still, 0.0);
    assert!(still.len() > 1000);
    for time in [0.0, 1.0] {
        let moved = hull(&moved, time);
        // Rays that graze the hull may hit or miss it.
        let both = moved.iter().filter_map(|(at, moved)| Some((moved, still.get(at)?)));
        let like = both.filter(|(moved, still)| (*moved - *still).abs() < 1e-3).count();
        let all = moved.len().max(still.len());
        assert!(like + 8 >= all, "at {time}: {like} of {all}");
    }
}
