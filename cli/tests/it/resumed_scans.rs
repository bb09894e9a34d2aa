//! `raytwin scan --resume`: a scan that was interrupted or killed goes on, and gives the bytes of an uninterrupted one.

use crate::common::running::*;
use crate::common::workspace::*;
use std::process::Stdio;

/// A lidar whose 200 sweeps see a ball from around it.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        "lidar.json",
        r#"{ "raytwin": 1,
          "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 5, "label": 3 } ],
          "cameras": [ { "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [180, -180],
            "columns": 200, "elevation_table_degrees": [-2, 0, 2, 4], "sweep_s": 0.1, "noise": { "stddev": 0.01, "seed": 4 } } ] }"#,
    );
    workspace.write("legs.csv", "x,y,z,speed\n-10,-9,1,2\n10,-9,1,2\n10,11,1,2\n");
    workspace
}

const SCAN: [&str; 6] = ["scan", "lidar.json", "--legs", "legs.csv", "--device", "cpu"];

/// Starts a scan with `--resume`, and ends it by a signal once its partial file has so many bytes. If it is done before,
/// another one is tried.
fn interrupt(workspace: &Workspace, arguments: &[&str], partial: &str, length: u64) {
    let partial = workspace.path(partial);
    let arguments = [arguments, &["--resume", "-q"]].concat();
    let kept = || std::fs::metadata(&partial).map_or(0, |file| file.len());
    for _ in 0..10 {
        let mut running = Running::start(workspace, &arguments, Stdio::null());
        wait_until("some is kept", || kept() >= length || !running.is_running());
        running.signal_if_running(["KILL", "INT"][length as usize % 2]);
        running.end();
        if partial.exists() {
            return;
        }
    }
    panic!("{arguments:?}: each run ended by itself");
}

#[test]
fn a_resumed_scan_gives_the_bytes_of_an_uninterrupted_one() {
    let workspace = workspace();
    for (output, flags, lengths) in [
        ("part.npy", &["--cloud-normals"][..], [30_000, 900_001]),
        ("part.laz", &["--label-ids"], [60_001, 800_000]),
        ("part.parquet", &["--intensity"], [400, 400_001]),
        ("part/", &["--each", "npz,ply", "--depth-png", "100"], [2000, 20_001]),
    ] {
        let scan = |output| [&SCAN[..], flags, &["-o", output]].concat();
        let whole = output.replace("part", "whole");
        let expected = workspace.json(&scan(&whole));
        let partial = format!("{}.partial", output.trim_end_matches('/'));
        for length in lengths {
            interrupt(&workspace, &scan(output), &partial, length);
        }
        let rest = workspace.json(&[&scan(output)[..], &["--resume"]].concat());
        assert!(rest["kept"].as_u64().unwrap() > 0, "{output}: nothing was kept");
        assert_eq!(expected["kept"], 0);
        for count in ["rays", "hits", "cloud_points", "saturated", "invalid"] {
            assert_eq!(rest[count], expected[count], "{output} {count}");
        }
        assert_eq!(
            rest["files"].as_array().unwrap().len(),
            expected["files"].as_array().unwrap().len()
        );
        assert!(workspace.contents(output) == workspace.contents(&whole), "{output}");
        assert!(!workspace.path(&partial).exists());
    }
}

#[test]
fn a_resumed_scan_of_joints_gives_the_bytes_of_an_uninterrupted_one() {
    let workspace = workspace();
    workspace.write(
        "rail.urdf",
        r#"<robot name="rail"><link name="a"/>
          <link name="b"><visual><geometry><sphere radius="0.5"/></geometry></visual></link>
          <joint name="s" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
            <limit lower="0" upper="20" effort="1" velocity="1"/></joint></robot>"#,
    );
    let row = |row: u32| format!("{row},{}\n", 0.01 * f64::from(row));
    workspace.write("rows.csv", "time,s\n".to_owned() + &(0..400).map(row).collect::<String>());
    let line = "scan rail.urdf --poses rows.csv --eye 0,-9,0 --target 2,0,0 --size 32x24 --device cpu --each npz -o";
    let scan = |output| line.split(' ').chain([output]).collect::<Vec<_>>();
    workspace.json(&scan("whole/"));
    interrupt(&workspace, &scan("part/"), "part.partial", 2000);
    let rest = workspace.json(&[&scan("part/")[..], &["--resume"]].concat());
    assert!(rest["kept"].as_u64().unwrap() > 0, "nothing was kept");
    assert!(workspace.contents("part/") == workspace.contents("whole/"));
}

#[test]
fn a_signal_says_how_a_scan_goes_on() {
    let workspace = workspace();
    for (output, partial, flags) in
        [("c.npy", "c.npy.partial", &[][..]), ("f/", "f.partial", &["--each", "npy"])]
    {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            // It takes longer than the signal.
            let long = ["--size", "4000x4", "-o", output, "--resume"];
            let scan = [&SCAN[..], &long, flags].concat();
            let running = Running::start(&workspace, &scan, Stdio::piped());
            let length = || std::fs::metadata(workspace.path(partial)).map_or(0, |it| it.len());
            let before = length();
            wait_until("more is kept", || length() > before.max(200));
            running.signal(signal);
            let (ended, errors) = running.end();
            assert_eq!(ended, Some(code), "{errors}");
            let last = errors.lines().last().unwrap();
            assert!(last.contains("of 3200000 rays; the results so far are in "), "{last}");
            assert!(last.contains(&format!("{partial}: the same command continues")), "{last}");
        }
        // What is kept is for the same scan alone.
        let other = [&SCAN[..], &["-o", output, "--resume", "--label-ids"], flags].concat();
        let other = workspace.run(&other);
        assert_eq!(other.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&other.stderr).contains("was started with another scene"));
    }
    workspace.write("f/pose_000000.npy", "another");
    let flags = ["--size", "4000x4", "-o", "f/", "--resume", "--each", "npy"];
    let changed = [&SCAN[..], &flags].concat();
    let changed = String::from_utf8(workspace.run(&changed).stderr).unwrap();
    assert!(changed.contains("f.partial: lists the files of f/pose_000000.*"), "{changed}");
    let scan = [&SCAN[..], &["--resume", "-o"]].concat();
    for (flags, reason) in [
        (&["m.mcap"][..], "--resume does not work for an .mcap"),
        (&["d.npy", "--hits-per", "1"], "--hits-per cannot count hits of an earlier run"),
    ] {
        let message = workspace.fails(2, &[&scan[..], flags].concat());
        assert!(message.contains(reason), "{message}");
    }
    let once = [&SCAN[..], &["-o", "e.npy"]].concat();
    let running = Running::start(&workspace, &once, Stdio::piped());
    let is_draft = |path: &std::path::PathBuf| path.to_string_lossy().contains(".raytwin-");
    wait_until("it casts", || workspace.listing().iter().any(is_draft));
    running.signal("INT");
    let (code, errors) = running.end();
    assert!(code != Some(130) || errors.contains("with --resume"), "{errors}");
}
