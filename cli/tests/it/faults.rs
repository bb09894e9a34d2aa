//! The gate fails on each deliberate fault of the shader, in a scene that shows it.

use crate::common::workspace::*;
use raytwin::bvh::Layout;
use raytwin::diff::faults::{self, Fault, Need, Question};
use raytwin::shapes::PrimitiveKind;

#[test]
fn diff_fails_on_each_fault() {
    let workspace = Workspace::new();
    // The gallery has every shape.
    let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/scenes/gallery.json");
    let of_gallery = ["diff", gallery, "--size", "160x100", "--report", "r"];
    workspace.json(&of_gallery);
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
    let in_image =
        |fault: &&Fault| fault.shows_in(Question::Image) && fault.shader_file().is_some();
    for fault in faults::all().filter(in_image) {
        let tree = if fault.layout() == Some(Layout::Binary) { "binary" } else { "auto" };
        let mutated = ["--mutate", fault.name, "--tree", tree];
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
            [] | [Need::Primitive(_)] => gallery,
            // The self-test has scenes for these.
            _ => continue,
        };
        let of_scene = ["diff", scene, "--size", "160x100", "--report", "r"];
        let output = workspace.run(&[&of_scene[..], &mutated].concat());
        assert_eq!(output.status.code(), Some(1), "{}", fault.name);
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("mismatch") && table.contains("raytwin pick "), "{table}");
        assert!(
            workspace.path("r/report.json").exists() && workspace.path("r/classes.png").exists()
        );
    }
}
