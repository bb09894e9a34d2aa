use super::*;

/// Where the spheres of a world's models are.
fn spheres(inner: &str) -> Vec<DVec3> {
    centers(&world(inner).unwrap())
}

#[test]
fn models_and_links_stand_in_each_other() {
    let quarter = "1.5707963267948966";
    let found = spheres(
        &[
            ball("a", &format!("<pose>1 0 0 0 0 {quarter}</pose>"), "<pose>1 0 0 0 0 0</pose>"),
            // Roll, pitch and yaw turn about fixed axes: x goes to -z by the pitch and stays there.
            ball("b", "<pose degrees=\"true\">0 0 5 0 90 90</pose>", "<pose>1 0 0 0 0 0</pose>"),
            ball(
                "c",
                "<pose rotation_format=\"quat_xyzw\">1 2 3 0 0 1 1</pose>",
                "<pose>1 0 0 0 0 0</pose>",
            ),
            ball("d", "<pose/>", ""),
        ]
        .concat(),
    );
    assert_near(&found, &[[1.0, 1.0, 0.0], [0.0, 0.0, 4.0], [1.0, 3.0, 3.0], [0.0; 3]]);
}

#[test]
fn poses_are_measured_from_the_frames_that_they_name() {
    let found = spheres(&[
        "<frame name=\"f\"><pose>5 0 0 0 0 0</pose></frame>".to_owned(),
        ball("c", "<pose relative_to=\"f\">0 1 0 0 0 0</pose>", "<pose>0 0 0 0 0 0</pose>"),
        // Names may come before what they name, and lead into models.
        ball("d", "<pose relative_to=\"e::l\">0 0 1 0 0 0</pose>", ""),
        ball("e", "<pose relative_to=\"c\">0 0 7 0 0 0</pose>", "<pose>2 0 0 0 0 0</pose>"),
        ball("w", "<pose relative_to=\"world\">9 0 0 0 0 0</pose>", ""),
        ball(
            "m",
            "<frame name=\"f\"><pose>0 0 2 0 0 0</pose></frame>\
             <frame name=\"g\" attached_to=\"f\"><pose degrees=\"true\">1 0 0 0 0 90</pose></frame>\
             <frame name=\"h\" attached_to=\"g\"><pose relative_to=\"__model__\">0 3 0 0 0 0</pose></frame>\
             <link name=\"k\"><pose relative_to=\"h\">1 0 0 0 0 0</pose><visual name=\"v\">\
             <geometry><sphere><radius>1</radius></sphere></geometry></visual></link>",
            "<pose relative_to=\"g\">1 0 0 0 0 0</pose>",
        ),
    ]
    .concat());
    assert_near(
        &found,
        &[
            [5.0, 1.0, 0.0],
            [7.0, 1.0, 8.0],
            [7.0, 1.0, 7.0],
            [9.0, 0.0, 0.0],
            [1.0, 3.0, 0.0],
            [1.0, 1.0, 2.0],
        ],
    );
}

#[test]
fn a_joint_stands_in_its_child_and_others_in_it() {
    let joint = "<joint name=\"j\" type=\"fixed\"><pose>0 0 1 0 0 0</pose>\
                 <parent>world</parent><child>l</child></joint>\
                 <frame name=\"f\" attached_to=\"j\"/>\
                 <joint name=\"lost\" type=\"fixed\"><parent>l</parent><child>none</child></joint>";
    let visual = "<pose>0 4 0 0 0 0</pose><visual name=\"u\"><pose relative_to=\"f\">1 0 0 0 0 0</pose>\
                  <geometry><sphere><radius>1</radius></sphere></geometry></visual>";
    assert_near(&spheres(&ball("m", joint, visual)), &[[1.0, 4.0, 1.0], [0.0, 4.0, 0.0]]);
}

#[test]
fn models_lie_in_models_and_names_lead_through_them() {
    let inner = ball("n", "<pose degrees=\"true\">1 0 0 0 0 90</pose>", "<pose>1 0 0 0 0 0</pose>");
    let outer = format!(
        "<pose>0 0 10 0 0 0</pose>{inner}<frame name=\"tip\" attached_to=\"n::l\"/>\
         <frame name=\"base\" attached_to=\"n::__model__\"/>"
    );
    let imported = world(
        &[
            ball("o", &outer, "<pose relative_to=\"tip\">1 0 0 0 0 0</pose>"),
            ball("p", "<pose relative_to=\"o::n::l\">0 0 0 0 0 0</pose>", ""),
            ball("q", "<pose relative_to=\"o::base\">0 0 0 0 0 0</pose>", ""),
        ]
        .concat(),
    )
    .unwrap();
    assert_near(
        &centers(&imported),
        &[[1.0, 1.0, 10.0], [1.0, 2.0, 10.0], [1.0, 1.0, 10.0], [1.0, 0.0, 10.0]],
    );
    assert_eq!(paths(&imported.scene), ["o/n/l/v", "o/l/v", "p/l/v", "q/l/v"]);
    let link = imported.links["o/n/l"].pose;
    assert_near(&[link.position, link.rotation * DVec3::X], &[[1.0, 1.0, 10.0], [0.0, 1.0, 0.0]]);
}

#[test]
fn a_model_is_placed_by_one_of_its_frames() {
    let frames = "<pose>1 0 0 0 0 0</pose>\
                  <frame name=\"f\"><pose>0 0 3 0 0 0</pose></frame>\
                  <frame name=\"p\" attached_to=\"f\"><pose degrees=\"true\">0 0 0 0 0 90</pose></frame>";
    let model = ball("m", frames, "<pose>1 0 0 0 0 0</pose>");
    let placed = model.replace("name=\"m\"", "name=\"m\" placement_frame=\"p\"");
    assert_near(&spheres(&placed), &[[1.0, -1.0, -3.0]]);
    // The placement of an inner model counts for that of the outer one.
    let outer = format!(
        "<model name=\"o\" placement_frame=\"m::l\"><pose>0 0 50 0 0 0</pose>{placed}</model>"
    );
    assert_near(&spheres(&outer), &[[0.0, 0.0, 50.0]]);
}

#[test]
fn frames_that_are_not_there_are_refused_at_their_place() {
    let refused = |inner: &str| world(inner).unwrap_err();
    assert_eq!(
        refused(&ball("m", "\n<pose relative_to=\"k\">0 0 0 0 0 0</pose>", "")),
        "w.sdf:3:1: \"k\" is not a frame; allowed here: m"
    );
    let unknown = refused(&ball("m", "<frame name=\"f\" attached_to=\"m\"/>", ""));
    assert!(unknown.ends_with("\"m\" is not a frame; allowed here: f, l"), "{unknown}");
    let of_world = refused(&ball("m", "", "<pose relative_to=\"world\">0 0 0 0 0 0</pose>"));
    assert!(of_world.contains("\"world\" is not a frame"), "{of_world}");
    let nested = refused(&ball("m", "<pose relative_to=\"m::f\">0 0 0 0 0 0</pose>", ""));
    assert!(nested.contains("\"f\" is not a frame; allowed here: l"), "{nested}");
    let double = [ball("m", "", ""), ball("m", "", "")].concat();
    assert_eq!(world(&double).unwrap().scene.geometries().len(), 2);
    let named = [double, ball("n", "<pose relative_to=\"m\">0 0 0 0 0 0</pose>", "")].concat();
    assert!(refused(&named).ends_with("\"m\" is the name of several frames"));
}

#[test]
fn frames_that_stand_in_each_other_are_refused() {
    let circle = ball(
        "m",
        "<frame name=\"a\" attached_to=\"b\"/>\n<frame name=\"b\" attached_to=\"c\"/>\
         <frame name=\"c\"><pose relative_to=\"a\"/></frame>",
        "",
    );
    assert_eq!(world(&circle).unwrap_err(), "w.sdf:2:17: is placed in itself: a in b in c in a");
    let itself = ball("m", "", "<pose relative_to=\"l\">0 0 0 0 0 0</pose>");
    assert!(world(&itself).unwrap_err().ends_with("is placed in itself: l in l"));
    let own = ball("m", "<pose relative_to=\"m::l\">0 0 0 0 0 0</pose>", "");
    assert!(world(&own).unwrap_err().ends_with("is placed in itself: m in l in m"));
}

#[test]
fn poses_that_are_none_are_refused() {
    for (pose, reason) in [
        ("<pose>1 2 3</pose>", "<pose>1 2 3</pose> must be 6 numbers"),
        ("<pose>0 0 0 0 0 x</pose>", "<pose>0 0 0 0 0 x</pose> must be numbers"),
        ("<pose>0 0 0 0 0 nan</pose>", "a number is NaN"),
        ("<pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose>", "a length near zero"),
        ("<pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0</pose>", "must be 7 numbers"),
        ("<pose rotation_format=\"matrix\">0 0 0 0 0 0</pose>", "must be euler_rpy or quat_xyzw"),
    ] {
        let error = world(&ball("m", pose, "")).unwrap_err();
        assert!(error.starts_with("w.sdf:2:17: ") && error.contains(reason), "{error}");
    }
}

#[test]
fn poses_before_version_1_7_call_the_frame_otherwise() {
    let model = ball(
        "m",
        "<link name=\"k\"><pose>0 0 4 0 0 0</pose></link>",
        "<pose frame=\"k\">1 0 0 0 0 0</pose>",
    );
    let whole = format!(
        "<sdf version='1.6'>{}</sdf>",
        model.replace("name=\"v\">", "name=\"v\"><pose frame=''>0 0 0 0 -0 0</pose>")
    );
    assert_near(&centers(&world(&whole).unwrap()), &[[1.0, 0.0, 4.0]]);
}
