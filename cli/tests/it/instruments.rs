//! Published lidars as instruments: their beams, returns and noise, and the flags that change these.

use crate::common::workspace::*;

/// A post before a wall, seen by a lidar that a scene names.
fn scene(lidar: &str, keys: &str) -> String {
    format!(
        r#"{{ "raytwin": 1, "shapes": [
            {{ "type": "cylinder", "start": [6, 0, -3], "end": [6, 0, 3], "radius": 0.02 }},
            {{ "type": "plane", "point": [9, 0, 0], "normal": [-1, 0, 0] }} ],
          "cameras": [ {{ "name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0], {lidar} {keys} }} ] }}"#
    )
}

/// The rows of a cloud of returns: x, y, z and the distance, and how many returns the beam has.
fn cloud(workspace: &Workspace, flags: &[&str]) -> Vec<([f64; 3], u8)> {
    let fixed = ["--stations", "here.csv", "--intensity", "--device", "cpu", "-o", "c.npy"];
    workspace.json(&[&["scan"], flags, &fixed].concat());
    let bytes = std::fs::read(workspace.path("c.npy")).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let number = |row: &[u8], at: usize| f64::from_le_bytes(row[at..at + 8].try_into().unwrap());
    let row = |row: &[u8]| ([0, 8, 16].map(|at| number(row, at)), row[61]);
    bytes[start..].chunks_exact(66).map(row).collect()
}

fn stage() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("named.json", scene(r#""lidar": "VLP-16""#, ""));
    workspace.write("line.json", scene(r#""lidar": "VLP-16""#, r#", "no_beam": true"#));
    workspace.write(
        "plain.json",
        scene(r#""azimuth_degrees": [2, -2], "elevation_degrees": [1, -1]"#, ""),
    );
    workspace.write("here.csv", "x,y,z\n0,0,0\n");
    workspace
}

const LOOK: [&str; 4] = ["--lidar", "VZ-400", "--size", "9000x25"];

#[test]
fn a_published_lidar_has_the_returns_of_its_beam() {
    let workspace = stage();
    let look = |others: &[&str]| cloud(&workspace, &[&["plain.json"], &LOOK[..], others].concat());
    let most = |cloud: &[([f64; 3], u8)]| cloud.iter().map(|(_, count)| *count).max();
    let [several, lines] = [look(&[]), look(&["--no-beam"])];
    assert!(most(&several) > Some(1) && most(&lines) == Some(1));
    assert!(several.len() > lines.len(), "{} {}", several.len(), lines.len());
    // A line ends on the wall or on the post.
    let on_surface = |[x, y, _]: [f64; 3]| (x - 9.0).abs().min(((x - 6.0).hypot(y) - 0.02).abs());
    assert!(lines.iter().all(|(at, _)| on_surface(*at) < 1e-4));
    assert_eq!(most(&look(&["--returns", "1,last"])), Some(1));
    assert_eq!(most(&look(&["--beam", "0.35,0.007,1"])), Some(1));
    assert!(look(&["--beam", "0"]).len() <= several.len());
    // Of a wide beam two thirds pass by the post.
    let wide = look(&["--beam", "40"]);
    assert!(wide.len() > several.len() + 100, "{} {}", wide.len(), several.len());
    let noisy = look(&["--no-beam", "--noise"]);
    let off: Vec<f64> = noisy.iter().map(|(at, _)| on_surface(*at)).collect();
    let stddev = (off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64).sqrt();
    assert!((1e-3..4e-3).contains(&stddev), "{stddev}");
    assert_eq!(noisy, look(&["--no-beam", "--noise", "0.003,0"]));
    assert_ne!(noisy, look(&["--no-beam", "--noise", "0.003,1"]));
}

#[test]
fn a_lidar_in_a_file_is_that_of_the_flag() {
    let workspace = stage();
    let flags = |scene: &'static str, others: &[&'static str]| {
        cloud(&workspace, &[&[scene], others].concat())
    };
    let beams = flags("named.json", &[]);
    assert!(!beams.is_empty() && beams == flags("plain.json", &["--lidar", "VLP-16"]));
    let lines = flags("line.json", &[]);
    assert!(lines == flags("plain.json", &["--lidar", "VLP-16", "--no-beam"]) && lines != beams);
    workspace
        .write("both.json", scene(r#""lidar": "VZ-400""#, r#", "no_beam": true, "returns": {}"#));
    let message = workspace.fails(3, &["info", "both.json"]);
    assert!(message.contains("cameras[0].no_beam") && message.contains("remove one"), "{message}");
}

#[test]
fn what_no_instrument_can_be_is_refused() {
    let workspace = stage();
    let scan = ["scan", "plain.json", "--stations", "here.csv", "-o", "c.npy", "--device", "cpu"];
    for (flags, reason) in [
        (&["--lidar", "VLP-16", "--size", "100x17"][..], "16 rows"),
        (&["--lidar", "VLP-16", "--beam", "wide"], "a divergence in milliradians"),
        (&["--lidar", "VLP-16", "--beam", "1,2,8"], "beam.subrays"),
        (&["--lidar", "VLP-16", "--returns", "2,best"], "all, first, last, strongest"),
        (&["--lidar", "VLP-16", "--returns", "16"], "returns.max"),
        (&["--lidar", "VLP-16", "--no-beam", "--returns", "2"], "cannot be used with"),
        (&["--noise"], "--lidar"),
    ] {
        let message = workspace.fails(2, &[&scan[..], flags].concat());
        assert!(message.contains(reason), "{flags:?}: {message}");
    }
    let render = ["render", "scene.json", "--size", "9x9", "--device", "cpu", "--no-beam"];
    let message = workspace.fails(2, &render);
    assert!(message.contains("--no-beam works only for lidars"), "{message}");
}

#[test]
fn the_list_of_lidars_has_what_their_makers_publish() {
    let workspace = Workspace::new();
    let listed = workspace.json(&["scan", "--list-lidars"]);
    for lidar in listed["lidars"].as_array().unwrap() {
        let number = |key: &str| lidar[key].as_f64().unwrap();
        assert!(number("divergence_mrad") > 0.0 && number("range_stddev") > 0.0, "{lidar}");
        assert!(number("subrays") > 1.0 && number("max_returns") >= 1.0, "{lidar}");
        assert!(lidar["instrument_source"].as_str().is_some_and(|text| text.len() > 20));
    }
}
