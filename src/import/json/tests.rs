use super::*;
use crate::shapes::Shape;

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
    assert_eq!(paths, ["sphere[0]", "arm/shapes[0]", "arm/nodes[0]/tip"]);
    let Some(Shape::Sphere(tip)) = scene.geometries()[2].shape(0) else {
        panic!("{:?}", scene.geometries()[2])
    };
    // A quarter turn about z takes x to y, after the scale and before the translation.
    assert!((tip.center - DVec3::new(0.0, 2.0, 2.0)).length() < 1e-6);
    assert_eq!(tip.radius, 1.0);
}

#[test]
fn every_fault_is_told_with_its_place() {
    let shape = |inner: &str| format!(r#"{{ "raytwin": 1, "shapes": [ {{ {inner} }} ] }}"#);
    let sphere = |inner: &str| shape(&format!(r#""type": "sphere", {inner}"#));
    for (text, expected) in [
        (
            sphere(r#""center": [0,0,0], "raduis": 1"#),
            "s.json: shapes[0].raduis: is an unknown key; did you mean radius?",
        ),
        (
            sphere(r#""center": [0,0,0]"#),
            "s.json: shapes[0].radius: is missing: a sphere needs it",
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
            "s.json: shapes[0].radius (\"left knee\"): is 0.0: it must lie between 1e-9 and 1e9",
        ),
        (
            sphere(r#""center": [0,0,2e9], "radius": 1"#),
            "s.json: shapes[0].center[2]: is 2000000000.0: a coordinate must lie between -1e9 and 1e9",
        ),
        (
            shape(r#""type": "spere""#),
            "s.json: shapes[0].type: 'spere' is not a shape; did you mean sphere?",
        ),
        (
            shape(r#""radius": 1"#),
            "s.json: shapes[0]: has no \"type\": give one of sphere, box, cylinder, capsule, cone, ellipsoid, torus, plane, disc, triangle, mesh, heightfield, lines",
        ),
        (
            r#"{ "raytwin": 1, "shaeps": [] }"#.to_owned(),
            "s.json: shaeps: is an unknown key; did you mean shapes?",
        ),
        ("{ \"raytwin\": 1,\n  \"raytwin\": 1 }".to_owned(), "s.json:2:11: the key \"raytwin\" stands twice"),
        (
            r#"{ "raytwin": 1, "cameras": [ { "eye": [0,0,0], "target": [0,1,0], "fov_y_degrees": 0 } ] }"#.to_owned(),
            "s.json: cameras[0].fov_y_degrees: is 0: it must lie between 0 and 180, both excluded",
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
            r#"{ "raytwin": 1, "nodes": [ { "scale": [1, 2, 1] } ] }"#.to_owned(),
            "s.json: nodes[0].scale: is [1.0, 2.0, 1.0]: a scale that differs between axes is not read yet; give three equal numbers",
        ),
        (
            r#"{ "raytwin": 1, "nodes": [ { "nodes": [ { "scale": [0, 0, 0] } ] } ] }"#.to_owned(),
            "s.json: nodes[0].nodes[0].scale: is [0.0, 0.0, 0.0]: a scale must be positive",
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
fn the_three_kinds_of_camera_are_told_apart_by_their_fields() {
    let camera = |inner: &str| {
        scene(&format!(
            r#"{{ "raytwin": 1, "cameras": [ {{ "eye": [0,0,0], "target": [0,1,0] {inner} }} ] }}"#
        ))
        .map(|scene| scene.cameras[0].projection)
    };
    assert!(matches!(camera(r#", "fov_y_degrees": 40"#), Ok(Projection::Perspective { .. })));
    assert!(matches!(camera(r#", "height": 40"#), Ok(Projection::Orthographic { .. })));
    let pinhole = r#", "fx": 1, "fy": 1, "cx": 1, "cy": 1, "width": 2, "height": 2"#;
    assert!(matches!(camera(pinhole), Ok(Projection::Pinhole { .. })));
    for neither in ["", r#", "fx": 1"#, r#", "fov_y_degrees": 40, "height": 2"#] {
        assert!(camera(neither).is_err(), "{neither}");
    }
}

#[test]
fn the_schema_knows_every_kind_and_field() {
    let schema = schema().to_string();
    for kind in crate::shapes::KINDS {
        assert!(schema.contains(&format!("\"const\":\"{}\"", kind.name)));
        for field in kind.fields {
            assert!(schema.contains(&format!("\"{}\":", field.name)));
        }
    }
    assert!(schema.contains("rotation_xyzw") && schema.contains("fov_y_degrees"));
}
