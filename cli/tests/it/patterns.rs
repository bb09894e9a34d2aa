//! Scans by lidars without rows and columns.

use crate::scans::{points, workspace};

/// A cone of 45 degrees about straight down, four beams a second, above a plane.
#[test]
fn beams_of_a_pattern_have_their_own_times_and_places() {
    let workspace = workspace();
    let scene = |pattern: &str| {
        workspace.write(
            "cone.json",
            format!(
                r#"{{ "raytwin": 1, "shapes": [ {{ "type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] }} ],
  "cameras": [ {{ "name": "cone", "eye": [0, 0, 3], "target": [1, 0, 3], "pattern": {pattern} }} ] }}"#
            ),
        );
    };
    scene(
        r#"{ "type": "conic", "half_angle_degrees": 45, "turns_per_s": 1, "pulses_per_s": 4, "sweep_s": 1 }"#,
    );
    workspace.write("line.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,3,0,0,0,1\n2,16,0,3,0,0,0,1\n");
    for device in ["cpu", "gpu"] {
        let scan = ["scan", "cone.json", "--poses", "line.csv", "-o", "c.npy", "--device", device];
        let summary = workspace.json(&scan);
        assert_eq!((&summary["poses"], &summary["sweep_s"]), (&1.into(), &1.0.into()));
        for (column, point) in points(&workspace, "c.npy").iter().enumerate() {
            let time = (column as f64 + 0.5) / 4.0;
            let around = std::f64::consts::TAU * time;
            let foot = [8.0 * time + 3.0 * around.cos(), 3.0 * around.sin(), 0.0];
            assert_eq!((point.time, point.integers), (time, [0, 0, 0, column as u32]));
            assert!((f64::from(point.distance) - 18.0_f64.sqrt()).abs() < 1e-5);
            for (axis, expected) in foot.into_iter().enumerate() {
                assert!((point.position[axis] - expected).abs() < 1e-5, "{point:?} {foot:?}");
            }
        }
    }
    // Livox numbers the rows of its tables and counts from straight up.
    workspace.write("beams.csv", "Time/s,Azimuth/deg,Zenith/deg\n1,0,135\n2,90,135\n");
    scene(r#"{ "type": "table", "file": "beams.csv", "pulses_per_s": 2 }"#);
    workspace.json(&["scan", "cone.json", "--poses", "line.csv", "-o", "c.npy", "--device", "cpu"]);
    let rows = points(&workspace, "c.npy");
    // The sensor is 2 and 6 units along x then.
    assert_eq!((rows[0].time, rows[1].time), (0.25, 0.75));
    assert!((rows[0].position[0] - 5.0).abs() < 1e-5 && (rows[1].position[1] - 3.0).abs() < 1e-5);
    workspace.json(&["diff", "cone.json"]);
    let image = workspace.json(&["render", "cone.json", "--device", "cpu"]);
    assert_eq!((&image["width"], &image["height"]), (&2.into(), &1.into()));
}

/// The lasers of a column fire before and after its time. Twice as fast, the first and the last ones
/// would leave the sweep.
#[test]
fn presets_sweep_at_any_pace() {
    let workspace = workspace();
    workspace.write("line.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,1,0,0,0,1\n0.05,1,0,1,0,0,0,1\n");
    workspace.write("leg.csv", "x,y,z,speed\n0,0,1,20\n2,0,1,20\n");
    for lidar in ["VLP-16", "VLP-32C", "HDL-32E", "VLS-128", "Pandar64"] {
        for (way, poses) in [(["--poses", "line.csv"], 1), (["--legs", "leg.csv"], 2)] {
            let scan = ["scan", "wall.json", "--lidar", lidar, "--no-beam", "--sweep", "0.05"];
            let scan = [&scan[..], &["--device", "cpu"]].concat();
            let summary = workspace.json(&[&scan[..], &way, &["-o", "c.npy"]].concat());
            assert_eq!(summary["poses"], poses, "{lidar} {way:?}");
            let times: Vec<f64> = points(&workspace, "c.npy").iter().map(|it| it.time).collect();
            let ends = times.iter().fold([f64::INFINITY, 0.0], |[least, most], &time| {
                [time.min(least), time.max(most)]
            });
            assert!(ends[0] >= 0.0 && ends[1] <= 0.05 * f64::from(poses), "{lidar}: {ends:?}");
        }
    }
}
