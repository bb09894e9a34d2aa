//! The gate passes nothing that it did not judge.

use crate::common::columns::Column;
use crate::common::parquet_files::parquet_file;
use crate::common::workspace::*;
use parquet::basic::Compression;
use serde_json::Value;

/// A workspace with a scene whose camera hides these paths.
fn with_hiding_camera(hidden: &str) -> Workspace {
    let workspace = Workspace::new();
    let scene =
        SCENE.replace(r#""name": "main","#, &format!(r#""name": "main", "hide": [{hidden}],"#));
    workspace.write("hiding.json", scene);
    workspace
}

fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|entry| entry[key].as_str().unwrap()).collect()
}

fn not_judged(diff: &Value) -> Vec<&str> {
    diff["not_judged"].as_array().unwrap().iter().map(|what| what.as_str().unwrap()).collect()
}

#[test]
fn a_camera_hides_shapes_from_its_image_alone() {
    let few = ["--size", "16x12", "--random", "140"];
    let every = r#""ball", "box[1]", "cylinder[2]""#;
    let workspace = with_hiding_camera(every);
    let all = ["diff", "hiding.json", "--device", "cpu"];
    let diff = workspace.json(&[&all[..], &few].concat());
    assert_eq!(texts(&diff["types"], "type")[..3], ["sphere", "box", "cylinder"]);
    assert!(not_judged(&diff).iter().any(|what| what.contains("hides every shape")), "{diff}");
    let fault = ["diff", "hiding.json", "--kind", "closest", "--mutate", "t-of-half-precision"];
    assert_eq!(workspace.run(&[&fault[..], &few].concat()).status.code(), Some(1));
    let image = ["--size", "16x12", "--kind", "closest", "--random", "0"];
    let expected = workspace.fails(3, &[&["diff", "hiding.json"], &image[..]].concat());
    assert!(expected.contains("hides every shape"), "{expected}");

    let workspace = with_hiding_camera(r#""box[1]""#);
    let diff = workspace.json(&[&all[..], &few].concat());
    assert_eq!(texts(&diff["parts"], "title")[0], "image, closest");
    assert!(texts(&diff["types"], "type").contains(&"box"), "{diff}");
    let diff = workspace.json(&[&["diff", "hiding.json", "--device", "cpu"], &image[..]].concat());
    assert!(!texts(&diff["types"], "type").contains(&"box"), "{diff}");
    assert!(
        not_judged(&diff).iter().any(|what| what.contains("seeded rays, because --random is 0"))
    );
    let all = ["diff", "scene.json", "--device", "cpu", "--size", "16x12", "--random", "0"];
    let diff = workspace.json(&all);
    let left_out = "seeded rays, seeded points and an update, because --random is 0";
    assert_eq!(not_judged(&diff), [left_out], "{diff}");
    let printed = workspace.run(&all).stdout;
    assert!(String::from_utf8(printed).unwrap().contains(left_out));
    workspace.json(&["render", "hiding.json", "--size", "16x12", "--device", "cpu"]);
    let saved = ["diff", "hiding.json", "--against", "out/render.npz", "--size", "16x12"];
    assert_eq!(workspace.json(&saved)["mismatches"], 0);
}

#[test]
fn a_camera_that_changes_distances_is_warned_of_where_its_image_is_judged() {
    let workspace = Workspace::new();
    let camera = r#""name": "near", "eye": [0, 0, 5], "target": [0, 0, 0], "fov_y_degrees": 40"#;
    let scene = |more: &str| {
        format!(
            r#"{{ "raytwin": 1, "shapes": [ {{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }} ],
            "cameras": [ {{ {camera}{more} }} ] }}"#
        )
    };
    let judged = ["diff", "ball.json", "--against", "out/render.npz", "--size", "16x12"];
    for (more, code) in [("", 0), (r#", "range_max": 4.2"#, 1), (r#", "range_min": 0.1"#, 0)] {
        workspace.write("ball.json", scene(more));
        workspace.json(&["render", "ball.json", "--size", "16x12", "--device", "cpu"]);
        let output = workspace.run(&judged);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{more}: {messages}");
        let is_warned = messages.contains("the camera has a range, noise or a pulse");
        assert_eq!(is_warned, !more.is_empty(), "{more}: {messages}");
    }
}

#[test]
fn nothing_is_no_pass() {
    let workspace = Workspace::new();
    let nan = [f32::NAN; 3];
    workspace.write("none.npy", npy("<f4", "False", "(0, 6)", &[]));
    workspace.write("invalid.npy", npy("<f4", "False", "(1, 6)", &float32(&[0.0; 6])));
    workspace.write("nan.npy", npy("<f4", "False", "(1, 3)", &float32(&nan)));
    workspace
        .write("up.npy", npy("<f4", "False", "(1, 6)", &float32(&[0.0, 0.0, 9.0, 0.0, 0.0, 1.0])));
    for (code, flags, expected) in [
        (3, &["none.npy"][..], "no valid ray"),
        (3, &["invalid.npy"], "no valid ray"),
        (3, &["--points", "nan.npy"], "no valid point"),
        (3, &["rays.npy", "--ignore", "*"], "no visible shapes"),
        (3, &["--ignore", "*"], "no visible shapes"),
        (3, &["--self-test", "--ignore", "*"], "no visible shapes"),
        (2, &["rays.npy", "--random", "9"], "--random"),
        (2, &["--points", "nan.npy", "--kind", "any"], "--kind"),
        (2, &["--self-test", "--kind", "any"], "--kind"),
        (2, &["--self-test", "--device", "all"], "--self-test tests one device"),
        // No ray of the file meets what is wrong.
        (3, &["up.npy", "--mutate", "sphere-no-depth"], "no answer was wrong"),
    ] {
        let message = workspace.fails(code, &[&["diff", "scene.json"], flags].concat());
        assert!(message.contains(expected), "{flags:?}: {message}");
    }
    workspace.write(
        "unseen.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "mask": 0, "center": [0,0,0], "radius": 1 } ] }"#,
    );
    workspace.fails(3, &["diff", "unseen.json", "--random", "14"]);
}

#[test]
fn an_update_keeps_to_the_flags_of_the_scene() {
    let workspace = Workspace::new();
    let few = ["--size", "16x12", "--random", "140"];
    let diff =
        |flags: &[&str]| workspace.json(&[&["diff", "--device", "cpu"], flags, &few].concat());
    let ignoring = diff(&["scene.json", "--ignore", "box[1]", "--build", "fast"]);
    assert!(texts(&ignoring["parts"], "title").contains(&"after an update, closest"));
    assert!(!texts(&ignoring["types"], "type").contains(&"box"), "{ignoring}");
    assert!(not_judged(&ignoring).is_empty(), "{ignoring}");
    workspace.write(
        "ball.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": 1 } ] }"#,
    );
    let of_ball = |flags: &[&str]| workspace.run(&[&["diff", "ball.json"], flags, &few].concat());
    assert_eq!(of_ball(&["--mutate", "moved-records-kept"]).status.code(), Some(1));
    workspace.write(
        "arm.xml",
        r#"<mujoco><worldbody><geom type="box" size="1 1 0.1"/><body name="arm"><joint name="turn" axis="0 0 1"/>
           <geom type="sphere" size="0.3" pos="2 0 1"/></body></worldbody></mujoco>"#,
    );
    let rows: Vec<u8> = [0.0_f64, 1.5].iter().flat_map(|angle| angle.to_le_bytes()).collect();
    workspace.write("rows.npy", npy("<f8", "False", "(2, 1)", &rows));
    let arm = ["arm.xml", "--qpos", "rows.npy"];
    let in_worlds =
        workspace.json(&[&["diff", "--device", "cpu", "--random", "140"], &arm[..]].concat());
    assert!(not_judged(&in_worlds)[0].contains("--world"), "{in_worlds}");
    let in_one = diff(&[&arm[..], &["--world", "1"]].concat());
    assert!(texts(&in_one["parts"], "title").contains(&"after an update, closest"), "{in_one}");
    assert!(not_judged(&in_one).is_empty(), "{in_one}");
}

/// The answers of the program to the rays of a workspace, of several kinds, each array with its type.
struct Arrays(Vec<(&'static str, &'static str, Vec<u8>)>);

impl Arrays {
    fn of(workspace: &Workspace) -> Self {
        let kinds = [
            (
                "closest",
                &[("t_hit", "<f4"), ("geometry_ids", "<u4"), ("primitive_normals", "<f4")][..],
            ),
            ("any", &[("occluded", "|b1")]),
            ("count", &[("intersections", "<u4")]),
        ];
        let mut arrays = Vec::new();
        for (kind, names) in kinds {
            let file = format!("{kind}.npz");
            workspace.json(&["query", "scene.json", "rays.npy", "--kind", kind, "-o", &file]);
            let read = |&(name, descr)| (name, descr, array(&workspace.path(&file), name));
            arrays.extend(names.iter().map(read));
        }
        Self(arrays)
    }

    /// Writes an archive of them, in which one array has other bytes of a type.
    fn write(&self, workspace: &Workspace, other: Option<(&str, &'static str, Vec<u8>)>) {
        let changed = |(name, descr, bytes): &(&'static str, &'static str, Vec<u8>)| {
            let (descr, bytes) = match &other {
                Some((changed, descr, bytes)) if changed == name => (*descr, bytes),
                _ => (*descr, bytes),
            };
            let count = if *name == "primitive_normals" { "(3, 3)" } else { "(3,)" };
            (format!("{name}.npy"), npy(descr, "False", count, bytes))
        };
        let files: Vec<(String, Vec<u8>)> = self.0.iter().map(changed).collect();
        let files: Vec<(&str, Vec<u8>)> =
            files.iter().map(|(name, bytes)| (&name[..], bytes.clone())).collect();
        workspace.write("saved.npz", zipped(&files));
    }
}

const AGAINST: [&str; 5] = ["diff", "scene.json", "rays.npy", "--against", "saved.npz"];

#[test]
fn every_array_of_a_file_is_judged_or_named() {
    let workspace = Workspace::new();
    let arrays = Arrays::of(&workspace);
    arrays.write(&workspace, None);
    let diff = workspace.json(&AGAINST);
    let titles = ["rays, closest", "rays, any", "rays, count"];
    assert_eq!(texts(&diff["parts"], "title"), titles);
    assert_eq!(not_judged(&diff), ["primitive_normals"]);
    let closest = workspace.run(&[&AGAINST[..], &["--kind", "closest"]].concat());
    let expected = String::from_utf8(closest.stderr).unwrap();
    assert!(closest.status.success() && expected.contains("not judged: occluded"), "{expected}");
    let table = String::from_utf8(closest.stdout).unwrap();
    assert!(table.contains("not judged: occluded, intersections, primitive_normals"), "{table}");
    for (name, descr, wrong) in [
        ("occluded", "|b1", vec![0, 0, 0]),
        ("intersections", "<u4", [3_u32, 0, 0].iter().flat_map(|n| n.to_le_bytes()).collect()),
    ] {
        arrays.write(&workspace, Some((name, descr, wrong)));
        assert_eq!(workspace.run(&AGAINST).status.code(), Some(1), "{name}");
    }
    workspace.json(&["query", "scene.json", "rays.npy", "--kind", "all", "-o", "saved.npz"]);
    assert_eq!(texts(&workspace.json(&AGAINST)["parts"], "title"), ["rays, all"]);
    let message = workspace.fails(3, &[&AGAINST[..], &["--kind", "closest"]].concat());
    assert!(message.contains("ray_splits"), "{message}");
}

#[test]
fn what_a_file_lacks_is_named_and_the_rest_is_judged() {
    let workspace = Workspace::new();
    let field = r#""type": "heightfield", "center": [0, 0, 0], "spacing": [1, 1], "heights": [[0, 1, 0], [2, 0, 1], [0, 1, 3]]"#;
    workspace.write("scene.json", format!(r#"{{ "raytwin": 1, "shapes": [ {{ {field} }} ] }}"#));
    let ray = |number: usize| {
        [0.13 * (number % 10) as f32 - 0.5, 0.17 * (number / 10) as f32 - 0.8, 5.0, 0.1, 0.1, -1.0]
    };
    let rays: Vec<f32> = (0..100).flat_map(ray).collect();
    workspace.write("rays.npy", npy("<f4", "False", "(100, 6)", &float32(&rays)));
    let all = ["t_hit", "geometry_ids", "primitive_ids"];
    for (given, absent) in [
        (1, &["geometry_ids (absent)", "primitive_ids (absent)"][..]),
        (2, &["primitive_ids (absent)"]),
        (3, &[]),
    ] {
        let outputs = all[..given].join(",");
        let asked = ["scene.json", "rays.npy", "--outputs", &outputs, "-o", "saved.npz"];
        workspace.json(&[&["query", "--device", "cpu"], &asked[..]].concat());
        let diff = workspace.json(&AGAINST);
        assert_eq!((not_judged(&diff), &diff["rays"]), (absent.to_vec(), &100.into()), "{diff}");
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for name in &all[..given] {
            let descr = if *name == "t_hit" { "<f4" } else { "<u4" };
            let mut bytes = array(&workspace.path("saved.npz"), name);
            if *name == "t_hit" {
                bytes[120..128].copy_from_slice(&float32(&[4.0, f32::INFINITY]));
            }
            files.push((format!("{name}.npy"), npy(descr, "False", "(100,)", &bytes)));
        }
        let files: Vec<(&str, Vec<u8>)> =
            files.iter().map(|(name, bytes)| (&name[..], bytes.clone())).collect();
        workspace.write("saved.npz", zipped(&files));
        let wrong = workspace.run(&AGAINST);
        let message = String::from_utf8(wrong.stderr).unwrap();
        assert!(wrong.status.code() == Some(1) && message.contains("2 of 100"), "{message}");
    }
    workspace.json(&["query", "scene.json", "rays.npy", "--outputs", "faces", "-o", "saved.npz"]);
    let message = workspace.fails(3, &AGAINST);
    assert!(message.contains("has no answers to judge: give t_hit, distance"), "{message}");
}

#[test]
fn absent_ids_are_named_in_every_report_and_none_is_made_up() {
    let workspace = Workspace::new();
    for (saved, absent) in [
        ("saved.npz", ["geometry_ids (absent)", "primitive_ids (absent)"]),
        ("saved.parquet", ["geometry_id (absent)", "primitive_id (absent)"]),
        ("saved/", ["geometry_ids (absent)", "primitive_ids (absent)"]),
    ] {
        workspace.json(&["query", "scene.json", "rays.npy", "--outputs", "t_hit", "-o", saved]);
        let diff = workspace.json(&["diff", "scene.json", "rays.npy", "--against", saved]);
        assert_eq!((not_judged(&diff), &diff["mismatches"]), (absent.to_vec(), &0.into()));
    }
    let save = |t: &[f32]| {
        let count = format!("({},)", t.len());
        let t_hit = npy("<f4", "False", &count, &float32(t));
        workspace.write("saved.npz", zipped(&[("t_hit.npy", t_hit)]));
    };
    save(&[1.75, f32::INFINITY]);
    assert!(workspace.fails(3, &AGAINST).contains("t_hit: has 2 numbers"));
    for (wrong, text) in [(2.5, ": t 2.5; exact"), (f32::NAN, ": t NaN; exact")] {
        save(&[wrong, f32::INFINITY, f32::NAN]);
        let judged = std::process::Command::new(env!("CARGO_BIN_EXE_raytwin"))
            .args([&AGAINST[..], &["--report", "r", "--json"]].concat())
            .current_dir(workspace.folder.path())
            .env("GITHUB_STEP_SUMMARY", workspace.path("job.md"))
            .output()
            .unwrap();
        assert_eq!(judged.status.code(), Some(1));
        let diff: Value = serde_json::from_slice(&judged.stdout).unwrap();
        let given = &diff["worst"][0]["given"];
        assert!(given["geometry_id"].is_null() && given["primitive_id"].is_null(), "{given}");
        let read = |name: &str| std::fs::read_to_string(workspace.path(name)).unwrap();
        let junit = read("r/junit.xml");
        assert!(junit.contains(r#"tests="4" failures="1" errors="0" skipped="2""#), "{junit}");
        assert!(
            junit.contains(r#"name="geometry_ids (absent)""#) && junit.contains(text),
            "{junit}"
        );
        assert!(read("r/report.html").contains("<dt>Not judged</dt><dd>geometry_ids (absent)"));
        let named = r"Not judged: geometry\_ids (absent), primitive\_ids (absent).";
        assert!(read("job.md").contains(named));
    }
}

#[test]
fn an_answer_that_is_none_is_bad_input_with_its_row() {
    let workspace = Workspace::new();
    let arrays = Arrays::of(&workspace);
    let words = |last: i32| [1, 0, last].iter().flat_map(|word: &i32| word.to_le_bytes()).collect();
    for (name, descr, bytes, expected) in [
        ("occluded", "|b1", vec![1, 0, 7], "occluded[2]: is 7: it must be 0, 1, true or false"),
        ("occluded", "|i1", vec![1, 255, 0], "occluded[1]: is -1"),
        ("occluded", "<f4", float32(&[1.0, 0.0, 0.0]), "occluded"),
        ("intersections", "<i4", words(-1), "intersections[2]: is -1"),
        ("geometry_ids", "<i4", words(-2), "geometry_ids[2]: is -2"),
    ] {
        arrays.write(&workspace, Some((name, descr, bytes)));
        let message = workspace.fails(3, &AGAINST);
        assert!(message.contains(expected), "{message}");
    }
    let against = ["diff", "scene.json", "rays.npy", "--against", "saved.parquet"];
    let numbers = |last| Column::NullableI32(vec![Some(1), Some(0), last]);
    let t_hit = |first| Column::Nullable(vec![first, Some(f32::INFINITY), Some(f32::NAN)]);
    let ids = |last| Column::NullableI32(vec![Some(0), Some(-1), last]);
    let closest = |t, last| vec![("t_hit", t_hit(t)), ("geometry_id", ids(last))];
    for (columns, expected) in [
        (vec![("occluded", numbers(None))], "occluded[2]: is null"),
        (vec![("intersections", numbers(None))], "intersections[2]: is null"),
        (closest(None, Some(-1)), "t_hit[0]: is null"),
        (closest(Some(1.75), None), "geometry_ids[2]: is null"),
    ] {
        workspace.write("saved.parquet", parquet_file(&columns, 2, Compression::UNCOMPRESSED));
        let message = workspace.fails(3, &against);
        assert!(message.contains(expected), "{message}");
    }
    // Halves and decimals are numbers, and of other types the message names the type.
    let halves = Column::Halves(vec![0x3f00, 0x7c00, 0x7e00]);
    let given = [("t_hit", halves.clone()), ("geometry_id", ids(Some(-1)))];
    workspace.write("saved.parquet", parquet_file(&given, 3, Compression::UNCOMPRESSED));
    assert_eq!(workspace.json(&against)["mismatches"], 0);
    for (name, column, expected) in [
        ("geometry_id", halves, "geometry_id: has type float16: it must be integers"),
        ("geometry_id", Column::F64(vec![0.0; 3]), "geometry_id: has type float64"),
        ("geometry_id", Column::Decimals(vec![0; 3]), "geometry_id: has type decimal(9, 2)"),
        ("geometry_id", Column::Texts(vec![None; 3]), "geometry_id: has type string"),
        ("t_hit", Column::Texts(vec![None; 3]), "t_hit: has type string: it must be numbers"),
    ] {
        let mut columns = closest(Some(1.75), Some(-1));
        columns.retain(|(other, _)| *other != name);
        columns.push((name, column));
        workspace.write("saved.parquet", parquet_file(&columns, 3, Compression::UNCOMPRESSED));
        let message = workspace.fails(3, &against);
        assert!(message.contains(expected), "{message}");
    }
    let columns = [&closest(Some(1.75), Some(-1))[..], &[("occluded", numbers(Some(0)))]].concat();
    workspace.write("saved.parquet", parquet_file(&columns, 3, Compression::UNCOMPRESSED));
    assert_eq!(workspace.json(&against)["rays"], 6);
    // Ids are judged by the name of the array too, and other letters are no other column.
    let wrong = [("t_hit", t_hit(Some(1.75))), ("geometry_ids", numbers(Some(-1)))];
    workspace.write("saved.parquet", parquet_file(&wrong, 3, Compression::UNCOMPRESSED));
    assert_eq!(workspace.run(&against).status.code(), Some(1));
    let misspelt = [("T_hit", t_hit(Some(1.75))), ("geometry_id", ids(Some(-1)))];
    workspace.write("saved.parquet", parquet_file(&misspelt, 3, Compression::UNCOMPRESSED));
    let message = workspace.fails(3, &against);
    assert!(message.contains("T_hit") && message.contains("rename it to t_hit"), "{message}");
}

#[test]
fn an_array_that_occurs_twice_and_crossings_of_solids_are_refused() {
    let workspace = Workspace::new();
    let arrays = Arrays::of(&workspace);
    arrays.write(&workspace, None);
    let both = workspace
        .fails(2, &["diff", "scene.json", "rays.npy", "--against", "saved.npz", "--solid"]);
    assert!(both.contains("--solid is for --kind closest and any"), "{both}");
    let booleans = |wrong: u8| npy("|b1", "False", "(3,)", &[wrong; 3]);
    let mut archive = zipped(&[("occluded.npy", booleans(0)), ("occlubed.npy", booleans(1))]);
    let (from, to) = (b"occlubed", b"occluded");
    for at in 0..archive.len() - to.len() {
        if archive[at..].starts_with(from) {
            archive[at..at + to.len()].copy_from_slice(to);
        }
    }
    workspace.write("twice.npz", archive);
    let twice = workspace.fails(3, &["diff", "scene.json", "rays.npy", "--against", "twice.npz"]);
    assert!(twice.contains("twice.npz: has two arrays of one name"), "{twice}");
}
