mod attached;
mod files;
mod replicas;

use super::*;
use crate::{FileStore, ImportedScene, JointValue};
use raytwin::scene::Scene;
use std::fs;

/// Reads a model whose text stands in a `<mujoco>` of a file `m.xml`, beside other files.
fn model_with(
    inner: &str,
    files: &[(&str, &str)],
    options: &Options,
) -> Result<ImportedScene, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    fs::write(&path, format!("<mujoco>\n{inner}\n</mujoco>")).unwrap();
    for (name, text) in files {
        let text = if text.starts_with('<') {
            format!("<mujoco>\n{text}\n</mujoco>")
        } else {
            (*text).to_owned()
        };
        fs::write(folder.path().join(name), text).unwrap();
    }
    let prefix = format!("{}/", folder.path().display());
    crate::read(&FileStore::disk(), &path, options)
        .and_then(|graph| graph.flatten_any(options))
        .map_err(|error| error.to_string().replace(&prefix, ""))
}

fn model(inner: &str) -> Result<ImportedScene, String> {
    model_with(inner, &[], &Options::default())
}

fn world(inner: &str) -> Result<ImportedScene, String> {
    model(&format!("<worldbody>\n{inner}\n</worldbody>"))
}

fn rows(scene: &Scene) -> Vec<Vec<f64>> {
    scene.geometries().iter().map(|geometry| geometry.shape(0).unwrap().row()).collect()
}

fn paths(scene: &Scene) -> Vec<String> {
    (0..scene.geometries().len() as u32).map(|id| scene.path(id)).collect()
}

#[test]
fn geoms_are_numbered_by_bodies_and_named_by_paths() {
    let imported = world(
        r#"<body name="a"><body><geom size="1"/></body><geom name="late" size="2"/></body>
           <body name="b"><geom size="3"/><geom size="4"/></body>
           <geom size="5"/>"#,
    )
    .unwrap();
    assert_eq!(
        paths(&imported.scene),
        ["geom[0]", "a/late", "a/body[0]", "b/geom[0]", "b/geom[1]"]
    );
    let radii: Vec<f64> = rows(&imported.scene).iter().map(|row| row[3]).collect();
    assert_eq!(radii, [5.0, 2.0, 1.0, 3.0, 4.0]);
    assert!(imported.warnings.is_empty());
}

#[test]
fn a_class_has_the_attributes_of_its_parent_and_gives_way_to_the_element() {
    let imported = model(
        r#"<default><geom size="1 2 3"/>
             <default class="wide"><geom size="9" type="box" quat="1 1 0 0"/></default></default>
           <default><geom rgba="1 0 0 1"/></default>
           <worldbody>
             <geom class="wide"/><geom class="wide" euler="0 0 90"/><geom size="5"/>
             <body childclass="wide"><geom/><frame childclass="main"><geom/></frame></body>
           </worldbody>"#,
    )
    .unwrap();
    let rows = rows(&imported.scene);
    assert_eq!(rows[0][3..6], [9.0, 2.0, 3.0]);
    let half = f64::from(std::f32::consts::FRAC_1_SQRT_2);
    assert!((rows[0][6] - half).abs() < 1e-7 && (rows[1][8] - half).abs() < 1e-7);
    assert_eq!([rows[2][3], rows[3][3], rows[4][3]], [5.0, 9.0, 1.0]);
    // A class does not see what a later section adds to its parent.
    assert_eq!(imported.scene.appearance(2).color, Some([1.0, 0.0, 0.0]));
    assert_eq!(imported.scene.appearance(0).color, None);
}

#[test]
fn geoms_without_alpha_and_of_other_groups_are_hidden_and_keep_their_ids() {
    let inner = r#"<asset><material name="clear" rgba="1 1 1 0"/><material name="red" rgba="1 0 0 1"/></asset>
        <worldbody><geom size="1" rgba="1 1 1 0"/><geom size="1" material="clear" rgba="1 0 0 1"/>
        <geom size="1" material="red" rgba="0 0 0 0"/><geom size="1" group="2"/><geom size="1" group="9"/></worldbody>"#;
    let masks = |groups: Option<Vec<u8>>| {
        let options = Options { geom_groups: groups, ..Options::default() };
        let scene = model_with(inner, &[], &options).unwrap().scene;
        (0..5).map(|id| scene.mask(id) != 0).collect::<Vec<_>>()
    };
    assert_eq!(masks(None), [false, false, true, true, true]);
    assert_eq!(masks(Some(vec![2, 5])), [false, false, false, true, true]);
    assert_eq!(masks(Some(vec![0])), [false, false, true, false, false]);
}

const ARM: &str = r#"<worldbody>
    <body name="free" pos="0 0 1"><freejoint name="root"/><geom size="1"/>
      <body name="arm" pos="1 0 0"><joint name="ball" type="ball"/><geom pos="1 0 0" size="2"/></body>
    </body>
    <body><joint name="hinge" axis="0 0 2" ref="90" range="0 180"/><joint name="slide" type="slide" axis="0 1 0"/>
      <geom pos="1 0 0" size="3"/></body>
    <body name="mark" mocap="true"><geom size="4"/></body></worldbody>
    <keyframe><key name="up" qpos="0 0 5 1 0 0 0 1 0 0 0 1.5707963267948966 2" mpos="7 8 9"/></keyframe>"#;

fn centers(options: &Options) -> Result<Vec<[f64; 3]>, String> {
    let scene = model_with(ARM, &[], options)?.scene;
    let rounded = |row: Vec<f64>| [0, 1, 2].map(|axis| (row[axis] * 1e6).round() / 1e6 + 0.0);
    Ok(rows(&scene).into_iter().map(rounded).collect())
}

#[test]
fn joints_keys_and_files_of_numbers_pose_a_model() {
    let joint = |name: &str, value: &str| Options {
        joints: vec![(name.to_owned(), value.parse().unwrap())],
        ..Options::default()
    };
    let reference = [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0; 3]];
    assert_eq!(centers(&Options::default()).unwrap(), reference);
    assert_eq!(centers(&joint("hinge", "180deg")).unwrap()[2], [0.0, 1.0, 0.0]);
    assert_eq!(centers(&joint("slide", "0.5")).unwrap()[2], [1.0, 0.5, 0.0]);
    assert_eq!(centers(&joint("ball", "1,0,0,1")).unwrap()[1], [1.0, 1.0, 1.0]);
    let turned = centers(&joint("root", "1,2,3,0,0,0,2")).unwrap();
    assert_eq!(turned[..2], [[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]]);
    let key = Options { key: Some("up".to_owned()), ..joint("slide", "1") };
    assert_eq!(
        centers(&key).unwrap(),
        [[0.0, 0.0, 5.0], [2.0, 0.0, 5.0], [1.0, 1.0, 0.0], [7.0, 8.0, 9.0]]
    );
    let warnings = model_with(ARM, &[], &joint("hinge", "-10deg")).unwrap().warnings;
    assert_eq!(warnings[0].names[0].split(' ').next(), Some("hinge"));
}

#[test]
fn a_file_of_numbers_holds_a_pose_in_each_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.npy");
    let mut numbers = [vec![0.0, 0.0, 5.0], vec![1.0; 8], vec![0.0; 2]].concat();
    let mut posed = |shape: &[usize]| {
        numbers.resize(shape.iter().product(), 0.0);
        let file = fs::File::create(&path).unwrap();
        raytwin_files::npz::write_npy(file, shape, &numbers).unwrap();
        centers(&Options { qpos: Some(path.clone()), ..Options::default() })
    };
    assert_eq!(posed(&[13]).unwrap()[0], [0.0, 0.0, 5.0]);
    assert_eq!(posed(&[1, 13]).unwrap()[0], [0.0, 0.0, 5.0]);
    // The second row has zeros for quaternions.
    assert!(posed(&[2, 13]).unwrap_err().ends_with(" in row 1"));
    assert!(posed(&[12]).unwrap_err().ends_with(
        "has shape [12]: a pose of this model must have shape (13,), and several poses must have shape (N, 13)"
    ));
    let missing = Options { qpos: Some("none.npy".into()), ..Options::default() };
    assert!(centers(&missing).unwrap_err().starts_with("none.npy: cannot be read"));
}

#[test]
fn poses_that_a_model_cannot_take_are_refused() {
    let fault = |name: &str, value: JointValue| {
        let joints = vec![(name.to_owned(), value)];
        centers(&Options { joints, ..Options::default() }).unwrap_err()
    };
    for (name, value, reason) in [
        (
            "knee",
            1.0.into(),
            "m.xml: has no joint 'knee'; the named joints are ball, hinge, root, slide",
        ),
        ("ball", 1.0.into(), "m.xml: joint 'ball' is ball and needs 4 numbers, not 1"),
        (
            "slide",
            JointValue::Degrees(1.0),
            "m.xml: joint 'slide' is not a hinge: its value is not an angle",
        ),
        ("hinge", f64::NAN.into(), "m.xml: joint 'hinge': a number is NaN: it must be finite"),
        (
            "ball",
            JointValue::Several(vec![0.0; 4]),
            "m.xml:4:36: joint ball has a quaternion with a length near zero",
        ),
    ] {
        assert_eq!(fault(name, value), reason);
    }
    let key = Options { key: Some("down".to_owned()), ..Options::default() };
    assert_eq!(
        centers(&key).unwrap_err(),
        "m.xml: has no key 'down': it has 1 keys; their names are up"
    );
    let short = ARM.replace(" 1.5707963267948966 2\"", "\"");
    let message =
        model_with(&short, &[], &Options { key: Some("0".to_owned()), ..Options::default() });
    assert!(message.unwrap_err().ends_with("has 11 numbers: the model has 13"));
}

#[test]
fn replicas_and_attached_models_have_names_of_their_own() {
    let leg = r#"<compiler angle="radian"/><default><geom size="0.5"/></default>
        <worldbody><geom name="stand"/><body name="leg" pos="1 0 0" euler="0 0 1.5707963267948966">
        <geom name="foot" pos="1 0 0"/></body></worldbody>"#;
    let imported = model_with(
        r#"<asset><model name="other" file="leg.xml"/></asset><worldbody>
           <replicate count="2" offset="0 0 1" sep="_"><body name="b"><geom name="g" size="1"/></body></replicate>
           <body name="hip" pos="0 0 3"><attach model="other" body="leg" prefix="left_"/></body>
           <attach model="other" prefix="all_"/></worldbody>"#,
        &[("leg.xml", leg)],
        &Options::default(),
    );
    let scene = imported.unwrap().scene;
    assert_eq!(
        paths(&scene),
        ["all_stand", "b_0/g_0", "b_1/g_1", "hip/left_leg/left_foot", "all_leg/all_foot"]
    );
    let rows = rows(&scene);
    assert_eq!(rows[2], [0.0, 0.0, 1.0, 1.0]);
    assert!((rows[3][1] - 1.0).abs() < 1e-7 && rows[3][2..] == [3.0, 0.5]);
}

#[test]
fn cameras_and_rangefinders_look_as_in_mujoco() {
    let imported = model(
        r#"<worldbody><geom size="1" pos="0 0 -5"/><body name="head" pos="0 0 1"><geom size="0.1"/>
             <camera name="down"/><camera name="at" mode="targetbody" target="mark" pos="0 0 1"/>
             <camera name="sized" resolution="40 20" fovy="90"/>
             <camera name="real" resolution="40 20" sensorsize="4 2" focal="3 3" principalpixel="5 3"/>
             <site name="s" zaxis="0 1 0"/></body><body name="mark" pos="4 0 2"/></worldbody>
           <sensor><rangefinder name="beam" site="s" cutoff="9"/></sensor>"#,
    )
    .unwrap();
    let camera = |name: &str| imported.scene.cameras.iter().find(|c| c.name == name).unwrap();
    let is_near = |a: glam::DVec3, b: [f64; 3]| (a - glam::DVec3::from_array(b)).length() < 1e-12;
    assert!(
        is_near(camera("down").forward, [0.0, 0.0, -1.0])
            && is_near(camera("down").up, [0.0, 1.0, 0.0])
    );
    assert!(
        is_near(camera("at").forward, [1.0, 0.0, 0.0]) && is_near(camera("at").up, [0.0, 0.0, 1.0])
    );
    assert_eq!(camera("sized").default_size(), (40, 20));
    let raytwin::camera::Projection::Pinhole { focal, center, .. } = &camera("real").projection
    else {
        panic!()
    };
    assert_eq!((focal, center), (&[30.0, 30.0], &[15.0, 7.0]));
    let beam = camera("beam");
    assert!(is_near(beam.forward, [0.0, 1.0, 0.0]) && beam.default_size() == (1, 1));
    assert_eq!((beam.sensor.range_max, &beam.sensor.hide), (9.0, &vec!["1".to_owned()]));
}

#[test]
fn sites_stand_on_their_bodies_and_have_the_names_of_copies() {
    let joints = vec![("turn".to_owned(), JointValue::Plain(std::f64::consts::FRAC_PI_2))];
    let imported = model_with(
        r#"<worldbody><geom size="1" pos="0 0 -5"/><site name="still" pos="3 0 0"/><site pos="9 9 9"/>
             <body pos="0 0 1"><joint name="turn" axis="0 0 1"/><geom size="0.1"/>
               <replicate count="2" offset="0 0 1" sep="_"><site name="s" pos="2 0 0" zaxis="1 0 0"/></replicate>
             </body></worldbody>"#,
        &[],
        &Options { joints, ..Options::default() },
    )
    .unwrap();
    let [sites] = &imported.sites[..] else { panic!() };
    let names: Vec<&str> = sites.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["still", "s_0", "s_1"]);
    let is_near = |a: glam::DVec3, b: [f64; 3]| (a - glam::DVec3::from_array(b)).length() < 1e-12;
    for ((_, mount), place) in sites.iter().zip([[3.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 2.0, 2.0]])
    {
        assert!(is_near(mount.pose.position, place), "{mount:?}");
    }
    // The joint turns the x axis, which is the site's z, to y.
    assert!(is_near(sites[1].1.pose.rotation * glam::DVec3::Z, [0.0, 1.0, 0.0]));
}

#[test]
fn geometry_that_cannot_be_read_is_named_in_a_warning() {
    let imported = model_with(
        r#"<asset><mesh name="lost" file="lost.stl"/><mesh name="cloud" vertex="0 0 0 1 0 0 0 1 0 1 1 0"/>
             <mesh name="ball" builtin="sphere" params="3"/></asset>
           <worldbody><geom name="a" type="mesh" mesh="lost"/><geom name="b" type="mesh" mesh="cloud"/>
             <geom name="c" type="mesh" mesh="ball"/><flexcomp name="cloth"/><composite/><geom size="0"/><geom size="1"/></worldbody>
           <deformable><skin name="fur"/></deformable>"#,
        &[],
        &Options::default(),
    )
    .unwrap();
    assert_eq!(paths(&imported.scene), ["a", "b", "c", "geom[3]", "geom[4]"]);
    let primitives = imported.scene.geometries().iter().map(Geometry::primitive_count);
    assert_eq!(primitives.collect::<Vec<_>>(), [0, 0, 0, 0, 1]);
    let [warning, unknown] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!((warning.count, unknown.count), (4, 3));
    let warning = format!("{warning}; {unknown}");
    for part in [
        "a (",
        "geom[3] (radius is 0.0: it must be between 1e-9 and 1e9)",
        "lost.stl: cannot be read",
        "b (a mesh without faces: vertices that are flat",
        "c (a built-in mesh",
        "cloth (a flexcomp)",
        "fur (a skin)",
    ] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
}

#[test]
fn settings_that_are_not_followed_are_named() {
    let imported = model(
        r#"<compiler fusestatic="true" discardvisual="true"/><worldbody><body><freejoint name="f" align="true"/>
           <geom size="1"/><geom size="2" contype="0" conaffinity="0"/></body></worldbody>"#,
    )
    .unwrap();
    assert_eq!(imported.scene.geometries().len(), 1);
    assert_eq!(imported.warnings[0].names, ["fusestatic", "align of joint f"]);
}

#[test]
fn visual_geoms_that_something_names_are_kept() {
    let visual = |name: &str| format!(r#"<geom name="{name}" class="visual"/>"#);
    let names = ["pair", "tendon", "sensor", "frame", "first", "second", "skin", "tuple", "none"];
    let geoms: String = names.map(visual).concat();
    let inner = format!(
        r#"<compiler discardvisual="true"/><asset><model name="other" file="leg.xml"/>
             <material name="clear" rgba="1 1 1 0"/></asset>
           <default><geom size="1"/><default class="visual"><geom contype="0" conaffinity="0"/></default></default>
           <worldbody><geom name="solid" material="clear"/>{geoms}
             <replicate count="2" sep="-"><replicate count="2" sep="+"><body>{}</body></replicate></replicate>
             <attach model="other" body="leg" prefix="l_"/><attach model="other" body="leg" prefix="r_"/></worldbody>
           <contact><pair geom1="solid" geom2="pair"/><exclude body1="none" body2="none"/></contact>
           <tendon><spatial><site site="s"/><geom geom="tendon" sidesite="t"/><site site="s"/></spatial></tendon>
           <sensor><framepos objtype="geom" objname="sensor" reftype="geom" refname="frame"/>
             <framepos objtype="body" objname="none"/><distance geom1="first" geom2="second"/>
             <tactile geom="skin" mesh="m"/><user objtype="geom" objname="g+1"/>
             <user objtype="geom" objname="h+0-1"/><user objtype="geom" objname="r_shin"/></sensor>
           <custom><tuple name="t"><element objtype="geom" objname="tuple"/></tuple></custom>"#,
        visual("g") + &visual("h")
    );
    // A model that is attached neither discards by itself nor keeps what the outer model discards.
    let leg = r#"<worldbody><body name="leg"><geom name="foot" size="1" contype="0" conaffinity="0"/>
        <geom name="shin" size="1" contype="0" conaffinity="0"/></body></worldbody>
        <sensor><framepos objtype="geom" objname="foot"/></sensor>"#;
    let imported = model_with(&inner, &[("leg.xml", leg)], &Options::default()).unwrap();
    let scene = imported.scene;
    let kept: Vec<String> =
        (0..scene.geometry_count()).map(|id| scene.name(id).unwrap().last().to_owned()).collect();
    let named = ["solid", "pair", "tendon", "sensor", "frame", "first", "second", "skin", "tuple"];
    assert_eq!(kept[..9], named);
    assert_eq!(kept[9..], ["g+1-0", "h+0-1", "g+1-1", "l_foot", "r_foot", "r_shin"]);
    // Materials are discarded, too, so the geom is not transparent.
    assert_eq!(scene.mask(0), u32::MAX);
}

#[test]
fn keys_are_reserved_and_numbers_that_do_not_fit_name_what_is_not_read() {
    let inner = r#"<size nkey="3"/><worldbody><flexcomp name="cloth"/><body><joint type="slide" axis="1 0 0"/>
        <geom size="1"/></body></worldbody><keyframe><key name="far" qpos="9"/><key qpos="1 2"/></keyframe>"#;
    let keyed = |key: &str| {
        let options = Options { key: Some(key.to_owned()), ..Options::default() };
        model_with(inner, &[], &options)
    };
    assert_eq!(rows(&keyed("0").unwrap().scene)[0][0], 9.0);
    assert_eq!(rows(&keyed("2").unwrap().scene)[0][0], 0.0);
    let fault = |key: &str| keyed(key).unwrap_err();
    assert_eq!(fault("3"), "m.xml: has no key '3': it has 3 keys; their names are far");
    let unread = "; 1 elements are not read, and some of them add bodies, joints or geoms in MuJoCo: cloth (a flexcomp)";
    assert!(fault("1").ends_with(&format!("has 2 numbers: the model has 1{unread}")));
}

#[test]
fn a_file_of_vertices_alone_is_their_hull() {
    let inner =
        r#"<asset><mesh file="v.obj"/></asset><worldbody><geom type="mesh" mesh="v"/></worldbody>"#;
    let vertices = "# a cloud\nv 0 0 0\nv 2 0 0 2\nv 0 1 0\nv .2 .2 .2\nv 0 0 1\n";
    let scene = model_with(inner, &[("v.obj", vertices)], &Options::default()).unwrap().scene;
    let Some(Geometry::Mesh(mesh)) = scene.geometry(0) else { panic!() };
    assert!(mesh.is_closed() && mesh.triangles().len() == 4);
    // MuJoCo does not divide by a fourth number.
    let greatest = mesh.vertices().iter().copied().reduce(glam::DVec3::max);
    assert_eq!(greatest, Some(glam::DVec3::new(2.0, 1.0, 1.0)));
}

#[test]
fn a_mesh_without_faces_is_its_convex_hull() {
    // A grid of points whose faces and edges hold many points in a plane or a line.
    let mut vertices = String::new();
    for index in 0..64 {
        let [x, y, z] = [index % 4, index / 4 % 4, index / 16];
        vertices += &format!("{x} {y} {z} ");
    }
    let text = format!(
        r#"<asset><mesh name="m" vertex="{vertices}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>"#
    );
    let scene = model(&text).unwrap().scene;
    let Some(raytwin::geometry::Geometry::Mesh(mesh)) = scene.geometry(0) else { panic!() };
    assert!(mesh.is_closed());
    let corners = |triangle: &[u32; 3]| triangle.map(|index| mesh.vertices()[index as usize]);
    let volume: f64 = mesh
        .triangles()
        .iter()
        .map(|triangle| {
            let [a, b, c] = corners(triangle);
            let is_in_side = |axis: usize| {
                [0.0, 3.0].iter().any(|side| [a, b, c].iter().all(|p| p[axis] == *side))
            };
            assert!((0..3).any(is_in_side), "{triangle:?}");
            a.dot(b.cross(c)) / 6.0
        })
        .sum();
    assert!((volume - 27.0).abs() < 1e-9, "{volume}");
}

#[test]
fn faults_are_reported_with_their_place_also_in_included_files() {
    for (inner, message) in [
        (r#"<geom type="ball" size="1 1 1"/>"#, r#"m.xml:3:1: type="ball" is not a type of geom"#),
        (r#"<geom/>"#, "m.xml:3:1: <geom>: size lacks a number: a sphere needs 1"),
        (
            r#"<body pos="0 0 nan"/>"#,
            r#"m.xml:3:1: pos="0 0 nan" is invalid: a number is NaN: it must be finite"#,
        ),
        (
            r#"<body pos="0 0 1e999"/>"#,
            r#"m.xml:3:1: pos="0 0 1e999" is invalid: a number is too large: the largest float64 is 1.8e308"#,
        ),
        (r#"<geom size="1" pos="1 2"/>"#, r#"m.xml:3:1: pos="1 2" must be 3 numbers"#),
        (
            r#"<geom size="1" quat="0 0 0 0"/>"#,
            r#"m.xml:3:1: quat="0 0 0 0" is a quaternion with a length near zero"#,
        ),
        (
            r#"<geom size="1" xyaxes="1 0 0 2 0 0"/>"#,
            r#"m.xml:3:1: xyaxes="1 0 0 2 0 0" has an axis of length zero"#,
        ),
        (
            r#"<geom size="1" quat="1 0 0 0" euler="0 0 0"/>"#,
            r#"m.xml:3:1: euler="0 0 0" is a second orientation: give only one"#,
        ),
        (
            r#"<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>"#,
            r#"m.xml:3:1: fromto="1 1 1 1 1 1" is a line of length zero"#,
        ),
        (
            r#"<geom size="1" class="none"/>"#,
            r#"m.xml:3:1: class="none" is not a class: define it in <default>"#,
        ),
        (
            r#"<geom type="mesh" mesh="none"/>"#,
            r#"m.xml:3:1: mesh="none" is not the name of a <mesh> of the model's assets"#,
        ),
        (
            r#"<joint/>"#,
            "m.xml:3:1: the world cannot have joints: put a <body> around this element",
        ),
        (
            r#"<replicate count="1000000000"><geom size="1"/></replicate>"#,
            "m.xml:3:31: the bodies of the model have more than 262144 elements",
        ),
        (r#"<attach prefix="a" body="b"/>"#, r#"m.xml:3:1: body="b" is not in the model"#),
        (r#"<include file="none.xml"/>"#, "m.xml:3:1: none.xml: cannot be read"),
        (
            r#"<include file="m.xml"/>"#,
            r#"m.xml:3:1: file="m.xml" is already part of the model: include it once"#,
        ),
        (r#"<include file="part.xml"/>"#, r#"part.xml:2:1: size="x" must be numbers"#),
    ] {
        let inner = format!("<worldbody>\n{inner}</worldbody>");
        let files = [("part.xml", r#"<geom size="x"/>"#)];
        let found = model_with(&inner, &files, &Options::default()).unwrap_err();
        assert!(found.starts_with(message), "{found}\ninstead of {message}");
    }
}

#[test]
fn models_that_nest_or_multiply_without_end_are_refused() {
    for (inner, message) in [
        (
            "<body>".repeat(10_000) + &"</body>".repeat(10_000),
            "elements are nested more than 500 deep",
        ),
        (
            r#"<body name="b"><attach body="b" prefix="x"/></body>"#.to_owned(),
            "bodies, frames and attached models are nested more than 500 deep",
        ),
        (
            r#"<replicate count="1000">"#.repeat(9) + &"</replicate>".repeat(9),
            "the bodies of the model have more than 262144 elements",
        ),
    ] {
        let found = world(&inner).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
    let bomb = "<!DOCTYPE mujoco [<!ENTITY a \"1\">]>\n\
        <mujoco><worldbody><geom size=\"&a;\"/></worldbody></mujoco>";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    fs::write(&path, bomb).unwrap();
    let error = crate::load(&path, &Options::default()).unwrap_err().to_string();
    assert!(error.ends_with("m.xml:2:20: size=\"&a;\" must be numbers"), "{error}");
    let own = r#"<asset><model name="m" file="m.xml"/></asset>"#;
    let error = model(own).unwrap_err();
    assert_eq!(error, "m.xml:2:8: file=\"m.xml\" is a model that has this one as an asset");
}

#[test]
fn other_xml_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.xml");
    for (root, advice) in
        [("robot", "this is a URDF; rename it to .urdf"), ("svg", "MJCF begins with <mujoco>")]
    {
        fs::write(&path, format!("<{root}/>")).unwrap();
        let error = crate::load(&path, &Options::default()).unwrap_err().to_string();
        assert!(error.ends_with(advice) && error.contains("m.xml:1:1"), "{error}");
    }
}

#[test]
fn the_joints_that_one_number_moves_are_reported_with_their_values() {
    let text = r#"<worldbody><body name="b"><geom size="1"/>
        <joint name="turn" range="-90 90"/><joint name="slide" type="slide" ref="0.5"/><joint/></body>
        <body><freejoint name="free"/><geom size="1"/></body></worldbody>"#;
    let joints = model(text).unwrap().joints;
    let messages: Vec<_> = joints.iter().map(|j| (&*j.name, j.turns, j.value, j.limits)).collect();
    let quarter = std::f64::consts::FRAC_PI_2;
    let turn = ("turn", true, 0.0, Some([-quarter, quarter]));
    assert_eq!(messages, [turn, ("slide", false, 0.5, None)]);
}

/// A model that others attach, with assets and a class that nothing in it uses.
const CHILD: &str = r#"<asset><material name="red" rgba="1 0 0 1"/><material name="glass" rgba="1 1 1 0"/>
    <mesh name="tip" file="tip.obj" scale="2 2 2" material="glass"/>
    <hfield name="field" nrow="2" ncol="2" size="1 1 1 0.1" elevation="0 1 1 0"/></asset>
  <default><geom group="2"/><default class="big"><geom size="5"/></default></default>
  <worldbody><body name="b"><geom name="g" size="0.5" material="red"/></body></worldbody>"#;

const TIP: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// Reads a model of these geoms that attaches the body of the child.
fn attaching(geoms: &str, prefix: &str) -> Result<Scene, String> {
    let middle = r#"<asset><model name="child" file="child.xml"/></asset><worldbody><body name="m">
        <frame><attach model="child" body="b" prefix="c_"/></frame></body></worldbody>"#;
    let text = format!(
        r#"<asset><model name="child" file="child.xml"/><model name="middle" file="middle.xml"/>
             <mesh name="own" vertex="0 0 0 1 0 0 0 1 0 0 0 1" material="{prefix}glass"/></asset>
           <default><default class="red"><geom material="{prefix}red"/></default></default>
           <worldbody>{geoms}<body><frame pos="9 0 0"><replicate count="2" offset="1 0 0">
             <attach model="child" body="b" prefix="{prefix}"/></replicate></frame></body>
             <frame><attach model="middle" body="m" prefix="m_"/></frame></worldbody>"#
    );
    let files = [("child.xml", CHILD), ("middle.xml", middle), ("tip.obj", TIP)];
    model_with(&text, &files, &Options::default()).map(|imported| imported.scene)
}

#[test]
fn what_an_attached_model_defines_belongs_to_the_model_under_the_prefix() {
    for prefix in ["p_", ""] {
        for named in [prefix, "m_c_"] {
            let geoms = format!(
                r#"<geom size="1" material="{named}red"/><geom class="red" size="1"/>
                   <geom type="hfield" hfield="{named}field"/><geom class="{named}big"/>
                   <geom type="mesh" mesh="{named}tip"/><geom type="mesh" mesh="own"/>"#
            );
            let scene = attaching(&geoms, prefix).unwrap();
            let color = |id: u32| scene.appearance(id).color;
            assert_eq!([color(0), color(1)], [Some([1.0, 0.0, 0.0]); 2], "{named}");
            assert_eq!(scene.geometry_count(), 9, "{named}");
            let sizes: Vec<f64> =
                scene.geometries()[2..5].iter().map(|it| it.bounds().unwrap().max.x).collect();
            assert_eq!(sizes, [1.0, 5.0, 2.0], "{named}");
            // The materials of the meshes are transparent, so that MuJoCo's rays pass through them.
            let masks: Vec<u32> = (0..9).map(|id| scene.mask(id)).collect();
            let seen = u32::MAX;
            assert_eq!(masks, [seen, seen, seen, seen, 0, 0, seen, seen, seen], "{named}");
        }
    }
    for (geom, error) in [
        ("<geom size=\"1\" material=\"red\"/>", "material=\"red\" is not the name of a <material>"),
        ("<geom class=\"big\"/>", "class=\"big\" is not a class"),
        ("<geom type=\"mesh\" mesh=\"q_tip\"/>", "mesh=\"q_tip\" is not the name of a <mesh>"),
    ] {
        let found = attaching(geom, "p_").unwrap_err();
        assert!(found.contains(error), "{found}");
    }
}

#[test]
fn what_is_attached_can_be_attached_again() {
    let again = r#"<frame pos="0 0 3"><attach body="p_b" prefix="q_"/></frame>"#;
    let scene = attaching(again, "p_").unwrap();
    assert_eq!(paths(&scene)[0], "q_p_b/q_p_g");
    assert_eq!(rows(&scene)[0], [0.0, 0.0, 3.0, 0.5]);
}

#[test]
fn models_that_attach_each_other_in_many_ways_are_searched_once() {
    let levels = 40;
    let level = |at: usize| match at {
        0 => "<asset/><worldbody><body name=\"b\"><geom size=\"1\"/></body></worldbody>".to_owned(),
        _ => {
            let attach = |prefix: &str| {
                format!("<frame><attach model=\"a\" body=\"none\" prefix=\"{prefix}\"/></frame>")
            };
            format!(
                "<asset><model name=\"a\" file=\"{}.xml\"/></asset><worldbody><body name=\"b\">\
                 <geom size=\"1\"/></body><body name=\"c\">{}{}{}</body></worldbody>",
                at - 1,
                attach(""),
                attach("a"),
                attach("aa")
            )
        }
    };
    let texts: Vec<(String, String)> =
        (0..levels).map(|at| (format!("{at}.xml"), level(at))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (&**name, &**text)).collect();
    let text = format!(
        "<asset><model name=\"top\" file=\"{}.xml\"/></asset><worldbody>\
         <geom size=\"1\" material=\"{}\"/><frame><attach model=\"top\" body=\"b\" prefix=\"\"/>\
         </frame></worldbody>",
        levels - 1,
        "a".repeat(levels)
    );
    let start = std::time::Instant::now();
    let error = model_with(&text, &files, &Options::default()).err().unwrap();
    assert!(error.contains("is not the name of a <material>"), "{error}");
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn files_are_found_by_the_paths_of_windows() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("assets");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("tip.obj"), TIP).unwrap();
    fs::write(inside.join("more.xml"), "<mujoco><geom size=\"1\"/></mujoco>").unwrap();
    fs::write(inside.join("child.xml"), CHILD.replace("<asset>", "<mujoco><asset>") + "</mujoco>")
        .unwrap();
    let geometries = |text: &str| {
        let path = folder.path().join("m.xml");
        fs::write(&path, format!("<mujoco>{text}</mujoco>")).unwrap();
        let imported = crate::load(&path, &Options::default()).unwrap();
        assert!(imported.warnings.is_empty(), "{text}: {:?}", imported.warnings);
        imported.scene.geometry_count()
    };
    let geom = "<worldbody><geom type=\"mesh\" mesh=\"tip\"/></worldbody>";
    for (compiler, file) in [
        ("", "assets\\tip.obj"),
        ("", ".\\assets\\tip.obj"),
        ("<compiler meshdir=\"assets\\\"/>", "tip.obj"),
        ("<compiler assetdir=\".\\assets\"/>", "tip.obj"),
        ("<compiler meshdir=\"assets\" strippath=\"true\"/>", "C:\\robots\\tip.obj"),
    ] {
        let asset = format!("{compiler}<asset><mesh file=\"{file}\"/></asset>{geom}");
        assert_eq!(geometries(&asset), 1, "{asset}");
    }
    let include = "<worldbody><include file=\"assets\\more.xml\"/></worldbody>";
    assert_eq!(geometries(include), 1);
    let attach = "<asset><model name=\"c\" file=\"assets\\child.xml\"/></asset>\
        <worldbody><frame><attach model=\"c\" body=\"b\" prefix=\"\"/></frame></worldbody>";
    assert_eq!(geometries(attach), 1);
}

#[test]
fn text_that_mujoco_reads_is_read_with_a_warning_for_all_files() {
    let imported = model_with(
        "<!-- a -- b --><worldbody><include file=\"more.xml\"/><geom size=\"1\"name=\"a\"/></worldbody>",
        &[("more.xml", "<!-- a -- b --><geom size=\"2\"/>")],
        &Options::default(),
    )
    .unwrap();
    assert_eq!(imported.scene.geometry_count(), 2);
    let messages: Vec<_> =
        imported.warnings.iter().map(|it| (it.count, it.names.join(" "))).collect();
    let hyphens = (2, "m.xml:2:1 more.xml:2:1".to_owned());
    assert_eq!(messages, [hyphens, (1, "m.xml:2:67".to_owned())]);
}
