use super::*;

/// The plugin of a label, by the names that a version of Gazebo has for it.
fn plugin(filename: &str, name: &str, label: &str) -> String {
    format!("<plugin filename=\"{filename}\" name=\"{name}\"><label>{label}</label></plugin>")
}

/// A visual of a sphere.
fn visual(name: &str, inner: &str) -> String {
    format!(
        "<visual name=\"{name}\">{inner}<geometry><sphere><radius>1</radius></sphere></geometry></visual>"
    )
}

#[test]
fn labels_of_shapes_come_before_those_of_the_models_around_them() {
    let gazebo = |label| plugin("gz-sim-label-system", "gz::sim::systems::Label", label);
    let ignition =
        plugin("libignition-gazebo-label-system.so", "ignition::gazebo::systems::Label", "30");
    let other = plugin("gz-sim-pose-publisher-system", "gz::sim::systems::PosePublisher", "9");
    let text = format!(
        "<model name=\"a\">{}{other}<link name=\"l\">{}{}</link>\
         <model name=\"b\">{ignition}<link name=\"l\">{}</link></model></model>\
         <model name=\"c\"><link name=\"l\">{}</link></model>\
         <include><uri>ball.sdf</uri>{}</include><include><uri>ball.sdf</uri><name>d</name></include>",
        gazebo("10"),
        visual("plain", ""),
        visual("own", &gazebo("65535")),
        visual("inner", ""),
        visual("none", &other),
        gazebo("50"),
    );
    let model = ball("ball", &gazebo("60"), "");
    let model = format!("<sdf version=\"1.7\">{model}</sdf>");
    let files = [("w.sdf", &text[..]), ("ball.sdf", &model[..])];
    let imported = read(&files, &Options::default()).unwrap();
    let scene = &imported.scene;
    let labels = |ids: &[u32]| scene.labels_of(ids);
    assert_eq!(paths(scene)[..4], ["a/l/plain", "a/l/own", "a/b/l/inner", "c/l/none"]);
    assert_eq!(labels(&[0, 1, 2, 3, 4, 5]), [10, 65535, 30, 0, 50, 60]);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    let bad = world(&format!(
        "<model name=\"m\"><link name=\"l\">{}</link></model>",
        visual("v", &gazebo("red"))
    ));
    let bad = bad.unwrap();
    assert!(bad.warnings[0].names[0].contains("m/l/v (its label is 'red'"), "{:?}", bad.warnings);
}

#[test]
fn a_laser_retro_is_a_reflectance_from_above_0_to_1() {
    let shapes: String = ["0", "0.25", "1", "1.5", "-1", "bright", "4000"]
        .iter()
        .enumerate()
        .map(|(at, retro)| {
            visual(&format!("v{at}"), &format!("<laser_retro>{retro}</laser_retro>"))
        })
        .chain([visual("v7", "")])
        .collect();
    let imported =
        world(&format!("<model name=\"m\"><link name=\"l\">{shapes}</link></model>")).unwrap();
    let reflectance = |id| imported.scene.appearance(id).reflectance;
    let all: Vec<Option<f32>> = (0..8).map(reflectance).collect();
    assert_eq!(all, [None, Some(0.25), Some(1.0), None, None, None, None, None]);
    assert_eq!(imported.scene.integers_of("laser_retro", &[0, 2, 3, 4, 6]), [0, 0, 0, -1, 4000]);
    let warning = &imported.warnings[0];
    assert!(warning.what.contains("laser_retro") && warning.count == 4, "{warning:?}");
    assert!(warning.names[0].contains("m/l/v3 (it is 1.5)"), "{warning:?}");
}
