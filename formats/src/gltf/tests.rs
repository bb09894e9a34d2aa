use super::*;
use crate::{ImportedScene, load};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use raytwin::camera::Projection;
use serde_json::{Value, json};

const BYTE: u32 = 5120;
const UNSIGNED_BYTE: u32 = 5121;
const SHORT: u32 = 5122;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// A corner of a box, which is no plane figure.
const POINTS: [[f32; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A document whose buffer is filled accessor by accessor.
#[derive(Default)]
struct Draft {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Draft {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        self.views.len() - 1
    }

    /// Adds an accessor, and returns its index.
    fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.accessors.push(
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }),
        );
        self.accessors.len() - 1
    }

    fn points(&mut self, points: &[[f32; 3]]) -> usize {
        self.accessor(&floats(points.as_flattened()), FLOAT, "VEC3", points.len())
    }

    fn shorts(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.accessor(&bytes, UNSIGNED_SHORT, "SCALAR", indices.len())
    }

    /// Adds the buffer to a document that has everything else.
    fn whole(&self, mut document: Value, uri: Option<String>) -> Value {
        document["asset"] = json!({ "version": "2.0" });
        document["bufferViews"] = json!(self.views);
        document["accessors"] = json!(self.accessors);
        let mut buffer = json!({ "byteLength": self.bytes.len() });
        if let Some(uri) = uri {
            buffer["uri"] = json!(uri);
        }
        document["buffers"] = if self.bytes.is_empty() { json!([]) } else { json!([buffer]) };
        document
    }

    fn gltf(&self, document: &Value) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&self.bytes));
        self.whole(document.clone(), Some(uri)).to_string().into_bytes()
    }

    fn glb(&self, document: &Value) -> Vec<u8> {
        let mut text = self.whole(document.clone(), None).to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes.clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let length = 12 + 8 + text.len() + 8 + bytes.len();
        let mut file = b"glTF".to_vec();
        for (number, chunk) in [(2, &b""[..]), (length, b"")] {
            file.extend((number as u32).to_le_bytes());
            file.extend(chunk);
        }
        for (chunk, kind) in [(&text, b"JSON"), (&bytes, b"BIN\0")] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    /// Loads the document as JSON and in the container, which must give the same scene.
    fn load_with(&self, document: &Value, options: &Options) -> Result<ImportedScene, String> {
        let read = |name: &str, bytes: Vec<u8>| read_bytes(name, &bytes, options);
        let text = read("a.gltf", self.gltf(document));
        let container = read("a.glb", self.glb(document));
        if let (Ok(text), Ok(container)) = (&text, &container) {
            assert_eq!(text.scene.geometries(), container.scene.geometries());
            assert_eq!(paths(&text.scene), paths(&container.scene));
        }
        assert_eq!(text.is_ok(), container.is_ok());
        text
    }

    fn load(&self, document: &Value) -> ImportedScene {
        self.load_with(document, &Options::default()).unwrap()
    }
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn read_bytes(name: &str, bytes: &[u8], options: &Options) -> Result<ImportedScene, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    let prefix = format!("{}/", folder.path().display());
    load(folder.path().join(name), options).map_err(|error| error.to_string().replace(&prefix, ""))
}

fn collision() -> Options {
    Options { collision: true, ..Options::default() }
}

fn paths(scene: &Scene) -> Vec<String> {
    (0..scene.geometry_count()).map(|id| scene.path(id)).collect()
}

/// The corners of a mesh's triangles.
fn corners(geometry: &Geometry) -> Vec<[[f64; 3]; 3]> {
    let Geometry::Mesh(mesh) = geometry else { panic!("{geometry:?}") };
    let vertex = |index: u32| mesh.vertices()[index as usize].to_array();
    mesh.triangles().iter().map(|triangle| triangle.map(vertex)).collect()
}

fn row(scene: &Scene, id: usize) -> Vec<f64> {
    scene.geometries()[id].shape(0).unwrap().row()
}

/// A document of one node, which shows one mesh of these primitives.
fn one_mesh(primitives: Value) -> Value {
    json!({ "nodes": [{ "name": "n", "mesh": 0 }], "meshes": [{ "primitives": primitives }] })
}

#[test]
fn indices_of_every_width_and_none_stand_for_the_same_triangles() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let bytes = draft.accessor(&[0, 2, 1, 0, 1, 3], UNSIGNED_BYTE, "SCALAR", 6);
    let shorts = draft.shorts(&[0, 2, 1, 0, 1, 3]);
    let words: Vec<u8> =
        [0_u32, 2, 1, 0, 1, 3].iter().flat_map(|word| word.to_le_bytes()).collect();
    let words = draft.accessor(&words, UNSIGNED_INT, "SCALAR", 6);
    let written_out = draft.points(&[0, 2, 1, 0, 1, 3].map(|index: usize| POINTS[index]));
    let with = |indices: usize| json!({ "attributes": { "POSITION": points }, "indices": indices });
    let document = one_mesh(
        json!([with(bytes), with(shorts), with(words), { "attributes": { "POSITION": written_out } }]),
    );
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(paths(&scene), ["n/mesh[0]", "n/mesh[1]", "n/mesh[2]", "n/mesh[3]"]);
    let [o, x, y, z] = POINTS.map(|point| point.map(f64::from));
    for geometry in scene.geometries() {
        assert_eq!(corners(geometry), [[o, y, x], [o, x, z]]);
    }
}

#[test]
fn strips_and_fans_wind_as_the_specification_says() {
    let mut draft = Draft::default();
    let points = draft.points(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 2.0, 0.0],
    ]);
    let ring = draft.points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    let document = one_mesh(json!([
        { "attributes": { "POSITION": points }, "mode": 5 },
        { "attributes": { "POSITION": ring }, "mode": 6 },
    ]));
    let scene = draft.load(&document).scene;
    assert_eq!(scene.primitive_count(), 3 + 2);
    for geometry in scene.geometries() {
        for [a, b, c] in corners(geometry).map_corners() {
            assert!((b - a).cross(c - a).z > 0.0, "{a} {b} {c}");
        }
    }
    let last = corners(&scene.geometries()[0])[2];
    assert_eq!(last, [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]]);
}

/// The corners of triangles as vectors.
trait MapCorners {
    fn map_corners(self) -> Vec<[DVec3; 3]>;
}

impl MapCorners for Vec<[[f64; 3]; 3]> {
    fn map_corners(self) -> Vec<[DVec3; 3]> {
        self.into_iter().map(|corners| corners.map(DVec3::from)).collect()
    }
}

#[test]
fn quantised_positions_are_numbers_or_parts_of_one() {
    let mut draft = Draft::default();
    // Elements of three bytes lie four apart, as alignment asks.
    let bytes = draft.accessor(&[0, 0, 0, 0, 127, 0, 0, 0, 0, 129, 0, 0], BYTE, "VEC3", 3);
    let unsigned =
        draft.accessor(&[0, 0, 0, 0, 255, 0, 0, 0, 0, 51, 0, 0], UNSIGNED_BYTE, "VEC3", 3);
    for accessor in [bytes, unsigned] {
        let view = draft.accessors[accessor]["bufferView"].as_u64().unwrap() as usize;
        draft.views[view]["byteStride"] = json!(4);
    }
    let numbers = [0_i16, 0, 0, 0, 32767, 0, 0, 0, 0, -32768, 0, 0];
    let shorts: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let shorts = draft.accessor(&shorts, SHORT, "VEC3", 3);
    let view = draft.accessors[shorts]["bufferView"].as_u64().unwrap() as usize;
    draft.views[view]["byteStride"] = json!(8);
    let plain = draft.accessors.len();
    draft.accessors.push(draft.accessors[shorts].clone());
    for accessor in [bytes, unsigned, shorts] {
        draft.accessors[accessor]["normalized"] = json!(true);
    }
    let primitives: Vec<Value> = [bytes, unsigned, shorts, plain]
        .iter()
        .map(|accessor| json!({ "attributes": { "POSITION": accessor } }))
        .collect();
    let ImportedScene { scene, warnings, .. } = draft.load(&one_mesh(json!(primitives)));
    assert!(warnings.is_empty(), "{warnings:?}");
    let second_and_third = |id: usize| {
        let [[_, second, third]] = corners(&scene.geometries()[id])[..] else { panic!() };
        (second, third)
    };
    assert_eq!(second_and_third(0), ([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]));
    assert_eq!(second_and_third(1), ([1.0, 0.0, 0.0], [0.0, f64::from(0.2_f32), 0.0]));
    assert_eq!(second_and_third(2), ([1.0, 0.0, 0.0], [0.0, -1.0, 0.0]));
    assert_eq!(second_and_third(3), ([32767.0, 0.0, 0.0], [0.0, -32768.0, 0.0]));
}

#[test]
fn sparse_accessors_replace_elements_of_another_or_of_zeros() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let indices = draft.view(&[1, 3]);
    let values = draft.view(&floats(&[5.0, 0.0, 0.0, 0.0, 7.0, 0.0]));
    let sparse = json!({ "count": 2, "indices": { "bufferView": indices, "componentType": UNSIGNED_BYTE },
        "values": { "bufferView": values } });
    draft.accessors[points]["sparse"] = sparse.clone();
    draft.accessors.push(
        json!({ "componentType": FLOAT, "type": "VEC3", "count": 4, "sparse": sparse.clone() }),
    );
    let corner = draft.shorts(&[0, 1, 3]);
    let primitive =
        |points: usize| json!({ "attributes": { "POSITION": points }, "indices": corner });
    let document = one_mesh(json!([primitive(points), primitive(points + 1)]));
    let scene = draft.load(&document).scene;
    for geometry in scene.geometries() {
        assert_eq!(corners(geometry), [[[0.0; 3], [5.0, 0.0, 0.0], [0.0, 7.0, 0.0]]]);
    }
    // Indices that do not rise would be passed over in silence.
    draft.bytes[48] = 3;
    draft.bytes[49] = 1;
    let reason = draft.load_with(&document, &Options::default()).unwrap_err();
    assert!(
        reason.contains("2 meshes could not be read") && reason.contains("do not increase"),
        "{reason}"
    );
}

#[test]
fn transforms_compose_in_float64_and_a_mesh_of_many_nodes_is_instanced() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "indices": 1 }]));
    draft.shorts(&[0, 1, 2]);
    document["nodes"] = json!([
        { "name": "arm", "translation": [10.1, 0, 0], "rotation": [0, 0, 0.5_f64.sqrt(), 0.5_f64.sqrt()],
          "children": [2, 1] },
        { "name": "hand", "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1], "mesh": 0 },
        { "scale": [1, -3, 1], "mesh": 0 },
        { "name": "elsewhere", "mesh": 0 },
    ]);
    document["scenes"] = json!([{ "nodes": [3] }, { "nodes": [0] }]);
    document["scene"] = json!(1);
    let scene = draft.load(&document).scene;
    assert_eq!(paths(&scene), ["arm/mesh[0]", "arm/hand/mesh[0]"]);
    assert_eq!(scene.use_count(), 2);
    // A quarter turn about z takes x to y and y to −x. A mirror turns the corners over.
    let place = |point: [f64; 3]| point.map(|number| f64::from(number as f32));
    let near = |a: [f64; 3], b: [f64; 3]| (DVec3::from(a) - DVec3::from(b)).length() < 1e-6;
    let mirrored = corners(&scene.geometries()[0])[0];
    for (corner, expected) in
        mirrored.iter().zip([[10.1, 0.0, 0.0], [13.1, 0.0, 0.0], [10.1, 1.0, 0.0]])
    {
        assert!(near(*corner, place(expected)), "{mirrored:?}");
    }
    let hand = corners(&scene.geometries()[1])[0];
    for (corner, expected) in hand.iter().zip([[10.1, 1.0, 0.0], [10.1, 3.0, 0.0], [8.1, 1.0, 0.0]])
    {
        assert!(near(*corner, place(expected)), "{hand:?}");
    }
    // Without a default scene the first is shown, and without a scene all nodes are.
    document.as_object_mut().unwrap().remove("scene");
    assert_eq!(paths(&draft.load(&document).scene), ["elsewhere/mesh[0]"]);
    document.as_object_mut().unwrap().remove("scenes");
    assert_eq!(draft.load(&document).scene.geometry_count(), 3);
}

#[test]
fn nodes_that_cannot_be_placed_are_left_out_and_hidden_ones_are_not_missed() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["nodes"] = json!([
        { "name": "hidden", "scale": [0, 0, 0], "children": [4] },
        { "name": "flat", "scale": [1, 0, 1], "children": [5] },
        { "name": "turned", "rotation": [0, 0, 0, 0], "mesh": 0 },
        { "name": "seen", "mesh": 0 },
        { "mesh": 0 }, { "mesh": 0 },
    ]);
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    assert_eq!(paths(&scene), ["flat/empty[0]", "turned/empty[0]", "seen/mesh[0]"]);
    assert_eq!((warnings.len(), warnings[0].count), (1, 2));
    assert!(
        warnings[0].names[0].starts_with("flat (") && warnings[0].names[1].starts_with("turned (")
    );
}

#[test]
fn base_colours_are_linear_and_become_srgb() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let with = |material: usize| json!({ "attributes": { "POSITION": points }, "mode": 6, "material": material });
    let mut document =
        one_mesh(json!([with(0), with(1), { "attributes": { "POSITION": points }, "mode": 6 }]));
    document["materials"] = json!([
        { "pbrMetallicRoughness": { "baseColorFactor": [0.214_041_14, 0, 1, 1] } },
        { "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } },
    ]);
    document["textures"] = json!([{}]);
    let scene = draft.load(&document).scene;
    // The sRGB number 0.5 stands for the light 0.21404114.
    let [red, green, blue] = scene.appearance(0).color.unwrap();
    assert!((red - 0.5).abs() < 1e-6 && green == 0.0 && (blue - 1.0).abs() < 1e-6, "{red} {blue}");
    assert_eq!([scene.appearance(1).color, scene.appearance(2).color], [None, None]);
    document["meshes"][0]["primitives"][1]["material"] = json!(2);
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    assert_eq!(
        [scene.appearance(0).color.is_some(), scene.appearance(1).color.is_some()],
        [true, false]
    );
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(
        warning.names,
        [
            "meshes[0].primitives[1].material (is an index that does not exist: indices count from 0)"
        ]
    );
}

#[test]
fn lines_have_a_radius_and_points_only_if_it_is_given() {
    let mut draft = Draft::default();
    let points = draft.points(&[[0.0; 3], [3.0, 0.0, 0.0], [3.0, 4.0, 0.0]]);
    let with = |mode: u32| json!({ "attributes": { "POSITION": points }, "mode": mode });
    let document = one_mesh(json!([with(1), with(2), with(3), with(0)]));
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    let ends: Vec<Vec<[u32; 2]>> = scene
        .geometries()
        .iter()
        .map(|geometry| {
            let Geometry::Lines(lines) = geometry else { panic!() };
            assert_eq!(lines.radius(), f64::from(0.005_f32));
            lines.indices().to_vec()
        })
        .collect();
    assert_eq!(ends, [vec![[0, 1]], vec![[0, 1], [1, 2], [2, 0]], vec![[0, 1], [1, 2]]]);
    assert!(
        warnings[0].to_string().starts_with("1 meshes of points were left out"),
        "{warnings:?}"
    );
    let options =
        Options { line_radius: Some(0.5), point_radius: Some(0.25), ..Options::default() };
    let ImportedScene { scene, warnings, .. } = draft.load_with(&document, &options).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert_eq!(warning.names, ["n, primitive 0 (its last 1 corners)"]);
    assert_eq!(scene.geometry_count(), 3 + 3);
    assert_eq!(row(&scene, 5), [3.0, 4.0, 0.0, 0.25]);
    let Geometry::Lines(lines) = &scene.geometries()[0] else { panic!() };
    assert_eq!(lines.radius(), 0.5);
}

#[test]
fn cameras_look_along_minus_z_of_their_node() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["nodes"] = json!([
        { "mesh": 0 },
        { "name": "eye", "camera": 0, "translation": [1, 2, 3], "rotation": [0, 0.5_f64.sqrt(), 0, 0.5_f64.sqrt()] },
        { "camera": 1 },
        { "camera": 2 },
    ]);
    let angle = std::f64::consts::FRAC_PI_4;
    document["cameras"] = json!([
        { "type": "perspective", "perspective": { "yfov": angle, "znear": 0.1 } },
        { "type": "orthographic", "name": "plan", "orthographic": { "xmag": 9, "ymag": 3, "znear": 0, "zfar": 1 } },
        { "type": "perspective", "perspective": { "yfov": 9, "znear": 0.1 } },
    ]);
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    let [eye, plan] = &scene.cameras[..] else { panic!("{:?}", scene.cameras) };
    assert_eq!((eye.name.as_str(), eye.eye), ("eye", DVec3::new(1.0, 2.0, 3.0)));
    // A quarter turn about y takes −z to −x.
    assert!((eye.forward - DVec3::NEG_X).length() < 1e-12 && (eye.up - DVec3::Y).length() < 1e-12);
    let Projection::Perspective { fov_y_degrees } = eye.projection else { panic!() };
    assert!((fov_y_degrees - 45.0).abs() < 1e-12);
    assert_eq!(
        (plan.name.as_str(), &plan.projection),
        ("plan", &Projection::Orthographic { height: 6.0 })
    );
    assert!(warnings[0].to_string().starts_with("1 cameras could not be read: cameras[2] ("));
}

/// A document whose nodes have the shapes as colliders, one each, by an extension or by the draft.
fn colliders(shapes: &Value, is_draft: bool) -> Value {
    let count = shapes.as_array().unwrap().len();
    let node = |shape: usize| json!({ "extensions": { "KHR_physics_rigid_bodies": { "collider": { "geometry": { "shape": shape } } } } });
    let nodes: Vec<Value> = (0..count).map(node).collect();
    match is_draft {
        true => json!({ "nodes": nodes, "shapes": shapes }),
        false => {
            json!({ "nodes": nodes, "extensions": { "KHR_implicit_shapes": { "shapes": shapes } } })
        }
    }
}

#[test]
fn shapes_of_the_extension_and_of_the_draft_have_defaults_of_their_own() {
    let kinds = ["sphere", "box", "cylinder", "capsule", "plane"];
    let shapes = json!(kinds.map(|kind| json!({ "type": kind })));
    let extension =
        Draft::default().load_with(&colliders(&shapes, false), &collision()).unwrap().scene;
    let draft = Draft::default().load_with(&colliders(&shapes, true), &collision()).unwrap().scene;
    for scene in [&extension, &draft] {
        assert_eq!(row(scene, 0), [0.0, 0.0, 0.0, 0.5]);
        assert_eq!(row(scene, 1)[..6], [0.0, 0.0, 0.0, 0.5, 0.5, 0.5]);
        assert_eq!(row(scene, 4)[..6], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
    assert_eq!(row(&extension, 2)[..7], [0.0, -0.25, 0.0, 0.0, 0.25, 0.0, 0.25]);
    assert_eq!(row(&draft, 2)[..7], [0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.5]);
    assert_eq!(row(&extension, 3), [0.0, -0.25, 0.0, 0.0, 0.25, 0.0, 0.25]);
    assert_eq!(row(&draft, 3), [0.0, -0.5, 0.0, 0.0, 0.5, 0.0, 0.5]);
    // The extension's plane is seen from its front alone; the draft's bounds a half-space.
    assert_eq!([&extension, &draft].map(|scene| row(scene, 4)[12]), [1.0, 0.0]);
}

#[test]
fn sizes_are_full_lengths_along_the_axes_of_the_node() {
    let shapes = json!([
        { "type": "sphere", "sphere": { "radius": 2 } },
        { "type": "box", "box": { "size": [2, 4, 6] } },
        { "type": "cylinder", "cylinder": { "height": 4, "radiusTop": 1, "radiusBottom": 3 } },
        { "type": "capsule", "capsule": { "height": 4, "radiusTop": 0.5, "radiusBottom": 0.5 } },
        { "type": "capsule", "capsule": { "height": 1, "radiusTop": 3, "radiusBottom": 2 } },
        { "type": "plane", "plane": { "sizeX": 2, "sizeZ": 6, "doubleSided": true } },
        { "type": "plane", "plane": { "sizeX": 2 } },
        { "type": "capsule", "capsule": { "height": 4, "radiusTop": 2, "radiusBottom": 1 } },
        { "type": "cylinder", "cylinder": { "height": 0 } },
        { "type": "torus" },
    ]);
    let loaded = Draft::default().load_with(&colliders(&shapes, false), &collision()).unwrap();
    let scene = &loaded.scene;
    assert_eq!(row(scene, 0), [0.0, 0.0, 0.0, 2.0]);
    assert_eq!(row(scene, 1)[3..6], [1.0, 2.0, 3.0]);
    assert_eq!(row(scene, 2)[..8], [0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 3.0, 1.0]);
    assert_eq!(row(scene, 3), [0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.5]);
    // The sphere about the upper end reaches from −2.5 to 3.5, and the lower from −2.5 to 1.5.
    assert_eq!(row(scene, 4), [0.0, 0.5, 0.0, 3.0]);
    // From above, rays hit the rectangle within 1 along x and 3 along z.
    let hits = |id: usize, x: f64, z: f64| {
        let line = raytwin::ray::Line { origin: DVec3::new(x, 5.0, z), direction: DVec3::NEG_Y };
        scene.geometries()[id].shape(0).unwrap().own_crossings(&line).len()
    };
    assert_eq!([hits(5, 0.9, 2.9), hits(5, 1.1, 0.0), hits(5, 0.0, 3.1)], [1, 0, 0]);
    assert_eq!([hits(6, 0.9, 1e3), hits(6, 1.1, 0.0)], [1, 0]);
    assert_eq!((scene.geometry_count(), scene.primitive_count()), (10, 7));
    let warning = loaded.warnings[0].to_string();
    assert!(warning.starts_with("3 shapes could not be read"), "{warning}");
    for reason in ["radii differ", "height is not greater than 0", "type torus"] {
        assert!(warning.contains(reason), "{warning}");
    }
}

#[test]
fn a_collider_is_as_large_as_its_scale_says_and_not_turned_over() {
    let shapes = json!([{ "type": "cylinder", "cylinder": { "height": 2, "radiusTop": 1, "radiusBottom": 3 } }]);
    let mut document = colliders(&shapes, false);
    document["nodes"][0]["scale"] = json!([2, -3, 2]);
    let scene = Draft::default().load_with(&document, &collision()).unwrap().scene;
    assert_eq!(row(&scene, 0)[..8], [0.0, -3.0, 0.0, 0.0, 3.0, 0.0, 6.0, 2.0]);
    // What a node shows is mirrored with it.
    document["nodes"][0]["extensions"] = json!({ "KHR_implicit_shapes": { "shape": 0 } });
    let scene = Draft::default().load(&document).scene;
    assert_eq!(row(&scene, 0)[..8], [0.0, 3.0, 0.0, 0.0, -3.0, 0.0, 6.0, 2.0]);
}

#[test]
fn colliders_of_nodes_are_their_meshes_or_their_hull() {
    let mut draft = Draft::default();
    // A tetrahedron with a point in its middle, of which one triangle is given.
    let [o, x, y, z] = POINTS;
    let points = draft.points(&[o, x, y, z, [0.2; 3]]);
    let all = draft.shorts(&[0, 1, 2, 2, 3, 4]);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "indices": all }]));
    let body = |geometry: Value| json!({ "KHR_physics_rigid_bodies": { "collider": { "geometry": geometry } } });
    let trigger =
        json!({ "KHR_physics_rigid_bodies": { "trigger": { "geometry": { "node": 3 } } } });
    document["nodes"] = json!([
        { "name": "hull", "mesh": 0, "extensions": body(json!({ "node": 3, "convexHull": true })) },
        { "name": "mesh", "translation": [9, 0, 0], "extensions": body(json!({ "node": 3 })) },
        { "name": "trigger", "extensions": trigger },
        { "translation": [100, 0, 0], "mesh": 0, "children": [4] },
        { "translation": [0, 0, 2], "mesh": 0 },
        { "name": "nothing", "extensions": body(json!({ "node": 2 })) },
    ]);
    document["scenes"] = json!([{ "nodes": [0, 1, 2, 5] }]);
    let ImportedScene { scene, warnings, .. } = draft.load_with(&document, &collision()).unwrap();
    assert_eq!(paths(&scene), ["hull/mesh[0]", "mesh/mesh[0]", "mesh/mesh[1]", "nothing/empty[0]"]);
    // The hull of two tetrahedra, one above the other, and its inner points: 0, x, y, and x, y, z
    // above.
    let Geometry::Mesh(hull) = &scene.geometries()[0] else { panic!() };
    assert!(hull.is_closed());
    let volume: f64 = corners(&scene.geometries()[0])
        .map_corners()
        .iter()
        .map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0)
        .sum();
    // A prism of height 2 over half a square, and a tetrahedron on it.
    assert!((volume - (1.0 + 1.0 / 6.0)).abs() < 1e-6, "{volume}");
    assert_eq!(
        corners(&scene.geometries()[1])[0],
        [[9.0, 0.0, 0.0], [10.0, 0.0, 0.0], [9.0, 1.0, 0.0]]
    );
    assert_eq!(corners(&scene.geometries()[2])[0][0], [9.0, 0.0, 2.0]);
    assert!(warnings[0].to_string().contains("nothing (a collider of a node without triangles)"));
    // Colliders are nothing that is seen.
    assert_eq!(paths(&draft.load(&document).scene), ["hull/mesh[0]"]);
    let bare = colliders(&json!([{ "type": "sphere" }]), false);
    let refused = Draft::default().load_with(&bare, &Options::default()).unwrap_err();
    assert!(refused.contains("read the collision geometry"), "{refused}");
}

#[test]
fn a_skin_moves_vertices_by_its_joints_and_not_by_its_node() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS[..3]);
    let joints = draft.accessor(&[0, 1, 9, 9, 0, 1, 9, 9, 0, 1, 9, 9], UNSIGNED_BYTE, "VEC4", 3);
    let weights = [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0_f32]];
    let weights = draft.accessor(&floats(weights.as_flattened()), FLOAT, "VEC4", 3);
    // The first joint was bound at x = 1, the second at the origin.
    let mut bound = [0.0_f32; 32];
    for diagonal in [0, 5, 10, 15, 16, 21, 26, 31] {
        bound[diagonal] = 1.0;
    }
    bound[12] = -1.0;
    let bound = draft.accessor(&floats(&bound), FLOAT, "MAT4", 2);
    let document = json!({
        "nodes": [
            { "name": "body", "translation": [50, 0, 0], "mesh": 0, "skin": 0 },
            { "translation": [3, 0, 0], "children": [2] },
            { "translation": [0, 0, 4] },
        ],
        "skins": [{ "joints": [1, 2], "inverseBindMatrices": bound }],
        "meshes": [{ "primitives": [{ "attributes":
            { "POSITION": points, "JOINTS_0": joints, "WEIGHTS_0": weights } }] }],
    });
    let scene = draft.load(&document).scene;
    assert_eq!(paths(&scene), ["body/mesh[0]"]);
    // The joints move by (2, 0, 0) and by (3, 0, 4); the second vertex goes half of each way.
    let expected = [[2.0, 0.0, 0.0], [3.5, 0.0, 2.0], [3.0, 1.0, 4.0]];
    assert_eq!(corners(&scene.geometries()[0]), [expected]);
}

#[test]
fn instances_of_a_mesh_stand_at_each_of_their_transforms() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let places = draft.points(&[[0.0; 3], [5.0, 0.0, 0.0], [0.0, 5.0, 0.0]]);
    let scales = draft.points(&[[1.0; 3], [2.0, 1.0, 1.0], [3.0; 3]]);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["nodes"][0]["extensions"] = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": places, "SCALE": scales } } });
    let scene = draft.load(&document).scene;
    assert_eq!(paths(&scene)[2], "n/instance[2]/mesh[0]");
    let reach = |id: usize| scene.geometries()[id].bounds().unwrap().max;
    assert_eq!(reach(1), DVec3::new(7.0, 1.0, 1.0));
    assert_eq!(reach(2), DVec3::new(3.0, 8.0, 3.0));
}

#[test]
fn buffers_are_files_beside_the_document_and_no_others() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in/a.gltf");
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::fs::write(folder.path().join("in/my data.bin"), &draft.bytes).unwrap();
    std::fs::write(folder.path().join("up.bin"), &draft.bytes).unwrap();
    std::fs::write(folder.path().join("in/short.bin"), &draft.bytes[1..]).unwrap();
    let read = |uri: &str| {
        std::fs::write(&path, draft.whole(document.clone(), Some(uri.to_owned())).to_string())
            .unwrap();
        load(&path, &Options::default()).map(|_| ()).map_err(|error| error.to_string())
    };
    for uri in ["my%20data.bin", "my data.bin", "../up.bin"] {
        assert_eq!(read(uri), Ok(()), "{uri}");
    }
    let absolute = folder.path().join("up.bin").display().to_string();
    for (uri, reason) in [
        ("none.bin", "cannot be read"),
        ("short.bin", "has 47 bytes: its byteLength is 48"),
        ("http://example.org/up.bin", "raytwin reads only files next to the document"),
        ("file:///up.bin", "raytwin reads only files next to the document"),
        (&absolute, "raytwin reads only files next to the document"),
        ("../in", "cannot be read: is a directory"),
        ("data:;base64,????", "not base64"),
        ("data:", "a data URI without a comma"),
    ] {
        let refused = read(uri).unwrap_err();
        assert!(refused.contains("1 meshes could not be read"), "{uri}: {refused}");
        assert!(refused.contains(reason), "{uri}: {refused}");
    }
}

#[test]
fn references_to_nothing_and_nodes_that_are_no_tree_are_refused_with_their_place() {
    let refused =
        |document: Value| Draft::default().load_with(&document, &Options::default()).unwrap_err();
    for (document, reason) in [
        (json!({ "nodes": [{ "mesh": 3 }] }), "nodes[0].mesh: is an index that does not exist"),
        (
            one_mesh(json!([{ "attributes": { "POSITION": 3 } }])),
            "meshes[0].primitives[0].attributes: is an index that does not exist",
        ),
        (
            json!({ "nodes": [{ "children": [1] }] }),
            "nodes[0].children[0]: is an index that does not exist",
        ),
        (
            json!({ "nodes": [{ "children": [2] }, { "children": [2] }, {}] }),
            "nodes[1].children[0]: is nodes[2], which is already a child of nodes[0]",
        ),
        (
            json!({ "nodes": [{}, { "children": [2] }, { "children": [1] }] }),
            "nodes[1]: is its own descendant",
        ),
        (json!({ "nodes": [{ "children": [0] }] }), "nodes[0]: is its own descendant"),
        (
            json!({ "nodes": [{ "children": [1] }, {}], "scenes": [{ "nodes": [1] }] }),
            "scenes[0].nodes[0]: is nodes[1], a child of nodes[0]",
        ),
        (
            json!({ "nodes": [{}], "scenes": [{ "nodes": [0, 0] }] }),
            "scenes[0].nodes[1]: is nodes[0] for the second time",
        ),
    ] {
        let text = refused(document);
        assert!(text.starts_with(&format!("a.gltf: {reason}")), "{text}");
    }
    let nested = |count: usize| {
        let node = |index: usize| {
            if index + 1 < count { json!({ "children": [index + 1] }) } else { json!({}) }
        };
        json!({ "nodes": (0..count).map(node).collect::<Vec<_>>() })
    };
    assert!(refused(nested(10_000)).contains("nodes[1000]: is nested more than 1000 nodes"));
    assert!(refused(nested(1000)).contains("has no shapes"));
    for (text, place) in
        [("{ \"asset\": 1 }", "a.gltf:1:12: "), ("{}", "a.gltf:1:2: "), ("[[", "a.gltf:1:")]
    {
        let text = read_bytes("a.gltf", text.as_bytes(), &Options::default()).unwrap_err();
        assert!(text.starts_with(place), "{text}");
    }
    let deep = format!(
        "{{ \"asset\": {{ \"version\": \"2.0\" }}, \"extensions\": {{ \"a\": {}{} }} }}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let refused = read_bytes("a.gltf", deep.as_bytes(), &Options::default()).unwrap_err();
    assert!(refused.contains("recursion limit"), "{refused}");
}

#[test]
fn claims_of_accessors_and_of_containers_are_checked() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    let huge = u64::MAX / 2;
    for (part, key, claim, reason) in [
        ("accessors", "count", 5, "needs 5 elements of 12 bytes"),
        ("accessors", "count", huge, "needs 9223372036854775807 elements"),
        ("accessors", "count", 0, "has no elements"),
        ("accessors", "byteOffset", 4, "needs 4 elements"),
        ("accessors", "byteOffset", huge, "needs 4 elements"),
        ("bufferViews", "byteLength", huge, "extends past its buffer"),
        ("bufferViews", "byteOffset", huge, "extends past its buffer"),
        ("bufferViews", "byteStride", 8, "8 bytes apart"),
    ] {
        let mut claiming = Draft {
            bytes: draft.bytes.clone(),
            views: draft.views.clone(),
            accessors: draft.accessors.clone(),
        };
        let items = if part == "accessors" { &mut claiming.accessors } else { &mut claiming.views };
        items[0][key] = json!(claim);
        let refused = claiming.load_with(&document, &Options::default()).unwrap_err();
        assert!(
            refused.contains("1 meshes could not be read") && refused.contains(reason),
            "{key}: {refused}"
        );
    }
    // Zeros without a buffer are as many as an accessor claims.
    let indices = draft.view(&[0]);
    let mut sparse =
        Draft { bytes: draft.bytes.clone(), views: draft.views.clone(), ..Draft::default() };
    sparse.accessors.push(json!({ "componentType": FLOAT, "type": "VEC3", "count": huge, "sparse": { "count": 1,
        "indices": { "bufferView": indices, "componentType": UNSIGNED_BYTE }, "values": { "bufferView": 0 } } }));
    let refused = sparse.load_with(&document, &Options::default()).unwrap_err();
    assert!(refused.contains("more numbers than the buffers have bytes"), "{refused}");

    let whole = draft.glb(&document);
    for (at, reason) in
        [(8, "could not completely read"), (12, "chunk length exceeds"), (4, "unsupported version")]
    {
        let mut lying = whole.clone();
        lying[at..at + 4].fill(0x7f);
        let refused = read_bytes("a.glb", &lying, &Options::default()).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
    let second = 20 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    for (at, kind, reason) in [
        (16, b"BIN\0", "was not expecting BIN\\0 chunk"),
        (second + 4, b"JSON", "was not expecting JSON chunk"),
        (second + 4, b"ABCD", "unknown chunk type"),
    ] {
        let mut other = whole.clone();
        other[at..at + 4].copy_from_slice(kind);
        let refused = read_bytes("a.glb", &other, &Options::default()).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
    for length in 0..whole.len() {
        assert!(read_bytes("a.glb", &whole[..length], &Options::default()).is_err(), "{length}");
    }
}

#[test]
fn every_reference_and_every_enumeration_is_looked_at() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let vertices = draft.view(&floats(&[0.0, 0.0, 2.0]));
    let indices = draft.view(&[3]);
    draft.accessors[points]["sparse"] = json!({ "count": 1, "values": { "bufferView": vertices },
        "indices": { "bufferView": indices, "componentType": UNSIGNED_BYTE } });
    let document = draft.whole(
        json!({
            "nodes": [{ "mesh": 0, "skin": 0, "children": [1] }, {}],
            "skins": [{ "joints": [1], "skeleton": 0 }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": points }, "targets": [{}] }] }],
        }),
        Some(format!("data:;base64,{}", STANDARD.encode(&draft.bytes))),
    );
    let refused = |place: &str, value: Value| {
        let mut document = document.clone();
        let mut at = &mut document;
        for key in place.split_terminator(['.', '[', ']']).filter(|key| !key.is_empty()) {
            at = match key.parse::<usize>() {
                Ok(index) => &mut at[index],
                Err(_) => &mut at[key],
            };
        }
        *at = value;
        let bytes = document.to_string().into_bytes();
        read_bytes("a.gltf", &bytes, &Options::default()).unwrap_err()
    };
    for place in [
        "accessors[0].bufferView",
        "accessors[0].sparse.indices.bufferView",
        "accessors[0].sparse.values.bufferView",
        "bufferViews[2].buffer",
        "meshes[0].primitives[0].indices",
        "meshes[0].primitives[0].targets[0].POSITION",
        "meshes[0].primitives[0].targets[0].NORMAL",
        "meshes[0].primitives[0].targets[0].TANGENT",
        "nodes[0].children[0]",
        "nodes[0].mesh",
        "nodes[0].skin",
        "skins[0].inverseBindMatrices",
        "skins[0].joints[0]",
        "skins[0].skeleton",
    ] {
        let text = refused(place, json!(9));
        assert!(
            text.starts_with(&format!("a.gltf: {place}: is an index that does not exist")),
            "{text}"
        );
    }
    for (place, value) in [
        ("accessors[0].componentType", json!(5124)),
        ("accessors[0].type", json!("VEC5")),
        ("accessors[0].sparse.indices.componentType", json!(SHORT)),
        ("bufferViews[0].byteStride", json!(3)),
        ("bufferViews[0].byteStride", json!(253)),
        ("bufferViews[0].target", json!(1)),
        ("meshes[0].primitives[0].mode", json!(7)),
    ] {
        let text = refused(place, value);
        assert!(text.starts_with(&format!("a.gltf: {place}: is not a value that glTF")), "{text}");
    }
}

#[test]
fn an_accessor_without_a_buffer_view_is_of_zeros() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let joints = json!({ "componentType": UNSIGNED_BYTE, "type": "VEC4", "count": 4 });
    draft.accessors.push(joints);
    let weights = draft.accessor(&floats(&[1.0, 0.0, 0.0, 0.0].repeat(4)), FLOAT, "VEC4", 4);
    let attributes = json!({ "POSITION": points, "JOINTS_0": points + 1, "WEIGHTS_0": weights });
    let mut document = one_mesh(json!([{ "attributes": attributes, "mode": 6 }]));
    let unskinned = draft.load(&document).scene;
    document["nodes"] = json!([{ "mesh": 0, "skin": 0 }, { "translation": [1, 0, 0] }]);
    document["skins"] = json!([{ "joints": [1] }]);
    let skinned = draft.load(&document).scene;
    let moved = corners(&unskinned.geometries()[0])
        .into_iter()
        .map(|triangle| triangle.map(|[x, y, z]| [x + 1.0, y, z]));
    assert_eq!(corners(&skinned.geometries()[0]), moved.collect::<Vec<_>>());
}

#[test]
fn compressed_meshes_are_named_with_what_to_do() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6,
        "extensions": { "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } } }]));
    // The accessors are there to fall back on.
    assert_eq!(draft.load(&document).scene.geometry_count(), 1);
    document["extensionsRequired"] = json!(["KHR_draco_mesh_compression", "VENDOR_unknown"]);
    let refused = draft.load_with(&document, &Options::default()).unwrap_err();
    assert!(
        refused.contains("compressed with KHR_draco_mesh_compression: export it without"),
        "{refused}"
    );
    document["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("extensions");
    assert_eq!(draft.load(&document).scene.geometry_count(), 1);
    draft.views[0]["extensions"] = json!({ "EXT_meshopt_compression": {} });
    document["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
    let refused = draft.load_with(&document, &Options::default()).unwrap_err();
    assert!(
        refused.contains("compressed with EXT_meshopt_compression: export it without"),
        "{refused}"
    );
}

#[test]
fn primitives_share_accessors_until_they_ask_for_far_more_than_the_file_holds() {
    let mut draft = Draft::default();
    let points: Vec<[f32; 3]> =
        (0..4096).map(|x| [x as f32, (x % 7) as f32, (x % 5) as f32]).collect();
    let all = draft.points(&points);
    let few = draft.shorts(&[9, 8, 4000]);
    let whole = json!({ "attributes": { "POSITION": all } });
    let part = json!({ "attributes": { "POSITION": all }, "indices": few });
    // Each primitive takes three points of the many, which are read once.
    let shared = draft.load(&one_mesh(json!(vec![part; 1000])));
    assert!(shared.warnings.is_empty() && shared.scene.geometry_count() == 1000);
    let Geometry::Mesh(mesh) = &shared.scene.geometries()[999] else { panic!() };
    assert_eq!(mesh.vertices().len(), 3);
    let greedy = draft.load(&one_mesh(json!(vec![whole; 400])));
    // There are 2^20 numbers to spare, and one for each byte: 4096 · 12 of points and 6 of indices.
    // The points are read once, and each primitive takes as many indices.
    assert_eq!(greedy.scene.geometry_count(), 400);
    let read = greedy.scene.geometries().iter().filter(|it| **it != Geometry::Empty);
    assert_eq!(read.count(), ((1 << 20) + 49_158) / 4096 - 1);
    assert!(greedy.warnings[0].to_string().contains("share their accessors too often"));
}

#[test]
fn a_native_scene_holds_documents_and_their_colliders() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["shapes"] = json!([{ "type": "sphere" }]);
    document["nodes"][0]["extensions"] =
        json!({ "KHR_physics_rigid_bodies": { "collider": { "geometry": { "shape": 0 } } } });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.gltf"), draft.gltf(&document)).unwrap();
    let room = json!({ "raytwin": 1, "nodes": [
        { "name": "shown", "translation": [5, 0, 0], "file": "a.gltf" },
        { "name": "felt", "scale": [2, 2, 2], "file": "a.gltf", "collision": true },
    ] });
    std::fs::write(folder.path().join("room.json"), room.to_string()).unwrap();
    let scene = load(folder.path().join("room.json"), &Options::default()).unwrap().scene;
    assert_eq!(paths(&scene), ["shown/n/mesh[0]", "felt/n/sphere[0]"]);
    assert_eq!(row(&scene, 1), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn morph_targets_are_missed_only_where_they_move_positions() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let targets = json!([{ "NORMAL": points }, { "POSITION": points, "TANGENT": points }]);
    let mut document =
        one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6, "targets": targets }]));
    for (weights, count) in [([0.5, 0.0], 0), ([0.0, 0.0], 0), ([0.0, 0.5], 1)] {
        for part in ["meshes", "nodes"] {
            document[part][0]["weights"] = json!(weights);
            let warnings = draft.load(&document).warnings;
            assert_eq!(warnings.len(), count, "{part} {weights:?} {warnings:?}");
            document[part][0].as_object_mut().unwrap().remove("weights");
        }
    }
}

#[test]
fn a_document_tells_which_version_it_is_of_and_what_it_cannot_do_without() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["extras"] = json!(["any", 1, null]);
    document["nodes"][0]["extras"] = json!("a tag");
    document["meshes"][0]["weights"] = json!([0.0, 0.5]);
    document["meshes"][0]["primitives"][0]["targets"] =
        json!([{ "NORMAL": points }, { "POSITION": points }]);
    document["extensionsUsed"] = json!(["ACME_fog", "KHR_materials_unlit"]);
    document["extensionsRequired"] = json!(["ACME_fog", "KHR_materials_unlit"]);
    let [required, morphed] = &draft.load(&document).warnings[..] else { panic!() };
    assert!(required.names == ["ACME_fog"] && morphed.count == 1, "{required} {morphed}");
    let text = String::from_utf8(draft.gltf(&document)).unwrap();
    let with_asset = |asset: &str| text.replace(r#"{"version":"2.0"}"#, asset);
    for (asset, phrase) in [
        (r#"{"version":"1.0"}"#, "is glTF 1.0"),
        (r#"{"version":"2.0","minVersion":"3.1"}"#, "is glTF 3.1"),
    ] {
        let error = read_bytes("a.gltf", with_asset(asset).as_bytes(), &Options::default());
        assert!(error.unwrap_err().contains(phrase));
    }
    let later = with_asset(r#"{"version":"2.1","minVersion":"2.0"}"#);
    let marked = format!("\u{feff}{later}");
    assert!(read_bytes("a.gltf", marked.as_bytes(), &Options::default()).is_ok());
}

#[test]
fn a_hidden_node_is_left_out_with_its_children_and_keeps_its_colliders() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    document["nodes"] = json!([
        { "name": "n", "children": [1, 2] },
        { "name": "hidden", "children": [3], "extensions": { "KHR_node_visibility": { "visible": false },
            "KHR_physics_rigid_bodies": { "collider": { "geometry": { "shape": 0 } } } } },
        { "name": "shown", "mesh": 0, "extensions": { "KHR_node_visibility": { "visible": true } } },
        { "name": "below", "mesh": 0 },
    ]);
    document["shapes"] = json!([{ "type": "sphere" }]);
    assert_eq!(paths(&draft.load(&document).scene), ["n/shown/mesh[0]"]);
    let colliders = draft.load_with(&document, &collision()).unwrap();
    assert_eq!(paths(&colliders.scene), ["n/hidden/sphere[0]"]);
}

#[test]
fn what_is_optional_or_not_used_need_not_be_there_or_be_valid() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let whole = |part: &str, value: Value| {
        let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
        document["scenes"] = json!([{ "nodes": [0] }]);
        document[part] = value;
        document
    };
    let pointer = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/nodes/0/scale" } } });
    for (part, value) in [
        ("scenes", json!([{ "nodes": [0] }, { "name": "empty" }, { "nodes": [7] }])),
        ("scenes", json!([])),
        (
            "animations",
            json!([{ "channels": [{ "sampler": 0, "target": pointer }], "samplers": [{ "input": 0, "output": 0 }] }]),
        ),
        ("animations", json!([{ "extras": 1 }])),
        ("animations", json!([])),
        ("textures", json!([{}, { "extensions": { "EXT_texture_webp": { "source": 0 } } }])),
        ("images", json!([{ "bufferView": 99, "mimeType": "image/webp" }])),
        ("samplers", json!([{ "magFilter": 1 }])),
        ("materials", json!([{ "alphaMode": "ADDITIVE", "emissiveTexture": {} }])),
        ("cameras", json!([{ "type": "fisheye" }])),
        (
            "nodes",
            json!([{ "mesh": 0, "extensions": { "A": null, "B": [1], "C": "text" }, "extras": [] }]),
        ),
        ("extensions", json!({ "A": null, "B": [1] })),
        ("extras", json!("text")),
        ("anything", json!(1)),
    ] {
        let imported = draft.load(&whole(part, value.clone()));
        assert_eq!(imported.scene.geometry_count(), 1, "{part}: {value}");
        assert!(imported.warnings.is_empty(), "{part}: {value}: {:?}", imported.warnings);
    }
    // A scene without nodes shows nothing.
    let mut document = whole("scenes", json!([{ "nodes": [0] }, {}]));
    document["scene"] = json!(1);
    let refused = draft.load_with(&document, &Options::default()).unwrap_err();
    assert!(refused.contains("has no shapes"), "{refused}");
    for (part, value, reason) in [
        ("scene", json!(2), "scene: is an index that does not exist"),
        (
            "scenes",
            json!([{ "nodes": [7] }]),
            "scenes[0].nodes[0]: is an index that does not exist",
        ),
        ("nodes", json!([{ "mesh": "m" }]), "nodes[0].mesh: invalid type: string"),
    ] {
        let refused = draft.load_with(&whole(part, value), &Options::default()).unwrap_err();
        assert!(refused.starts_with(&format!("a.gltf: {reason}")), "{refused}");
    }
}

#[test]
fn an_odd_camera_is_left_out_and_nothing_else() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let mut document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    let sound = json!({ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1 } });
    for odd in [
        json!({ "type": "perspective", "perspective": { "yfov": 0, "znear": 0.1 } }),
        json!({ "type": "perspective", "perspective": { "yfov": -1, "znear": 0.1 } }),
        json!({ "type": "perspective", "perspective": { "znear": 0.1 } }),
        json!({ "type": "perspective", "perspective": { "yfov": "wide" } }),
        json!({ "type": "perspective" }),
        json!({ "type": "orthographic", "orthographic": { "xmag": 0, "ymag": 0, "zfar": 1, "znear": 0 } }),
        json!(7),
    ] {
        document["cameras"] = json!([sound, odd]);
        document["nodes"] = json!([{ "mesh": 0 }, { "camera": 0 }, { "camera": 1 }]);
        let ImportedScene { scene, warnings, .. } = draft.load(&document);
        assert_eq!((scene.cameras.len(), warnings.len()), (1, 1), "{odd}: {warnings:?}");
    }
    document["nodes"][2]["camera"] = json!(2);
    let ImportedScene { scene, warnings, .. } = draft.load(&document);
    assert_eq!((scene.cameras.len(), scene.geometry_count()), (1, 1));
    assert!(
        warnings[0].to_string().contains("cameras[2] (is an index that does not exist"),
        "{warnings:?}"
    );
}

#[test]
fn colliders_of_other_extensions_are_named() {
    let document = |collider: Value| {
        json!({ "nodes": [{ "name": "crate", "extensions": { "OMI_physics_body": collider } }],
            "extensions": { "OMI_physics_shape": { "shapes": [{ "type": "box", "box": { "size": [1, 2, 3] } }] } } })
    };
    let draft = Draft::default();
    let with_collider = document(json!({ "collider": { "shape": 0 } }));
    let refused = draft.load_with(&with_collider, &collision()).unwrap_err();
    assert!(
        refused.contains("crate (a collider of OMI_physics_body, which is not read"),
        "{refused}"
    );
    // Asking for the collision geometry would not help, so it is not advised.
    let refused = draft.load_with(&with_collider, &Options::default()).unwrap_err();
    assert!(!refused.contains("read the collision geometry"), "{refused}");
    assert!(
        refused.contains("none of their colliders could be read: a.gltf (a collider of OMI_physics_body, which is not read: export it as KHR_physics_rigid_bodies)"),
        "{refused}"
    );
    let motion = document(json!({ "motion": { "type": "dynamic" } }));
    let refused = draft.load_with(&motion, &collision()).unwrap_err();
    assert!(!refused.contains("OMI"), "{refused}");
}

#[test]
fn a_robot_and_a_world_and_a_native_scene_take_a_document_as_a_mesh() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let fan = json!({ "attributes": { "POSITION": points }, "mode": 6 });
    let mut document = one_mesh(json!([fan, { "attributes": { "POSITION": points }, "mode": 1 }]));
    // The second stands on its head, and a scene that is not shown has it once more.
    document["nodes"] = json!([
        { "translation": [0, 0, 5], "children": [1] },
        { "mesh": 0, "scale": [2, 1, 1] },
        { "mesh": 0, "scale": [1, -1, 1] },
        { "mesh": 0 },
    ]);
    document["scenes"] = json!([{ "nodes": [3] }, { "nodes": [0, 2] }]);
    document["scene"] = json!(1);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("m.glb", &draft.glb(&document));
    write("m.gltf", &draft.gltf(&document));
    for file in ["m.glb", "m.gltf"] {
        let texts = [
            ("r.urdf", format!("<robot name='r'><link name='l'><visual><geometry><mesh filename='{file}' scale='.5 .5 .5'/></geometry></visual></link></robot>")),
            ("w.sdf", format!("<sdf version='1.9'><model name='m'><link name='l'><visual name='v'><geometry><mesh><uri>{file}</uri><scale>.5 .5 .5</scale></mesh></geometry></visual></link></model></sdf>")),
            ("n.json", json!({ "raytwin": 1, "nodes": [{ "scale": [0.5, 0.5, 0.5], "shapes": [{ "type": "mesh", "file": file }] }] }).to_string()),
        ];
        for (name, text) in texts {
            write(name, text.as_bytes());
            let imported = load(folder.path().join(name), &Options::default()).unwrap();
            let [warning] = &imported.warnings[..] else {
                panic!("{name}: {:?}", imported.warnings)
            };
            assert_eq!(warning.names.len(), 2, "{name}: {warning}");
            let is_of_lines = |it: &String| it.ends_with("(lines have no surface)");
            assert!(warning.names.iter().all(is_of_lines), "{name}: {warning}");
            let [geometry] = imported.scene.geometries() else { panic!("{name}") };
            // Lines are no surface, and no axis is turned upwards.
            let corners = corners(geometry);
            let [o, x, y, z] = [[0.0, 0.0, 2.5], [1.0, 0.0, 2.5], [0.0, 0.5, 2.5], [0.0, 0.0, 3.0]];
            assert_eq!(corners[..2], [[x, y, o], [y, z, o]]);
            assert_eq!(corners[2], [[0.5, 0.0, 0.0], [0.0; 3], [0.0, -0.5, 0.0]]);
            assert_eq!(corners.len(), 4);
        }
    }
}

#[test]
fn a_document_as_a_mesh_is_read_as_far_as_the_same_document_as_a_scene() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let fan = json!({ "attributes": { "POSITION": points }, "mode": 6 });
    let sound = one_mesh(json!([fan]));
    let folder = tempfile::tempdir().unwrap();
    let robot = "<robot name='r'><link name='l'><visual><geometry><mesh filename='m.gltf'/></geometry></visual></link></robot>";
    std::fs::write(folder.path().join("r.urdf"), robot).unwrap();
    let as_mesh = |document: &Value| {
        std::fs::write(folder.path().join("m.gltf"), draft.gltf(document)).unwrap();
        load(folder.path().join("r.urdf"), &Options::default())
    };
    let whole = as_mesh(&sound).unwrap();
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);

    let odd_node = |node: Value| {
        let mut document = sound.clone();
        let nodes = document["nodes"].as_array_mut().unwrap();
        nodes.push(node);
        document["scenes"] = json!([{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }]);
        document["extensions"] =
            json!({ "KHR_implicit_shapes": { "shapes": [{ "type": "sphere" }] } });
        document
    };
    let mut requires = sound.clone();
    requires["extensionsRequired"] = json!(["X_unknown"]);
    let mut without_positions = sound.clone();
    without_positions["meshes"][0]["primitives"] = json!([fan, { "attributes": {} }]);
    let mut with_points = sound.clone();
    with_points["meshes"][0]["primitives"] =
        json!([fan, { "attributes": { "POSITION": points }, "mode": 0 }]);
    let shape = json!({ "KHR_implicit_shapes": { "shape": 0 } });
    for (document, expected) in [
        (requires, "not known, so their effects are left out: m.gltf: X_unknown"),
        (
            odd_node(json!({ "name": "flat", "mesh": 0, "scale": [1, 1, 0] })),
            "1 parts of mesh files could not be read, and were left out: m.gltf: flat (has a transform",
        ),
        (odd_node(json!({ "name": "ball", "extensions": shape })), "m.gltf: ball (a shape)"),
        (without_positions, "primitive 1 (has no positions)"),
        (with_points, "m.gltf: n (points have no surface)"),
    ] {
        assert!(draft.load(&document).scene.geometry_count() > 0);
        let imported = as_mesh(&document).unwrap();
        assert_eq!(imported.scene.geometries(), whole.scene.geometries());
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        assert!(warning.to_string().contains(expected), "{warning}");
    }
    let mut flat = sound;
    flat["nodes"][0]["scale"] = json!([1, 0, 1]);
    flat["nodes"][0]["name"] = json!("flat");
    let refused = as_mesh(&flat).unwrap_err().to_string();
    assert!(refused.contains("m.gltf: has no triangles: 1 parts"), "{refused}");
    assert!(refused.contains("flat (has a transform that stretches"), "{refused}");
}

#[test]
fn corners_that_make_no_whole_triangle_or_line_are_named() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    for (indices, mode, left) in [
        (Some(vec![0, 1, 2, 3]), 4, "1"),
        (Some(vec![0, 1, 2, 3, 0]), 4, "2"),
        (None, 4, "1"),
        (Some(vec![0, 1, 2]), 1, "1"),
    ] {
        let mut primitive = json!({ "attributes": { "POSITION": points }, "mode": mode });
        if let Some(indices) = indices {
            primitive["indices"] = json!(draft.shorts(&indices));
        }
        let imported = draft.load(&one_mesh(json!([primitive])));
        let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
        let expected = format!("n, primitive 0 (its last {left} corners)");
        assert_eq!(warning.names, [expected]);
        assert!(warning.is_read);
    }
}

#[test]
fn zeros_that_pad_a_document_are_read_past() {
    let mut draft = Draft::default();
    let points = draft.points(&POINTS);
    let document = one_mesh(json!([{ "attributes": { "POSITION": points }, "mode": 6 }]));
    let expected = draft.load(&document).scene;
    let text = [draft.gltf(&document), vec![0; 3]].concat();
    let read = read_bytes("a.gltf", &text, &Options::default()).unwrap();
    assert_eq!(read.scene.geometries(), expected.geometries());
    // In the container the specification asks for spaces.
    let mut container = draft.glb(&document);
    let length = u32::from_le_bytes(container[12..16].try_into().unwrap()) as usize;
    let json = &mut container[20..20 + length];
    let end = json.iter().rposition(|byte| *byte != b' ').unwrap() + 1;
    json[end..].fill(0);
    container.splice(20 + length..20 + length, [0; 4]);
    container[12..16].copy_from_slice(&(length as u32 + 4).to_le_bytes());
    let whole = container.len() as u32;
    container[8..12].copy_from_slice(&whole.to_le_bytes());
    let read = read_bytes("a.glb", &container, &Options::default()).unwrap();
    assert_eq!(read.scene.geometries(), expected.geometries());
}
