//! Sensors that are mounted at the sites of MuJoCo's models.

use crate::scans::{points, workspace};

/// A turning arm with sites, one of them of a model that is attached, and a ball to the left of it.
const ARM: &str = r#"<mujoco><asset><model name="hand" file="hand.xml"/></asset><worldbody>
  <geom name="ball" type="sphere" size="1" pos="0 5 1"/>
  <body name="arm" pos="0 0 1"><joint name="turn" axis="0 0 1"/><geom size="0.01" pos="0 0 -0.5"/>
    <site name="top" pos="0 0 0.5"/><site name="side" pos="0 1 0" zaxis="0 1 0"/>
    <attach model="hand" body="palm" prefix="hand/"/></body></worldbody></mujoco>"#;

const HAND: &str = r#"<mujoco><worldbody><body name="palm"><geom size="0.01" pos="0 0 -0.5"/>
  <site name="eye" pos="0.5 0 0"/></body></worldbody></mujoco>"#;

#[test]
fn a_sensor_is_mounted_at_a_site_and_moves_with_it() {
    let workspace = workspace();
    workspace.write("arm.xml", ARM);
    workspace.write("hand.xml", HAND);
    let scan = ["scan", "arm.xml", "--lidar", "VLP-16", "--no-beam", "--device", "cpu"];
    let at = |flags: &[&str]| {
        workspace.json(&[&scan[..], &["-o", "c.npy", "--frame", "sensor"], flags].concat());
        let nearest = |time: f64| {
            let found = points(&workspace, "c.npy").into_iter();
            let near = found.filter(|it| it.time == time && it.distance > 2.0);
            near.min_by(|a, b| a.distance.total_cmp(&b.distance)).unwrap().position
        };
        [0.0, 1.0].map(|time| {
            points(&workspace, "c.npy").iter().any(|it| it.time == time).then(|| nearest(time))
        })
    };
    // The ball is to the left of the site on the arm, 4 from its surface.
    let [left, none] = at(&["--site", "top"]);
    assert!(none.is_none() && (left.unwrap()[1] - 4.0).abs() < 0.1, "{left:?}");
    // The last part of a path is enough. The site is half ahead, so that the ball is half behind.
    let [left, _] = at(&["--site", "eye"]);
    assert!((left.unwrap()[1] - 4.0).abs() < 0.2 && left.unwrap()[0] < 0.0, "{left:?}");
    // A quarter turn to the left has the ball ahead of the arm, by a column of a joint and by qpos.
    workspace.write("joints.csv", "time,turn\n0,0\n1,1.5707963267948966\n");
    let [left, ahead] = at(&["--site", "top", "--poses", "joints.csv", "--sweep", "0"]);
    assert!((left.unwrap()[1] - 4.0).abs() < 0.1 && (ahead.unwrap()[0] - 4.0).abs() < 0.1);
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }";
    let header = format!("{header:<117}\n");
    let numbers = [0.0_f64, std::f64::consts::FRAC_PI_2].map(f64::to_le_bytes).concat();
    let file = [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &numbers].concat();
    workspace.write("q.npy", file);
    let [left, ahead] = at(&["--site", "top", "--qpos", "q.npy", "--sweep", "0"]);
    assert!((left.unwrap()[1] - 4.0).abs() < 0.1 && (ahead.unwrap()[0] - 4.0).abs() < 0.1);
    // A camera looks along the site's z axis.
    let render = ["render", "arm.xml", "--site", "side", "--size", "9x9", "--out", "side"];
    let summary = workspace.json(&[&render[..], &["--device", "cpu"]].concat());
    assert!(summary["hits"].as_u64().unwrap() > 9, "{summary}");
    assert!((summary["distance_range"][0].as_f64().unwrap() - 3.0).abs() < 1e-5, "{summary}");
    let messages = ["scan", "arm.xml", "--site", "side", "--device", "cpu", "-o", "m.mcap"];
    workspace.json(&messages);
    let bytes = std::fs::read(workspace.path("m.mcap")).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(has("/side/image") && has("side_optical"));
    for (code, flags, expected) in [
        (3, &["--site", "toe"][..], "no such site; it has top, side, hand/eye"),
        (2, &["--site", "top", "--eye", "0,0,0"], "cannot be used with"),
    ] {
        let message = workspace.fails(code, &[&scan[..], &["-o", "c.npy"], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    let message = workspace.fails(3, &["scan", "wall.json", "--site", "top", "-o", "c.npy"]);
    assert!(message.contains("--site top: the scene has no sites"), "{message}");
}
