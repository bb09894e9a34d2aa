//! The program as its users run it: in a folder of their own, on good input.

use crate::common::place::*;
use raytwin::bvh::Layout;
use serde_json::Value;
use std::process::Command;

const DEVICES: [&str; 2] = ["cpu", "gpu"];

#[test]
fn query_answers_hits_misses_and_rays_that_cannot_be_cast() {
    let place = Place::new();
    for device in DEVICES {
        let arguments = ["query", "scene.json", "rays.npy", "-o", "hits.npz", "--device", device];
        let summary = place.json(&arguments);
        assert_eq!(
            (&summary["rays"], &summary["hits"], &summary["invalid"]),
            (&3.into(), &1.into(), &1.into())
        );
        let hits = place.path("hits.npz");
        let t = as_f32(&array(&hits, "t_hit"));
        assert_eq!((t[0], t[1]), (1.75, f32::INFINITY));
        assert!(t[2].is_nan());
        let none = u32::MAX;
        assert_eq!(as_u32(&array(&hits, "geometry_ids")), [0, none, none]);
        assert_eq!(as_u32(&array(&hits, "primitive_ids")), [0, none, none]);
        let normals = as_f32(&array(&hits, "primitive_normals"));
        assert_eq!(normals, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        std::fs::remove_file(hits).unwrap();
    }
    let strict = ["query", "scene.json", "rays.npy", "-o", "hits.npz", "--strict"];
    assert!(place.fails(3, &strict).contains("ray 2 cannot be cast"));
}

#[test]
fn no_rays_give_empty_answers() {
    let place = Place::new();
    place.write("none.npy", npy("<f4", "False", "(0, 8)", &[]));
    for device in DEVICES {
        let summary =
            place.json(&["query", "scene.json", "none.npy", "-o", "h.npz", "--device", device]);
        assert_eq!(summary["rays"], 0);
        assert!(array(&place.path("h.npz"), "t_hit").is_empty());
    }
    let diff = place.json(&["diff", "scene.json", "none.npy"]);
    assert_eq!(diff["mismatches"], 0);
}

#[test]
fn render_writes_its_files_and_pick_agrees_with_them() {
    let place = Place::new();
    for device in DEVICES {
        let out = format!("out_{device}");
        let camera = ["--camera", "plan", "--size", "60x60", "--device", device];
        let render = [&["render", "scene.json", "--out", &out][..], &camera].concat();
        let summary = place.json(&render);
        assert_eq!(summary["rays"], 3600);
        for name in [
            "render.npz",
            "render.exr",
            "geometries.json",
            "distance.png",
            "geometry_ids.png",
            "normals.png",
        ] {
            assert!(place.path(&out).join(name).metadata().unwrap().len() > 100, "{name}");
        }
        assert_eq!(place.path(&out).read_dir().unwrap().count(), 6);
        let archive = place.path(&out).join("render.npz");
        let ids = as_u32(&array(&archive, "geometry_ids"));
        let distances = as_f32(&array(&archive, "distance"));
        let z = as_f32(&array(&archive, "z"));
        assert_eq!(z, distances, "parallel rays run along the axis");
        // The middle of the image looks down on the ball, its right on the box, its top on the cylinder.
        let at = |x: usize, y: usize| y * 60 + x;
        assert_eq!([ids[at(30, 30)], ids[at(50, 30)], ids[at(30, 10)]], [0, 1, 2]);
        assert_eq!(ids[at(5, 50)], u32::MAX);
        let pick = [&["pick", "scene.json", "--pixel", "50,30"][..], &camera].concat();
        let pick = place.json(&pick);
        assert_eq!((&pick["hit"], &pick["geometry_id"]), (&true.into(), &1.into()));
        assert_eq!(pick["t"].as_f64().unwrap() as f32, distances[at(50, 30)]);
        assert_eq!(pick["normal"], serde_json::json!([0.0, 0.0, 1.0]));
    }
    let text = std::fs::read_to_string(place.path("out_cpu/geometries.json")).unwrap();
    let geometries: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(geometries[0], serde_json::json!({ "id": 0, "type": "sphere", "path": "ball" }));
}

#[test]
fn a_16_bit_picture_of_z_says_how_many_pixels_saturated() {
    let place = Place::new();
    let plan = ["render", "scene.json", "--camera", "plan", "--size", "60x60", "--device", "cpu"];
    let summary = place.json(&[&plan[..], &["--depth-png", "1000"]].concat());
    assert_eq!(summary["saturated"], 0);
    assert!(place.path("out/z_16bit.png").exists());
    // Everything is 7.5 units away or more.
    let far = place.json(&[&plan[..], &["--depth-png", "10000"]].concat());
    assert_eq!(far["saturated"], far["hits"]);
    place.fails(2, &[&plan[..], &["--depth-png", "0"]].concat());
}

#[test]
fn perspective_z_is_the_distance_along_the_axis() {
    let place = Place::new();
    place.json(&[
        "render",
        "scene.json",
        "--eye",
        "0,0,-9",
        "--target",
        "0,0,0",
        "--up",
        "0,1,0",
        "--fov-y",
        "60",
        "--size",
        "31x31",
        "--device",
        "cpu",
    ]);
    let archive = place.path("out/render.npz");
    let ids = as_u32(&array(&archive, "geometry_ids"));
    let z = as_f32(&array(&archive, "z"));
    let distances = as_f32(&array(&archive, "distance"));
    // The box's lower face lies in one plane across the axis.
    let mut seen = 0;
    for pixel in (0..ids.len()).filter(|&pixel| ids[pixel] == 1) {
        if (z[pixel] - 9.0).abs() < 1e-3 {
            assert!(distances[pixel] > z[pixel]);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen} pixels show the face");
}

#[test]
fn a_lidar_sees_all_around_and_what_is_behind_it_has_a_negative_z() {
    let place = Place::new();
    place.write(
        "lidar.json",
        r#"{ "raytwin": 1,
          "shapes": [
            { "type": "sphere", "name": "front", "center": [0, 4, 0], "radius": 1 },
            { "type": "sphere", "name": "left", "center": [-4, 0, 0], "radius": 1 },
            { "type": "sphere", "name": "behind", "center": [0, -4, 0], "radius": 1 } ],
          "cameras": [ { "eye": [0, 0, 0], "target": [0, 1, 0],
            "azimuth_degrees": [202.5, -157.5], "elevation_table_degrees": [0, 60, -5] } ] }"#,
    );
    for device in DEVICES {
        let render = ["render", "lidar.json", "--size", "8x3", "--device", device];
        assert_eq!(place.json(&render)["hits"], 6);
        let archive = place.path("out/render.npz");
        let ids = as_u32(&array(&archive, "geometry_ids"));
        let none = u32::MAX;
        // Columns look behind, half left, to the left, ..., and the row in the middle above everything.
        let level = [2, none, 1, none, 0, none, none, none];
        assert_eq!(ids, [level, [none; 8], level].concat());
        let z = as_f32(&array(&archive, "z"));
        let distance = as_f32(&array(&archive, "distance"));
        for pixel in (0..24).filter(|&pixel| ids[pixel] == none) {
            assert_eq!([z[pixel], distance[pixel]], [f32::INFINITY; 2], "pixel {pixel}");
        }
        assert_eq!([distance[0], distance[2], distance[4]], [3.0; 3]);
        assert!((z[0] + 3.0).abs() < 1e-6 && z[2].abs() < 1e-6 && z[4] == 3.0, "{z:?}");
        assert!(z[20] < distance[20] && z[20] > 2.9, "{z:?}");
        let pick = ["pick", "lidar.json", "--pixel", "2,2", "--size", "8x3", "--device", device];
        let pick = place.json(&pick);
        assert_eq!(pick["path"], "left");
        assert_eq!(pick["t"].as_f64().unwrap() as f32, distance[18]);
        let size = place.json(&["render", "lidar.json", "--device", device]);
        assert_eq!((&size["width"], &size["height"]), (&1024.into(), &3.into()));
    }
    let diff = place.json(&["diff", "lidar.json"]);
    assert!(diff["camera_error_u"].as_f64().unwrap() <= 4.0);
}

#[test]
fn pick_of_a_ray_says_what_it_meets_or_that_it_meets_nothing() {
    let place = Place::new();
    for device in DEVICES {
        let pick = place.json(&["pick", "scene.json", "--ray", "-3,0,1,2,0,0", "--device", device]);
        assert_eq!(pick["path"], "ball");
        assert_eq!((&pick["t"], &pick["distance"]), (&1.25.into(), &2.5.into()));
        assert_eq!(pick["point"], serde_json::json!([-0.5, 0.0, 1.0]));
        let cut = place.json(&[
            "pick",
            "scene.json",
            "--ray",
            "-3,0,1,2,0,0,1.3,inf",
            "--device",
            device,
        ]);
        assert_eq!(cut["t"], 1.75);
        let miss = place.json(&["pick", "scene.json", "--ray", "0,0,9,0,0,1", "--device", device]);
        assert_eq!((&miss["hit"], &miss["t"]), (&false.into(), &Value::Null));
    }
}

#[test]
fn diff_passes_what_is_right_and_fails_on_each_fault() {
    let place = Place::new();
    let image = ["diff", "scene.json", "--size", "80x60"];
    let good = place.json(&image);
    assert_eq!(
        (&good["mismatches"], &good["rays"], &good["sound"]),
        (&0.into(), &4800.into(), &true.into())
    );
    assert!(good["camera_error_u"].as_f64().unwrap() <= 4.0);
    place.json(&["diff", "scene.json", "rays.npy"]);
    place.json(&[&image[..], &["--device", "cpu"]].concat());
    // A scene that has everything.
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/scenes/gallery.json");
    let of_gallery = ["diff", gallery, "--size", "160x100", "--report", "r"];
    place.json(&of_gallery);
    for fault in raytwin::gpu::FAULTS {
        let tree = if fault.layout() == Some(Layout::Binary) { "binary" } else { "auto" };
        let mutated = ["--mutate", fault.name, "--tree", tree];
        let output = place.run(&[&of_gallery[..], &mutated].concat());
        assert_eq!(output.status.code(), Some(1), "{}", fault.name);
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("mismatch") && table.contains("pick --ray "), "{table}");
        assert!(place.path("r/report.json").exists() && place.path("r/classes.png").exists());
    }
    let of_another_tree = ["--mutate", "binary-tree-near-child-only"];
    place.fails(3, &[&of_gallery[..], &of_another_tree].concat());
    let known = place.fails(2, &[&image[..], &["--mutate", "no-such"]].concat());
    assert!(known.contains("cylinder-no-caps"), "{known}");
    let on_cpu = [&image[..], &["--device", "cpu", "--mutate", "cylinder-no-caps"]].concat();
    place.fails(2, &on_cpu);
    place.write(
        "ball.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": 1 } ] }"#,
    );
    place.fails(3, &["diff", "ball.json", "--mutate", "cylinder-no-caps"]);
}

#[test]
fn a_worst_ray_can_be_pasted_into_pick() {
    let place = Place::new();
    let fault = ["diff", "scene.json", "--size", "80x60", "--mutate", "sphere-no-depth", "--json"];
    let output = place.run(&fault);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let worst = &report["worst"][0];
    let pick = place.json(&[
        "pick",
        "scene.json",
        "--device",
        "cpu",
        "--ray",
        worst["ray"].as_str().unwrap(),
    ]);
    assert_eq!(pick["t"], worst["exact"]["t"]);
}

#[test]
fn devices_are_chosen_by_name_and_an_absent_one_is_exit_code_4() {
    let place = Place::new();
    let listed = place.json(&["devices"]);
    let name = listed["adapters"][0]["name"].as_str().unwrap().to_uppercase();
    let part: String = name.chars().take(6).collect();
    let pick = ["pick", "scene.json", "--ray", "-3,0,1,2,0,0", "--device"];
    place.json(&[&pick[..], &[&part]].concat());
    let message = place.fails(4, &[&pick[..], &["no such GPU"]].concat());
    assert!(message.to_uppercase().contains(&name), "{message}");
    place.fails(4, &["devices", "--device", "no such GPU"]);
    let elsewhere = place.fails(2, &[&pick[..], &[" "]].concat());
    assert!(elsewhere.contains("adapter's name"), "{elsewhere}");
}

#[test]
fn an_environment_that_hides_all_adapters_is_named_and_an_empty_one_hides_none() {
    let place = Place::new();
    let run = |variable: &str, value: &str, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .current_dir(place.folder.path())
            .env(variable, value)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), message)
    };
    let diff = ["diff", "scene.json", "rays.npy"];
    let (code, message) = run("WGPU_ADAPTER_NAME", "no such GPU", &diff);
    assert_eq!(code, Some(4));
    assert!(message.contains("no such GPU") && message.contains("there are: "), "{message}");
    for value in ["noop", "no such backend", "no such backend, noop"] {
        let (code, message) = run("WGPU_BACKEND", value, &diff);
        assert_eq!(code, Some(4), "{message}");
        let named = message.contains(&format!("WGPU_BACKEND={value}"));
        assert!(named && message.contains("backends of this build: "), "{message}");
        assert!(!message.contains("mesa"), "{message}");
        let pick = ["pick", "scene.json", "--ray", "-3,0,1,2,0,0"];
        for (arguments, expected) in [(&["devices"][..], Some(0)), (&pick, Some(0))] {
            let (code, message) = run("WGPU_BACKEND", value, arguments);
            assert_eq!(code, expected, "{message}");
            assert!(message.contains(&format!("WGPU_BACKEND={value}")), "{message}");
        }
    }
    for variable in ["WGPU_BACKEND", "WGPU_ADAPTER_NAME"] {
        let (code, message) = run(variable, "", &diff);
        assert_eq!(code, Some(0), "{variable}: {message}");
    }
    if cfg!(target_os = "linux") {
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            for value in ["absent.json", ""] {
                let (code, message) = run(variable, value, &diff);
                assert_eq!(code, Some(4), "{message}");
                assert!(message.contains(&format!("{variable}={value}")), "{message}");
            }
        }
    }
}

#[test]
fn results_alone_are_on_stdout() {
    let place = Place::new();
    let output = place.run(&["render", "scene.json", "--size", "8x8"]);
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    let quiet = place.run(&["render", "scene.json", "--size", "8x8", "--device", "cpu", "-q"]);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let schema = place.run(&["schema"]);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(schema["title"], "raytwin scene");
}
