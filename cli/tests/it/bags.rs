//! Scans along the poses of bags of ROS 2, and at the rates of sensors.

use crate::scans::{points, workspace};

#[test]
fn a_scan_goes_along_the_poses_of_its_own_messages() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "--camera", "lidar", "--device", "cpu", "--poses"];
    workspace.json(&[&scan[..], &["rows.csv", "-o", "m.mcap"]].concat());
    workspace.json(&[&scan[..], &["rows.csv", "-o", "a.npy"]].concat());
    for flags in [&[][..], &["--poses-topic", "/tf"], &["--poses-topic", "/tf:lidar"]] {
        let run = workspace.run(&[&scan[..], &["m.mcap", "-o", "b.npy"], flags].concat());
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(messages.contains("3 poses of /tf:lidar in m.mcap"), "{messages}");
        let [a, b] = ["a.npy", "b.npy"].map(|name| points(&workspace, name));
        assert_eq!((a.len(), b.len()), (4, 4));
        for (a, b) in a.iter().zip(&b) {
            assert_eq!((a.time, a.integers, a.distance), (b.time, b.integers, b.distance));
            assert!((0..3).all(|axis| (a.position[axis] - b.position[axis]).abs() < 1e-9));
        }
    }
    for (code, flags, expected) in [
        (
            3,
            &["m.mcap", "--poses-topic", "/odom"][..],
            "has no poses at /odom: there are poses at /tf:lidar",
        ),
        (3, &["m.mcap", "--poses-topic", "/tf:base"], "no poses at /tf:base"),
        (2, &["rows.csv", "--poses-topic", "/tf"], "--poses-topic is for a bag"),
        (2, &["m.mcap", "--poses-topic", "/tf:"], "must be a topic such as /odom"),
        (3, &["none.mcap"], "none.mcap: cannot be read"),
    ] {
        let message = workspace.fails(code, &[&scan[..], flags, &["-o", "c.npy"]].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    workspace.write("text.mcap", "no bag at all");
    let message = workspace.fails(3, &[&scan[..], &["text.mcap", "-o", "c.npy"]].concat());
    assert!(message.contains("text.mcap: is truncated or not an MCAP file"), "{message}");
}

#[test]
fn sweeps_begin_at_a_rate_that_a_flag_or_the_file_of_the_sensor_gives() {
    let workspace = workspace();
    let scan = ["scan", "wall.json", "--device", "cpu", "-o", "c.npy", "--poses", "rows.csv"];
    let starts = |flags: &[&str]| -> Vec<f64> {
        workspace.json(&[&scan[..], flags].concat());
        // The first column is cast a quarter of a sweep after its start.
        let first = points(&workspace, "c.npy").into_iter().filter(|it| it.integers[3] == 0);
        first.map(|point| point.time - 0.25).collect()
    };
    assert_eq!(starts(&[]), [5.0, 6.0]);
    assert_eq!(starts(&["--rate", "2"]), [5.0, 5.5, 6.0]);
    for (rate, expected) in [
        ("2", "3 sweeps from 3 rows, 2 per second by --rate; no sweep begins at 1 of the rows"),
        ("0.5", "1 sweeps from 3 rows, 0.5 per second by --rate; no sweep begins at 2 of the rows"),
    ] {
        let run = workspace.run(&[&scan[..], &["--rate", rate]].concat());
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(messages.contains(expected), "{messages}");
    }
    // Where a sweep begins between two rows, the sensor is between them.
    workspace.json(&[&scan[..], &["--rate", "2", "--frame", "sensor"]].concat());
    let summary = workspace.json(&[&scan[..], &["--rate", "2"]].concat());
    assert_eq!((&summary["poses"], &summary["left_out"]), (&3.into(), &2.into()));
    let middle = points(&workspace, "c.npy")[2].position;
    let tangent = f64::sqrt(2.0) - 1.0;
    assert!((middle[1] - (3.0 + 10.0 * tangent)).abs() < 1e-4, "{middle:?}");
    let own = std::fs::read_to_string(workspace.path("wall.json")).unwrap();
    workspace
        .write("wall.json", own.replacen(r#""sweep_s""#, r#""update_rate_hz": 2, "sweep_s""#, 1));
    assert_eq!(starts(&[]), [5.0, 5.5, 6.0]);
    assert_eq!(starts(&["--rate", "1"]), [5.0, 6.0]);
    let still = ["scan", "wall.json", "--device", "cpu", "-o", "c.npy"];
    assert_eq!(workspace.json(&still)["poses"], 1);
    for (flags, expected) in [
        (&["--rate", "2"][..], "--rate is for --poses without joints"),
        (&["--rate", "0", "--poses", "rows.csv"], "must be a number of sweeps per second above 0"),
        (&["--rate", "1e9", "--poses", "rows.csv"], "with times in seconds"),
    ] {
        let message = workspace.fails(2, &[&still[..], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
}

#[test]
fn gazebo_s_update_rate_is_that_of_sweeps() {
    let workspace = workspace();
    let sdf = |rate: &str| {
        format!(
            "<sdf version='1.9'><model name='m'><link name='l'>
            <visual name='w'><pose>9 0 0 0 0 0</pose><geometry><box><size>1 900 9</size></box></geometry></visual>
            <sensor name='lidar' type='gpu_lidar'>{rate}<lidar><scan><horizontal><samples>3</samples>
            <min_angle>-0.2</min_angle><max_angle>0.2</max_angle></horizontal></scan>
            <range><min>0.1</min><max>90</max></range></lidar></sensor></link></model></sdf>"
        )
    };
    let scan = ["scan", "world.sdf", "--poses", "rows.csv", "--device", "cpu", "-o", "c.ply"];
    for (rate, poses) in [
        ("", 3),
        ("<update_rate>0</update_rate>", 3),
        ("<update_rate>5</update_rate>", 11),
        ("<update_rate>0.5</update_rate>", 2),
    ] {
        workspace.write("world.sdf", sdf(rate));
        assert_eq!(workspace.json(&scan)["poses"], poses, "{rate}");
    }
    workspace.write("world.sdf", sdf("<update_rate>often</update_rate>"));
    let run = workspace.run(&scan);
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && messages.contains("update_rate"), "{messages}");
}
