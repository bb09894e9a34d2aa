use super::*;
use crate::formats::AllFormats;
use crate::{FileStore, parse};
use raytwin::camera::{Elevation, Panorama, Projection};
use raytwin::scene::Scene;
use raytwin::shapes::Shape;

fn scene(text: &str) -> Result<Scene, String> {
    parse(text, Path::new("s.json")).map_err(|error| error.to_string())
}

#[test]
fn shapes_are_numbered_in_the_contracts_order_and_called_by_their_path_of_names() {
    let scene = scene(
        r#"{ "raytwin": 1,
            "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ],
            "nodes": [ { "name": "arm", "translation": [0, 0, 2], "scale": [2, 2, 2],
                "rotation_xyzw": [0, 0, 1, 1],
                "nodes": [ { "shapes": [
                    { "type": "sphere", "name": "tip", "center": [1, 0, 0], "radius": 0.5 } ] } ],
                "shapes": [ { "type": "box", "center": [0, 0, 1], "half_extents": [1, 1, 1] } ] } ] }"#,
    )
    .unwrap();
    let paths: Vec<_> = (0..3).map(|id| scene.path(id)).collect();
    assert_eq!(paths, ["sphere[0]", "arm/box[0]", "arm/nodes[0]/tip"]);
    let Some(Shape::Sphere(tip)) = scene.geometries()[2].shape(0) else {
        panic!("{:?}", scene.geometries()[2])
    };
    // A quarter turn about z takes x to y, after the scale and before the translation.
    assert!((tip.center - DVec3::new(0.0, 2.0, 2.0)).length() < 1e-6);
    assert_eq!(tip.radius, 1.0);
}

#[test]
fn many_shapes_of_a_node_share_its_name() {
    let name = "n".repeat(1000);
    let sphere = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;
    let shapes = [sphere; 3].join(",");
    let text = format!(
        r#"{{ "raytwin": 1, "nodes": [ {{ "name": "{name}", "nodes": [ {{ "shapes": [{shapes}] }} ] }} ] }}"#
    );
    let scene = scene(&text).unwrap();
    assert_eq!(scene.path(2), format!("{name}/nodes[0]/sphere[2]"));
    let names: Vec<Name> = (0..3).filter_map(|id| scene.name(id)).collect();
    let nodes: Vec<&Name> = names.iter().filter_map(|name| name.parent()).collect();
    assert!(
        names.len() == 3 && nodes.iter().all(|node| std::ptr::eq(node.last(), nodes[0].last()))
    );
    assert_eq!(nodes[0].parent().unwrap().last(), name);
}

#[test]
fn shapes_below_many_nodes_are_not_built_anew_for_each() {
    let sphere = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;
    let shapes = vec![sphere; 5000].join(",");
    let text = |depth| {
        let [open, closed] = [r#"{ "nodes": ["#, "] }"].map(|text: &str| text.repeat(depth));
        format!(r#"{{ "raytwin": 1, "nodes": [ {open} {{ "shapes": [{shapes}] }} {closed} ] }}"#)
    };
    let fastest = |text: String| {
        let time = || {
            let start = std::time::Instant::now();
            assert_eq!(scene(&text).unwrap().geometries().len(), 5000);
            start.elapsed()
        };
        (0..5).map(|_| time()).min().unwrap()
    };
    let [flat, deep] = [0, 60].map(|depth| fastest(text(depth)));
    assert!(deep < 5 * flat, "{deep:?} of 60 nodes in each other, {flat:?} of one");
}

#[test]
fn every_fault_is_reported_with_its_place() {
    let shape = |inner: &str| format!(r#"{{ "raytwin": 1, "shapes": [ {{ {inner} }} ] }}"#);
    let sphere = |inner: &str| shape(&format!(r#""type": "sphere", {inner}"#));
    for (text, expected) in [
        (
            sphere(r#""center": [0,0,0], "raduis": 1"#),
            "s.json: shapes[0].raduis: is an unknown key; did you mean radius?",
        ),
        (
            sphere(r#""center": [0,0,0]"#),
            "s.json: shapes[0].radius: is missing: every sphere needs it",
        ),
        (
            sphere(r#""center": [0,0], "radius": 1"#),
            "s.json: shapes[0].center: is [0,0]: it must be an array of 3 numbers",
        ),
        (
            sphere(r#""center": [0,0,0], "radius": "1""#),
            "s.json: shapes[0].radius: is \"1\": it must be a number",
        ),
        (
            sphere(r#""name": "left knee", "center": [0,0,0], "radius": 0"#),
            "s.json: shapes[0].radius (\"left knee\"): is 0.0: it must be between 1e-9 and 1e9",
        ),
        (
            sphere(r#""center": [0,0,2e9], "radius": 1"#),
            "s.json: shapes[0].center[2]: is 2000000000.0: a coordinate must be between -1e9 and 1e9",
        ),
        (
            shape(r#""type": "spere""#),
            "s.json: shapes[0].type: 'spere' is not a shape; did you mean sphere?",
        ),
        (
            shape(r#""radius": 1"#),
            "s.json: shapes[0]: has no \"type\": give one of sphere, box, cylinder, capsule, cone, ellipsoid, torus, plane, disc, triangle, mesh, heightfield, lines, empty",
        ),
        (
            r#"{ "raytwin": 1, "shaeps": [] }"#.to_owned(),
            "s.json: shaeps: is an unknown key; did you mean shapes?",
        ),
        ("{ \"raytwin\": 1,\n  \"raytwin\": 1 }".to_owned(), "s.json:2:11: the key \"raytwin\" is given twice"),
        (
            r#"{ "raytwin": 1, "cameras": [ { "eye": [0,0,0], "target": [0,1,0], "fov_y_degrees": 0 } ] }"#.to_owned(),
            "s.json: cameras[0].fov_y_degrees: is 0: it must be above 0 and below 180",
        ),
        ("[1, []]".to_owned(), "s.json: [1,[]] is not an object"),
        (
            r#"{ "raytwin": 1, "nodes": [ [] ] }"#.to_owned(),
            "s.json: nodes[0]: [] is not an object",
        ),
        (
            "{}".to_owned(),
            "s.json: raytwin: is missing: a native scene begins with { \"raytwin\": 1, ... }",
        ),
        (
            r#"{ "raytwin": 2 }"#.to_owned(),
            "s.json: raytwin: is 2: this version reads 1",
        ),
        (
            r#"{ "raytwin": 1, "nodes": [ { "nodes": [ { "scale": [0, 0, 0] } ] } ] }"#.to_owned(),
            "s.json: nodes[0].nodes[0].scale: has a transform that stretches lengths by 0.0 to 0.0: both must be between 1e-9 and 1e9, so no scale may be 0 and no matrix may be singular",
        ),
        (
            r#"{ "raytwin": 1, "cameras": [ { "eye": [0,0,0], "target": [0,1,0], "fov_y_degrees": "wide" } ] }"#.to_owned(),
            "s.json: cameras[0].fov_y_degrees: invalid type: string \"wide\", expected f64",
        ),
        (
            "{ \"raytwin\": 1,\n  \"shapes\": [ NaN ] }".to_owned(),
            "s.json:2:15: expected value",
        ),
    ] {
        assert_eq!(scene(&text).unwrap_err(), expected);
    }
}

#[test]
fn the_four_kinds_of_camera_are_told_apart_by_their_fields() {
    let camera = |inner: &str| {
        scene(&format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [0,1,0] {inner} }} ] }}"#
        ))
        .map(|scene| scene.cameras[0].projection.clone())
    };
    assert!(matches!(camera(r#", "fov_y_degrees": 40"#), Ok(Projection::Perspective { .. })));
    assert!(matches!(camera(r#", "height": 40"#), Ok(Projection::Orthographic { .. })));
    let pinhole = r#", "fx": 1, "fy": 1, "cx": 1, "cy": 1, "width": 2, "height": 2"#;
    assert!(matches!(camera(pinhole), Ok(Projection::Pinhole { .. })));
    let azimuth_degrees = [180.0, -180.0];
    for (elevation, elevation_degrees) in [
        (r#""elevation_degrees": [2, -24.8]"#, Elevation::Range([2.0, -24.8])),
        (r#""elevation_table_degrees": [15, 3, -25]"#, Elevation::Table(vec![15.0, 3.0, -25.0])),
    ] {
        let read = camera(&format!(r#", "azimuth_degrees": [180, -180], {elevation}"#));
        let panorama = Panorama::new(azimuth_degrees, elevation_degrees);
        assert_eq!(read, Ok(Projection::Panoramic(panorama)));
    }
    for neither in [
        "",
        r#", "fx": 1"#,
        r#", "fov_y_degrees": 40, "height": 2"#,
        r#", "azimuth_degrees": [180, -180]"#,
        r#", "elevation_degrees": [15, -15]"#,
        r#", "azimuth_degrees": [180, -180], "elevation_degrees": [15, -15], "height": 16"#,
        r#", "azimuth_degrees": [180, -180], "elevation_degrees": [15, -15], "fov_y_degrees": 30"#,
    ] {
        assert!(camera(neither).unwrap_err().contains("(panoramic)"), "{neither}");
    }
}

#[test]
fn a_principal_point_counts_from_a_corner_or_from_the_middle_of_a_pixel() {
    let camera = |inner: &str| {
        let text = format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [0,1,0], {inner} }} ] }}"#
        );
        scene(&text).map(|scene| scene.cameras[0].projection.clone())
    };
    let pinhole = r#""fx": 500, "fy": 500, "cx": 319.5, "cy": 239.5, "width": 640, "height": 480"#;
    for (key, expected) in [
        ("", [319.5, 239.5]),
        (r#", "pixel_origin": "corner""#, [319.5, 239.5]),
        (r#", "pixel_origin": "center""#, [320.0, 240.0]),
    ] {
        let Ok(Projection::Pinhole { center, .. }) = camera(&format!("{pinhole}{key}")) else {
            panic!("{key}")
        };
        assert_eq!(center, expected, "{key}");
    }
    let unknown = camera(&format!(r#"{pinhole}, "pixel_origin": "middle""#)).unwrap_err();
    assert!(unknown.contains("cameras[0].pixel_origin") && unknown.contains("center"), "{unknown}");
    let without = camera(r#""height": 4, "pixel_origin": "center""#).unwrap_err();
    assert!(
        without.contains("cameras[0].pixel_origin: is only for cameras with cx and cy"),
        "{without}"
    );
}

#[test]
fn a_panoramic_camera_that_cannot_be_is_reported_with_its_field() {
    for (angles, expected) in [
        (
            r#""azimuth_degrees": [0, 400], "elevation_degrees": [15, -15]"#,
            "azimuth_degrees: is [0.0, 400.0]: its two angles must differ, by at most 360",
        ),
        (
            r#""azimuth_degrees": [180], "elevation_degrees": [15, -15]"#,
            "azimuth_degrees: invalid length 1, expected an array of length 2",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_degrees": [95, -15]"#,
            "elevation_degrees: is [95.0, -15.0]: its two angles must be between -90 and 90",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_table_degrees": []"#,
            "elevation_table_degrees: is a table of 0 rows: it must have at least 1 row and at most 65536",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_table_degrees": [0, 1, -90.5]"#,
            "elevation_table_degrees[2]: is -90.5: it must be between -90 and 90",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_table_degrees": [0, "up"]"#,
            "elevation_table_degrees[1]: invalid type: string \"up\", expected f64",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_degrees": [1, 0], "elevation_table_degrees": [1]"#,
            "elevation_table_degrees: is given together with elevation_degrees: keep one of the two",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_table": [1]"#,
            "elevation_table: is an unknown key; did you mean elevation_table_degrees?",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_degrees": [1, 0], "row_times_s": [0, 1]"#,
            "row_times_s: is a list of 2 numbers: give one for each row of elevation_table_degrees",
        ),
        (
            r#""azimuth_degrees": [180, -180], "elevation_table_degrees": [1, 0], "row_azimuth_offsets_degrees": [0, 200]"#,
            "row_azimuth_offsets_degrees[1]: is 200: it must be between -180 and 180",
        ),
        (
            r#""fov_y_degrees": 40, "row_times_s": [0]"#,
            "row_times_s: is for cameras of rows and columns: leave it out",
        ),
    ] {
        let text = format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [0,1,0], {angles} }} ] }}"#
        );
        assert_eq!(scene(&text).unwrap_err(), format!("s.json: cameras[0].{expected}"));
    }
}

#[test]
fn patterns_are_read_by_their_types_and_refused_by_their_keys() {
    let pattern = |keys: &str| {
        scene(&format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [1,0,0], "pattern": {{ {keys} }} }} ] }}"#
        ))
    };
    let beams = |keys: &str| pattern(keys).unwrap().cameras[0].default_size();
    let pace = r#""pulses_per_s": 1000, "sweep_s": 0.1"#;
    for keys in [
        r#""type": "risley", "wedge_degrees": [18, 18], "refractive_index": 1.5, "turns_per_s": [1, -2]"#,
        r#""type": "oscillating", "half_angle_degrees": 30, "swings_per_s": 20"#,
        r#""type": "polygon", "half_angle_degrees": 30, "lines_per_s": 20"#,
        r#""type": "conic", "half_angle_degrees": 30, "turns_per_s": 20"#,
    ] {
        assert_eq!(beams(&format!("{keys}, {pace}")), (100, 1), "{keys}");
    }
    let angles = r#""type": "table", "azimuth_degrees": [0, 1, 2], "elevation_degrees": [0, 0, 0]"#;
    assert_eq!(beams(&format!(r#"{angles}, "time_s": [0, 0, 2.5]"#)), (3, 1));
    let paced = pattern(&format!(r#"{angles}, "pulses_per_s": 10"#)).unwrap();
    assert_eq!(paced.cameras[0].projection.sweep_s(), 0.3);
    let long = pattern(&format!(r#"{angles}, "pulses_per_s": 10, "sweep_s": 0.5"#)).unwrap();
    assert_eq!(long.cameras[0].projection.sweep_s(), 0.5);
    for (keys, expected) in [
        (r#""type": "spiral""#.to_owned(), "pattern.type: unknown variant `spiral`"),
        (
            format!(r#""type": "conic", "half_angle_degrees": 3, {pace}"#),
            "missing field `turns_per_s`",
        ),
        (
            format!(r#""type": "conic", "half_angle_degrees": 300, "turns_per_s": 1, {pace}"#),
            "pattern.half_angle_degrees: is 300: it must be from 0 to 180",
        ),
        (
            format!(
                r#""type": "conic", "half_angle_degrees": 3, "turns_per_s": 1, "wedges": 2, {pace}"#
            ),
            "unknown field `wedges`",
        ),
        (angles.to_owned(), "pattern: must have its times in exactly one place"),
        (
            format!(r#"{angles}, "pulses_per_s": 10, "time_s": [0, 1, 2]"#),
            "must have its times in exactly one place",
        ),
        (
            format!(r#"{angles}, "time_s": [0, 2, 1]"#),
            "pattern.time_s[2]: is 1: times must not be negative",
        ),
        (format!(r#"{angles}, "pulses_per_s": 0"#), "pattern.pulses_per_s: is 0"),
        (format!(r#"{angles}, "file": "beams.csv""#), "either azimuth_degrees and"),
        (r#""type": "table", "file": "none.csv""#.to_owned(), "pattern.file: "),
    ] {
        let error = pattern(&keys).unwrap_err();
        assert!(error.contains(expected) && error.contains("cameras[0].pattern"), "{error}");
    }
    let both = r#"{ "raytwin": 1, "cameras": [ { "eye": [0,0,0], "target": [1,0,0], "fov_y_degrees": 40,
        "pattern": { "type": "conic", "half_angle_degrees": 3, "turns_per_s": 1, "pulses_per_s": 9, "sweep_s": 1 } } ] }"#;
    assert!(scene(both).unwrap_err().contains("keys of another projection: keep one of the two"));
}

#[test]
fn the_schema_knows_every_kind_and_field() {
    let schema = schema().to_string();
    for kind in raytwin::shapes::SHAPE_TYPES {
        assert!(schema.contains(&format!("\"const\":\"{}\"", kind.name)));
        for field in kind.fields {
            assert!(schema.contains(&format!("\"{}\":", field.name)));
        }
    }
    for key in ["rotation_xyzw", "fov_y_degrees", "pixel_origin", "color"] {
        assert!(schema.contains(&format!("\"{key}\":")), "{key}");
    }
}

#[test]
fn each_shapes_own_faults_are_reported_with_their_place() {
    let shape = |inner: &str| format!(r#"{{ "raytwin": 1, "shapes": [ {{ "type": {inner} }} ] }}"#);
    for (text, expected) in [
        (
            r#""cylinder", "start": [0,0,0], "end": [0,0,1], "radius": 1, "inner_radius": 1"#,
            "shapes[0].inner_radius: is 1.0: it must be below the radius",
        ),
        (
            r#""cylinder", "start": [0,0,0], "end": [0,0,1], "radius": 1, "inner_radius": -1"#,
            "shapes[0].inner_radius: is -1.0: it must be 0, or",
        ),
        (
            r#""capsule", "start": [0,0,1], "end": [0,0,1], "radius": 1"#,
            "shapes[0].end: is 0.0 from start",
        ),
        (
            r#""cone", "start": [0,0,0], "end": [0,0,1], "start_radius": 0, "end_radius": 0"#,
            "shapes[0].end_radius: is 0 and start_radius is 0 too",
        ),
        (
            r#""cone", "start": [0,0,0], "end": [0,0,1], "start_radius": 1"#,
            "shapes[0].end_radius: is missing",
        ),
        (r#""ellipsoid", "center": [0,0,0], "radii": [1,0,1]"#, "shapes[0].radii[1]: is 0.0"),
        (
            r#""torus", "center": [0,0,0], "axis": [0,0,0], "major_radius": 2, "minor_radius": 1"#,
            "shapes[0].axis: has no length",
        ),
        (
            r#""torus", "center": [0,0,0], "axis": [0,0,1], "major_radius": 1, "minor_radius": 1"#,
            "shapes[0].minor_radius: is 1.0: it must be below the major_radius",
        ),
        (
            r#""plane", "point": [0,0,0], "normal": [0,-0,0]"#,
            "shapes[0].normal: is missing or has no length",
        ),
        (
            r#""disc", "center": [0,0,0], "normal": [0,0,1], "radius": 1, "inner_radius": 2"#,
            "shapes[0].inner_radius: is 2.0",
        ),
        (
            r#""triangle", "vertices": [[0,0,0],[1,1,1],[2,2,2]]"#,
            "shapes[0].vertices: are on one line",
        ),
        (
            r#""triangle", "vertices": [[0,0,0],[1,1],[2,2,2]]"#,
            "shapes[0].vertices[1]: is [1,1]: it must be an array of 3 numbers",
        ),
        (
            r#""triangle", "vertices": [[0,0,0],[1,2e9,1],[2,2,2]]"#,
            "shapes[0].vertices[1][1]: is 2000000000.0",
        ),
        (r#""mesh", "vertices": [[0,0,0]], "triangles": []"#, "shapes[0].triangles: is empty"),
        (
            r#""mesh", "vertices": [[0,0,0]], "triangles": [[0,0,1]]"#,
            "shapes[0].triangles[0]: refers to vertex 1, but there are only 1",
        ),
        (
            r#""mesh", "vertices": [[0,0,3e9]], "triangles": [[0,0,0]]"#,
            "shapes[0].vertices[0]: is [0.0, 0.0, 3000000000.0]",
        ),
        (
            r#""mesh", "vertices": [[0,0,0]]"#,
            "shapes[0]: must have either vertices and triangles or a file",
        ),
        (
            r#""mesh", "file": "absent.stl", "verts": 1"#,
            "shapes[0].verts: is an unknown key; did you mean vertices?",
        ),
        (
            r#""heightfield", "heights": [[0,0],[0]], "spacing": [1,1], "center": [0,0,0]"#,
            "shapes[0].heights[1]: has",
        ),
        (
            r#""heightfield", "heights": [[0,0]], "spacing": [1,1], "center": [0,0,0]"#,
            "shapes[0].heights: are 2 numbers in rows of 2",
        ),
        (
            r#""heightfield", "heights": [[0,0],[0,2e9]], "spacing": [1,1], "center": [0,0,0]"#,
            "shapes[0].heights[1][1]: is",
        ),
        (
            r#""heightfield", "heights": [[0,0],[0,0]], "spacing": [1,0], "center": [0,0,0]"#,
            "shapes[0].spacing[1]: is 0.0",
        ),
        (
            r#""heightfield", "heights": [[0,0],[0,-1]], "base": -1, "spacing": [1,1], "center": [0,0,0]"#,
            "shapes[0].base: is -1.0: it must be below the lowest height, -1.0",
        ),
        (
            r#""heightfield", "heights": [[0,0],[0,0]], "base": -2e9, "spacing": [1,1], "center": [0,0,0]"#,
            "shapes[0].base: is",
        ),
        (
            r#""plane", "point": [0,0,0], "half_extents": [1,1]"#,
            "shapes[0].rotation_xyzw: is missing: half_extents are along",
        ),
        (
            r#""plane", "point": [0,0,0], "half_extents": [1,-1], "rotation_xyzw": [0,0,0,1]"#,
            "shapes[0].half_extents[1]: is -1.0: it must be 0",
        ),
        (
            r#""plane", "point": [0,0,0], "rotation_xyzw": [0,0,0,1]"#,
            "shapes[0].rotation_xyzw: is given without half_extents",
        ),
        (
            r#""plane", "point": [0,0,0], "normal": [0,1,0], "half_extents": [1,1], "rotation_xyzw": [0,0,0,1]"#,
            "shapes[0].normal: is not the +z axis",
        ),
        (
            r#""plane", "point": [0,0,0], "normal": [0,1,0], "one_sided": 1"#,
            "shapes[0].one_sided: is 1: it must be true or false",
        ),
        (
            r#""cylinder", "start": [0,0,0], "end": [0,0,1], "radius": 1, "inner_radius": 0.5, "side": false"#,
            "shapes[0].inner_radius: makes a tube",
        ),
        (
            r#""cone", "start": [0,0,0], "end": [0,0,1], "start_radius": 1, "end_radius": 0, "side": false, "start_cap": false, "end_cap": false"#,
            "shapes[0].side: is false and both caps are false too",
        ),
        (
            r#""lines", "points": [[0,0,0],[0,0,1]], "indices": [[0,2]], "radius": 1"#,
            "shapes[0].indices[0]: refers to point 2, but there are only 2",
        ),
        (
            r#""lines", "points": [[0,0,0],[0,0,0]], "indices": [[0,1]], "radius": 1"#,
            "shapes[0].indices[0]: ",
        ),
        (
            r#""lines", "points": [[0,0,0],[0,0,1]], "indices": [[0,1]], "radius": 0"#,
            "shapes[0].radius: is 0.0",
        ),
    ] {
        let message = scene(&shape(text)).unwrap_err();
        assert!(message.starts_with(&format!("s.json: {expected}")), "{message} for {expected}");
    }
}

#[test]
fn a_node_moves_every_type_of_shape() {
    let shapes = r#"[
        { "type": "capsule", "start": [0,0,0], "end": [0,0,1], "radius": 0.5 },
        { "type": "cone", "start": [0,0,0], "end": [0,0,1], "start_radius": 0.5, "end_radius": 0 },
        { "type": "ellipsoid", "center": [0,0,0], "radii": [1,2,3] },
        { "type": "torus", "center": [0,0,0], "axis": [1,0,0], "major_radius": 2, "minor_radius": 1 },
        { "type": "plane", "point": [1,0,0], "normal": [1,0,0] },
        { "type": "disc", "center": [1,0,0], "normal": [1,0,0], "radius": 1 },
        { "type": "triangle", "vertices": [[0,0,0],[1,0,0],[0,0,1]] },
        { "type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,0,1]], "triangles": [[0,1,2]] },
        { "type": "heightfield", "heights": [[0,1],[0,1]], "spacing": [2,2], "center": [1,0,0] },
        { "type": "lines", "points": [[0,0,0],[1,0,0]], "indices": [[0,1]], "radius": 0.25 } ]"#;
    let scene = scene(&format!(
        r#"{{ "raytwin": 1, "nodes": [ {{ "translation": [0, 0, 5], "scale": [2, 2, 2],
            "rotation_xyzw": [0, 0, 1, 1], "shapes": {shapes} }} ] }}"#
    ))
    .unwrap();
    // The node takes x to y, twice as far.
    let row = |id: usize, part: u32| scene.geometries()[id].shape(part).unwrap().row();
    let is_near = |found: Vec<f64>, expected: &[f64]| {
        let error =
            found.iter().zip(expected).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        assert!(error < 1e-6, "{found:?} for {expected:?}");
    };
    is_near(row(0, 0), &[0.0, 0.0, 5.0, 0.0, 0.0, 7.0, 1.0]);
    is_near(row(1, 0), &[0.0, 0.0, 5.0, 0.0, 0.0, 7.0, 1.0, 0.0]);
    is_near(row(2, 0), &[0.0, 0.0, 5.0, 2.0, 4.0, 6.0, 0.0, 0.0, 0.5_f64.sqrt(), 0.5_f64.sqrt()]);
    is_near(row(3, 0), &[0.0, 0.0, 5.0, 0.0, 1.0, 0.0, 4.0, 2.0]);
    is_near(row(4, 0), &[0.0, 2.0, 5.0, 0.0, 1.0, 0.0]);
    is_near(row(5, 0), &[0.0, 2.0, 5.0, 0.0, 1.0, 0.0, 2.0, 0.0]);
    is_near(row(6, 0), &[0.0, 0.0, 5.0, 0.0, 2.0, 5.0, 0.0, 0.0, 7.0]);
    is_near(row(7, 0), &[0.0, 0.0, 5.0, 0.0, 2.0, 5.0, 0.0, 0.0, 7.0]);
    // Corners at x = ±1 about x = 1, of which those at x = 2 are high.
    is_near(row(8, 0), &[2.0, 0.0, 5.0, 2.0, 4.0, 7.0, -2.0, 4.0, 7.0]);
    is_near(row(9, 0), &[0.0, 0.0, 5.0, 0.0, 2.0, 5.0, 0.5]);
}

#[test]
fn a_direction_of_any_length_is_one() {
    for (normal, expected) in [("[0, 0, 1e-300]", DVec3::Z), ("[0, -1e300, 0]", DVec3::NEG_Y)] {
        let text = format!(
            r#"{{ "raytwin": 1, "shapes": [ {{ "type": "plane", "point": [0,0,0], "normal": {normal} }} ] }}"#
        );
        let scene = scene(&text).unwrap();
        let shape = scene.geometries()[0].shape(0).unwrap();
        assert_eq!(shape.normal(0, DVec3::ZERO), expected);
    }
}

#[test]
fn files_are_sought_beside_the_scene_and_their_faults_reported_with_the_place_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    std::fs::write(folder.path().join("one.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let read = |shape: &str| {
        std::fs::write(&path, format!(r#"{{ "raytwin": 1, "shapes": [ {shape} ] }}"#)).unwrap();
        crate::read(&FileStore::disk(), &path, &Options::default())
            .and_then(|graph| graph.flatten_any(&Options::default()))
            .map(|imported| imported.scene)
            .map_err(|error| error.to_string())
    };
    let scene = read(r#"{ "type": "mesh", "file": "one.obj" }"#).unwrap();
    assert_eq!(scene.geometries()[0].primitive_count(), 1);
    let absent = read(r#"{ "type": "mesh", "file": "absent.stl" }"#).unwrap_err();
    assert!(
        absent.contains("shapes[0].file: ") && absent.contains("absent.stl: cannot be read"),
        "{absent}"
    );
    let field =
        r#"{ "type": "heightfield", "file": "one.obj", "spacing": [1,1], "center": [0,0,0] }"#;
    let wrong = read(field).unwrap_err();
    assert!(wrong.contains("shapes[0].file: ") && wrong.contains("one.obj"), "{wrong}");
}

#[test]
fn a_mesh_file_that_many_shapes_name_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let mut files = GraphReader::new(FileStore::disk(), &AllFormats);
    let mut reader = Reader::new(&mut files, &path, &[]);
    let file = folder.path().join("m.obj");
    std::fs::write(&file, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mut read = |name: &str| {
        let shape = serde_json::json!({ "file": name }).as_object().unwrap().clone();
        reader.read_compound("mesh", shape, "shapes[0]")
    };
    let first = read("m.obj").unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(read("m.obj").unwrap(), first);
    assert!(read("./m.obj").unwrap_err().to_string().contains("shapes[0].file"));
}

#[test]
fn a_colour_holds_for_what_has_none_of_its_own() {
    let sphere = |color: &str| {
        format!(r#"{{ "type": "sphere", "center": [0, 0, 0], "radius": 1 {color} }}"#)
    };
    let [plain, red] = ["", r#", "color": [1, 0, 0]"#].map(sphere);
    let lines = r#"{ "type": "lines", "points": [[0, 0, 0], [1, 0, 0]], "indices": [[0, 1]],
        "radius": 1, "color": [0, 1, 0] }"#;
    let text = format!(
        r#"{{ "raytwin": 1, "shapes": [{plain}, {lines}],
            "nodes": [ {{ "color": [0, 0, 0.5], "shapes": [{plain}, {red}],
                          "nodes": [ {{ "shapes": [{plain}] }} ] }} ] }}"#
    );
    let scene_of_all = scene(&text).unwrap();
    let blue = Some([0.0, 0.0, 0.5]);
    let expected = [None, Some([0.0, 1.0, 0.0]), blue, Some([1.0, 0.0, 0.0]), blue];
    assert_eq!([0, 1, 2, 3, 4].map(|id| scene_of_all.appearance(id).color), expected);

    for (color, message) in [
        ("[1, 0, 1.5]", "color: is [1.0, 0.0, 1.5]: red, green and blue must be from 0 to 1"),
        ("[1, 0, -0.1]", "must be from 0 to 1"),
        ("[1, 0]", "color: is [1,0]: it must be an array of 3 numbers"),
        ("\"red\"", "color: is \"red\": it must be an array of 3 numbers"),
    ] {
        let of_shape = sphere(&format!(r#", "color": {color}"#));
        let error = scene(&format!(r#"{{ "raytwin": 1, "shapes": [{of_shape}] }}"#)).unwrap_err();
        assert!(error.contains(message) && error.contains("shapes[0].color"), "{error}");
        let of_node = format!(r#"{{ "raytwin": 1, "nodes": [ {{ "color": {color} }} ] }}"#);
        let error = scene(&of_node).unwrap_err();
        assert!(error.contains("nodes[0].color"), "{error}");
    }
}

#[test]
fn whole_numbers_stand_beside_shapes() {
    let scene = |integers: &str| {
        format!(
            r#"{{ "raytwin": 1, "definitions": {{ "pair": {{ "shapes": [
                {{ "type": "sphere", "center": [0, 0, 0], "radius": 1, "integers": {{ "tree_id": 5 }} }},
                {{ "type": "sphere", "center": [3, 0, 0], "radius": 1 }} ] }} }},
              "nodes": [ {{ "use": "pair" }}, {{ "use": "pair", "translation": [0, 9, 0] }} ],
              "shapes": [ {{ "type": "sphere", "center": [0, 0, 9], "radius": 1, "integers": {integers} }} ] }}"#
        )
    };
    let read =
        parse(&scene(r#"{ "tree_id": -2147483648, "order": 1 }"#), Path::new("s.json")).unwrap();
    let all: Vec<i32> = (0..5).map(|id| read.integer("tree_id", id)).collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [i32::MIN, 0, 0, 5, 5], "{all:?}");
    for bad in ["7", r#"{ "a": 1.5 }"#, r#"{ "a": 2147483648 }"#, r#"{ "a": "x" }"#] {
        let error = parse(&scene(bad), Path::new("s.json")).unwrap_err().to_string();
        assert!(error.contains("shapes[0].integers") && error.contains("whole number"), "{error}");
    }
}

#[test]
fn labels_and_reflectances_are_inherited_by_number_or_by_name() {
    let text = r#"{ "raytwin": 1, "labels": { "tree": 3, "leaf": 4 },
        "definitions": { "pine": { "shapes": [
            { "type": "sphere", "center": [0, 0, 0], "radius": 1, "label": "leaf" },
            { "type": "sphere", "center": [0, 0, 3], "radius": 1, "reflectance": 0.25 } ] } },
        "shapes": [ { "type": "sphere", "center": [9, 0, 0], "radius": 1, "label": 65535 },
            { "type": "sphere", "center": [9, 9, 0], "radius": 1 } ],
        "nodes": [ { "label": "tree", "reflectance": 1, "nodes": [
            { "use": "pine" },
            { "label": 0, "shapes": [ { "type": "sphere", "center": [0, 9, 0], "radius": 1 } ] } ] } ] }"#;
    let read = scene(text).unwrap();
    let messages = |scene: &Scene| -> Vec<_> {
        let all = (0..scene.geometry_count()).map(|id| scene.appearance(id));
        all.map(|it| (it.label, it.reflectance)).collect()
    };
    let expected = [
        (Some(65535), None),
        (None, None),
        (Some(4), Some(1.0)),
        (Some(3), Some(0.25)),
        (Some(0), Some(1.0)),
    ];
    assert_eq!(messages(&read), expected);
    let names = [(3, "tree"), (4, "leaf")].map(|(label, name)| (label, name.to_owned()));
    assert_eq!(read.label_names, names.into());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    crate::save(&read, &path).unwrap();
    let again = scene(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((messages(&again), again.label_names), (messages(&read), read.label_names.clone()));
    for (table, expected) in [
        ("s.csv", &["2 names of labels: tree, leaf"][..]),
        ("s.npz", &["2 names of labels", "2 names:", "4 labels", "3 reflectances"]),
    ] {
        let left_out = crate::left_out(&read, folder.path().join(table)).unwrap();
        let left_out: Vec<String> = left_out.iter().map(ToString::to_string).collect();
        assert_eq!(left_out.len(), expected.len(), "{left_out:?}");
        assert!(left_out.iter().zip(expected).all(|(found, text)| found.starts_with(text)));
    }
    let refused = |part: &str| scene(&format!(r#"{{ "raytwin": 1, {part} }}"#)).unwrap_err();
    for (text, reason) in [
        (r#""labels": { "a": 0 }"#, "labels.a: must be a whole number from 1 to 65535"),
        (r#""labels": { "a": 7, "b": 7 }"#, "labels.b: is 7, as 'a' is"),
        (
            r#""labels": { "tree": 7 }, "nodes": [ { "label": "tre" } ]"#,
            "nodes[0].label: 'tre' is the name of no label",
        ),
        (r#""nodes": [ { "label": 65536 } ]"#, "nodes[0].label: is 65536"),
        (r#""nodes": [ { "reflectance": 1.5 } ]"#, "nodes[0].reflectance: is 1.5"),
        (
            r#""shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1, "label": [] } ]"#,
            "shapes[0].label: is []",
        ),
        (
            r#""shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1, "reflectance": "x" } ]"#,
            "shapes[0].reflectance: is",
        ),
    ] {
        let error = refused(text);
        assert!(error.contains(reason), "{error}");
    }
}
