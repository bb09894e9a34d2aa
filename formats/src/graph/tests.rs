use super::flatten::flatten_up_to;
use crate::{FileStore, ImportedScene, Options, load, parse};
use glam::DVec3;
use raytwin::cpu::CpuTracer;
use raytwin::geometry::Geometry;
use raytwin::ray::{NONE, Ray};
use raytwin::scene::Scene;
use raytwin::transform::Transform;
use raytwin::{PackedScene, Tracer};
use std::fmt::Write;
use std::path::Path;

const SPHERE: &str = r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#;

fn scene(text: &str) -> Result<Scene, String> {
    parse(text, Path::new("s.json")).map_err(|error| error.to_string())
}

/// Reads a scene in which nothing that is used twice is written out.
fn instanced(text: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    std::fs::write(&path, text).unwrap();
    let options = Options::default();
    let store = FileStore::disk();
    let mut read = crate::read(&store, &path, &options).unwrap();
    let root = read.root;
    flatten_up_to(0, &store, &mut read.graph, root, &options, Vec::new()).unwrap().scene
}

/// Every type of shape around the origin, as the items of a list.
fn one_of_each() -> String {
    [
        r#"{ "type": "sphere", "center": [0, 0, 0], "radius": 1 }"#,
        r#"{ "type": "box", "center": [0, 0, 0], "half_extents": [1, 0.5, 0.7] }"#,
        r#"{ "type": "cylinder", "start": [0, 0, -1], "end": [0.1, 0, 1], "radius": 0.5 }"#,
        r#"{ "type": "capsule", "start": [0, 0, -1], "end": [0.1, 0, 1], "radius": 0.5 }"#,
        r#"{ "type": "cone", "start": [0, 0, -1], "end": [0, 0.1, 1], "start_radius": 0.7, "end_radius": 0.2 }"#,
        r#"{ "type": "ellipsoid", "center": [0, 0, 0], "radii": [1, 0.5, 0.7] }"#,
        r#"{ "type": "torus", "center": [0, 0, 0], "axis": [0.1, 0, 1], "major_radius": 1, "minor_radius": 0.4 }"#,
        r#"{ "type": "mesh", "vertices": [[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
             "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }"#,
        r#"{ "type": "lines", "points": [[-1, 0, 0], [0, 1, 0.2]], "indices": [[0, 1]], "radius": 0.3 }"#,
    ]
    .join(",")
}

/// Rays that start on a sphere around the origin and run through points near it.
fn rays_inwards(count: u32) -> Vec<Ray> {
    let spread = |index: u32, step: f64| (f64::from(index) * step).fract() * 2.0 - 1.0;
    (1..=count)
        .map(|index| {
            let start =
                DVec3::new(spread(index, 0.618), spread(index, 0.414), spread(index, 0.732));
            let start = 20.0 * start.normalize_or(DVec3::X);
            let through =
                DVec3::new(spread(index, 0.236), spread(index, 0.302), spread(index, 0.178));
            Ray::new(start.as_vec3(), (through - start).as_vec3())
        })
        .collect()
}

#[test]
fn normals_point_outwards_from_every_shape_however_it_is_mirrored_and_sheared() {
    for node in [
        r#""scale": [-1, 1, 1]"#,
        r#""scale": [-2, -2, -2]"#,
        r#""scale": [1.5, -0.5, 1], "rotation_xyzw": [0.1, 0.2, 0.3, 1]"#,
        r#""matrix": [1, 0.5, 0, 0.1, 0, 1, 0.3, 0, 0.2, 0, -1, 0]"#,
    ] {
        for shape in
            one_of_each().split("},").map(|shape| format!("{}}}", shape.trim_end_matches('}')))
        {
            let shape = shape.replace("]}", "] }");
            let text =
                format!(r#"{{ "raytwin": 1, "nodes": [ {{ {node}, "shapes": [{shape}] }} ] }}"#);
            let packed = PackedScene::new(scene(&text).unwrap()).unwrap();
            let rays = rays_inwards(400);
            let hits = CpuTracer::new(&packed).cast(&rays).unwrap();
            assert!(hits.hit_count() > 20, "{node} {shape}: {} hits", hits.hit_count());
            for (ray, normal) in rays.iter().zip(&hits.primitive_normals) {
                let along: f32 = (0..3).map(|axis| ray.direction[axis] * normal[axis]).sum();
                assert!(along <= 1e-3, "{node} {shape}: {ray} has the normal {normal:?}");
            }
        }
    }
}

#[test]
fn a_flat_shape_turns_its_normal_as_its_transform_does() {
    for shape in [
        r#"{ "type": "plane", "point": [0, 0, 0], "normal": [0, 0, 1] }"#,
        r#"{ "type": "disc", "center": [0, 0, 0], "normal": [0, 0, 1], "radius": 1 }"#,
        r#"{ "type": "triangle", "vertices": [[-1, -1, 0], [1, -1, 0], [0, 2, 0]] }"#,
        r#"{ "type": "heightfield", "heights": [[0, 0], [0, 0]], "spacing": [2, 2], "center": [0, 0, 0] }"#,
    ] {
        for (scale, expected) in [([-1, 1, 1], 1.0), ([1, -2, 1], 1.0), ([1, 3, -1], -1.0)] {
            let text = format!(
                r#"{{ "raytwin": 1, "nodes": [ {{ "scale": {scale:?}, "shapes": [{shape}] }} ] }}"#
            );
            let packed = PackedScene::new(scene(&text).unwrap()).unwrap();
            let hits = CpuTracer::new(&packed)
                .cast(&[Ray::new([0.1, 0.1, 5.0], [0.0, 0.0, -1.0])])
                .unwrap();
            assert_eq!(hits.primitive_normals, [[0.0, 0.0, expected]], "{scale:?} {shape}");
        }
    }
}

#[test]
fn a_transform_that_cannot_be_is_refused_with_the_path_of_its_node() {
    let shapes = format!(r#""shapes": [{SPHERE}]"#);
    for (node, expected) in [
        (r#""scale": [1, 0, 1]"#.to_owned(), "nodes[0].scale: has a transform that stretches lengths by 0.0"),
        (r#""matrix": [1,0,0,0, 0,1,0,0, 1,1,0,0]"#.to_owned(), "nodes[0].matrix: has a transform that stretches"),
        (r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1]"#.to_owned(), "nodes[0].matrix: invalid length 11"),
        (
            r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0], "scale": [1,1,1]"#.to_owned(),
            "nodes[0].matrix: is given together with scale: remove one of the two",
        ),
        (
            r#""name": "a", "scale": [1000, 1, 1], "nodes": [ { "name": "b", "scale": [1001, 1, 1] } ]"#.to_owned(),
            "nodes[0].nodes[0] (\"a/b\"): has a transform that stretches lengths by 1.0 to 1001000.0",
        ),
        (r#""use": "wheel""#.to_owned(), "nodes[0].use: 'wheel' is not a definition; the file has no definitions"),
        (format!(r#""use": "wheel", {shapes}"#), "nodes[0]: has both use and shapes: put each into a child node of its own"),
        (r#""use": "a", "file": "b.json""#.to_owned(), "nodes[0]: has both use and file"),
        (r#""collision": true"#.to_owned(), "nodes[0].collision: needs a file, which is missing: remove it, or add the file"),
        (r#""file": "b.stl", "joints": {"a": 1}"#.to_owned(), "nodes[0].joints: is only for .json, .urdf, .xml files, and b.stl is not one"),
        (r#""file": "absent.urdf", "joints": {"a": "x"}"#.to_owned(), "nodes[0].joints.a: is \"x\": it must be a number"),
        (r#""file": "absent.urdf""#.to_owned(), "nodes[0].file: absent.urdf: cannot be read"),
    ] {
        let error = scene(&format!(r#"{{ "raytwin": 1, "nodes": [ {{ {node} }} ] }}"#));
        let error = error.unwrap_err();
        assert!(error.starts_with(&format!("s.json: {expected}")), "{error}");
    }
}

/// Cars with wheels, some of them in named nodes and some stretched.
fn cars() -> String {
    let [red, blue] = ["[1, 0, 0]", "[0, 0, 1]"];
    format!(
        r#"{{ "raytwin": 1,
        "shapes": [ {{ "type": "sphere", "center": [0, 0, 9], "radius": 1 }} ],
        "definitions": {{
            "car": {{ "shapes": [ {{ "type": "box", "name": "body", "center": [0, 0, 1], "half_extents": [2, 1, 0.5], "mask": 6 }} ],
                "nodes": [
                    {{ "name": "front", "translation": [1.5, 0, 0], "nodes": [
                        {{ "use": "wheel", "translation": [0, 1, 0] }}, {{ "name": "left", "use": "wheel", "color": {blue}, "translation": [0, -1, 0] }} ] }},
                    {{ "use": "wheel", "translation": [-1.5, 0, 0], "scale": [1, 3, 1] }} ] }},
            "wheel": {{ "shapes": [ {{ "type": "cylinder", "start": [0, -0.1, 0], "end": [0, 0.1, 0], "radius": 0.5 }},
                {{ "type": "torus", "name": "tyre", "center": [0, 0, 0], "axis": [0, 1, 0], "major_radius": 0.5, "minor_radius": 0.1, "color": {red} }} ] }},
            "unused": {{ "nodes": [ {{ "use": "wheel" }} ] }} }},
        "nodes": [
            {{ "name": "a", "color": {red}, "use": "car", "translation": [5, 0, 0] }},
            {{ "translation": [0, 5, 0], "nodes": [ {{ "use": "car", "rotation_xyzw": [0, 0, 1, 1] }} ] }},
            {{ "shapes": [ {{ "type": "box", "center": [0, 0, -2], "half_extents": [9, 9, 0.1] }} ] }},
            {{ "name": "c", "use": "car", "matrix": [1, 0.2, 0, 0, 0, -1, 0, -5, 0, 0.1, 1, 0] }},
            {{ "name": "spare", "use": "wheel", "translation": [0, 0, 5] }} ] }}"#
    )
}

#[test]
fn a_file_has_the_same_ids_whether_its_uses_are_written_out_or_instances() {
    let text = cars();
    let [written, instanced] = [scene(&text).unwrap(), instanced(&text)];
    assert!(instanced.instances().len() > written.instances().len());
    assert_eq!(written.geometry_count(), 2 + 3 * 7 + 2);
    assert_eq!(written.geometry_count(), instanced.geometry_count());
    assert_eq!(written.use_count(), 4);
    for id in 0..written.geometry_count() {
        assert_eq!(written.path(id), instanced.path(id));
        assert_eq!(written.mask(id), instanced.mask(id), "{id}");
        assert_eq!(written.appearance(id).color, instanced.appearance(id).color, "{id}");
        assert_eq!(written.use_of(id), instanced.use_of(id), "{id}");
        let nodes = [&written, &instanced].map(|scene| scene.world_from_node(id).affine());
        assert!((nodes[0].translation - nodes[1].translation).length() < 1e-12, "{id}");
    }
    let paths: Vec<String> = (0..written.geometry_count()).map(|id| written.path(id)).collect();
    assert_eq!(paths[0], "sphere[0]");
    assert_eq!(
        paths[1..8],
        [
            "a/body",
            "a/front/nodes[0]/cylinder[0]",
            "a/front/nodes[0]/tyre",
            "a/front/left/cylinder[0]",
            "a/front/left/tyre",
            "a/nodes[1]/cylinder[0]",
            "a/nodes[1]/tyre"
        ]
    );
    assert_eq!(paths[8], "nodes[1]/nodes[0]/body");
    assert_eq!(
        [0, 1, 7, 8, 15, 16, 23, 24].map(|id| written.use_of(id)),
        [None, Some(0), Some(0), Some(1), None, Some(2), Some(3), Some(3)]
    );
    assert_eq!(written.mask(1), 6);
    assert_eq!(
        [1, 2, 4].map(|id| written.appearance(id).color),
        [Some([1.0, 0.0, 0.0]), Some([1.0, 0.0, 0.0]), Some([0.0, 0.0, 1.0])]
    );
    let rays = rays_inwards(4000);
    let hits = [written, instanced]
        .map(|scene| CpuTracer::new(&PackedScene::new(scene).unwrap()).cast(&rays).unwrap());
    let same_ids =
        (0..rays.len()).filter(|&ray| hits[0].geometry_ids[ray] == hits[1].geometry_ids[ray]);
    assert!(same_ids.count() > rays.len() - 4);
    for (index, ray) in rays.iter().enumerate() {
        if hits[0].geometry_ids[index] == hits[1].geometry_ids[index]
            && hits[0].geometry_ids[index] != NONE
        {
            assert!((hits[0].t_hit[index] - hits[1].t_hit[index]).abs() < 1e-5, "{ray}");
        }
    }
}

#[test]
fn what_is_used_is_the_same_bits_as_the_nodes_that_it_stands_for() {
    let shapes = one_of_each();
    let inner = format!(
        r#""shapes": [{shapes}], "nodes": [ {{ "name": "n", "rotation_xyzw": [0.3, 0.1, 0.2, 1], "translation": [0.1, 0.2, 0.3], "shapes": [{shapes}] }} ]"#
    );
    let place = r#""name": "m", "rotation_xyzw": [0.5, 0.1, -0.2, 0.7], "translation": [0.7, 0.3, 0.9], "scale": [1.1, 1.1, 1.1]"#;
    let used = scene(&format!(
        r#"{{ "raytwin": 1, "definitions": {{ "d": {{ {inner} }} }}, "nodes": [ {{ {place}, "use": "d" }} ] }}"#
    ));
    let written = scene(&format!(r#"{{ "raytwin": 1, "nodes": [ {{ {place}, {inner} }} ] }}"#));
    let [used, written] = [used.unwrap(), written.unwrap()];
    assert_eq!(used.geometries(), written.geometries());
    assert_eq!(
        (0..18).map(|id| used.path(id)).collect::<Vec<_>>(),
        (0..18).map(|id| written.path(id)).collect::<Vec<_>>()
    );
}

#[test]
fn circles_and_laughs_are_refused_before_anything_is_built() {
    let file = |definitions: &str, used: &str| {
        format!(
            r#"{{ "raytwin": 1, "definitions": {{ {definitions} }}, "nodes": [ {{ "use": "{used}" }} ] }}"#
        )
    };
    let circle = r#""a": { "nodes": [ { "use": "b" } ] }, "b": { "nodes": [ { "nodes": [ { "use": "a" } ] } ] }"#;
    assert_eq!(
        scene(&file(circle, "a")).unwrap_err(),
        "s.json: definitions.b.nodes[0].nodes[0].use: closes a circle of definitions: a -> b -> a"
    );
    let itself = r#""a": { "nodes": [ { "use": "a" } ] }"#;
    assert!(scene(&file(itself, "a")).unwrap_err().ends_with("circle of definitions: a -> a"));
    let wheel = format!(r#""wheel": {{ "shapes": [{SPHERE}] }}"#);
    assert_eq!(
        scene(&file(&wheel, "weel")).unwrap_err(),
        "s.json: nodes[0].use: 'weel' is not a definition; did you mean wheel?"
    );

    // A hundred levels, each of which uses the next ten times.
    let levels = |levels: u32, times: usize, shapes: &str| {
        let mut definitions = format!(r#""d{levels}": {{ "shapes": [{shapes}] }}"#);
        for level in 0..levels {
            let uses = vec![format!(r#"{{ "use": "d{}" }}"#, level + 1); times].join(",");
            let _ = write!(definitions, r#", "d{level}": {{ "nodes": [{uses}] }}"#);
        }
        file(&definitions, "d0")
    };
    let start = std::time::Instant::now();
    assert_eq!(
        scene(&levels(100, 10, SPHERE)).unwrap_err(),
        "s.json: its instances make more than 1.8e19 geometries, and a scene can have at most 4294967294: use fewer instances"
    );
    assert!(scene(&levels(11, 10, SPHERE)).unwrap_err().contains("make 100000000000 geometries"));
    // Nothing at all, however often, is nothing.
    assert_eq!(scene(&levels(100, 10, "")).unwrap().geometry_count(), 0);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    // A chain of ten thousand.
    let chain = scene(&levels(10_000, 1, SPHERE)).unwrap();
    assert_eq!((chain.geometry_count(), chain.use_count()), (1, 1));
    // A million uses, most of them in instances.
    let million = scene(&levels(6, 10, SPHERE)).unwrap();
    assert_eq!(million.geometry_count(), 1_000_000);
    assert!(
        !million.instances().is_empty() && million.instances().len() <= 10,
        "{}",
        million.instances().len()
    );
    assert_eq!(million.use_of(999_999), Some(0));
}

/// A folder with a robot and a room that holds it.
fn robot_in_room(room: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let robot = r#"<robot name="r"><link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
        <link name="arm"><visual><origin xyz="0 0 0.3" rpy="0.1 0 0"/><geometry><cylinder radius="0.1" length="0.6"/></geometry></visual>
            <visual><geometry><mesh filename="absent.stl"/></geometry></visual></link>
        <link name="tip"/>
        <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
        <joint name="fixed" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.6"/></joint></robot>"#;
    std::fs::write(folder.path().join("robot.urdf"), robot).unwrap();
    std::fs::write(folder.path().join("room.json"), room).unwrap();
    folder
}

fn read_room(room: &str) -> Result<ImportedScene, String> {
    let folder = robot_in_room(room);
    let text = |error: raytwin_files::FileError| {
        error.to_string().replace(&*folder.path().to_string_lossy(), "")
    };
    load(folder.path().join("room.json"), &Options::default()).map_err(text)
}

#[test]
fn a_robot_in_a_room_is_the_same_bits_as_its_shapes_there() {
    let place = r#""translation": [0.1, 0.2, 0.3], "rotation_xyzw": [0, 0, 0.3, 1]"#;
    let ImportedScene { scene: room, warnings, .. } = read_room(&format!(
        r#"{{ "raytwin": 1, "shapes": [{SPHERE}],
            "nodes": [ {{ "name": "robot", {place}, "file": "robot.urdf", "joints": {{ "turn": "90deg" }} }} ],
            "cameras": [ {{ "name": "hand", "parent": "robot/tip", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 60 }} ] }}"#
    ))
    .unwrap();
    // The quarter turn of the joint and the tilt of the cylinder, as quaternions.
    let half = 0.5_f64.sqrt();
    let [sine, cosine] = [libm::sin(0.05), libm::cos(0.05)];
    let written = scene(&format!(
        r#"{{ "raytwin": 1, "shapes": [{SPHERE}], "nodes": [ {{ "name": "robot", {place},
            "shapes": [ {{ "type": "box", "name": "base", "center": [0, 0, 0], "half_extents": [0.5, 0.5, 0.5] }} ],
            "nodes": [ {{ "name": "arm", "translation": [0, 0, 0.5], "rotation_xyzw": [0, 0, {half:?}, {half:?}],
                "nodes": [ {{ "translation": [0, 0, 0.3], "rotation_xyzw": [{sine:?}, 0, 0, {cosine:?}],
                    "shapes": [ {{ "type": "cylinder", "start": [0, 0, -0.3], "end": [0, 0, 0.3], "radius": 0.1 }} ] }} ] }} ] }} ] }}"#
    ))
    .unwrap();
    assert_eq!(room.geometries()[..3], *written.geometries());
    assert_eq!(room.geometries()[3..], [Geometry::Empty]);
    assert_eq!([1, 2].map(|id| room.path(id)), ["robot/base", "robot/arm/visual[0]"]);
    assert_eq!([0, 1, 2].map(|id| room.use_of(id)), [None, Some(0), Some(0)]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].names[0].starts_with("robot/arm/visual[1] ("), "{warnings:?}");
    // The tip stands 1.1 above the robot's base, and looks along its x axis, which the joint has
    // turned.
    let camera = &room.cameras[0];
    let node = room.world_from_node(1);
    assert!((camera.eye - node.point(DVec3::new(0.0, 0.0, 1.1))).length() < 1e-6, "{camera:?}");
    let ahead = node.point(DVec3::new(0.0, 1.0, 1.1)) - node.point(DVec3::new(0.0, 0.0, 1.1));
    assert!((camera.forward - ahead).length() < 1e-6 && camera.up.z > 0.99, "{camera:?}");
}

#[test]
fn a_file_that_is_held_often_is_read_once_and_files_hold_no_circle() {
    let nodes: Vec<String> = (0..3)
        .map(|x| {
            format!(r#"{{ "name": "r{x}", "translation": [{x}, 0, 0], "file": "robot.urdf" }}"#)
        })
        .collect();
    let text = format!(r#"{{ "raytwin": 1, "nodes": [{}] }}"#, nodes.join(","));
    let ImportedScene { scene, warnings, .. } = read_room(&text).unwrap();
    assert_eq!((scene.geometry_count(), scene.use_count(), warnings.len()), (9, 3, 1));
    assert_eq!(scene.path(7), "r2/arm/visual[0]");

    let held = read_room(r#"{ "raytwin": 1, "nodes": [ { "file": "room.json" } ] }"#).unwrap_err();
    assert!(
        held.contains("nodes[0].file: ")
            && held.ends_with("closes a circle of files: room.json -> room.json"),
        "{held}"
    );
    let folder = robot_in_room(r#"{ "raytwin": 1, "nodes": [ { "file": "b.json" } ] }"#);
    let inner = r#"{ "raytwin": 1, "nodes": [ { "file": "./room.json" } ] }"#;
    std::fs::write(folder.path().join("b.json"), inner).unwrap();
    let held = load(folder.path().join("room.json"), &Options::default()).unwrap_err().to_string();
    assert!(held.ends_with("closes a circle of files: room.json -> b.json -> room.json"), "{held}");
    let wrong = read_room(
        r#"{ "raytwin": 1, "nodes": [ { "file": "robot.urdf", "joints": { "tun": 1 } } ] }"#,
    );
    assert!(wrong.unwrap_err().contains("nodes[0].file: "), "the robot has no such joint");
}

#[test]
fn a_scene_in_a_scene_stands_at_its_place_in_the_world_with_its_cameras() {
    let folder = robot_in_room(
        r#"{ "raytwin": 1, "origin": [1e6, 0, 0], "nodes": [
            { "name": "a", "translation": [10, 0, 0], "file": "hall.json" },
            { "name": "b", "translation": [20, 0, 0], "scale": [2, 2, 2], "file": "hall.json" } ] }"#,
    );
    let hall = format!(
        r#"{{ "raytwin": 1, "origin": [999990, 0, 0], "nodes": [ {{ "name": "n", "translation": [1e6, 0, 0], "shapes": [{SPHERE}] }} ],
            "cameras": [ {{ "name": "eye", "parent": "n", "eye": [0, 0, 5], "target": [0, 0, 0], "hide": ["n"], "fov_y_degrees": 40 }} ] }}"#
    );
    std::fs::write(folder.path().join("hall.json"), hall).unwrap();
    let scene = load(folder.path().join("room.json"), &Options::default()).unwrap().scene;
    assert_eq!(scene.origin(), DVec3::new(1e6, 0.0, 0.0));
    let center = |id| scene.primitive(id, 0).unwrap().center();
    assert_eq!([center(0).x, center(1).x], [10.0, 1_000_020.0]);
    let cameras: Vec<_> = scene
        .cameras
        .iter()
        .map(|camera| (camera.name.as_str(), camera.eye, &camera.sensor.hide[0][..]))
        .collect();
    assert_eq!(
        cameras,
        [
            ("a/eye", DVec3::new(10.0, 0.0, 5.0), "a/n"),
            ("b/eye", DVec3::new(1_000_020.0, 0.0, 10.0), "b/n"),
        ]
    );
    // Upwards is +y in the node's own space, because the camera looks along its z axis.
    assert_eq!(scene.cameras[0].up, DVec3::Y);
}

#[test]
fn the_parent_of_a_camera_is_any_node_or_the_nearest_is_suggested() {
    let camera = |parent: &str| {
        format!(
            r#"{{ "raytwin": 1, "definitions": {{ "car": {{ "nodes": [ {{ "name": "mast", "translation": [0, 0, 2], "shapes": [{SPHERE}] }} ] }} }},
            "nodes": [ {{ "name": "a", "translation": [1, 0, 0], "use": "car" }},
                {{ "nodes": [ {{ "name": "b", "scale": [1, 2, 3], "use": "car" }} ] }} ],
            "cameras": [ {{ "parent": "{parent}", "eye": [0, 0, 1], "target": [0, 1, 0], "up": [0, 1, 1], "fov_y_degrees": 40 }} ] }}"#
        )
    };
    for (parent, eye, up) in [
        ("a", [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]),
        ("a/mast", [1.0, 0.0, 3.0], [0.0, 1.0, 1.0]),
        ("b/mast", [0.0, 0.0, 9.0], [0.0, 2.0, 3.0]),
        ("nodes[1]/b", [0.0, 0.0, 3.0], [0.0, 2.0, 3.0]),
    ] {
        let scene = scene(&camera(parent)).unwrap();
        assert_eq!(scene.cameras[0].eye.to_array(), eye, "{parent}");
        assert_eq!(scene.cameras[0].requested_up.map(|up| up.to_array()), Some(up), "{parent}");
    }
    let error = scene(&camera("a/mat")).unwrap_err();
    assert_eq!(
        error,
        "s.json: cameras[0].parent: \"a/mat\" is not the path of a node; did you mean a/mast?"
    );
    assert!(scene(&camera("")).unwrap_err().contains("is not the path of a node; nodes are a, "));
}

#[test]
fn nodes_of_geometries_are_reported_through_uses() {
    let text = cars();
    for scene in [scene(&text).unwrap(), instanced(&text)] {
        assert_eq!(scene.world_from_node(0), Transform::IDENTITY);
        // The second wheel of the first car.
        let wheel = scene.world_from_node(5).point(DVec3::new(0.0, 0.1, 0.0));
        assert!((wheel - DVec3::new(6.5, -0.9, 0.0)).length() < 1e-12, "{wheel}");
        let spare = scene.world_from_node(scene.geometry_count() - 1).point(DVec3::X);
        assert_eq!(spare, DVec3::new(1.0, 0.0, 5.0));
    }
}

/// What a reading of a file gives: the scene to the bit, the warnings, the links and the joints.
fn message(imported: &ImportedScene) -> String {
    let ImportedScene { scene, warnings, links, joints, .. } = imported;
    let links: std::collections::BTreeMap<_, _> = links.iter().collect();
    format!("{:?} {warnings:?} {links:?} {joints:?}", scene.to_bytes())
}

#[test]
fn a_posed_graph_is_the_file_read_with_those_joints() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name)
    };
    let robot = file(
        "r.urdf",
        r#"<robot name="r"><link name="base"><visual><geometry><box size="1 2 4"/></geometry></visual>
           <visual><geometry><sphere radius="-1"/></geometry></visual></link>
           <link name="tip"><visual><origin xyz="1 0 0"/><geometry><sphere radius="0.5"/></geometry></visual></link>
           <joint name="elbow" type="revolute"><origin xyz="0 0 2"/><parent link="base"/>
             <child link="tip"/><axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1"/></joint></robot>"#,
    );
    let model = file(
        "m.xml",
        r#"<mujoco><worldbody><geom type="plane" size="0 0 1"/><camera name="c" pos="0 -3 1" mode="targetbody" target="b"/>
           <body name="b" pos="0 0 1"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/>
           <site name="s"/><camera pos="0 1 0" mode="trackcom"/>
           <body name="c" pos="1 0 0"><joint name="hinge" range="-1 1"/><geom type="box" size=".1 .2 .3"/></body></body>
           </worldbody><sensor><rangefinder site="s"/></sensor></mujoco>"#,
    );
    let scene = file(
        "s.json",
        r#"{ "raytwin": 1, "nodes": [
            { "name": "left", "file": "r.urdf", "joints": { "elbow": 0.3 }, "translation": [5, 0, 0] },
            { "name": "right", "nodes": [ { "name": "arm", "file": "r.urdf", "joints": { "elbow": 0.4 } } ] },
            { "name": "model", "file": "m.xml", "scale": [2, 2, 2] } ] }"#,
    );
    let outer = file(
        "o.json",
        r#"{ "raytwin": 1, "nodes": [ { "name": "room", "file": "s.json", "rotation_xyzw": [0, 0, 0.6, 0.8] } ] }"#,
    );
    let store = FileStore::disk();
    for (path, joints) in [
        (&robot, &[("elbow", 0.7)][..]),
        (&robot, &[("elbow", 70.0)]),
        (&model, &[("hinge", 0.4), ("slide", -2.5)]),
        (&model, &[("hinge", 90.0)]),
        (&scene, &[("left/elbow", -0.2), ("model/slide", 1.5)]),
        (&scene, &[("right/arm/elbow", 90.0)]),
        (&outer, &[("room/right/arm/elbow", 0.1), ("room/model/hinge", 0.2)]),
    ] {
        let joints: Vec<_> =
            joints.iter().map(|&(name, value)| (name.to_owned(), f64::into(value))).collect();
        let given = Options { joints: joints.clone(), ..Options::default() };
        let plain = crate::read(&store, path, &Options::default()).unwrap();
        let before = message(&plain.clone().flatten(&Options::default()).unwrap());
        for movable in [false, true] {
            let options = Options { movable, ..Options::default() };
            let read = crate::read(&store, path, &given).unwrap().flatten(&options);
            let posed = plain.posed(&joints).unwrap().flatten(&options);
            let read = message(&read.unwrap());
            assert_eq!(message(&posed.unwrap()), read, "{joints:?}");
            let one_by_one = joints.iter().try_fold(plain.clone(), |graph, (name, value)| {
                graph.posed(&[(name.clone(), 0.11.into())])?.posed(&[(name.clone(), value.clone())])
            });
            assert_eq!(
                message(&one_by_one.unwrap().flatten(&options).unwrap()),
                read,
                "{joints:?}"
            );
        }
        assert_eq!(
            message(&plain.flatten(&Options::default()).unwrap()),
            before,
            "it is as it was"
        );
    }
    let twins = file(
        "t.json",
        r#"{ "raytwin": 1, "nodes": [ { "name": "a", "file": "r.urdf" }, { "name": "b", "file": "r.urdf" } ] }"#,
    );
    let twins = crate::read(&store, &twins, &Options::default()).unwrap();
    let both = [("a/elbow".to_owned(), 70.0.into()), ("b/elbow".to_owned(), 80.0.into())];
    let posed = twins.posed(&both).unwrap().flatten(&Options::default()).unwrap();
    let names = posed.warnings.iter().flat_map(|warning| &warning.names);
    let mut doubtful: Vec<_> =
        names.filter(|name| name.ends_with("elbow (70)") || name.ends_with("elbow (80)")).collect();
    doubtful.sort();
    assert_eq!(doubtful, ["a/elbow (70)", "b/elbow (80)"], "{:?}", posed.warnings);
    for (path, joint, reason) in [
        (&robot, "knee", "has no moving joint 'knee'"),
        (&model, "knee", "has no joint 'knee'"),
        (&scene, "elbow", "has no robot with a joint 'elbow'"),
        (&scene, "left/knee", "has no moving joint 'knee'"),
        (&outer, "left/elbow", "the nodes with robots are room"),
    ] {
        let plain = crate::read(&store, path, &Options::default()).unwrap();
        let error = plain.posed(&[(joint.to_owned(), 0.1.into())]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_camera_of_a_scene_in_a_scene_hides_the_shapes_that_its_file_calls_by_ids() {
    let folder = robot_in_room(
        r#"{ "raytwin": 1, "nodes": [ { "name": "a", "file": "hall.json" }, { "name": "b", "file": "hall.json" } ] }"#,
    );
    let read = |hide: &str| {
        let hall = format!(
            r#"{{ "raytwin": 1, "shapes": [{SPHERE}, {SPHERE}],
                "cameras": [ {{ "eye": [0, 0, 5], "target": [0, 0, 0], "hide": ["{hide}"], "fov_y_degrees": 40 }} ] }}"#
        );
        std::fs::write(folder.path().join("hall.json"), hall).unwrap();
        let scene = load(folder.path().join("room.json"), &Options::default());
        let scene = scene.map_err(|error| error.to_string())?.scene;
        let hidden = scene.cameras.iter().flat_map(|camera| &camera.sensor.hide);
        Ok::<_, String>(hidden.flat_map(|path| scene.select(path)).collect::<Vec<_>>())
    };
    assert_eq!(read("sphere[1]"), Ok(vec![1, 3]));
    assert_eq!(read("1"), Ok(vec![1, 3]));
    for nothing in ["2", "sphere[2]", "box[1]", "sphere[-1]", "sphere"] {
        assert!(read(nothing).unwrap_err().contains("is not the path of a shape"), "{nothing}");
    }
}

#[test]
fn whole_numbers_of_nodes_hold_for_what_is_in_them_and_has_none_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("wood.csv"),
        "center_x,center_y,center_z,radius,tree_id\n0,0,9,1,3\n0,5,9,1,\n",
    )
    .unwrap();
    let text = format!(
        r#"{{ "raytwin": 1,
        "definitions": {{
            "twig": {{ "shapes": [ {SPHERE}, {{ "type": "sphere", "center": [0, 0, 3], "radius": 1, "integers": {{ "tree_id": 9 }} }} ] }},
            "branch": {{ "nodes": [ {{ "use": "twig", "integers": {{ "order": 2 }} }}, {{ "use": "twig", "translation": [0, 5, 0] }} ] }} }},
        "nodes": [ {{ "integers": {{ "tree_id": 7, "order": 1 }}, "nodes": [
            {{ "use": "branch" }},
            {{ "use": "branch", "translation": [9, 0, 0], "integers": {{ "tree_id": 8 }} }},
            {{ "file": "wood.csv" }} ] }} ] }}"#
    );
    let path = folder.path().join("s.json");
    std::fs::write(&path, text).unwrap();
    let (store, options) = (FileStore::disk(), Options::default());
    let read = |path: &Path, most_written_out| {
        let mut read = crate::read(&store, path, &options).unwrap();
        let root = read.root;
        let graph = &mut read.graph;
        flatten_up_to(most_written_out, &store, graph, root, &options, Vec::new()).unwrap().scene
    };
    let [written, instanced] = [u64::MAX, 0].map(|most| read(&path, most));
    assert!(instanced.instances().len() > written.instances().len());
    let [of_scene, of_graph] = ["of_scene.json", "of_graph.json"].map(|it| folder.path().join(it));
    crate::export::save(&instanced, &of_scene).unwrap();
    let graph = crate::read(&store, &path, &options).unwrap();
    crate::export::save_graph(&graph, &written, &of_graph).unwrap();
    let [of_scene, of_graph] = [of_scene, of_graph].map(|path| read(&path, 0));
    for scene in [&written, &instanced, &of_scene, &of_graph] {
        let numbers = |name: &str| scene.integers_of(name, &(0..10).collect::<Vec<u32>>());
        assert_eq!(numbers("tree_id"), [7, 9, 7, 9, 8, 9, 8, 9, 3, 7]);
        assert_eq!(numbers("order"), [2, 2, 1, 1, 2, 2, 1, 1, 1, 1]);
    }
}

#[test]
fn shapes_under_matrices_that_were_rounded_to_float32_stay_shapes() {
    let mut rng = fastrand::Rng::with_seed(8);
    let mut number = || 2.0 * rng.f64() - 1.0;
    let shapes: Vec<String> = (0..100)
        .map(|index| {
            let mut point = || [number(), number(), number()];
            let (a, b, rotation) = (point(), point(), [point()[0], 0.3, 0.4, 0.5]);
            match index % 4 {
                0 => format!(r#"{{ "type": "sphere", "center": {a:?}, "radius": 0.2 }}"#),
                1 => format!(r#"{{ "type": "capsule", "start": {a:?}, "end": {b:?}, "radius": 0.1 }}"#),
                2 => format!(r#"{{ "type": "cylinder", "start": {a:?}, "end": {b:?}, "radius": 0.1 }}"#),
                _ => format!(
                    r#"{{ "type": "box", "center": {a:?}, "half_extents": [0.1, 0.2, 0.3], "rotation_xyzw": {rotation:?} }}"#
                ),
            }
        })
        .collect();
    let uses: Vec<String> = (0..1000)
        .map(|_| {
            let turn = glam::DQuat::from_xyzw(number(), number(), number(), 0.5).normalize();
            let linear = glam::DMat3::from_quat(turn) * (2.0 + number());
            let mirror = if number() < 0.0 { -1.0 } else { 1.0 };
            let rows = [0, 1, 2].map(|row| {
                let [x, y, z] = linear.row(row).to_array();
                [x, y, mirror * z, 50.0 * number()].map(|entry| f64::from(entry as f32))
            });
            format!(r#"{{ "use": "cluster", "matrix": {:?} }}"#, rows.concat())
        })
        .collect();
    let scene = scene(&format!(
        r#"{{ "raytwin": 1, "definitions": {{ "cluster": {{ "shapes": [{}] }} }}, "nodes": [{}] }}"#,
        shapes.join(","),
        uses.join(",")
    ))
    .unwrap();
    assert_eq!((scene.geometry_count(), scene.instances().len()), (100_000, 0));
}
