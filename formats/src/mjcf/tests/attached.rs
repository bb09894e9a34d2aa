//! What a model that is attached takes from the model around it, and what is its own.

use super::*;

/// Reads a model that attaches another, each with attributes of its `<compiler>`.
fn attached([outer, inner]: [&str; 2], attach: &str, asset: &str, bodies: &str) -> ImportedScene {
    let [outer, inner] = [outer, inner].map(|settings| format!("<compiler {settings}/>"));
    let child = format!("{inner}<asset>{asset}</asset><worldbody>{bodies}</worldbody>");
    let text = format!(
        r#"{outer}<asset><model name="c" file="c.xml"/></asset><worldbody>{attach}</worldbody>"#
    );
    let files = [("c.xml", &child[..]), ("m.obj", BRICK)];
    model_with(&text, &files, &Options::default()).unwrap()
}

/// A brick of 1 by 2 by 4 about the origin.
const BRICK: &str =
    "v -.5 -1 -2\nv .5 -1 -2\nv -.5 1 -2\nv .5 1 -2\nv -.5 -1 2\nv .5 -1 2\nv -.5 1 2\nv .5 1 2
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

const BODY: &str = r#"<attach model="c" body="b" prefix="p_"/>"#;

#[test]
fn the_outer_model_says_how_files_are_found_and_primitives_are_fitted() {
    let mesh = r#"<mesh name="m" file="far/away/m.obj"/>"#;
    let fitted = r#"<body name="b"><geom type="sphere" mesh="m"/></body>"#;
    let read = |settings| attached(settings, BODY, mesh, fitted);
    let radius = |settings| rows(&read(settings).scene)[0][3];
    let strips = r#"strippath="true""#;
    let boxed = r#"strippath="true" fitaabb="true""#;
    // The mean of the half extents, or the largest.
    assert!((radius([strips, ""]) - 3.5 / 3.0).abs() < 1e-6);
    assert!((radius([strips, boxed]) - 3.5 / 3.0).abs() < 1e-6);
    assert!((radius([boxed, ""]) - 2.0).abs() < 1e-6);
    assert!((radius([boxed, r#"strippath="false" fitaabb="false""#]) - 2.0).abs() < 1e-6);
    for settings in [["", strips], ["", ""], [r#"fitaabb="true""#, boxed]] {
        let warnings = read(settings).warnings;
        assert!(warnings[0].names[0].contains("m.obj: cannot be read"), "{settings:?}");
    }
}

#[test]
fn an_attached_model_has_its_own_angles_and_frames_of_free_bodies() {
    let turned =
        r#"<body name="b" euler="0 0 1.5"><freejoint/><geom type="box" size="1 2 3"/></body>"#;
    let read = |settings| attached(settings, BODY, "", turned);
    let cosine = |settings| {
        let half = rows(&read(settings).scene)[0][9];
        2.0 * half * half - 1.0
    };
    assert!(
        (cosine([r#"angle="radian""#, ""]) - libm::cos(raytwin::math::radians(1.5))).abs() < 1e-6
    );
    assert!((cosine(["", r#"angle="radian""#]) - libm::cos(1.5)).abs() < 1e-6);
    let aligns = r#"alignfree="true""#;
    assert!(read([aligns, ""]).warnings.is_empty());
    let warnings = read(["", aligns]).warnings;
    assert_eq!(warnings[0].names, ["align of joint without a name"]);
}

#[test]
fn the_world_of_an_attached_model_is_a_body_where_it_is_named() {
    let bodies =
        r#"<geom name="g" size="1" pos="1 0 0"/><body name="b"><geom name="h" size="2"/></body>"#;
    let at = |attach: &str| {
        let scene =
            attached([""; 2], &format!(r#"<frame pos="0 0 7">{attach}</frame>"#), "", bodies).scene;
        (paths(&scene), rows(&scene).iter().map(|row| [row[0], row[2]]).collect::<Vec<_>>())
    };
    let places = vec![[1.0, 7.0], [0.0, 7.0]];
    let named = ["p_world/p_g", "p_world/p_b/p_h"].map(str::to_owned).to_vec();
    assert_eq!(at(r#"<attach model="c" body="world" prefix="p_"/>"#), (named, places.clone()));
    let unnamed = ["p_g", "p_b/p_h"].map(str::to_owned).to_vec();
    assert_eq!(at(r#"<attach model="c" prefix="p_"/>"#), (unnamed, places));
}

#[test]
fn what_is_not_read_of_an_attached_model_is_named() {
    let outer = r#"<asset><model name="c" file="c.xml"/></asset><worldbody><attach model="c" prefix="p_"/></worldbody>"#;
    let child = r#"<worldbody><body><joint/><geom size="1"/></body></worldbody><keyframe><key name="up" qpos="1"/></keyframe>"#;
    let options = Options { key: Some("p_up".to_owned()), ..Options::default() };
    let error = model_with(outer, &[("c.xml", child)], &options).unwrap_err();
    assert!(error.contains("has no key 'p_up'"), "{error}");
    assert!(error.ends_with("; 1 keys of models among its assets are not read"), "{error}");
    let store = FileStore::in_memory([
        ("m.xml", format!("<mujoco>{outer}</mujoco>").as_bytes()),
        ("c.xml", b"<robot name=\"r\"/>"),
    ]);
    let error = crate::load_from(&store, "m.xml", &Options::default()).unwrap_err().to_string();
    assert!(error.starts_with("c.xml:1:1") && error.ends_with("convert it to MJCF"), "{error}");
}
