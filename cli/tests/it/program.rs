//! The commands of the program on good input.

use crate::common::workspace::*;
use serde_json::Value;
use std::process::Command;

const DEVICES: [&str; 2] = ["cpu", "gpu"];

#[test]
fn query_answers_hits_misses_and_invalid_rays() {
    let workspace = Workspace::new();
    for device in DEVICES {
        let arguments = ["query", "scene.json", "rays.npy", "-o", "hits.npz", "--device", device];
        let summary = workspace.json(&arguments);
        assert_eq!(
            (&summary["rays"], &summary["hits"], &summary["invalid"]),
            (&3.into(), &1.into(), &1.into())
        );
        let hits = workspace.path("hits.npz");
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
    assert!(workspace.fails(3, &strict).contains("ray 2 cannot be cast"));
}

#[test]
fn no_rays_give_empty_answers() {
    let workspace = Workspace::new();
    workspace.write("none.npy", npy("<f4", "False", "(0, 8)", &[]));
    for device in DEVICES {
        let summary =
            workspace.json(&["query", "scene.json", "none.npy", "-o", "h.npz", "--device", device]);
        assert_eq!(summary["rays"], 0);
        assert!(array(&workspace.path("h.npz"), "t_hit").is_empty());
    }
    // A gate that judges nothing passes nothing.
    workspace.fails(3, &["diff", "scene.json", "none.npy"]);
}

#[test]
fn render_writes_its_files_and_pick_agrees_with_them() {
    let workspace = Workspace::new();
    for device in DEVICES {
        let out = format!("out_{device}");
        let camera = ["--camera", "plan", "--size", "60x60", "--device", device];
        let render = [&["render", "scene.json", "--out", &out][..], &camera].concat();
        let summary = workspace.json(&render);
        assert_eq!(summary["rays"], 3600);
        for name in [
            "render.npz",
            "render.exr",
            "geometries.json",
            "shaded.png",
            "distance.png",
            "geometry_ids.png",
            "normals.png",
        ] {
            assert!(workspace.path(&out).join(name).metadata().unwrap().len() > 100, "{name}");
        }
        assert_eq!(workspace.path(&out).read_dir().unwrap().count(), 7);
        let archive = workspace.path(&out).join("render.npz");
        let ids = as_u32(&array(&archive, "geometry_ids"));
        let distances = as_f32(&array(&archive, "distance"));
        let z = as_f32(&array(&archive, "z"));
        assert_eq!(z, distances, "parallel rays run along the axis");
        // The camera looks down: the ball is in the middle of the image, the box to the right, the cylinder at the top.
        let at = |x: usize, y: usize| y * 60 + x;
        assert_eq!([ids[at(30, 30)], ids[at(50, 30)], ids[at(30, 10)]], [0, 1, 2]);
        assert_eq!(ids[at(5, 50)], u32::MAX);
        let pick = [&["pick", "scene.json", "--pixel", "50,30"][..], &camera].concat();
        let pick = workspace.json(&pick);
        assert_eq!((&pick["hit"], &pick["geometry_id"]), (&true.into(), &1.into()));
        assert_eq!(pick["t"].as_f64().unwrap() as f32, distances[at(50, 30)]);
        assert_eq!(pick["normal"], serde_json::json!([0.0, 0.0, 1.0]));
    }
    let text = std::fs::read_to_string(workspace.path("out_cpu/geometries.json")).unwrap();
    let geometries: Value = serde_json::from_str(&text).unwrap();
    let ids = as_u32(&array(&workspace.path("out_cpu/render.npz"), "geometry_ids"));
    let ball = serde_json::json!({
        "id": 0, "type": "sphere", "path": "ball", "column": 30.0, "row": 30.0,
        "pixel_count": ids.iter().filter(|id| **id == 0).count(),
    });
    assert_eq!(geometries[0], ball);
}

#[test]
fn pictures_are_made_as_the_flags_ask() {
    let workspace = Workspace::new();
    let render = ["render", "scene.json", "--size", "60x60", "--device", "cpu"];
    let summary = workspace.json(&render);
    let files = summary["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file.as_str().unwrap().ends_with("shaded.png")));
    assert!(summary["shading_s"].as_f64().unwrap() > 0.0);
    let [near, far] = [0, 1].map(|end| summary["distance_range"][end].as_f64().unwrap());
    assert!(near.fract() == 0.0 && near < far && far < 20.0, "{near} {far}");
    let beyond = [0, 1].map(|end| summary["beyond_range"][end].as_f64().unwrap());
    assert!(beyond[0] == 0.0 && beyond[1] < 0.25, "{beyond:?}");

    let without = workspace.json(&[&render[..], &["--shading", "0", "--range", "8,9"]].concat());
    assert!(without["shading_s"].is_null());
    let note = std::fs::read_to_string(workspace.path("out/raytwin-mixture.json")).unwrap();
    assert!(note.contains("shaded.png"), "the picture of another render stays: {note}");
    assert_eq!(without["distance_range"], serde_json::json!([8.0, 9.0]));
    let beyond = [0, 1].map(|end| without["beyond_range"][end].as_f64().unwrap());
    assert!(beyond[0] > 0.0 && beyond[1] > 0.0 && beyond[0] + beyond[1] < 1.0, "{beyond:?}");

    for range in ["9,8", "8", "-1,8", "nan,8", "0,inf", "8,8"] {
        workspace.fails(2, &[&render[..], &["--range", range]].concat());
    }
    for samples in ["-1", "many", "5000"] {
        workspace.fails(2, &[&render[..], &["--shading", samples]].concat());
    }
}

#[test]
fn a_16_bit_picture_of_z_says_how_many_pixels_saturated() {
    let workspace = Workspace::new();
    let plan = ["render", "scene.json", "--camera", "plan", "--size", "60x60", "--device", "cpu"];
    let summary = workspace.json(&[&plan[..], &["--depth-png", "1000"]].concat());
    assert_eq!(summary["saturated"], 0);
    assert!(workspace.path("out/z_16bit.png").exists());
    // All hits are at least 7.5 units away, and 65535 is reached at 6.6.
    let far = workspace.json(&[&plan[..], &["--depth-png", "10000"]].concat());
    assert_eq!(far["saturated"], far["hits"]);
    workspace.fails(2, &[&plan[..], &["--depth-png", "0"]].concat());
}

#[test]
fn perspective_z_is_the_distance_along_the_axis() {
    let workspace = Workspace::new();
    workspace.json(&[
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
    let archive = workspace.path("out/render.npz");
    let ids = as_u32(&array(&archive, "geometry_ids"));
    let z = as_f32(&array(&archive, "z"));
    let distances = as_f32(&array(&archive, "distance"));
    // The lower face of the box is perpendicular to the axis, so z is the same on all of it.
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
fn a_lidar_sees_all_around_and_hits_behind_it_have_a_negative_z() {
    let workspace = Workspace::new();
    workspace.write(
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
        assert_eq!(workspace.json(&render)["hits"], 6);
        let archive = workspace.path("out/render.npz");
        let ids = as_u32(&array(&archive, "geometry_ids"));
        let none = u32::MAX;
        // The first columns look backwards, half left, to the left, and so on. The middle row looks over all spheres.
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
        let pick = workspace.json(&pick);
        assert_eq!(pick["path"], "left");
        assert_eq!(pick["t"].as_f64().unwrap() as f32, distance[18]);
        let size = workspace.json(&["render", "lidar.json", "--device", device]);
        assert_eq!((&size["width"], &size["height"]), (&1024.into(), &3.into()));
    }
    let diff = workspace.json(&["diff", "lidar.json"]);
    assert!(diff["camera_error_u"].as_f64().unwrap() <= 4.0);
}

#[test]
fn pick_says_what_a_ray_hits_or_that_it_misses() {
    let workspace = Workspace::new();
    let message = workspace.fails(2, &["pick", "scene.json"]);
    assert!(message.contains("give --pixel X,Y or --ray"), "{message}");
    for device in DEVICES {
        let pick =
            workspace.json(&["pick", "scene.json", "--ray", "-3,0,1,2,0,0", "--device", device]);
        assert_eq!(pick["path"], "ball");
        assert_eq!((&pick["t"], &pick["distance"]), (&1.25.into(), &2.5.into()));
        assert_eq!(pick["point"], serde_json::json!([-0.5, 0.0, 1.0]));
        let cut = workspace.json(&[
            "pick",
            "scene.json",
            "--ray",
            "-3,0,1,2,0,0,1.3,inf",
            "--device",
            device,
        ]);
        assert_eq!(cut["t"], 1.75);
        let miss =
            workspace.json(&["pick", "scene.json", "--ray", "0,0,9,0,0,1", "--device", device]);
        assert_eq!((&miss["hit"], &miss["t"]), (&false.into(), &Value::Null));
    }
}

#[test]
fn diff_passes_right_answers_and_refuses_faults_that_do_not_fit() {
    let workspace = Workspace::new();
    let image = ["diff", "scene.json", "--size", "80x60", "--kind", "closest", "--random", "0"];
    let good = workspace.json(&image);
    assert_eq!(
        (&good["mismatches"], &good["rays"], &good["sound"]),
        (&0.into(), &4800.into(), &true.into())
    );
    assert!(good["camera_error_u"].as_f64().unwrap() <= 4.0);
    workspace.json(&["diff", "scene.json", "rays.npy"]);
    workspace.json(&[&image[..], &["--device", "cpu"]].concat());
    let known = workspace.fails(2, &[&image[..], &["--mutate", "no-such"]].concat());
    assert!(known.contains("cylinder-no-caps"), "{known}");
    let on_cpu = [&image[..], &["--device", "cpu", "--mutate", "cylinder-no-caps"]].concat();
    workspace.fails(2, &on_cpu);
    workspace.write(
        "ball.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": 1 } ] }"#,
    );
    workspace.fails(3, &["diff", "ball.json", "--mutate", "cylinder-no-caps"]);
}

#[test]
fn a_worst_ray_can_be_pasted_and_is_printed_on_failure_alone() {
    let workspace = Workspace::new();
    std::fs::rename(workspace.path("scene.json"), workspace.path("my scene.json")).unwrap();
    let image = ["--size", "80x60", "--kind", "closest", "--random", "0"];
    let sound = [&["diff", "my scene.json", "--build", "fast"], &image[..]].concat();
    let table = String::from_utf8(workspace.run(&sound).stdout).unwrap();
    assert!(table.contains("exact") && !table.contains("worst answers"), "{table}");
    let output = workspace.run(&[&sound[..], &["--mutate", "sphere-no-depth"]].concat());
    let table = String::from_utf8(output.stdout).unwrap();
    let line = table.lines().find(|line| line.contains("raytwin pick")).unwrap();
    let pasted = line.trim().replace("raytwin pick", "\"$0\" pick --json --quiet");
    let picked = Command::new("sh")
        .args(["-c", &pasted, env!("CARGO_BIN_EXE_raytwin")])
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    let pick: Value = serde_json::from_slice(&picked.stdout).unwrap();
    let exact = line.split("exact t ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let exact: f64 = exact.parse().unwrap();
    assert!((pick["t"].as_f64().unwrap() - exact).abs() < 1e-5, "{line}: {pick}");
    assert!(line.contains("--build=fast") && line.contains("--device gpu"), "{line}");
}

#[test]
fn the_faults_are_listed_with_what_they_need() {
    let workspace = Workspace::new();
    let output = workspace.run(&["diff", "--list-faults"]);
    let table = String::from_utf8(output.stdout).unwrap();
    let count = raytwin_verify::faults::all().count();
    assert_eq!(table.lines().count(), count);
    assert!(
        table.contains("cylinder-no-caps")
            && table.contains("with a cylinder without an inner_radius.\n"),
        "{table}"
    );
    let listed = workspace.json(&["diff", "--list-faults"]);
    assert_eq!(listed["faults"].as_array().unwrap().len(), count);
    assert!(workspace.fails(2, &["diff"]).contains("SCENE"));
}

#[test]
fn the_arithmetic_of_devices_is_measured_and_stands_in_the_summary_of_diff() {
    let workspace = Workspace::new();
    let checked = workspace.json(&["devices", "--check"]);
    let diff = workspace.json(&["diff", "scene.json", "--size", "16x16"]);
    for arithmetic in [&checked["adapters"][0]["arithmetic"], &diff["arithmetic"]] {
        assert_eq!(arithmetic["keeps_promises"], true, "{arithmetic}");
        assert!(arithmetic["quotients"]["worst_u"].as_f64().unwrap() > 0.9, "{arithmetic}");
    }
    assert!(workspace.json(&["devices"])["adapters"][0]["arithmetic"].is_null());
    let on_cpu = workspace.json(&["diff", "scene.json", "--size", "16x16", "--device", "cpu"]);
    assert!(on_cpu["arithmetic"].is_null());
}

#[test]
fn devices_are_chosen_by_name_and_an_absent_one_is_exit_code_4() {
    let workspace = Workspace::new();
    let listed = workspace.json(&["devices"]);
    let name = listed["adapters"][0]["name"].as_str().unwrap().to_uppercase();
    let part: String = name.chars().take(6).collect();
    let pick = ["pick", "scene.json", "--ray", "-3,0,1,2,0,0", "--device"];
    workspace.json(&[&pick[..], &[&part]].concat());
    let message = workspace.fails(4, &[&pick[..], &["no such GPU"]].concat());
    assert!(message.to_uppercase().contains(&name), "{message}");
    workspace.fails(4, &["devices", "--device", "no such GPU"]);
    let listed = |device| workspace.json(&["devices", "--device", device])["adapters"].clone();
    assert!(listed(&part)[0].is_object() && listed("cpu") == serde_json::json!([]));
    let elsewhere = workspace.fails(2, &[&pick[..], &[" "]].concat());
    assert!(elsewhere.contains("adapter's name"), "{elsewhere}");
}

#[test]
fn an_environment_that_hides_all_adapters_is_named_and_an_empty_one_hides_none() {
    let workspace = Workspace::new();
    let run = |variable: &str, value: &str, arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args(arguments)
            .current_dir(workspace.folder.path())
            .env(variable, value)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), message)
    };
    let diff = ["diff", "scene.json", "rays.npy"];
    let (code, message) = run("WGPU_ADAPTER_NAME", "no such GPU", &diff);
    assert_eq!(code, Some(4));
    assert!(message.contains("no such GPU") && message.contains("this machine has: "), "{message}");
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
fn only_results_are_on_stdout() {
    let workspace = Workspace::new();
    let output = workspace.run(&["render", "scene.json", "--size", "8x8"]);
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    let quiet = workspace.run(&["render", "scene.json", "--size", "8x8", "--device", "cpu", "-q"]);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let schema = workspace.run(&["schema"]);
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(schema["title"], "raytwin scene");
}
