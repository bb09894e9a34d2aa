//! Labels of shapes, from the scene's file and from tables, in all that the program writes.

use crate::common::parquet_files::parquet_column;
use crate::common::workspace::*;

/// The label of the shape of each id, in the tests' scene.
const TABLE: &str = "pattern,label,name,reflectance\nball,7,toy,0.25\nbox*,65535,,\n";

fn labelled() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("labels.csv", TABLE);
    workspace
}

fn words(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect()
}

fn of_shape(id: u32) -> u16 {
    match id {
        0 => 7,
        1 => 65535,
        _ => 0,
    }
}

#[test]
fn answers_show_labels_and_groups_are_counted() {
    let workspace = labelled();
    // A ray at each of the three shapes and one at none, not in the order of their ids.
    let xy = [[2.0, 0.0], [0.0, 2.0], [0.0, 0.0], [9.0, 9.0], [2.1, 0.0]];
    let rays: Vec<f32> = xy.iter().flat_map(|[x, y]| [*x, *y, 9.0, 0.0, 0.0, -1.0]).collect();
    workspace.write("rays.npy", npy("<f4", "False", "(5, 6)", &float32(&rays)));
    let query = ["query", "scene.json", "rays.npy", "--labels", "labels.csv", "--label-ids", "-o"];
    let labels = [65535, 0, 7, 0, 65535];
    for output in ["h.npz", "h/"] {
        let cloud = ["--cloud", "c.npy", "--hits-per", "label"];
        let summary = workspace.json(&[&query[..], &[output], &cloud].concat());
        let groups = summary["hits_per"].as_array().unwrap();
        let groups: Vec<_> = groups.iter().map(|row| (&row["group"], &row["hits"])).collect();
        assert_eq!(
            format!("{groups:?}"),
            r#"[(String("65535"), Number(2)), (String("none"), Number(1)), (String("toy"), Number(1))]"#
        );
        let file = workspace.path(output);
        let array = match output {
            "h.npz" => array(&file, "label_ids"),
            _ => {
                let bytes = std::fs::read(file.join("label_ids.npy")).unwrap();
                bytes[bytes.len() - 10..].to_vec()
            }
        };
        assert_eq!(words(&array), labels);
        let cloud = std::fs::read(workspace.path("c.npy")).unwrap();
        let points = cloud[cloud.len() - 4 * 36..].chunks_exact(36);
        let in_cloud: Vec<u32> = points.map(|row| as_u32(&row[32..])[0]).collect();
        assert_eq!(in_cloud, [65535, 0, 7, 65535]);
    }
    workspace.json(&[&query[..], &["h.parquet"]].concat());
    let (bytes, _) = parquet_column(&workspace.path("h.parquet"), "label_id");
    assert_eq!(as_u32(&bytes), labels.map(u32::from));
    let output = workspace.run(&[&query[..], &["h.npz", "--hits-per", "1"]].concat());
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        table,
        "        hits  group\n           2  box[1]\n           1  ball\n           1  cylinder[2]\n"
    );
}

#[test]
fn several_files_are_answered_anew_when_labels_change() {
    let workspace = labelled();
    std::fs::copy(workspace.path("rays.npy"), workspace.path("more.npy")).unwrap();
    let query = ["query", "scene.json", "rays.npy", "more.npy", "-o", "out/"];
    let skipped = |flags: &[&str]| {
        let summary = workspace.json(&[&query[..], flags].concat());
        summary["skipped"].as_array().unwrap().len()
    };
    let with_labels = ["--labels", "labels.csv", "--label-ids"];
    assert_eq!([skipped(&with_labels), skipped(&with_labels)], [0, 2]);
    workspace.write("labels.csv", TABLE.replace("7,toy", "8,toy"));
    assert_eq!([skipped(&with_labels), skipped(&with_labels)], [0, 2]);
    assert_eq!(words(&array(&workspace.path("out/rays.npz"), "label_ids")), [8, 0, 0]);
    // Answers are not old because of a label that they do not hold.
    assert_eq!([skipped(&[]), skipped(&["--labels", "labels.csv"])], [0, 2]);
}

#[test]
fn an_image_has_labels_and_colours() {
    let workspace = labelled();
    let render = ["render", "scene.json", "--size", "40x30", "--shading", "0", "--device", "cpu"];
    workspace.json(&render);
    let file = workspace.path("out/render.npz");
    let ids = as_u32(&array(&file, "geometry_ids"));
    let albedo = array(&file, "albedo");
    assert_eq!(albedo.len(), 3 * ids.len());
    assert!(
        ids.iter().zip(albedo.chunks(3)).all(|(id, color)| (*id == u32::MAX) == (color == [0; 3]))
    );
    let names = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
    assert!(!names.contains("label_ids") && !workspace.path("out/labels.png").exists());
    let asked = ["--labels", "labels.csv", "--label-ids", "--hits-per", "label"];
    let summary = workspace.json(&[&render[..], &asked, &["--cloud", "c.ply"]].concat());
    let labels = words(&array(&file, "label_ids"));
    assert!(ids.iter().zip(&labels).all(|(id, label)| of_shape(*id) == *label));
    let toys = labels.iter().filter(|label| **label == 7).count();
    let rows = summary["hits_per"].as_array().unwrap();
    assert!(toys > 5 && rows.iter().any(|row| row["group"] == "toy" && row["hits"] == toys));
    assert!(std::fs::read(workspace.path("out/labels.png")).unwrap().len() > 500);
    let listed = std::fs::read_to_string(workspace.path("out/geometries.json")).unwrap();
    assert!(
        listed.contains(r#""label":"toy""#) && listed.contains(r#""label_id":65535"#),
        "{listed}"
    );
    let ply = std::fs::read(workspace.path("c.ply")).unwrap();
    assert!(String::from_utf8_lossy(&ply).contains("property uint label\n"));
}

#[test]
fn a_scan_has_labels_in_clouds_arrays_and_messages() {
    let workspace = labelled();
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,-4,0,1,0,0,0,1\n1,-5,0,1,0,0,0,1\n");
    let scan = ["scan", "scene.json", "--poses", "poses.csv", "--lidar", "vlp-16", "--sweep", "0"];
    let scan = [&scan[..], &["--no-beam", "--labels", "labels.csv", "--label-ids", "-o"]].concat();
    workspace.json(&[&scan[..], &["c.npy"]].concat());
    let cloud = std::fs::read(workspace.path("c.npy")).unwrap();
    let header = 10 + usize::from(u16::from_le_bytes([cloud[8], cloud[9]]));
    let rows: Vec<&[u8]> = cloud[header..].chunks_exact(56).collect();
    assert!(rows.len() > 100);
    for row in rows {
        let [id, label] = [as_u32(&row[32..36])[0], as_u32(&row[48..52])[0]];
        assert_eq!(u32::from(of_shape(id)), label);
    }
    workspace.json(&[&scan[..], &["each/", "--each", "npz"]].concat());
    let poses = std::fs::read_dir(workspace.path("each")).unwrap();
    let files: Vec<_> = poses.map(|file| file.unwrap().path()).collect();
    let image = files.iter().find(|path| path.extension().is_some_and(|it| it == "npz")).unwrap();
    let ids = as_u32(&array(image, "geometry_ids"));
    let labels = words(&array(image, "label_ids"));
    assert!(ids.iter().zip(&labels).all(|(id, label)| of_shape(*id) == *label));
    workspace.json(&[&scan[..], &["m.mcap"]].concat());
    let messages = std::fs::read(workspace.path("m.mcap")).unwrap();
    assert!(messages.windows(6).any(|text| text == b"label\0"));
}

#[test]
fn labels_that_have_no_meaning_are_refused() {
    let workspace = labelled();
    let query = ["query", "scene.json", "rays.npy", "-o", "h.npz"];
    for (flags, reason) in [
        (&["--label-ids", "--kind", "any"][..], "--kind closest"),
        (&["--hits-per", "label", "--kind", "all"], "--kind closest"),
        (&["--hits-per", "0"], "from 1 to 64"),
        (&["--hits-per", ""], "must be label"),
    ] {
        let error = workspace.fails(2, &[&query[..], flags].concat());
        assert!(error.contains(reason), "{error}");
    }
    let more = ["query", "scene.json", "rays.npy", "rays.npy", "-o", "out/", "--hits-per", "1"];
    assert!(workspace.fails(2, &more).contains("one by one"));
    for rays in [".", "*.npy"] {
        for flags in [&["--hits-per", "1"][..], &["--cloud", "c.ply"]] {
            let several = [&["query", "scene.json", rays, "-o", "out/"][..], flags].concat();
            assert!(workspace.fails(2, &several).contains("one by one"), "{several:?}");
        }
    }
    let resumed = ["query", "scene.json", "rays.npy", "-o", "h/", "--resume", "--hits-per", "1"];
    assert!(workspace.fails(2, &resumed).contains("counts no hits of an earlier run"));
    workspace.write("bad.csv", "pattern,label\nball,red\n");
    let error = workspace.fails(3, &[&query[..], &["--labels", "bad.csv"]].concat());
    assert!(error.contains("bad.csv:2:6") && error.contains("'red'"), "{error}");
    let error = workspace.fails(3, &[&query[..], &["--labels", "no.csv"]].concat());
    assert!(error.contains("no.csv"), "{error}");
    let groups = workspace.fails(2, &[&query[..], &["--label-groups"]].concat());
    assert!(groups.contains("--label-groups works only for"), "{groups}");
    workspace.write("none.csv", "pattern,label\nmoon,3\n");
    let output = workspace.run(&[&query[..], &["--labels", "none.csv"]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.contains("moon"), "{message}");
    std::fs::remove_file(workspace.path("h.npz")).unwrap();
    let strict = workspace.fails(3, &[&query[..], &["--labels", "none.csv", "--strict"]].concat());
    assert!(strict.contains("moon"), "{strict}");
}

#[test]
fn columns_of_a_scenes_table_are_counted_and_kept() {
    let workspace = Workspace::new();
    workspace.write(
        "forest.csv",
        "type,start_x,start_y,start_z,end_x,end_y,end_z,radius,tree_id\ncylinder,0,0,0,0,0,3,0.2,7\ncylinder,2,0,0,2,0,3,0.2,-9\ncylinder,4,0,0,4,0,3,0.2,7\n",
    );
    let rays: Vec<f32> =
        [0.0, 2.0, 4.0, 6.0].iter().flat_map(|x| [*x, -5.0, 1.0, 0.0, 1.0, 0.0]).collect();
    workspace.write("rays.npy", npy("<f4", "False", "(4, 6)", &float32(&rays)));
    let query = ["query", "forest.csv", "rays.npy", "-o", "h.npz", "--keep", "tree_id"];
    let cloud = ["--cloud", "c.npy", "--hits-per", "tree_id"];
    let summary = workspace.json(&[&query[..], &cloud].concat());
    let rows = summary["hits_per"].as_array().unwrap();
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    assert_eq!(
        rows,
        [r#"{"group":"7","label_id":null,"hits":2}"#, r#"{"group":"-9","label_id":null,"hits":1}"#]
    );
    let cloud = std::fs::read(workspace.path("c.npy")).unwrap();
    let points = cloud[cloud.len() - 3 * 36..].chunks_exact(36);
    let kept: Vec<i32> = points.map(|row| as_u32(&row[32..])[0] as i32).collect();
    assert_eq!(kept, [7, -9, 7]);
    let render = ["render", "forest.csv", "--size", "40x30", "--shading", "0", "--device", "cpu"];
    let keep = ["--cloud", "c.ply", "--keep", "tree_id", "--hits-per", "tree_id"];
    workspace.json(&[&render[..], &keep].concat());
    let ply = std::fs::read(workspace.path("c.ply")).unwrap();
    assert!(String::from_utf8_lossy(&ply).contains("property int tree_id\n"));
    workspace.write("labels.csv", TABLE);
    workspace.write("stations.csv", "x,y,z\n0,0,0\n");
    for output in ["c.mcap", "c.ply"] {
        let _ = std::fs::remove_file(workspace.path(output));
    }
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,-4,0,1,0,0,0,1\n");
    let scan = ["scan", "forest.csv", "--poses", "poses.csv", "--lidar", "vlp-16", "--sweep", "0"];
    for output in ["c.las", "c.pcd", "c.parquet", "c.mcap"] {
        workspace.json(&[&scan[..], &["--keep", "tree_id", "-o", output]].concat());
        let bytes = std::fs::read(workspace.path(output)).unwrap();
        assert!(bytes.windows(7).any(|text| text == b"tree_id"), "{output}");
    }
    std::fs::remove_file(workspace.path("h.npz")).unwrap();
    assert!(
        workspace
            .fails(2, &query)
            .contains("the points of a cloud get the scene's columns: give --cloud")
    );
    workspace.json(&["convert", "scene.json", "labelled.json", "--labels", "labels.csv"]);
    let converted = std::fs::read_to_string(workspace.path("labelled.json")).unwrap();
    assert!(converted.contains("\"label\": 7") && converted.contains("\"reflectance\": 0.25"));
    for name in ["ring", "X", "intensity", "tree id", "9th"] {
        let text = format!("type,center_x,center_y,center_z,radius,{name}\nsphere,0,0,0,1,5\n");
        workspace.write("named.csv", text);
        for output in ["c.ply", "c.mcap"] {
            let scan = ["scan", "named.csv", "--stations", "stations.csv", "--lidar", "vlp-16"];
            let keep = ["--keep", name, "-o", output];
            let error = workspace.fails(3, &[&scan[..], &keep].concat());
            assert!(error.contains("rename the column"), "{error}");
        }
    }
    let unknown = [&query[..5], &["--hits-per", "tree"]].concat();
    assert!(
        workspace
            .fails(3, &unknown)
            .contains("no column of whole numbers with this name; it has tree_id")
    );
    let unknown = [&scan[..], &["--keep", "order", "-o", "d.las"]].concat();
    assert!(workspace.fails(3, &unknown).contains("--keep order"));
}

#[test]
fn hits_are_counted_alike_with_intensities_and_without() {
    let workspace = Workspace::new();
    workspace.write(
        "rings.json",
        r#"{ "raytwin": 1, "labels": { "near": 1, "far": 2 }, "shapes": [
            { "type": "sphere", "center": [3, 0, 0], "radius": 1, "label": "near" },
            { "type": "sphere", "center": [0, 0, 0], "radius": 50, "label": "far" } ],
          "cameras": [ { "name": "l", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [180, -180],
            "elevation_table_degrees": [0, 1], "columns": 100, "range_max": 20, "noise": { "stddev": 0.1 } } ] }"#,
    );
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n");
    let scan = ["scan", "rings.json", "--poses", "poses.csv", "--device", "cpu", "--hits-per"];
    let render = ["render", "rings.json", "--shading", "0", "--device", "cpu", "--hits-per"];
    for groups in ["label", "1"] {
        let rows = |flags: &[&str]| workspace.json(flags)["hits_per"].as_array().unwrap().clone();
        let of_scan = |flags: &[&str]| rows(&[&scan[..], &[groups], flags].concat());
        let of_render = |cloud: &str| rows(&[&render[..], &[groups, "--cloud", cloud]].concat());
        let plain = of_scan(&["-o", "c.npy"]);
        // What is out of range is no point.
        assert!(plain.len() == 1 && plain[0]["hits"].as_u64().unwrap() > 10, "{plain:?}");
        assert_eq!(of_scan(&["-o", "c.npy", "--intensity"]), plain);
        assert_eq!(of_scan(&["-o", "c.las"]), plain);
        assert_eq!([of_render("c.ply"), of_render("c.las")], [plain.clone(), plain]);
    }
}

#[test]
fn a_table_of_shapes_has_labels_and_reflectances() {
    let workspace = Workspace::new();
    let table = |labels: [&str; 3]| {
        let [a, b, c] = labels;
        format!(
            "type,center_x,center_y,center_z,radius,tree_id,label,reflectance\n\
            sphere,5,0,0,1,7,{a},0.25\nsphere,0,5,0,1,8,{b},0.75\nsphere,-5,0,0,1,,{c},\n"
        )
    };
    workspace.write("balls.csv", table(["3", "65535", ""]));
    workspace.json(&["convert", "balls.csv", "balls.parquet"]);
    workspace.write("poses.csv", "time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n");
    let groups = |file: &str| -> Vec<String> {
        let scan = ["scan", file, "--lidar", "VLP-16", "--poses", "poses.csv", "--sweep", "0"];
        let counted = ["--strict", "--label-ids", "--hits-per", "label", "-o", "c.npy"];
        let summary = workspace.json(&[&scan[..], &counted].concat());
        let rows = summary["hits_per"].as_array().unwrap();
        let mut rows: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row["group"], row["label_id"])).collect();
        rows.sort();
        rows
    };
    let numbers = [r#""3" 3"#, r#""65535" 65535"#, r#""none" 0"#];
    assert_eq!([groups("balls.csv"), groups("balls.parquet")], [numbers, numbers]);
    workspace.write("balls.csv", table(["3", "70000", ""]));
    let refused = workspace.fails(3, &["info", "balls.csv", "--strict"]);
    assert!(refused.contains("row 2: label is 70000: it must be"), "{refused}");
}

#[test]
fn a_pick_and_an_overview_show_labels_with_their_names() {
    let workspace = labelled();
    let table = ["--labels", "labels.csv"];
    let pick = |ray: &str, flags: &[&str]| {
        workspace.json(&[&["pick", "scene.json", "--ray", ray][..], flags].concat())
    };
    let down = |x: f64, y: f64| format!("{x},{y},9,0,0,-1");
    let named = pick(&down(0.0, 0.0), &table);
    assert_eq!((&named["label_id"], &named["label"]), (&7.into(), &"toy".into()));
    let nameless = pick(&down(2.0, 0.0), &table);
    assert_eq!((&nameless["label_id"], &nameless["label"].is_null()), (&65535.into(), &true));
    assert!(pick(&down(0.0, 0.0), &[])["label_id"].is_null());
    let text = |arguments: &[&str]| String::from_utf8(workspace.run(arguments).stdout).unwrap();
    let at = down(0.0, 0.0);
    let picked = text(&["pick", "scene.json", "--ray", &at, "--labels", "labels.csv"]);
    assert!(picked.contains("\nlabel         7 toy\n"), "{picked}");
    assert!(!text(&["pick", "scene.json", "--ray", &at]).contains("label"));

    let info = workspace.json(&["info", "scene.json", "--labels", "labels.csv", "--geometries"]);
    let labels = info["labels"].as_array().unwrap();
    let labels: Vec<_> = labels.iter().map(|it| (&it["label_id"], &it["name"])).collect();
    assert_eq!(labels, [(&7.into(), &"toy".into()), (&65535.into(), &serde_json::Value::Null)]);
    let geometries = info["geometries"].as_array().unwrap();
    assert_eq!((&geometries[0]["label_id"], &geometries[0]["label"]), (&7.into(), &"toy".into()));
    assert!(geometries[2].get("label_id").is_none());
    let listed = text(&["info", "scene.json", "--labels", "labels.csv", "--geometries"]);
    for line in
        ["label            7 toy (1 geometries)\n", "primitives  path, label\n", "  ball, 7 toy\n"]
    {
        assert!(listed.contains(line), "{listed}");
    }
}
