//! Scans without a trajectory, of a sensor that stands where the scene has it.

use crate::scans::{points, workspace};

#[test]
fn a_sensor_of_the_scene_scans_once_from_where_it_is() {
    let workspace = workspace();
    let moved = std::fs::read_to_string(workspace.path("wall.json")).unwrap();
    let moved = moved.replacen(
        r#""eye": [0, 0, 0], "target": [1, 0, 0]"#,
        r#""eye": [2, 4, 1], "target": [3, 4, 1]"#,
        1,
    );
    workspace.write("wall.json", moved);
    let scan = ["scan", "wall.json", "--device", "cpu", "-o", "c.npy"];
    for flags in [&[][..], &["--camera", "lidar"]] {
        let summary = workspace.json(&[&scan[..], flags].concat());
        assert_eq!((&summary["poses"], &summary["left_out"]), (&1.into(), &0.into()));
        assert_eq!((&summary["sweep_s"], &summary["cloud_points"]), (&0.0.into(), &2.into()));
        let tangent = f64::sqrt(2.0) - 1.0;
        for (point, y) in points(&workspace, "c.npy").iter().zip([8.0 * tangent, -8.0 * tangent]) {
            assert_eq!(point.time, 0.0);
            let wanted = [10.0, 4.0 + y, 1.0];
            let far = (0..3).map(|axis| (point.position[axis] - wanted[axis]).abs());
            assert!(far.fold(0.0, f64::max) < 1e-5, "{point:?} {wanted:?}");
        }
    }
    for camera in ["lidar", "depth"] {
        let summary = workspace.json(&["scan", "wall.json", "--camera", camera, "-o", "m.mcap"]);
        assert_eq!(summary["poses"], 1, "{camera}");
    }
    let message = workspace.fails(2, &[&scan[..], &["--sweep", "1"]].concat());
    assert!(message.contains("--sweep is for a sensor that moves"), "{message}");
    let message = workspace.fails(3, &[&scan[..], &["--camera", "radar"]].concat());
    assert!(message.contains("it has lidar, depth"), "{message}");
}
