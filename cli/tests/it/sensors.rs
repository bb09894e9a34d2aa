//! Shapes that are ignored, and cameras with the properties of a sensor.

use crate::common::workspace::*;

/// A ball on the axis of a lidar, inside its housing, and another beyond its range.
const LIDAR: &str = r#"{ "raytwin": 1,
  "shapes": [
    { "type": "sphere", "name": "near", "center": [5, 0, 0], "radius": 1 },
    { "type": "sphere", "name": "far", "center": [0, 50, 0], "radius": 5 } ],
  "nodes": [ { "name": "lidar", "shapes": [
    { "type": "sphere", "name": "housing", "center": [0, 0, 0], "radius": 0.1 } ] } ],
  "cameras": [ { "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0],
    "azimuth_degrees": [180, -180], "elevation_degrees": [10, -10], SENSOR } ] }"#;

#[test]
fn ignored_shapes_are_passed_by_all_rays_and_points() {
    let workspace = Workspace::new();
    workspace.write("lidar.json", LIDAR.replace("SENSOR", r#""hide": []"#));
    for (ignore, path) in [
        (&[][..], "lidar/housing"),
        (&["--ignore", "2"], "near"),
        (&["--ignore", "lidar/*"], "near"),
        (&["--ignore", "lidar,far"], "near"),
    ] {
        for device in ["cpu", "gpu"] {
            let pick = ["pick", "lidar.json", "--ray", "0,0,0,1,0,0", "--device", device];
            assert_eq!(workspace.json(&[&pick[..], ignore].concat())["path"], path, "{ignore:?}");
        }
    }
    let all_but_one = ["--ignore", "near", "--ignore", "f?r"];
    for command in [
        &["render", "lidar.json", "--size", "64x16"][..],
        &["diff", "lidar.json", "--size", "64x16"],
        &["query", "lidar.json", "rays.npy", "-o", "h.npz"],
    ] {
        workspace.json(&[command, &all_but_one].concat());
    }
    assert!(
        as_u32(&array(&workspace.path("out/render.npz"), "geometry_ids")).iter().all(|&id| id == 2)
    );
    workspace.write("points.npy", npy("<f4", "False", "(1, 3)", &float32(&[5.0, 0.0, 0.0])));
    let points = ["points", "lidar.json", "points.npy", "-o", "p.npz"];
    assert_eq!(workspace.json(&points)["contained"], 1);
    assert_eq!(workspace.json(&[&points[..], &["--ignore", "near"]].concat())["contained"], 0);
    for unknown in ["3", "-1", "no/such", "4294967296"] {
        let message = workspace.fails(3, &[&points[..], &["--ignore", unknown]].concat());
        assert!(
            message.contains(&format!("--ignore {unknown}: the scene has no such")),
            "{message}"
        );
    }
}

#[test]
fn a_sensor_hides_its_housing_and_reports_distances_in_its_range_with_noise() {
    let workspace = Workspace::new();
    let rendered = |sensor: &str| {
        workspace.write("lidar.json", LIDAR.replace("SENSOR", sensor));
        workspace.json(&["render", "lidar.json", "--size", "360x40", "--device", "cpu"]);
        let file = workspace.path("out/render.npz");
        let numbers = |name| as_f32(&array(&file, name));
        (numbers("distance"), numbers("z"), as_u32(&array(&file, "geometry_ids")))
    };
    let (exact, _, ids) = rendered(r#""hide": ["lidar"]"#);
    assert!(ids.contains(&0) && ids.contains(&1) && !ids.contains(&2));
    let (limited, z, same_ids) =
        rendered(r#""hide": ["lidar/*"], "range_min": 4.2, "range_max": 40"#);
    assert_eq!(ids, same_ids);
    for ((&exact, &limited), &z) in exact.iter().zip(&limited).zip(&z) {
        let expected = if (4.2..=40.0).contains(&exact) { exact } else { f32::INFINITY };
        assert_eq!(limited, expected);
        assert_eq!(z.is_finite(), limited.is_finite());
    }
    let (noisy, _, same_ids) =
        rendered(r#""hide": ["lidar"], "noise": { "stddev": 0.01, "seed": 7 }"#);
    assert_eq!(ids, same_ids);
    let errors: Vec<f32> = noisy
        .iter()
        .zip(&exact)
        .filter(|(_, exact)| exact.is_finite())
        .map(|(noisy, exact)| noisy - exact)
        .collect();
    let variance = errors.iter().map(|error| error * error).sum::<f32>() / errors.len() as f32;
    assert!((variance.sqrt() - 0.01).abs() < 0.002, "{variance}");
    // The noise is the same on every machine.
    let first = exact.iter().position(|distance| distance.is_finite()).unwrap();
    assert_eq!((first, noisy[first]), (174, 4.6684194));
    // pick and diff know no noise.
    workspace.json(&["diff", "lidar.json", "--size", "90x10"]);
    let pick = workspace.json(&["pick", "lidar.json", "--size", "1x1", "--pixel", "0,0"]);
    assert_eq!((&pick["path"], &pick["distance"]), (&"near".into(), &4.0.into()));
}

#[test]
fn a_sensor_that_cannot_be_is_refused_with_its_field() {
    let workspace = Workspace::new();
    for (sensor, place) in [
        (r#""range_min": -1"#, "cameras[0].range_min: is -1"),
        (r#""range_min": 3, "range_max": 2"#, "cameras[0].range_max: is 2"),
        (r#""noise": { "stddev": -0.1 }"#, "cameras[0].noise.stddev"),
        (r#""noise": { "sigma": 0.1 }"#, "cameras[0].noise"),
        (r#""noise": { "stddev": 0.1, "seed": -1 }"#, "cameras[0].noise.seed"),
        (r#""hide": ["lidar/mount"]"#, "cameras[0].hide: \"lidar/mount\" is not the path"),
        (r#""ignore": ["lidar"]"#, "cameras[0].ignore: is an unknown key"),
    ] {
        workspace.write("lidar.json", LIDAR.replace("SENSOR", sensor));
        let message = workspace.fails(3, &["render", "lidar.json"]);
        assert!(message.contains(place), "{message}");
    }
}

#[test]
fn the_last_part_of_a_cameras_path_is_its_name_if_no_other_has_it() {
    let workspace = Workspace::new();
    let camera = |name: &str, z: f64| {
        format!(
            r#"{{ "name": "{name}", "eye": [0, 0, {z}], "target": [0, 0, 0], "up": [0, 1, 0], "fov_y_degrees": 40 }}"#
        )
    };
    let ball = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;
    let cameras = [("a/low", 3.0), ("a/high", 9.0), ("b/high", 8.0), ("b/low", 4.0), ("low", 5.0)];
    let cameras: Vec<String> = cameras.iter().map(|(name, z)| camera(name, *z)).collect();
    workspace.write(
        "scene.json",
        format!(r#"{{ "raytwin": 1, "shapes": [{ball}], "cameras": [{}] }}"#, cameras.join(", ")),
    );
    let pick = ["pick", "scene.json", "--pixel", "320,240", "--device", "cpu", "--camera"];
    let distance = |name: &str| {
        workspace.json(&[&pick[..], &[name]].concat())["distance"].as_f64().unwrap().round()
    };
    assert_eq!(["low", "a/low", "b/high"].map(distance), [4.0, 2.0, 7.0]);
    let several = workspace.fails(3, &[&pick[..], &["high"]].concat());
    assert!(several.contains("--camera high: several cameras"), "{several}");
    assert!(several.contains("a/high, b/high") && !several.contains("low"), "{several}");
    let unknown = workspace.fails(3, &[&pick[..], &["igh"]].concat());
    assert!(unknown.contains("no such camera; it has a/low, a/high, b/high, b/low, low"));
    workspace.write(
        "scene.json",
        format!(
            r#"{{ "raytwin": 1, "shapes": [{ball}], "cameras": [{}] }}"#,
            cameras[..2].join(", ")
        ),
    );
    assert_eq!(distance("high"), 8.0);
}
