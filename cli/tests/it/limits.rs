//! Files that never end, that hold more than the memory, or whose numbers lie too far apart: each is refused soon, with its
//! name and with what helps.

use crate::common::columns::Column;
use crate::common::parquet_files::parquet_file;
use crate::common::served::*;
use crate::common::workspace::*;
use flate2::write::GzEncoder;
use parquet::basic::Compression;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An extension of each format of scenes.
const SCENES: [&str; 18] = [
    "json", "npz", "csv", "parquet", "urdf", "xml", "sdf", "x3d", "wrl", "gltf", "glb", "pdb",
    "cif", "xyz", "obj", "stl", "ply", "dae",
];

/// Runs the program for ten seconds at most, and returns its exit code and stderr.
fn soon(workspace: &Workspace, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_raytwin"))
        .args(arguments)
        .current_dir(workspace.folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn coordinates_that_are_too_far_apart_are_refused_soon() {
    let workspace = Workspace::new();
    workspace.write("far.csv", "center_x,center_y,center_z,radius\n1e155,0,0,1\n-1e155,0,0,1\n");
    let sphere = |x: &str| format!(r#"{{ "type": "sphere", "center": [{x}, 0, 0], "radius": 1 }}"#);
    let shapes = [sphere("1e155"), sphere("-1e308")].join(", ");
    workspace.write("far.json", format!(r#"{{ "raytwin": 1, "shapes": [ {shapes} ] }}"#));
    let geom = |x: &str| format!("<geom type='sphere' size='1' pos='{x} 0 0'/>");
    let geoms = [geom("1e155"), geom("-1e155")].concat();
    workspace.write("far.xml", format!("<mujoco><worldbody>{geoms}</worldbody></mujoco>"));
    for scene in ["far.csv", "far.json", "far.xml"] {
        for origin in [&["--origin", "auto"][..], &[]] {
            let (code, errors) = soon(&workspace, &[&["info", scene], origin].concat());
            assert!(code == Some(3) && errors.contains(scene), "{code:?}: {errors}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_a_length_is_read_no_further_than_a_little() {
    let workspace = Workspace::new();
    // The system makes up these bytes as they are read, half a terabyte of them.
    let link = |name: &str| {
        std::os::unix::fs::symlink("/proc/self/pagemap", workspace.path(name)).unwrap();
    };
    for extension in SCENES {
        let name = format!("endless.{extension}");
        link(&name);
        let (code, errors) = soon(&workspace, &["info", &name]);
        assert!(code == Some(3) && errors.contains(&name), "{code:?}: {errors}");
    }
    link("poses.csv");
    let shape = r#"{ "type": "mesh", "file": "endless.stl" }"#;
    workspace.write("part.json", format!(r#"{{ "raytwin": 1, "shapes": [ {shape} ] }}"#));
    let scan = ["scan", "scene.json", "--lidar", "VLP-16", "--device", "cpu", "-o", "o.npy"];
    for arguments in [
        &["info", "part.json"][..],
        &["info", "scene.json", "--labels", "poses.csv"],
        &[&scan[..], &["--poses", "poses.csv"]].concat(),
        &[&scan[..], &["--stations", "poses.csv"]].concat(),
    ] {
        let (code, errors) = soon(&workspace, arguments);
        assert!(code == Some(3) && errors.contains("may never end"), "{code:?}: {errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_lack_of_addresses_ends_no_run_by_a_signal_or_a_panic() {
    let workspace = Workspace::new();
    let replicas = r#"<replicate count="100000" offset="1 0 0"><geom size="0.1"/></replicate>"#;
    workspace.write("many.xml", format!("<mujoco><worldbody>{replicas}</worldbody></mujoco>"));
    for kibibytes in (40_000..400_000).step_by(40_000) {
        for command in [
            "info many.xml",
            "info many.xml --max-memory 10G",
            "query many.xml rays.npy -o h.npz --device cpu",
            "query scene.json rays.npy -o h.npz --device cpu",
            "render scene.json --size 8x8 --device cpu --out r",
        ] {
            let program = env!("CARGO_BIN_EXE_raytwin");
            let line = format!("ulimit -v {kibibytes}; exec {program} {command}");
            let shell = ["-c", line.as_str()];
            let run = Command::new("sh").args(shell).current_dir(workspace.folder.path()).output();
            let run = run.unwrap();
            let errors = String::from_utf8_lossy(&run.stderr);
            // The loader finds no place for the program and its libraries.
            let is_loaded = run.status.code() != Some(127);
            // A thread that finds no place for its second stack panics in Rust's library, before
            // any code of the program, and the library then aborts.
            let is_ours =
                |line: &str| line.contains("panicked at") && !line.contains("stack_overflow.rs");
            let is_in_order = !errors.lines().any(is_ours);
            let has_ended = matches!(run.status.code(), Some(0 | 3 | 5)) && is_in_order;
            assert!(has_ended || !is_loaded, "{line}: {:?}: {errors}", run.status);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_refused_in_every_format() {
    let workspace = Workspace::new();
    let refused = |arguments: &[&str], name: &str| {
        let (code, errors) = soon(&workspace, arguments);
        let is_named = errors.contains(&format!("{name}: cannot be read: it is a pipe, a socket"));
        assert!(code == Some(3) && is_named, "{arguments:?}: {code:?}: {errors}");
    };
    let make = |name: &str, is_pipe: bool| match is_pipe {
        true => {
            assert!(Command::new("mkfifo").arg(workspace.path(name)).status().unwrap().success());
        }
        false => std::os::unix::fs::symlink("/dev/zero", workspace.path(name)).unwrap(),
    };
    for extension in SCENES {
        for is_pipe in [true, false] {
            let name = format!("{}.{extension}", if is_pipe { "pipe" } else { "zero" });
            make(&name, is_pipe);
            refused(&["info", &name], &name);
        }
    }
    for name in ["pipe.png", "pipe.npy", "pipe.txt"] {
        make(name, true);
    }
    for (file, scene) in [
        (
            "pipe.png",
            r#"{ "type": "heightfield", "file": "pipe.png", "spacing": [1, 1], "center": [0, 0, 0] }"#,
        ),
        (
            "pipe.npy",
            r#"{ "type": "heightfield", "file": "pipe.npy", "spacing": [1, 1], "center": [0, 0, 0] }"#,
        ),
        ("zero.obj", r#"{ "type": "mesh", "file": "zero.obj" }"#),
    ] {
        workspace.write("holds.json", format!(r#"{{ "raytwin": 1, "shapes": [ {scene} ] }}"#));
        refused(&["info", "holds.json"], file);
    }
    for poses in ["pipe.csv", "pipe.npy", "pipe.txt"] {
        refused(&["scan", "scene.json", "--poses", poses, "-o", "cloud.npy"], poses);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_too_long_to_be_read_as_a_whole_is_refused_unread() {
    let workspace = Workspace::new();
    // Bulk arrays and Parquet are read piece by piece, however long they are.
    for extension in SCENES.into_iter().filter(|it| !["npz", "parquet"].contains(it)) {
        let name = format!("long.{extension}");
        let file = std::fs::File::create(workspace.path(&name)).unwrap();
        // The file has no blocks, so this takes no place on the disk.
        file.set_len(5 << 30).unwrap();
        let (code, errors) = soon(&workspace, &["info", &name]);
        let expected = format!("{name}: cannot be read: it has more than 4.3 GB");
        assert!(code == Some(3) && errors.contains(&expected), "{name}: {code:?}: {errors}");
    }
}

/// A table of equal spheres. Equal numbers take few bytes in the file.
fn table(rows: usize) -> Vec<u8> {
    let ones = vec![1.0_f32; rows];
    let names = ["center_x", "center_y", "center_z", "radius"];
    let columns = names.map(|name| (name, Column::F32(ones.clone())));
    parquet_file(&columns, rows, Compression::SNAPPY)
}

#[test]
fn a_scene_that_needs_more_memory_than_it_may_take_is_refused_before_it_is_read() {
    let workspace = Workspace::new();
    let npy_heights = npy("<f4", "False", "(300, 300)", &float32(&[0.0; 90_000]));
    workspace.write("heights.npy", npy_heights);
    let field = r#"{ "type": "heightfield", "file": "heights.npy", "spacing": [1, 1], "center": [0, 0, 0] }"#;
    workspace.write("field.json", format!(r#"{{ "raytwin": 1, "shapes": [ {field} ] }}"#));
    let spheres = npy("<f4", "False", "(3000, 4)", &float32(&[1.0; 12_000]));
    workspace.write("spheres.npz", zipped(&[("sphere.npy", spheres)]));
    workspace.write("spheres.parquet", table(3000));
    let row = "1,1,1,1\n";
    let csv = ["center_x,center_y,center_z,radius\n", &row.repeat(3000)].concat();
    workspace.write("spheres.csv", csv);
    // Ten times ten times ten times a sphere.
    let nodes = |use_: &str| vec![format!(r#"{{ "use": "{use_}" }}"#); 10].join(", ");
    workspace.write(
        "uses.json",
        format!(
            r#"{{ "raytwin": 1, "nodes": [ {} ], "definitions": {{
                "a": {{ "shapes": [ {{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }} ] }},
                "b": {{ "nodes": [ {} ] }}, "c": {{ "nodes": [ {} ] }} }} }}"#,
            nodes("c"),
            nodes("a"),
            nodes("b")
        ),
    );
    for (scene, file, what) in [
        ("field.json", "heights.npy", "its 90000 heights need 1.5 MB"),
        ("spheres.npz", "spheres.npz", "its 3000 shapes need 2.4 MB"),
        ("spheres.parquet", "spheres.parquet", "its 3000 shapes need 2.4 MB"),
        ("spheres.csv", "spheres.csv", "shapes need 0.8 MB"),
        ("uses.json", "uses.json", "its shapes with all instances need 0.8 MB"),
    ] {
        let error = workspace.fails(3, &["info", scene, "--max-memory", "500k"]);
        assert!(error.contains(&format!("error: {file}: ")), "{error}");
        assert!(error.contains(what), "{error}");
        assert!(
            error.contains("only 0.5 MB is allowed") && error.contains("(--max-memory"),
            "{error}"
        );
        let output = workspace.run(&["info", scene, "--max-memory", "1GB"]);
        assert_eq!(output.status.code(), Some(0), "{scene}");
    }
    let usage = workspace.fails(2, &["info", "scene.json", "--max-memory", "much"]);
    assert!(usage.contains("'much' must be a number of bytes"), "{usage}");
}

#[test]
fn rays_and_points_of_a_comparison_and_a_packed_world_keep_to_the_memory() {
    let workspace = Workspace::new();
    workspace.write("many.npy", npy("<f4", "False", "(9000, 6)", &float32(&[1.0; 54_000])));
    workspace.write("points.npy", npy("<f4", "False", "(9000, 3)", &float32(&[1.0; 27_000])));
    let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"#X3D V3.0 utf8\n").unwrap();
    packed.write_all(&b"# a line of a comment\n".repeat(40_000)).unwrap();
    workspace.write("world.x3dvz", packed.finish().unwrap());
    for (arguments, expected) in [
        (&["diff", "scene.json", "many.npy"][..], "many.npy: its first 9000 rays need 1.2 MB"),
        (&["diff", "scene.json", "--points", "points.npy"], "its first 9000 points need 0.6 MB"),
        (&["diff", "scene.json", "--random", "9000"], "--random 9000 needs 1.2 MB"),
        (&["info", "world.x3dvz"], "world.x3dvz: its unpacked text needs 1.8 MB"),
    ] {
        let limit = ["--max-memory", "500k"];
        let error = workspace.fails(3, &[arguments, &limit].concat());
        assert!(error.contains(expected), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_is_an_error_and_no_abort() {
    let workspace = Workspace::new();
    workspace.write("large.parquet", table(1_500_000));
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 700000 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_raytwin")])
        .args(["info", "large.parquet"])
        .current_dir(workspace.folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("large.parquet: its 1500000 shapes need 1.2 GB"), "{errors}");
}

#[test]
fn a_header_of_many_columns_takes_time_in_proportion_to_them() {
    let workspace = Workspace::new();
    let names: Vec<String> = (0..120_000).map(|index| format!("c{index}")).collect();
    let (names, row) = (names.join(","), "0,".repeat(120_000));
    let row = row.trim_end_matches(',');
    workspace.write("poses.csv", format!("time,{names}\n0,{row}\n"));
    workspace.write("shapes.csv", format!("{names}\n{row}\n"));
    for arguments in [
        &["scan", "scene.json", "--poses", "poses.csv", "-o", "cloud.npy"][..],
        &["info", "shapes.csv"],
    ] {
        let start = Instant::now();
        let (code, errors) = soon(&workspace, arguments);
        assert!(code.is_some_and(|code| code != 0), "{errors}");
        let time = start.elapsed();
        assert!(time < Duration::from_secs(5), "{arguments:?} took {time:?}");
    }
}

#[test]
fn many_who_wait_for_a_change_keep_nobody_out() {
    let workspace = Workspace::new();
    let served = Served::start(&workspace, &["scene.json"]);
    let Served { port, token, .. } = &served;
    let poll = format!("GET /{token}/changes?since=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let polls = (0..200).map(|_| {
        let mut stream = served.connect();
        stream.write_all(poll.as_bytes()).unwrap();
        stream
    });
    let polls: Vec<_> = polls.collect();
    assert_eq!(served.get("").status, 200);
    assert_eq!(served.get("scene").status, 200);
    drop(polls);
}
