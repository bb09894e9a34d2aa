use super::*;
use crate::{FileStore, ImportedScene, JointValue};
use glam::DVec3;
use raytwin::shapes::Shape;

/// Reads a robot that may have no shape.
fn load_any(path: &Path, options: &Options) -> Result<ImportedScene, FileError> {
    crate::read(&FileStore::disk(), path, options)?.flatten_any(options)
}

fn robot(inner: &str, options: &Options) -> Result<ImportedScene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, format!("<robot name=\"r\">\n{inner}\n</robot>")).unwrap();
    load_any(&path, options).map_err(|error| {
        let text = error.to_string();
        text[text.find("r.urdf").unwrap()..].to_owned()
    })
}

const ARM: &str = r#"
    <link name="base"><visual><geometry><box size="1 2 4"/></geometry></visual></link>
    <link name="tip">
      <visual><origin xyz="1 0 0"/><geometry><sphere radius="0.5"/></geometry></visual>
      <visual name="shaft"><origin rpy="0 1.5707963267948966 0"/>
        <geometry><cylinder radius="0.1" length="2"/></geometry></visual>
      <visual><geometry><mesh filename="package://r/tip.stl"/></geometry></visual>
      <collision><geometry><sphere radius="0.75"/></geometry></collision>
    </link>
    <joint name="elbow" type="revolute">
      <origin xyz="0 0 2"/><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/>
    </joint>"#;

#[test]
fn links_hang_on_joints_and_what_is_not_read_is_named() {
    let imported = robot(ARM, &Options::default()).unwrap();
    let scene = &imported.scene;
    let paths: Vec<_> = (0..3).map(|id| scene.path(id)).collect();
    assert_eq!(paths, ["base", "tip/visual[0]", "tip/shaft"]);
    assert_eq!(scene.geometries()[0].shape(0).unwrap().row()[3..6], [0.5, 1.0, 2.0]);
    assert_eq!(scene.geometries()[1].shape(0).unwrap().row(), [1.0, 0.0, 2.0, 0.5]);
    let Some(Shape::Cylinder(shaft)) = scene.geometries()[2].shape(0) else {
        panic!("{:?}", scene.geometries()[2])
    };
    // Pitch by a right angle takes the cylinder's z axis to x.
    assert!((shaft.end - DVec3::new(1.0, 0.0, 2.0)).length() < 1e-6);
    assert_eq!(
        imported.warnings[0].names,
        ["tip/visual[2] (package://r/tip.stl: the folder of package 'r' is not known)"]
    );
}

#[test]
fn joints_move_and_collision_geometry_can_be_asked_for() {
    let options = Options {
        collision: true,
        joints: vec![("elbow".to_owned(), std::f64::consts::FRAC_PI_2.into())],
        ..Options::default()
    };
    let imported = robot(ARM, &options).unwrap();
    assert_eq!(imported.scene.geometries().len(), 1);
    let turned = robot(ARM, &Options { collision: false, ..options }).unwrap();
    let row = turned.scene.geometries()[1].shape(0).unwrap().row();
    assert!(row[0].abs() < 1e-7 && (row[1] - 1.0).abs() < 1e-7);
}

#[test]
fn values_that_are_probably_not_meant_are_warned_of() {
    let slide = r#"<link name="lift"/><joint name="lift" type="prismatic">
        <parent link="tip"/><child link="lift"/><limit upper="0.5"/></joint>"#;
    let limited = ARM.replace("<axis", r#"<limit lower="-1.57" upper="2"/><axis"#) + slide;
    let warnings = |name: &str, value: &str| {
        let joints = vec![(name.to_owned(), value.parse().unwrap())];
        let options = Options { collision: true, joints, ..Options::default() };
        let imported = robot(&limited, &options)?;
        Ok(imported.warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; "))
    };
    let warned = |name, value| warnings(name, value).unwrap();
    for (name, value) in
        [("elbow", "1.5"), ("elbow", "-90deg"), ("elbow", "45 deg"), ("lift", "0.5"), ("lift", "0")]
    {
        assert_eq!(warned(name, value), "", "{name}={value}");
    }
    assert_eq!(
        warned("elbow", "2.5"),
        "1 joints are set outside their limits: elbow (2.5 rad, its limits are -1.57 and 2)"
    );
    assert!(warned("lift", "-0.1").ends_with("lift (-0.1 m, its limits are 0 and 0.5)"));
    assert!(warned("elbow", "45").starts_with("1 joint angles look like degrees"));
    assert!(warned("elbow", "1.57deg").starts_with("1 joint angles look like radians"));
    let refused: Result<String, String> = warnings("lift", "90deg");
    assert!(refused.unwrap_err().contains("'lift' is a sliding joint"));
    let tilted = ARM.replace("<origin xyz=\"1 0 0\"/>", "<origin rpy=\"0 0 90\"/>");
    let imported = robot(&tilted, &Options { ..Options::default() }).unwrap();
    let warning = imported.warnings.last().unwrap().to_string();
    assert!(warning.ends_with(r#"line 5 (rpy="0 0 90")"#), "{warning}");
}

#[test]
fn a_joint_that_mimics_follows_its_leader() {
    let arm = ARM.to_owned()
        + r#"<link name="copy"><visual><geometry><sphere radius="1"/></geometry></visual></link>
        <joint name="slave" type="prismatic"><parent link="base"/><child link="copy"/>
        <axis xyz="0 1 0"/><mimic joint="elbow" multiplier="2" offset="1"/></joint>"#;
    let at = |angle| {
        let joints = vec![("elbow".to_owned(), JointValue::from(angle))];
        let options = Options { joints, ..Options::default() };
        robot(&arm, &options).unwrap().scene.geometries()[4].shape(0).unwrap().row()[1]
    };
    assert_eq!(at(0.0), 1.0);
    assert_eq!(at(3.0), 7.0);
    let twice = Options {
        joints: vec![("elbow".to_owned(), 1.0.into()), ("elbow".to_owned(), 2.0.into())],
        ..Options::default()
    };
    assert_eq!(robot(&arm, &twice).unwrap_err(), "r.urdf: joint 'elbow' is set twice");
    let chain = arm.clone()
        + r#"<link name="third"><visual><geometry><sphere radius="1"/></geometry></visual></link>
        <joint name="follower" type="prismatic"><parent link="base"/><child link="third"/>
        <axis xyz="0 1 0"/><mimic joint="slave" multiplier="10" offset="0.5"/></joint>"#;
    let options = Options { joints: vec![("elbow".to_owned(), 3.0.into())], ..Options::default() };
    assert_eq!(
        robot(&chain, &options).unwrap().scene.geometries()[5].shape(0).unwrap().row()[1],
        70.5
    );
}

#[test]
fn a_joint_that_mimics_one_that_is_not_there_is_named_and_moves_on_its_own() {
    let gripper = |leader: &str| {
        format!(
            r#"<link name="palm"/><link name="left"><visual><geometry><sphere radius="1"/></geometry></visual></link>
            <link name="right"><visual><geometry><sphere radius="1"/></geometry></visual></link>
            <joint name="finger" type="prismatic"><parent link="palm"/><child link="left"/>
            <mimic joint="{leader}" multiplier="3" offset="5"/></joint>
            <joint name="other_finger" type="prismatic"><parent link="palm"/><child link="right"/>
            <mimic joint="finger"/></joint>"#
        )
    };
    let at = |leader, joints| {
        let imported = robot(&gripper(leader), &Options { joints, ..Options::default() }).unwrap();
        let row = |id: usize| imported.scene.geometries()[id].shape(0).unwrap().row()[0];
        ([row(0), row(1)], imported.warnings)
    };
    let (places, warnings) = at("thumb", Vec::new());
    assert_eq!(places, [0.0, 0.0]);
    assert_eq!(warnings.len(), 1);
    let text = warnings[0].to_string();
    assert!(text.starts_with("1 joints mimic a joint that the robot lacks"), "{text}");
    assert!(text.ends_with(": finger (thumb)"), "{text}");
    assert_eq!(at("thumb", vec![("finger".to_owned(), 2.0.into())]).0, [2.0, 2.0]);
}

#[test]
fn a_long_chain_of_links_is_read_as_fast_as_many_short_ones() {
    let links: String = (0..20_000)
        .map(|at| {
            format!(
                r#"<link name="l{at}"><visual><geometry><sphere radius="1"/></geometry></visual></link>
                <joint name="j{at}" type="prismatic"><origin xyz="0 0 1"/><parent link="l{}"/><child link="l{at}"/>
                <mimic joint="j{}"/></joint>"#,
                at + 1,
                at + 1
            )
        })
        .collect();
    let chain = format!(r#"{links}<link name="l20000"/>"#);
    let scene = robot(&chain, &Options::default()).unwrap().scene;
    assert_eq!(scene.geometries()[0].shape(0).unwrap().row()[2], 20_000.0);
}

#[test]
fn elements_in_each_other_to_any_depth_are_passed_over_or_refused() {
    let sphere =
        r#"<link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>"#;
    let open = "<a>".repeat(100_000);
    let closed = format!("{sphere}{open}{}", "</a>".repeat(100_000));
    assert_eq!(robot(&closed, &Options::default()).unwrap().scene.geometries().len(), 1);
    let message = robot(&open, &Options::default()).unwrap_err();
    assert!(message.starts_with("r.urdf:3:"), "{message}");
}

#[test]
fn more_attributes_than_any_robot_has_are_refused() {
    let sphere =
        r#"<link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>"#;
    let attributes = |count| (0..count).map(|at| format!(" a{at}=\"1\"")).collect::<String>();
    let element = |count| format!("{sphere}<b{}/>", attributes(count));
    assert!(robot(&element(1000), &Options::default()).is_ok());
    let message = robot(&element(1001), &Options::default()).unwrap_err();
    assert_eq!(message, "r.urdf:2:81: has more than 1000 attributes: no more are read");
    // Text and comments are none.
    let text = format!("{sphere}<!-- {} --><b>{}</b>", "=".repeat(900), "=".repeat(5000));
    assert!(robot(&text, &Options::default()).is_ok());
}

#[test]
fn many_parts_of_a_link_share_its_name() {
    let name = "n".repeat(1000);
    let part = "<visual><geometry><mesh filename=\"none.stl\"/></geometry></visual>\
        <visual><geometry><sphere radius=\"1\"/></geometry></visual>";
    let link = format!("<link name=\"{name}\">{}</link>", part.repeat(4000));
    let imported = robot(&link, &Options::default()).unwrap();
    assert_eq!(imported.scene.path(7999), format!("{name}/visual[7999]"));
    let names: Vec<Name> = (0..8000).filter_map(|id| imported.scene.name(id)).collect();
    let links: Vec<&str> = names.iter().filter_map(|name| Some(name.parent()?.last())).collect();
    assert!(links.len() == 8000 && links.iter().all(|link| std::ptr::eq(*link, links[0])));
    let Warning { count, names, .. } = &imported.warnings[0];
    assert_eq!((*count, names.len()), (4000, 20));
    assert!(imported.warnings[0].to_string().ends_with(" and 3980 more"));
}

#[test]
fn a_shape_of_a_number_that_is_not_finite_is_left_out_and_the_rest_is_read() {
    let digits = "9".repeat(309);
    let too_large = "a number is too large: the largest float64 is 1.8e308";
    for (number, fault) in [
        ("nan", "a number is NaN: it must be finite"),
        ("inf", "a number is infinite: it must be finite"),
        ("-inf", "a number is infinite: it must be finite"),
        ("1e400", too_large),
        (&digits, too_large),
    ] {
        let sphere = "<sphere radius=\"1\"/>";
        for (origin, element) in [
            ("", &*format!("<sphere radius=\"{number}\"/>")),
            ("", &format!("<box size=\"1 1 {number}\"/>")),
            ("", &format!("<cylinder radius=\"1\" length=\"{number}\"/>")),
            ("", &format!("<capsule radius=\"{number}\" length=\"1\"/>")),
            ("", &format!("<mesh filename=\"a.stl\" scale=\"1 {number} 1\"/>")),
            (&*format!("<origin xyz=\"0 {number} 0\"/>"), sphere),
            (&format!("<origin rpy=\"0 0 {number}\"/>"), sphere),
        ] {
            let imported = robot(
                &format!(
                    "<link name=\"a\"><visual name=\"odd\">{origin}<geometry>{element}</geometry></visual>
                     <visual><geometry><sphere radius=\"2\"/></geometry></visual></link>"
                ),
                &Options::default(),
            )
            .unwrap();
            let geometries = imported.scene.geometries();
            assert_eq!(geometries[0].primitive_count(), 0, "{element}");
            assert_eq!(geometries[1].shape(0).unwrap().row(), [0.0, 0.0, 0.0, 2.0]);
            let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
            let name = &warning.names[0];
            assert!(
                name.starts_with("a/odd (") && name.ends_with(&format!("\": {fault})")),
                "{name}"
            );
        }
    }
    // All that follows a joint would be nowhere.
    let joint = "<link name=\"a\"/><link name=\"b\"/>
        <joint name=\"j\" type=\"fixed\">\n<origin xyz=\"0 0 1e999\"/><parent link=\"a\"/><child link=\"b\"/></joint>";
    assert_eq!(
        robot(joint, &Options::default()).unwrap_err(),
        format!("r.urdf:4:1: xyz=\"0 0 1e999\": {too_large}")
    );
}

#[test]
fn faults_are_reported_with_line_and_column() {
    let fault = |inner: &str| robot(inner, &Options::default()).unwrap_err();
    let link = |geometry: &str| {
        format!("<link name=\"a\"><visual><geometry>\n{geometry}</geometry></visual></link>")
    };
    assert_eq!(fault(&link("<sphere/>")), "r.urdf:3:1: <sphere> has no radius=\"...\"");
    assert_eq!(fault(&link("<box size=\"1 2\"/>")), "r.urdf:3:1: size=\"1 2\" must be 3 numbers");
    let joint = |inner: &str, ends: &str| {
        let ends = ends.split_once(' ').unwrap();
        fault(&format!(
            "<link name=\"a\"/><link name=\"b\"/><joint name=\"j\" {inner}>\
             <parent link=\"{}\"/><child link=\"{}\"/></joint>",
            ends.0, ends.1
        ))
    };
    assert!(joint("type=\"hinge\"", "a b").contains("type=\"hinge\" is not a type of joint"));
    assert!(joint("type=\"fixed\"", "c b").contains("link 'c', which the robot does not have"));
    assert!(fault("<link>").starts_with("r.urdf:3:"), "{}", fault("<link>"));
    let ring = r#"<link name="a"/><link name="b"/>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
        <joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint>"#;
    assert!(fault(ring).contains("is its own ancestor"));
    let asked = Options { joints: vec![("knee".to_owned(), 1.0.into())], ..Options::default() };
    let message = robot(ARM, &asked).unwrap_err();
    assert_eq!(
        message,
        "r.urdf: has no moving joint 'knee'; the joints with one value are elbow; those with x, y, z and a quaternion are base"
    );
}

#[test]
fn meshes_are_read_from_packages_and_from_beside_the_robot() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("meshes")).unwrap();
    write("meshes/one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mesh = |attributes: &str| {
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"><visual><geometry><sphere radius=\"1\"/></geometry></visual>\
             <visual><geometry><mesh {attributes}/></geometry></visual></link></robot>"
        );
        write("r.urdf", &text);
        let packages = vec![("arm".to_owned(), folder.path().to_owned())];
        load_any(&folder.path().join("r.urdf"), &Options { packages, ..Options::default() })
    };
    for name in ["package://arm/meshes/one.obj", "meshes/one.obj"] {
        let imported = mesh(&format!("filename=\"{name}\" scale=\"2 3 -1\"")).unwrap();
        assert!(imported.warnings.is_empty());
        let Some(Shape::Triangle(triangle)) = imported.scene.geometries()[1].shape(0) else {
            panic!()
        };
        // Mirrored, and turned over so that its outside stays outside.
        assert_eq!(triangle.vertices, [DVec3::ZERO, DVec3::Y * 3.0, DVec3::X * 2.0]);
    }
    for (name, why) in [
        ("package://leg/one.obj", "the folder of package 'leg' is not known"),
        ("meshes/none.stl", "cannot be read"),
        ("meshes/one.fbx", "is not a mesh that raytwin reads"),
    ] {
        let imported = mesh(&format!("filename=\"{name}\"")).unwrap();
        assert_eq!(imported.scene.geometries()[1], Geometry::Empty);
        let warning = imported.warnings[0].to_string();
        assert!(warning.contains(why) && warning.contains("keep their ids"), "{warning}");
    }
}

#[test]
fn a_shape_without_a_size_keeps_its_id_and_no_ray_meets_it() {
    let shapes = [
        ("<sphere radius=\"0\"/>", "radius is 0.0: it must be between 1e-9 and 1e9"),
        ("<sphere radius=\"-1\"/>", "radius is -1.0: it must"),
        ("<box size=\"1 0 1\"/>", "half_extents[1] is 0.0: it must"),
        ("<cylinder radius=\"1\" length=\"-2\"/>", "length is -2.0: it must be above 0"),
        (
            "<mesh filename=\"a.stl\" scale=\"1 0 1\"/>",
            "scale is [1, 0, 1]: none of its numbers may be 0",
        ),
        ("<heightmap/>", "a heightmap"),
    ];
    let visual = |shape: &str| format!("<visual><geometry>{shape}</geometry></visual>");
    let sphere = visual("<sphere radius=\"3\"/>");
    let inner: String = shapes.iter().map(|(shape, _)| visual(shape)).collect();
    let link = format!("<link name=\"a\">{inner}{sphere}</link>");
    let ImportedScene { scene, warnings, .. } = robot(&link, &Options::default()).unwrap();
    assert_eq!((scene.geometry_count(), scene.primitive_count()), (7, 1));
    assert_eq!(scene.path(6), "a/visual[6]");
    assert_eq!(scene.geometry(6).unwrap().shape(0).unwrap().row()[3], 3.0);
    assert_eq!(scene.geometry(0), Some(&Geometry::Empty));
    assert_eq!(warnings[0].count, 6);
    for ((_, reason), expected) in shapes.iter().zip(&warnings[0].names) {
        assert!(expected.contains(reason), "{expected}");
    }
}

#[test]
fn joints_that_follow_one_another_stand_at_the_same_bits_in_every_run() {
    let joint = |number: u32, mimic: &str| {
        format!(
            r#"<link name="l{number}"/><joint name="j{number}" type="revolute">{mimic}
            <parent link="base"/><child link="l{number}"/></joint>"#
        )
    };
    let follow = |number: u32| {
        let leader = number - 1;
        joint(number, &format!(r#"<mimic joint="j{leader}" multiplier="-1.3" offset="0.17"/>"#))
    };
    let joints: String = (1..6).map(follow).collect();
    let text = format!(r#"<robot><link name="base"/>{}{joints}</robot>"#, joint(0, ""));
    let document = xml::parse(Path::new("r.urdf"), &text, &mut Lapses::default()).unwrap();
    let file = UrdfFile { path: Path::new("r.urdf"), document: &document };
    let values = || {
        let (joints, _) = Joints::read(&file, document.root_element()).unwrap();
        let values = joints.values(&file, &[("j0".to_owned(), 0.7.into())]).unwrap().0;
        [1, 2, 3, 4, 5].map(|number| values[format!("j{number}").as_str()].to_bits())
    };
    // Each map of joints has an order of its own.
    let first = values();
    (0..50).for_each(|_| assert_eq!(values(), first));
}

#[test]
fn a_visual_has_the_colour_of_its_material_wherever_that_is_given() {
    let link = |name: &str, material: &str| {
        format!(
            r#"<link name="{name}"><visual><geometry><sphere radius="1"/></geometry>{material}</visual></link>"#
        )
    };
    let text = [
        link("inline", r#"<material name="red"><color rgba="1 0 0 0.5"/></material>"#),
        link("named", r#"<material name="blue"/>"#),
        link("of_another_visual", r#"<material name="red"/>"#),
        link("unknown", r#"<material name="green"/>"#),
        link("none", r#"<material name=""/>"#),
        link("bright", r#"<material name=""><color rgba="255 0 0 1"/></material>"#),
        link("short", r#"<material name=""><color rgba="1 0 0"/></material>"#),
        r#"<material name="blue"><color rgba="0 0 0.75 1"/></material>"#.to_owned(),
    ];
    let imported = robot(&text.concat(), &Options::default()).unwrap();
    let colors: Vec<_> = (0..7).map(|id| imported.scene.appearance(id).color).collect();
    let red = Some([1.0, 0.0, 0.0]);
    assert_eq!(colors, [red, Some([0.0, 0.0, 0.75]), red, None, None, None, None]);
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!(warning.count, 2);
    assert!(warning.names[0].contains("bright (") && warning.names[0].contains("from 0 to 1"));
    assert!(warning.names[1].contains("r.urdf:2:") && warning.names[1].contains("4 numbers"));
}

#[test]
fn the_joints_that_a_caller_can_move_are_reported_with_their_values() {
    let text = r#"<link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>
        <link name="b"/><link name="c"/><link name="d"/><link name="e"/>
        <joint name="turn" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="2"/></joint>
        <joint name="slide" type="prismatic"><parent link="a"/><child link="c"/></joint>
        <joint name="follow" type="revolute"><parent link="a"/><child link="d"/><mimic joint="turn"/></joint>
        <joint name="fixed" type="fixed"><parent link="a"/><child link="e"/></joint>"#;
    let joints = vec![("turn".to_owned(), JointValue::Degrees(90.0))];
    let joints = robot(text, &Options { joints, ..Options::default() }).unwrap().joints;
    let expected: Vec<_> = joints.iter().map(|j| (&*j.name, j.turns, j.value, j.limits)).collect();
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = ("turn", true, quarter, Some([-1.0, 2.0]));
    assert_eq!(expected, [turn, ("slide", false, 0.0, None)]);
}

#[test]
fn floating_joints_and_root_links_take_a_place() {
    let text = r#"<link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
        <link name="kite"/><link name="tail"/>
        <joint name="string" type="floating"><parent link="base"/><child link="kite"/><origin xyz="0 0 1"/></joint>
        <joint name="knot" type="fixed"><parent link="kite"/><child link="tail"/><origin xyz="1 0 0"/></joint>"#;
    let place = |numbers: [f64; 7]| JointValue::Several(numbers.into());
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let links = |joints: &[(&str, JointValue)]| {
        let joints = joints.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        robot(text, &Options { joints: joints.collect(), ..Options::default() })
            .map(|robot| robot.links)
    };
    let turned = place([0.0, 0.0, 5.0, half, 0.0, 0.0, half]);
    let alone = links(&[("string", turned.clone())]).unwrap();
    assert!(alone["tail"].pose.position.distance(DVec3::new(0.0, 1.0, 6.0)) < 1e-15);
    assert_eq!(alone["base"].pose.position, DVec3::ZERO);
    let moved = place([2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let both = links(&[("base", turned), ("string", moved)]).unwrap();
    assert!(both["tail"].pose.position.distance(DVec3::new(0.0, 3.0, 6.0)) < 1e-14);
    assert_eq!(both["base"].pose.position, DVec3::new(0.0, 0.0, 5.0));
    for (name, value, reason) in [
        ("string", JointValue::Plain(1.0), "'string' is a floating joint: give x, y, z"),
        (
            "base",
            JointValue::Several(vec![1.0; 6]),
            "'base' is a floating joint: 1,1,1,1,1,1 must be x, y, z",
        ),
        ("base", place([f64::NAN; 7]), "'base' is a floating joint: NaN"),
        ("kite", JointValue::Plain(1.0), "those with x, y, z and a quaternion are base, string"),
    ] {
        let error = links(&[(name, value)]).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn text_that_programs_for_robots_read_is_read_with_warnings() {
    let text = "<!-- a -- b --><robot name=\"r\"><xacro:link name=\"x\"/><gz:a b:c=\"1\"/>\n\
        <link name=\"a\"xacro:name=\"q\"><visual><geometry><gz:b/>\n\
        <sphere radius=\"1\"/></geometry></visual></link></robot>\n<robot/>";
    let read = |text: &str| {
        let text = text.replace("<gz:b/>", "");
        let store = FileStore::in_memory([("r.urdf", text.as_bytes())]);
        crate::load_from(&store, "r.urdf", &Options::default())
    };
    let imported = read(text).unwrap();
    assert_eq!((imported.scene.geometry_count(), &*imported.scene.path(0)), (1, "a"));
    assert_eq!(imported.links.len(), 1);
    let expected: Vec<_> =
        imported.warnings.iter().map(|it| (it.is_read, it.names.join(" "))).collect();
    let [hyphens, no_blank, outside] = ["r.urdf:1:1", "r.urdf:2:15", "r.urdf:4:1"];
    assert_eq!(
        expected,
        [(true, hyphens.to_owned()), (true, no_blank.to_owned()), (false, outside.to_owned())]
    );
    let cut = read(&text.replace("</geometry>", "")).unwrap_err().to_string();
    assert!(cut.starts_with("r.urdf:3:21: is an end tag of <visual>"), "{cut}");
}

#[test]
fn meshes_are_found_by_the_paths_of_windows() {
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("meshes")).unwrap();
    std::fs::write(folder.path().join("meshes/a.obj"), mesh).unwrap();
    let bounds = |file: &str| {
        let path = folder.path().join("r.urdf");
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"{file}\"/>\
             </geometry></visual></link></robot>"
        );
        std::fs::write(&path, text).unwrap();
        let packages = vec![("p".to_owned(), folder.path().to_owned())];
        let options = Options { packages, ..Options::default() };
        crate::load(&path, &options).unwrap().scene.bounds().max.x
    };
    for file in [
        "meshes\\a.obj",
        ".\\meshes\\a.obj",
        "package://p/meshes\\a.obj",
        "package://p\\meshes\\a.obj",
    ] {
        assert_eq!(bounds(file), 1.0, "{file}");
    }
    // On Linux a file may have such a name itself.
    if cfg!(unix) {
        std::fs::write(folder.path().join("meshes\\a.obj"), mesh.replace("v 1", "v 2")).unwrap();
        assert_eq!(bounds("meshes\\a.obj"), 2.0);
    }
}

#[test]
fn what_a_robot_has_too_much_or_too_little_of_is_named_and_the_rest_is_read() {
    let text = r#"<link name="a"><visual><geometry><sphere radius="1"/>
        <box size="9 9 9"/></geometry>
        <geometry><box size="9 9 9"/></geometry>
        <origin xyz="1 0 0"/><origin xyz="9 0 0"/></visual></link>
        <link name="b"><visual/></link><link name="c"><visual><geometry/></visual></link>
        <joint name="j" type="fixed"><parent link="a"/><child link="b"/>
        <origin xyz="0 0 1"/><origin xyz="0 0 9"/></joint>"#;
    let imported = robot(text, &Options::default()).unwrap();
    assert_eq!(imported.scene.geometry_count(), 3);
    assert_eq!(imported.scene.geometries()[0].shape(0).unwrap().row(), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(imported.links["b"].pose.position, DVec3::Z);
    let [unread, repeated] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    let lacks = |link| format!("{link} (it has no <geometry> with a shape)");
    assert_eq!(unread.names, [lacks("b"), lacks("c")]);
    let named = ["5 (<origin>)", "4 (<geometry>)", "3 (<box>)", "8 (<origin>)"];
    assert_eq!(repeated.names, named.map(|it| format!("line {it}")));
    assert!(!repeated.is_read);
}

#[test]
fn a_joint_that_has_no_axis_or_mimics_itself_stays_where_it_is() {
    let joint = |name: &str, kind: &str, inner: &str| {
        format!(
            r#"<link name="{name}"/><joint name="{name}" type="{kind}">
            <parent link="base"/><child link="{name}"/>{inner}</joint>"#
        )
    };
    let mimic = |joint| format!(r#"<mimic joint="{joint}" offset="2"/>"#);
    let text = [
        r#"<link name="base"/>"#.to_owned(),
        joint("turn", "continuous", r#"<axis xyz="0 0 0"/>"#),
        joint("slide", "prismatic", r#"<axis xyz="0 0 0"/>"#),
        joint("alone", "prismatic", &mimic("alone")),
        joint("after", "prismatic", &mimic("first")),
        joint("first", "prismatic", &mimic("second")),
        joint("second", "prismatic", &mimic("first")),
    ]
    .concat();
    let read = |joints: &[(&str, f64)]| {
        let joints = joints.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
        robot(&text, &Options { joints: joints.collect(), ..Options::default() }).unwrap()
    };
    let names = |imported: &ImportedScene| -> Vec<String> {
        imported.warnings.iter().map(|warning| warning.names.join(" ")).collect()
    };
    let imported = read(&[]);
    let places = ["turn", "slide", "alone", "after", "first", "second"];
    let places = |imported: &ImportedScene| places.map(|link| imported.links[link].pose.position.x);
    assert_eq!(places(&imported), [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    let circular = &names(&imported)[1];
    assert_eq!(names(&imported)[0], "turn slide");
    assert!(
        ["alone first second", "alone second first"].contains(&circular.as_str()),
        "{circular}"
    );
    assert!(imported.warnings.iter().all(|warning| warning.is_read));
    // A value opens the circle.
    let given = read(&[("first", 0.5)]);
    assert_eq!(places(&given), [0.0, 0.0, 0.0, 2.5, 0.5, 2.5]);
    assert_eq!(names(&given), ["turn slide", "alone"]);
}
