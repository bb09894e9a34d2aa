//! Returns of lidars with beams, in scans and images.

use crate::common::workspace::*;

/// A wall behind a row of posts, whose edges a beam of 20 mrad meets with a part of its light.
fn posts(camera: &str) -> Workspace {
    let workspace = Workspace::new();
    let posts: Vec<String> = (0..9)
        .map(|at| {
            let y = 0.7 * f64::from(at - 4);
            format!(r#"{{ "type": "cylinder", "start": [6, {y}, -1], "end": [6, {y}, 1], "radius": 0.1, "reflectance": 0.8 }}"#)
        })
        .collect();
    let scene = format!(
        r#"{{ "raytwin": 1, "shapes": [ {}, {{ "type": "plane", "point": [9, 0, 0], "normal": [-1, 0, 0], "reflectance": 0.25 }} ],
          "cameras": [ {{ "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [20, -20], "columns": 200,
            "elevation_table_degrees": [2, 0, -2], "range_max": 50 {camera} }} ] }}"#,
        posts.join(", ")
    );
    workspace.write("posts.json", scene);
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n100,0,0,0,0,0,0,1\n101,1,0,0,0,0,0,1\n");
    workspace
}

const BEAM: &str = r#", "beam": { "divergence_mrad": 20, "exit_diameter": 0.02, "subrays": 19 },
    "returns": { "max": 3, "range_resolution": 0.3 }, "attenuation_per_km": 2"#;
const SCAN: [&str; 4] = ["scan", "posts.json", "--poses", "poses.csv"];

/// The numbers of one column of a cloud of returns in NumPy's format, given its place in a row of 62 bytes.
fn column<const N: usize, T>(
    workspace: &Workspace,
    name: &str,
    at: usize,
    of: fn([u8; N]) -> T,
) -> Vec<T> {
    let bytes = std::fs::read(workspace.path(name)).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let rows = bytes[header..].chunks_exact(66);
    rows.map(|row| of(row[at..at + N].try_into().unwrap())).collect()
}

#[test]
fn beams_at_edges_have_several_returns_with_their_intensities() {
    let workspace = posts(BEAM);
    let summary = workspace.json(&[&SCAN[..], &["-o", "c.npy", "--hits-per", "1"]].concat());
    let ids = column(&workspace, "c.npy", 32, u32::from_le_bytes);
    let distances = column(&workspace, "c.npy", 48, f32::from_le_bytes);
    let intensities = column(&workspace, "c.npy", 52, f32::from_le_bytes);
    let numbers = column(&workspace, "c.npy", 60, |[byte]: [u8; 1]| byte);
    let counts = column(&workspace, "c.npy", 61, |[byte]: [u8; 1]| byte);
    let incidences = column(&workspace, "c.npy", 62, f32::from_le_bytes);
    assert_eq!(summary["cloud_points"], ids.len());
    assert_eq!(summary["hits"], ids.len());
    let twice = counts.iter().filter(|count| **count == 2).count();
    assert!(ids.len() > 1200 && twice > 100, "{} {twice}", ids.len());
    for index in 0..ids.len() {
        assert!((1..=counts[index]).contains(&numbers[index]));
        if numbers[index] > 1 {
            assert!(distances[index] > distances[index - 1] && counts[index] == counts[index - 1]);
        }
        let is_wall = ids[index] == 9;
        if is_wall && counts[index] == 1 {
            // All of the beam meets the wall.
            let (distance, cosine) =
                (f64::from(distances[index]), f64::from(incidences[index]).to_radians().cos());
            let wanted = 0.25 * cosine * (-2.0 * 0.002 * distance).exp() / (distance * distance);
            assert!((f64::from(intensities[index]) / wanted - 1.0).abs() < 0.01, "{index}");
        }
    }
    // A scan without the beam has the hits that it has always had, and --intensity their intensities.
    let plain = posts("");
    plain.json(&[&SCAN[..], &["-o", "c.npy", "--intensity"]].concat());
    plain.json(&[&SCAN[..], &["-o", "plain.npy"]].concat());
    let [with, without] =
        ["c.npy", "plain.npy"].map(|name| std::fs::read(plain.path(name)).unwrap());
    let rows = |bytes: &[u8], size: usize| -> Vec<Vec<u8>> {
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        bytes[header..].chunks_exact(size).map(|row| row[..52].to_vec()).collect()
    };
    assert!(rows(&with, 66) == rows(&without, 52));
}

#[test]
fn las_and_laz_show_returns_intensities_and_times_from_the_start() {
    let workspace = posts(BEAM);
    for name in ["c.las", "c.laz"] {
        workspace.json(&[&SCAN[..], &["-o", name]].concat());
        let bytes = std::fs::read(workspace.path(name)).unwrap();
        assert_eq!((&bytes[24..26], bytes[104] & 127), (&[1, 4][..], 6));
        // The counts of points by their return number are 64-bit numbers from byte 255 on.
        let count = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let (all, first, second) = (count(247), count(255), count(263));
        assert!(second > 100 && all == first + second, "{all} {first} {second}");
    }
    workspace.write("here.wkt", "LOCAL_CS[\"here\"]\n");
    for (crs, text) in
        [("EPSG:25832", "ETRS89 / UTM zone 32N"), ("here.wkt", "LOCAL_CS[\"here\"]\0")]
    {
        workspace.json(&[&SCAN[..], &["--crs", crs, "-o", "crs.laz"]].concat());
        let bytes = std::fs::read(workspace.path("crs.laz")).unwrap();
        assert!(bytes.windows(text.len()).any(|found| found == text.as_bytes()));
    }
    for (crs, output, code, reason) in [
        ("here.wkt", "c.npy", 2, "--crs is for a .las or a .laz"),
        ("EPSG:4326", "c.las", 2, "degrees"),
        ("none.wkt", "c.las", 3, "none.wkt"),
        ("posts.json", "c.las", 3, "not well-known text"),
    ] {
        let arguments = [&SCAN[..], &["--crs", crs, "-o", output]].concat();
        let error = workspace.fails(code, &arguments);
        assert!(error.contains(reason), "{error}");
    }
    let [las, laz] =
        ["c.las", "c.laz"].map(|name| std::fs::metadata(workspace.path(name)).unwrap().len());
    assert!(2 * laz < las, "{laz} {las}");
    let bytes = std::fs::read(workspace.path("c.las")).unwrap();
    let start = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
    let time = f64::from_le_bytes(bytes[start + 22..start + 30].try_into().unwrap());
    assert_eq!(time, 0.0);
    let last = bytes.len() - usize::from(u16::from_le_bytes([bytes[105], bytes[106]]));
    let source = u16::from_le_bytes([bytes[last + 20], bytes[last + 21]]);
    assert_eq!(
        (f64::from_le_bytes(bytes[last + 22..last + 30].try_into().unwrap()), source),
        (1.0, 2)
    );
}

#[test]
fn an_image_shows_the_first_return_and_canonical_scans_are_equal() {
    let workspace = posts(BEAM);
    let render = ["render", "posts.json", "--shading", "0", "--device", "cpu", "--cloud", "c.npy"];
    let summary = workspace.json(&render);
    let ids = as_u32(&array(&workspace.path("out/render.npz"), "geometry_ids"));
    let shown = ids.iter().filter(|id| **id != u32::MAX).count();
    assert_eq!((shown, &summary["hits"]), (600, &600.into()));
    assert!(summary["cloud_points"].as_u64().unwrap() > 650);
    for device in ["cpu", "gpu"] {
        let output = format!("{device}.npy");
        workspace.json(&[&SCAN[..], &["--canonical", "--device", device, "-o", &output]].concat());
    }
    let [cpu, gpu] =
        ["cpu.npy", "gpu.npy"].map(|name| std::fs::read(workspace.path(name)).unwrap());
    assert!(cpu == gpu);
    let each = ["--each", "npz,laz,parquet", "-o", "each/"];
    workspace.json(&[&SCAN[..], &each].concat());
    assert_eq!(std::fs::read_dir(workspace.path("each")).unwrap().count(), 7);
    workspace.json(&[&SCAN[..], &["-o", "m.mcap"]].concat());
    let messages = std::fs::read(workspace.path("m.mcap")).unwrap();
    assert!(messages.windows(14).any(|text| text == b"return_number\0"));
}

#[test]
fn a_beam_that_cannot_be_is_refused_with_its_place() {
    for (keys, place) in [
        (r#", "beam": { "divergence_mrad": 4000 }"#, "cameras[0].beam.divergence_mrad"),
        (r#", "beam": { "divergence_mrad": 1, "subrays": 8 }"#, "cameras[0].beam.subrays"),
        (r#", "beam": { "divergence_mrad": 1, "rays": 7 }"#, "cameras[0].beam"),
        (r#", "returns": { "max": 16 }"#, "cameras[0].returns.max"),
        (r#", "returns": { "mode": "best" }"#, "cameras[0].returns.mode"),
        (r#", "returns": { "range_resolution": -1 }"#, "cameras[0].returns.range_resolution"),
        (r#", "attenuation_per_km": -1"#, "cameras[0].attenuation_per_km"),
        (r#", "detection_limit": -1"#, "cameras[0].detection_limit"),
    ] {
        let workspace = posts(keys);
        let error = workspace.fails(3, &[&SCAN[..], &["-o", "c.las"]].concat());
        assert!(error.contains(place), "{error}");
    }
    let workspace = Workspace::new();
    let flat = r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ],
        "cameras": [ { "eye": [3, 0, 0], "target": [0, 0, 0], "fov_y_degrees": 40, "beam": { "divergence_mrad": 1 } } ] }"#;
    workspace.write("flat.json", flat);
    let error = workspace.fails(3, &["render", "flat.json"]);
    assert!(error.contains("cameras[0].beam") && error.contains("panoramic"), "{error}");
}

#[test]
fn a_scanner_stands_at_stations_with_its_heading() {
    let workspace = posts("");
    workspace.write(
        "stations.csv",
        "name,x,y,z,heading_degrees\nwest,0,0,0,0\n\"south, far\",9,-6,0,90\n",
    );
    let scan = ["scan", "posts.json", "--stations", "stations.csv"];
    let summary = workspace.json(&[&scan[..], &["-o", "each/", "--each", "npy"]].concat());
    assert_eq!(summary["poses"], 2);
    let table = std::fs::read_to_string(workspace.path("each/poses.csv")).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(
        lines[0].ends_with("qw,name")
            && lines[1].ends_with("\"west\"")
            && lines[2].ends_with("\"south, far\""),
        "{table}"
    );
    // The first station sees the same as a pose without a turn.
    workspace.json(&[&SCAN[..], &["-o", "poses/", "--each", "npy"]].concat());
    let points = |name: &str| std::fs::read(workspace.path(name)).unwrap();
    let (station, pose) = (points("each/pose_000000.npy"), points("poses/pose_000000.npy"));
    assert!(station.len() == pose.len() && station[192..216] == pose[192..216]);
    workspace.json(&[&scan[..], &["-o", "c.laz"]].concat());
    for (flags, code, reason) in [
        (&["--poses", "poses.csv", "-o", "c.las"][..], 2, "cannot be used with"),
        (&["--sweep", "1", "-o", "c.las"], 2, "cannot be used with"),
        (&["-o", "stations.csv"], 2, "would replace its input stations.csv"),
    ] {
        let error = workspace.fails(code, &[&scan[..], flags].concat());
        assert!(error.contains(reason), "{error}");
    }
    workspace.write("bad.csv", "x,y,z\n1,2,up\n");
    let error = workspace.fails(3, &["scan", "posts.json", "--stations", "bad.csv", "-o", "c.las"]);
    assert!(error.contains("bad.csv:2:5") && error.contains("'up'"), "{error}");
}
