//! The gate fails on each deliberate fault of the shader, in a scene that shows it.

use crate::common::workspace::*;
use raytwin::question::{QuestionKind, QuestionTraits};
use raytwin::shapes::PrimitiveKind;
use raytwin_verify::faults::{self, Fault, Need};
use std::collections::HashSet;

/// Returns a scene of one shape.
fn one_shape(kind: PrimitiveKind) -> String {
    let shape = match kind {
        PrimitiveKind::Sphere => r#""sphere", "center": [0, 0, 0], "radius": 1"#,
        PrimitiveKind::Cuboid => r#""box", "center": [0, 0, 0], "half_extents": [1, 0.7, 0.4]"#,
        PrimitiveKind::Cylinder => {
            r#""cylinder", "start": [0, 0, 0], "end": [0, 0, 1], "radius": 0.5"#
        }
        PrimitiveKind::Tube => {
            r#""cylinder", "start": [0, 0, 0], "end": [0, 0, 1], "radius": 0.5, "inner_radius": 0.3"#
        }
        PrimitiveKind::Capsule => {
            r#""capsule", "start": [0, 0, 0], "end": [0, 1, 1], "radius": 0.5"#
        }
        PrimitiveKind::Cone => {
            r#""cone", "start": [0, 0, 0], "end": [0, 0, 1], "start_radius": 0.6, "end_radius": 0.2"#
        }
        PrimitiveKind::Ellipsoid => {
            r#""ellipsoid", "center": [0, 0, 0], "radii": [1, 0.7, 0.4], "rotation_xyzw": [0, 0.6, 0, 0.8]"#
        }
        PrimitiveKind::Torus => {
            r#""torus", "center": [0, 0, 0], "axis": [0, 0, 1], "major_radius": 1, "minor_radius": 0.3"#
        }
        PrimitiveKind::Plane => r#""plane", "point": [0, 0, 0], "normal": [0, 0.1, 1]"#,
        PrimitiveKind::Disc => {
            r#""disc", "center": [0, 0, 0], "normal": [0, 0.1, 1], "radius": 1, "inner_radius": 0.4"#
        }
        PrimitiveKind::Triangle => {
            r#""triangle", "vertices": [[2, 1, 0.3], [0, 0, 0], [1, 2, 0.5]]"#
        }
        PrimitiveKind::Heightfield => {
            r#""heightfield", "heights": [[0, 0.5, 0.1], [0.3, 0.2, 0.6]], "spacing": [1, 1], "center": [0, 0, 0]"#
        }
        kind => panic!("no scene has {kind:?} alone"),
    };
    format!(
        r#"{{ "raytwin": 1, "shapes": [ {{ "type": {shape} }} ],
            "cameras": [ {{ "eye": [2, -3, 3], "target": [0, 0, 0], "fov_y_degrees": 50 }} ] }}"#
    )
}

#[test]
fn diff_fails_on_a_fault_in_each_kind_of_shape() {
    let workspace = Workspace::new();
    // Without a fault every shape passes: the gallery has all.
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/scenes/gallery.json");
    let asked = ["--size", "160x100", "--kind", "closest", "--random", "0", "--report", "r"];
    workspace.json(&[&["diff", gallery], &asked[..]].concat());
    // A stretched cylinder is an instance.
    workspace.write(
        "placed.json",
        r#"{ "raytwin": 1, "nodes": [ { "translation": [1, 2, 0], "scale": [2, 1, 1], "shapes": [
            { "type": "cylinder", "start": [0, 0, 0], "end": [0, 1, 2], "radius": 0.5 } ] } ] }"#,
    );
    // From below, a bottom and the absence of a cap are seen, and one of the planes is seen from behind.
    workspace.write(
        "bounded.json",
        r#"{ "raytwin": 1, "cameras": [ { "eye": [2, -9, -6], "target": [2, 0, 0], "fov_y_degrees": 60 } ], "shapes": [
            { "type": "plane", "point": [0, 0, 0], "rotation_xyzw": [0, 0, 0, 1], "half_extents": [1, 1] },
            { "type": "plane", "point": [9, 0, 0], "rotation_xyzw": [0, 0, 0, 1], "half_extents": [1, 1], "one_sided": true },
            { "type": "heightfield", "heights": [[0.1, 0.2], [0.2, 0.1]], "spacing": [1, 1], "center": [3, 0, 0.5], "base": -0.5 },
            { "type": "cylinder", "start": [6, 0, 0], "end": [6, 0, 1], "radius": 0.5, "start_cap": false },
            { "type": "cone", "start": [-3, 0, 0], "end": [-3, 0, 1], "start_radius": 0.5, "end_radius": 0.2, "start_cap": false } ] }"#,
    );
    let image = QuestionTraits::new(QuestionKind::Image);
    let in_image = |fault: &&Fault| fault.shows_in(image) && fault.site.shader_file().is_some();
    // The library's self-test plants each fault. Here the first of those in one kind of shape stands for the others.
    let mut kinds = HashSet::new();
    let firsts =
        faults::all().filter(in_image).filter(|fault| kinds.insert(format!("{:?}", fault.needs)));
    for fault in firsts.step_by(if crate::IS_FULL { 1 } else { 4 }) {
        let mutated = ["--mutate", fault.name];
        // A shape is alone, because a software driver compiles a small kernel in a fraction of the time.
        let alone = |kind| {
            workspace.write("alone.json", one_shape(kind));
            "alone.json"
        };
        let scene = match fault.needs {
            [Need::Primitive(PrimitiveKind::Instance)] => "placed.json",
            [
                Need::Primitive(
                    PrimitiveKind::Sheet
                    | PrimitiveKind::ClosedHeightfield
                    | PrimitiveKind::CylinderShell
                    | PrimitiveKind::ConeShell,
                ),
            ] => "bounded.json",
            [] => alone(PrimitiveKind::Sphere),
            [Need::Primitive(kind)] => alone(*kind),
            // The self-test has scenes for these.
            _ => continue,
        };
        let output = workspace.run(&[&["diff", scene], &asked[..], &mutated].concat());
        assert_eq!(output.status.code(), Some(1), "{}", fault.name);
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("mismatch") && table.contains("raytwin pick "), "{table}");
        assert!(
            workspace.path("r/report.json").exists() && workspace.path("r/classes.png").exists()
        );
    }
}

#[test]
fn a_fault_that_the_scene_or_the_answers_cannot_show_is_refused() {
    let workspace = Workspace::new();
    let fails = |code: i32, fault: &str| {
        let image = ["--size", "16x12", "--kind", "closest", "--random", "0"];
        workspace.fails(code, &[&["diff", "scene.json", "--mutate", fault], &image[..]].concat())
    };
    for (fault, expected) in [
        ("tree-child-visited-twice", "all; count"),
        ("masks-ignored", "closest, masks"),
        ("rays-stale", "closest"),
    ] {
        let message = fails(2, fault);
        assert!(message.contains(expected) && message.contains("--self-test"), "{message}");
    }
    for (fault, expected) in [
        ("ids-off-past-65536", "more than 65536 primitives"),
        ("ids-off-past-16777216", "more than 16777216 primitives"),
        ("instance-transposed", "an instance of a definition"),
        ("tree-boxes-too-small", "no answer was wrong"),
    ] {
        let message = fails(3, fault);
        assert!(message.contains(expected), "{message}");
    }
    // The engine itself notices that answers are missing.
    assert!(fails(5, "last-workgroup-dropped").contains("returned no answer for ray"));
    let corners = ["diff", "scene.json", "--size", "64x48", "--mutate", "camera-pixel-corners"];
    assert_eq!(workspace.run(&corners).status.code(), Some(1));
    // The start of a ray for any hit is sought in a mesh as that of a ray for the closest one is.
    workspace.write(
        "wedge.json",
        r#"{ "raytwin": 1, "shapes": [ { "type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] } ] }"#,
    );
    let parity = ["diff", "wedge.json", "--mutate", "mesh-containment-without-parity"];
    let any = [&parity[..], &["--kind", "any"]].concat();
    assert_eq!(workspace.run(&[&any[..], &["--solid"]].concat()).status.code(), Some(1));
    // Without --solid seeded rays are asked both ways; a file of rays is asked as it is.
    let rays = ["diff", "wedge.json", "rays.npy", "--mutate", "mesh-containment-without-parity"];
    assert!(workspace.fails(2, &rays).contains("solid"));
}

#[test]
fn the_self_test_plants_what_a_scene_can_show_and_names_the_rest() {
    let workspace = Workspace::new();
    workspace.write(
        "balls.json",
        r#"{ "raytwin": 1, "shapes": [
            { "type": "sphere", "center": [0.1, 0.2, 0.3], "radius": 1 },
            { "type": "sphere", "center": [3.1, 0.2, 0.3], "radius": 0.7 } ] }"#,
    );
    let tested = workspace.json(&["diff", "--self-test", "balls.json"]);
    assert_eq!((&tested["sound"], &tested["scene"]), (&true.into(), &"balls.json".into()));
    let names = |list: &str| -> Vec<String> {
        let all = tested[list].as_array().unwrap().iter();
        all.map(|fault| fault["name"].as_str().unwrap().to_owned()).collect()
    };
    let (planted, not_shown) = (names("faults"), names("not_shown"));
    assert_eq!(planted.len() + not_shown.len(), faults::all().count());
    for name in ["sphere-no-depth", "masks-ignored", "tree-child-visited-twice", "rays-stale"] {
        assert!(planted.iter().any(|planted| planted == name), "{name}: {planted:?}");
    }
    for name in ["torus-no-hole", "worlds-shifted", "ids-off-past-65536"] {
        assert!(not_shown.iter().any(|absent| absent == name), "{name}: {not_shown:?}");
    }
    for fault in tested["faults"].as_array().unwrap() {
        assert_eq!(fault["caught"], true, "{fault}");
    }
    let table = String::from_utf8(workspace.run(&["diff", "--self-test", "balls.json"]).stdout);
    let table = table.unwrap();
    assert!(table.contains("caught by closest: ") && table.contains("a torus"), "{table}");
}

#[test]
fn the_self_test_refuses_what_it_cannot_use() {
    let workspace = Workspace::new();
    workspace.write("nothing.json", r#"{ "raytwin": 1, "shapes": [] }"#);
    for (code, arguments) in [
        (2, &["--device", "cpu"][..]),
        (2, &["--size", "16x12"]),
        (2, &["--mutate", "sphere-no-depth"]),
        (2, &["--list-faults"]),
        (2, &["scene.json", "rays.npy"]),
        (3, &["absent.json"]),
        (3, &["nothing.json"]),
        (4, &["--device", "no-such-adapter"]),
    ] {
        workspace.fails(code, &[&["diff", "--self-test"], arguments].concat());
    }
}
