//! Scenes as tables and in other formats, and origins.

use crate::common::workspace::*;

/// The spheres and cylinders of a plant far from the origin of its map.
const PLANT: &str = "type,name,center_x,center_y,center_z,radius,start_x,start_y,start_z,end_x,end_y,end_z\n\
    sphere,tank,500000.135,4000000,10.25,0.001,,,,,,\n\
    cylinder,pipe,,,,0.25,500010,4000000,10,500010,4000000,12\n";

#[test]
fn a_scene_is_converted_between_all_formats() {
    let workspace = Workspace::new();
    let converted = |from: &str, to: &str, flags: &[&str]| {
        workspace.json(&[&["convert", from, to], flags].concat())
    };
    assert_eq!(converted("scene.json", "a.json", &[])["geometries"], 3);
    let message = workspace.fails(3, &["convert", "scene.json", "a.csv"]);
    for word in ["a.csv: this format cannot store 2 cameras: main, plan", "--skip"] {
        assert!(message.contains(word), "{message}");
    }
    assert!(!workspace.path("a.csv").exists());
    let left_out = &converted("scene.json", "a.csv", &["--skip"])["left_out"];
    assert_eq!((&left_out[0]["what"], &left_out[0]["count"]), (&"cameras".into(), &2.into()));
    converted("a.csv", "a.parquet", &[]);
    let message = workspace.fails(3, &["convert", "a.parquet", "a.npz"]);
    assert!(message.contains("1 name: ball"), "{message}");
    converted("a.parquet", "a.npz", &["--skip"]);
    let mut answers = Vec::new();
    for scene in ["scene.json", "a.json", "a.csv", "a.parquet", "a.npz"] {
        workspace.json(&["query", scene, "rays.npy", "-o", "h.npz", "--device", "cpu"]);
        answers.push(std::fs::read(workspace.path("h.npz")).unwrap());
    }
    // The archive's comment is for a run of several files alone, so equal answers are equal files.
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(workspace.fails(2, &["convert", "a.csv", "a.csv"]).contains("would replace"));
    assert!(workspace.fails(3, &["convert", "a.csv", "a.obj"]).contains("give a .json"));
}

#[test]
fn an_origin_is_subtracted_from_all_that_is_given_and_added_to_points() {
    let workspace = Workspace::new();
    workspace.write("plant.csv", PLANT);
    let refused = workspace.fails(3, &["info", "plant.csv"]);
    assert!(refused.contains("row 0.center") && refused.contains("--origin auto"), "{refused}");
    // What is no table is read with a warning.
    workspace.write("all.json", r#"{ "raytwin": 1, "nodes": [ { "file": "plant.csv" } ] }"#);
    let output = workspace.run(&["info", "all.json"]);
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warning.contains("tank") && warning.contains("--origin auto"), "{warning}");

    let ray = "500000.1355,4000000,20,0,0,-1";
    let pick = |origin: &str| {
        workspace.json(&["pick", "plant.csv", "--ray", ray, "--origin", origin, "--device", "cpu"])
    };
    for origin in ["auto", "500000,4000000,10", "500001,3999999,0"] {
        let hit = pick(origin);
        assert_eq!((&hit["hit"], &hit["path"]), (&true.into(), &"tank".into()), "{origin}");
        assert!((hit["point"][2].as_f64().unwrap() - 10.250_866).abs() < 1e-4, "{hit}");
        assert!((hit["point"][0].as_f64().unwrap() - 500_000.135_5).abs() < 1e-6, "{hit}");
    }
    let origin = &workspace.json(&["info", "plant.csv", "--origin", "auto"])["origin"];
    assert_eq!(*origin, serde_json::json!([500_005.0, 4_000_000.0, 11.0]));

    let numbers =
        |row: &[f64]| row.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let rays = numbers(&[500_000.135, 4_000_000.000_5, 20.0, 0.0, 0.0, -2.0]);
    workspace.write("far.npy", npy("<f8", "False", "(6,)", &rays));
    let query =
        ["query", "plant.csv", "far.npy", "-o", "h/", "--device", "cpu", "--origin", "auto"];
    assert_eq!(workspace.json(&query)["hits"], 1);
    let points = numbers(&[500_000.135, 4_000_000.0, 10.0]);
    workspace.write("points.npy", npy("<f8", "False", "(1, 3)", &points));
    workspace.json(&[
        "points",
        "plant.csv",
        "points.npy",
        "-o",
        "p/",
        "--device",
        "cpu",
        "--origin",
        "auto",
    ]);
    let closest = std::fs::read(workspace.path("p/closest_points.npy")).unwrap();
    assert!(String::from_utf8_lossy(&closest).contains("'<f8'"));
    let (_, coordinates) = closest.split_at(closest.len() - 24);
    let coordinate =
        |index: usize| f64::from_le_bytes(coordinates[8 * index..][..8].try_into().unwrap());
    assert!((coordinate(0) - 500_000.135).abs() < 1e-6 && (coordinate(2) - 10.249).abs() < 1e-6);

    let tiny = "start_x,start_y,start_z,end_x,end_y,end_z,radius,type\n\
        500000.001,0,0,500000.002,0,0,0.001,capsule\n";
    workspace.write("tiny.csv", tiny);
    let message = workspace.fails(3, &["info", "tiny.csv"]);
    assert!(message.trim_end().ends_with("(--origin auto)"), "{message}");
    workspace.json(&["info", "tiny.csv", "--origin", "auto"]);

    // The converted file holds the origin, and a flag takes another.
    workspace.json(&["convert", "plant.csv", "plant.json", "--origin", "auto"]);
    assert_eq!(workspace.json(&["info", "plant.json"])["origin"], *origin);
    let other = ["info", "plant.json", "--origin", "500000,4000000,10"];
    assert_eq!(workspace.json(&other)["origin"][2], 10.0);
    let eye = [
        "pick",
        "plant.json",
        "--eye",
        "500000.135,4000000,9",
        "--target",
        "500000.135,4000000,10",
        "--up",
        "1,0,0",
        "--size",
        "1x1",
        "--pixel",
        "0,0",
        "--device",
        "cpu",
    ];
    assert_eq!(workspace.json(&eye)["path"], "tank");
    for bad in ["1,2", "far", "1,2,nan", "1e10,0,0"] {
        workspace.fails(2, &["info", "plant.csv", "--origin", bad]);
    }
    workspace.write("bad.json", r#"{ "raytwin": 1, "origin": [1e10, 0, 0], "shapes": [] }"#);
    assert!(workspace.fails(3, &["info", "bad.json"]).contains("origin: is [10000000000.0"));
}

#[test]
fn a_far_table_is_converted_to_tables_in_the_coordinates_of_the_map() {
    let workspace = Workspace::new();
    workspace.write("plant.csv", PLANT);
    let auto = ["--origin", "auto"];
    for [from, to] in [["plant.csv", "a.parquet"], ["a.parquet", "b.csv"], ["b.csv", "c.csv"]] {
        let summary = workspace.json(&[&["convert", from, to], &auto[..]].concat());
        assert_eq!(summary["left_out"], serde_json::json!([]), "{to}");
    }
    let text = |name| std::fs::read_to_string(workspace.path(name)).unwrap();
    assert_eq!(text("b.csv"), text("c.csv"));
    let first: Vec<f64> = text("b.csv")
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .skip(2)
        .take(3)
        .map(|cell| cell.parse().unwrap())
        .collect();
    let expected = [500_000.135, 4_000_000.0, 10.25];
    assert!(first.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{first:?}");
    let info = workspace.run(&["info", "b.csv", "--origin", "auto"]);
    let info = String::from_utf8_lossy(&info.stdout).into_owned();
    let bounds = info.lines().find(|line| line.starts_with("bounds")).unwrap();
    assert!(bounds.contains("[500000.13") && bounds.contains(" to [500010.25"), "{bounds}");
}

#[test]
fn answers_have_the_axes_of_their_rays() {
    let workspace = Workspace::new();
    let image: Vec<f32> =
        (0..6).flat_map(|at| [0.0, 0.0, 5.0, 0.0, 0.1 * at as f32, -2.0]).collect();
    let rows: Vec<&[f32]> = image.chunks(6).collect();
    // In Fortran order the first index of (2, 3) changes fastest: ray (i, j) is the row 3 i + j.
    let ray_order = [0, 3, 1, 4, 2, 5];
    let numbers = (0..6).flat_map(|column| ray_order.map(|row: usize| rows[row][column]));
    let fortran: Vec<u8> = numbers.flat_map(|number| f64::from(number).to_be_bytes()).collect();
    workspace.write("image.npy", npy("<f4", "False", "(2, 3, 6)", &float32(&image)));
    workspace.write("fortran.npy", npy(">f8", "True", "(2, 3, 6)", &fortran));
    workspace.write("flat.npy", npy("<f4", "False", "(6, 6)", &float32(&image)));
    let answers = |rays: &str, array: &str| {
        workspace.json(&["query", "scene.json", rays, "-o", "h/", "--device", "cpu"]);
        let file = std::fs::read(workspace.path("h").join(array)).unwrap();
        (String::from_utf8_lossy(&file[..128]).into_owned(), file[128..].to_vec())
    };
    for (array, shape) in [("t_hit.npy", "(2, 3)"), ("primitive_normals.npy", "(2, 3, 3)")] {
        let (_, flat) = answers("flat.npy", array);
        for rays in ["image.npy", "fortran.npy"] {
            let (header, numbers) = answers(rays, array);
            assert!(header.contains(shape), "{header}");
            assert_eq!(numbers, flat, "{rays}");
        }
    }
    workspace.json(&["query", "scene.json", "fortran.npy", "-o", "h.npz", "--kind", "all"]);
    workspace.write("lone.npy", npy("<f4", "False", "(6,)", &float32(rows[0])));
    assert!(answers("lone.npy", "t_hit.npy").0.contains("(1,)"));
    workspace.write("none.npy", npy("<f4", "False", "(3, 0, 6)", &[]));
    assert!(answers("none.npy", "t_hit.npy").0.contains("(3, 0)"));
}
