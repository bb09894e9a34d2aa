//! A model of MuJoCo in several worlds, by several rows of its numbers.

use crate::common::columns::Column;
use crate::common::parquet_files::*;
use crate::common::workspace::*;
use parquet::basic::Compression;

/// A hinged arm with a ball at its end and a mesh, in a room that lies still.
const MODEL: &str = r#"<mujoco>
  <asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.3 0  0 0 0.3"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -1"/>
    <geom name="pillar" type="cylinder" size="0.2 1" pos="2 2 0"/>
    <body name="arm">
      <joint name="turn" axis="0 0 1"/>
      <geom name="beam" type="box" size="0.5 0.1 0.1" pos="0.5 0 0"/>
      <body name="hand" pos="1 0 0">
        <joint name="lift" axis="0 1 0"/>
        <geom name="ball" type="sphere" size="0.2" pos="0.3 0 0"/>
        <geom name="wedge" type="mesh" mesh="wedge"/>
        <camera name="eye" pos="0 0 0.5" fovy="60"/>
      </body>
    </body>
  </worldbody></mujoco>"#;

const ROWS: [[f64; 2]; 3] = [[0.0, 0.0], [1.2, -0.4], [-2.5, 0.9]];

#[test]
fn images_are_judged_in_several_worlds() {
    let (workspace, ..) = workspace(10);
    let image = ["--size", "48x32", "--kind", "closest", "--random", "0"];
    let asked = [&["diff", "arm.xml", "--qpos", "rows.npy"], &image[..]].concat();
    let judged = workspace.json(&asked);
    assert_eq!(judged["parts"][0]["title"], "image, closest");
    // Two images in each of two worlds.
    assert_eq!((&judged["sound"], &judged["rays"]), (&true.into(), &(4 * 48 * 32).into()));
    for fault in ["camera-pose-of-first", "camera-world-before", "camera-rows-swapped"] {
        let output =
            workspace.run(&[&asked[..], &["--mutate", fault, "--kind", "closest"]].concat());
        assert_eq!(output.status.code(), Some(1), "{fault}");
    }
}

fn numbers(rows: &[f64]) -> Vec<u8> {
    rows.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Writes the model, the rows, and rays that come down on it from all sides, each in one of the worlds.
fn workspace(count: usize) -> (Workspace, Vec<[f32; 6]>, Vec<u32>) {
    let workspace = Workspace::new();
    workspace.write("arm.xml", MODEL);
    workspace.write("rows.npy", npy("<f8", "False", "(3, 2)", &numbers(ROWS.as_flattened())));
    let mut random = fastrand::Rng::with_seed(4);
    let mut near = |reach: f32| reach * (2.0 * random.f32() - 1.0);
    let rays: Vec<[f32; 6]> = (0..count)
        .map(|_| [near(1.4), near(1.4), 3.0, 0.3 * near(1.0), 0.3 * near(1.0), -1.0])
        .collect();
    let worlds: Vec<u32> = (0..count).map(|_| random.u32(..3)).collect();
    workspace.write("rays.npz", archive(&rays, "<u4", &words(&worlds)));
    (workspace, rays, worlds)
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn archive(rays: &[[f32; 6]], dtype: &str, worlds: &[u8]) -> Vec<u8> {
    let count = rays.len();
    let rays = npy("<f4", "False", &format!("({count}, 6)"), &float32(rays.as_flattened()));
    let size: usize = dtype[2..].parse().unwrap();
    let shape = format!("({},)", worlds.len() / size);
    zipped(&[("rays.npy", rays), ("world_ids.npy", npy(dtype, "False", &shape, worlds))])
}

/// The distances and ids that a query of all rays finds.
fn answers(workspace: &Workspace, flags: &[&str]) -> (Vec<f32>, Vec<u32>) {
    workspace.json(&[&["query", "arm.xml", "-o", "hits.npz"], flags].concat());
    let path = workspace.path("hits.npz");
    (as_f32(&array(&path, "t_hit")), as_u32(&array(&path, "geometry_ids")))
}

#[test]
fn each_ray_is_cast_in_its_world() {
    let (workspace, rays, worlds) = workspace(3000);
    workspace.write("plain.npy", {
        let numbers = float32(rays.as_flattened());
        npy("<f4", "False", &format!("({}, 6)", rays.len()), &numbers)
    });
    let column = |axis: usize| Column::F32(rays.iter().map(|ray| ray[axis]).collect());
    let mut columns: Vec<(&str, Column)> =
        (0..6).map(|axis| (["ox", "oy", "oz", "dx", "dy", "dz"][axis], column(axis))).collect();
    columns.push(("world_id", Column::I64(worlds.iter().map(|&world| world.into()).collect())));
    let bytes = parquet_file(&columns, 1000, Compression::UNCOMPRESSED);
    workspace.write("rays.parquet", bytes);
    for device in ["cpu", "gpu"] {
        let in_worlds =
            |rays: &str| answers(&workspace, &[rays, "--qpos", "rows.npy", "--device", device]);
        let all = in_worlds("rays.npz");
        assert_eq!(in_worlds("rays.parquet"), all);
        let mut moved = 0;
        for (world, [turn, lift]) in (0_u32..).zip(ROWS) {
            let [turn, lift] = [format!("turn={turn}"), format!("lift={lift}")];
            let joints = ["--joint", &turn, "--joint", &lift];
            let number = world.to_string();
            let chosen = ["--qpos", "rows.npy", "--world", &number];
            let asked = ["plain.npy", "--device", device];
            let posed = answers(&workspace, &[&asked[..], &joints].concat());
            let alone = answers(&workspace, &[&asked[..], &chosen].concat());
            for ray in (0..rays.len()).filter(|&ray| worlds[ray] == world) {
                assert_eq!((all.0[ray], all.1[ray]), (alone.0[ray], alone.1[ray]), "{ray}");
                // A mesh is placed in one world of several, and has vertices of its own in one alone.
                let difference = (all.0[ray] - posed.0[ray]).abs();
                let is_near = difference < 1e-5 || all.0[ray] == posed.0[ray];
                assert!((is_near, all.1[ray]) == (true, posed.1[ray]), "{ray}: {difference}");
                moved += usize::from((2..5).contains(&all.1[ray]));
            }
        }
        assert!(moved > 100, "{moved}");
    }
    // A camera on the hand moves with it from world to world.
    for (world, [turn, lift]) in (0..3).zip(ROWS) {
        let picked = |flags: &[&str]| {
            let asked =
                ["pick", "arm.xml", "--camera", "eye", "--pixel", "320,200", "--device", "cpu"];
            let picked = workspace.json(&[&asked[..], flags].concat());
            (picked["path"].clone(), picked["distance"].as_f64().unwrap())
        };
        let [turn, lift] = [format!("turn={turn}"), format!("lift={lift}")];
        let posed = picked(&["--joint", &turn, "--joint", &lift]);
        let in_world = picked(&["--qpos", "rows.npy", "--world", &world.to_string()]);
        assert!(posed.0 == in_world.0 && (posed.1 - in_world.1).abs() < 1e-5, "{in_world:?}");
    }
    let info = workspace.json(&["info", "arm.xml", "--qpos", "rows.npy"]);
    assert_eq!([&info["world_count"], &info["geometry_count"]], [3, 5]);
}

#[test]
fn worlds_that_are_not_there_are_refused() {
    let (workspace, rays, _) = workspace(4);
    let query = ["query", "arm.xml", "rays.npz", "-o", "h.npz", "--device", "cpu"];
    let refused = |code: i32, flags: &[&str]| workspace.fails(code, &[&query[..], flags].concat());
    let in_rows = ["--qpos", "rows.npy"];
    workspace.write("rays.npz", archive(&rays, "<u4", &words(&[0, 1, 3, 0])));
    let message = refused(3, &in_rows);
    assert!(
        message.contains("rays.npz: ray 2 is cast in world 3, but the scene has 3"),
        "{message}"
    );
    let message = refused(3, &[]);
    assert!(message.contains("ray 1 is cast in world 1, but the scene has 1"), "{message}");
    let message = refused(3, &[&in_rows[..], &["--world", "3"]].concat());
    assert!(message.contains("--world 3: the scene has 3 worlds, numbered from 0"), "{message}");
    workspace.write("rays.npz", archive(&rays, "<u4", &words(&[0, 1, 0])));
    let message = refused(3, &in_rows);
    assert!(message.contains("world_ids") && message.contains("one for each ray"), "{message}");
    workspace.write(
        "rays.npz",
        archive(&rays, "<i8", &[0_i64, 0, 0, -1].map(i64::to_le_bytes).concat()),
    );
    let message = refused(3, &in_rows);
    assert!(message.contains("world_ids[3]") && message.contains("-1"), "{message}");

    for (rows, shape, expected) in [
        (vec![0.0; 6], "(2, 3)", "several poses must have shape (N, 2)"),
        (vec![], "(0, 2)", "several poses must have shape (N, 2)"),
        (vec![0.0, 1.0, f64::NAN, 0.0], "(2, 2)", "is NaN in row 1 and column 0"),
    ] {
        workspace.write("rows.npy", npy("<f8", "False", shape, &numbers(&rows)));
        let message = refused(3, &in_rows);
        assert!(message.contains(expected), "{message}");
    }
    workspace.write("rows.npy", npy("<f8", "False", "(3, 2)", &numbers(ROWS.as_flattened())));
    let pick = ["pick", "arm.xml", "--ray", "0.18,0.46,3,0,0,-1", "--device", "cpu"];
    let message = workspace.fails(2, &[&pick[..], &in_rows].concat());
    assert!(message.contains("the scene has 3 worlds") && message.contains("--world"), "{message}");
    let picked = workspace.json(&[&pick[..], &in_rows, &["--world", "1"]].concat());
    assert_eq!(picked["path"], "arm/beam");
    // A plane without edges that moves has no place in a tree.
    let tilting = MODEL.replace(
        "<joint name=\"turn\"",
        "<geom type=\"plane\" size=\"0 0 1\"/><joint name=\"turn\"",
    );
    workspace.write("arm.xml", tilting);
    let message = refused(3, &in_rows);
    assert!(message.contains("world 1 moves 'arm/geom[0]', which has no bounds"), "{message}");
}
