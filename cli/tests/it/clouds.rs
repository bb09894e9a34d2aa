//! Point clouds of images and of rays.

use crate::common::workspace::*;

/// The rows of a cloud in NumPy's format, after checking the names of its columns.
fn rows<const N: usize>(workspace: &Workspace, name: &str, columns: &str) -> Vec<[u8; N]> {
    let bytes = std::fs::read(workspace.path(name)).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[..header]).into_owned();
    let names: Vec<&str> =
        text.split("('").skip(1).filter_map(|rest| rest.split('\'').next()).collect();
    assert_eq!(names.join(" "), columns);
    bytes[header..].chunks_exact(N).map(|row| row.try_into().unwrap()).collect()
}

fn position(row: &[u8]) -> [f64; 3] {
    [0, 8, 16].map(|at| f64::from_le_bytes(row[at..at + 8].try_into().unwrap()))
}

#[test]
fn an_images_cloud_has_the_point_of_each_pixel_that_hit() {
    let workspace = Workspace::new();
    let render = ["render", "scene.json", "--size", "40x30", "--device", "cpu", "--cloud"];
    for name in ["c.ply", "c.pcd", "c.las"] {
        let summary = workspace.json(&[&render[..], &[name, "--cloud-normals"]].concat());
        assert_eq!(summary["cloud_points"], summary["hits"]);
        assert!(summary["files"].as_array().unwrap().contains(&name.into()));
        assert!(std::fs::metadata(workspace.path(name)).unwrap().len() > 1000);
    }
    workspace.json(&[&render[..], &["world.npy"]].concat());
    workspace.json(&[&render[..], &["sensor.npy", "--frame", "sensor"]].concat());
    let columns = "x y z geometry_id ring column";
    let world = rows::<36>(&workspace, "world.npy", columns);
    let sensor = rows::<36>(&workspace, "sensor.npy", columns);
    let file = workspace.path("out/render.npz");
    let [z, ids] = ["z", "geometry_ids"].map(|name| array(&file, name));
    let (z, ids) = (as_f32(&z), as_u32(&ids));
    assert_eq!(world.len(), ids.iter().filter(|&&id| id != u32::MAX).count());
    for (world, sensor) in world.iter().zip(&sensor) {
        let [id, row, column] = as_u32(&world[24..])[..] else { panic!() };
        let pixel = (row * 40 + column) as usize;
        assert_eq!(id, ids[pixel]);
        assert!((position(sensor)[2] - f64::from(z[pixel])).abs() < 1e-5);
        let at = position(world);
        // Shape 0 is a ball about (0, 0, 1).
        let radius = (at[0] * at[0] + at[1] * at[1] + (at[2] - 1.0).powi(2)).sqrt();
        assert!(id != 0 || (radius - 0.5).abs() < 1e-5, "{at:?}");
    }
}

#[test]
fn a_querys_cloud_has_the_points_that_rays_hit_and_their_numbers() {
    let workspace = Workspace::new();
    let query = ["query", "scene.json", "rays.npy", "-o", "h.npz"];
    let with_cloud = [&query[..], &["--cloud", "c.npy", "--cloud-normals"]].concat();
    assert_eq!(workspace.json(&with_cloud)["cloud_points"], 1);
    let rows = rows::<44>(&workspace, "c.npy", "x y z geometry_id ray_id nx ny nz");
    assert_eq!(position(&rows[0]), [0.0, 0.0, 1.5]);
    assert_eq!(as_u32(&rows[0][24..32]), [0, 0]);
    assert_eq!(as_f32(&rows[0][32..]), [0.0, 0.0, 1.0]);
    for (flags, expected) in [
        (&["--cloud", "c.asc"][..], ".las"),
        (&["--cloud", "c.ply", "--kind", "any"], "--cloud"),
        (&["--cloud", "c.ply", "--resume"], "--resume"),
        (&["--cloud", "rays.npy"], "replace"),
        (&["--cloud-normals"], "--cloud"),
    ] {
        let message = workspace.fails(2, &[&query[..], flags].concat());
        assert!(message.contains(expected), "{message}");
    }
    workspace.fails(3, &[&query[..], &["--cloud", "scene.json/c.ply"]].concat());
    let same = ["query", "scene.json", "rays.npy", "-o", "out/", "--cloud", "out/t_hit.npy"];
    assert!(workspace.fails(2, &same).contains("are the same file"));
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    workspace.write("ball.ply", ply);
    assert!(workspace.fails(2, &["render", "ball.ply", "--cloud", "ball.ply"]).contains("replace"));
}

#[test]
fn the_origin_of_a_scene_is_added_to_the_points_of_its_clouds() {
    let workspace = Workspace::new();
    let far = |name: &str| {
        let origin = ["--origin", "512,-256,64", "--device", "cpu", "--cloud", name];
        origin.map(str::to_owned).to_vec()
    };
    let run = |arguments: &[&str], name: &str| {
        let flags = far(name);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        workspace.json(&[arguments, &flags].concat());
    };
    run(&["query", "scene.json", "rays.npy", "-o", "h.npz"], "query.npy");
    let hit = rows::<32>(&workspace, "query.npy", "x y z geometry_id ray_id");
    assert_eq!(position(&hit[0]), [0.0, 0.0, 1.5]);
    run(&["render", "scene.json", "--size", "40x30"], "image.npy");
    let points = rows::<36>(&workspace, "image.npy", "x y z geometry_id ring column");
    let is_on_ball = |row: &&[u8; 36]| as_u32(&row[24..28])[0] == 0;
    let of_ball: Vec<[f64; 3]> =
        points.iter().filter(is_on_ball).map(|row| position(row)).collect();
    assert!(of_ball.len() > 3);
    for [x, y, z] in of_ball {
        let radius = (x * x + y * y + (z - 1.0).powi(2)).sqrt();
        assert!((radius - 0.5).abs() < 1e-3, "{x} {y} {z}");
    }
}
