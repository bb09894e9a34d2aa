//! Small valid documents of glTF, and of COLLADA.

use super::Seed;
use super::xml_lapses::with_lapses;

/// The numbers of the documents: positions, indices, sparse elements, joints, weights, matrices and short integers.
const BASE64: &str = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAQMAAAAAoEAAAAAAAAAAAAAAAAAAAOBAAAAAAAABAAAAAQAAAAEAAAABAAAAAAA/AAAAPwAAAAAAAAAAAAAAPwAAAD8AAAAAAAAAAAAAAD8AAAA/AAAAAAAAAAAAAAA/AAAAPwAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAP9/AAAAAAAAAAD/fwAAAAA=";

/// A document that shows meshes of all kinds, a shape and a camera.
const SHOWN: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,4]}],
"nodes":[{"name":"arm","rotation":[0,0,0.6,0.8],"translation":[1,2,3],"scale":[1,2,-1],
"children":[1,2,3],"mesh":0},{"matrix":[2,0,0,0,0,2,0,0,0,0,2,0,1,0,0,1],
"mesh":0,"extensions":{"KHR_implicit_shapes":{"shape":0}}},{"name":"skinned","mesh":1,"skin":0},
{"name":"many","mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}},
{"name":"eye","camera":0}],"cameras":[{"type":"perspective","perspective":{"yfov":0.7,"znear":0.1}}],
"materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0.5,0,1]}}],"skins":[{"joints":[0,1],
"inverseBindMatrices":5}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0},
{"attributes":{"POSITION":2},"mode":6},{"attributes":{"POSITION":6},"mode":5},
{"attributes":{"POSITION":0},"mode":3}]},
{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":3,"WEIGHTS_0":4},"indices":1}]}],
"extensions":{"KHR_implicit_shapes":{"shapes":[{"type":"sphere","sphere":{"radius":0.5}}]}},"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},
{"bufferView":1,"componentType":5123,"type":"SCALAR","count":6},
{"componentType":5126,"type":"VEC3","count":4,"sparse":{"count":2,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":3}}},
{"bufferView":4,"componentType":5121,"type":"VEC4","count":4},
{"bufferView":5,"componentType":5126,"type":"VEC4","count":4},
{"bufferView":6,"componentType":5126,"type":"MAT4","count":2},
{"bufferView":7,"componentType":5122,"normalized":true,"type":"VEC3","count":3}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12},
{"buffer":0,"byteOffset":60,"byteLength":4},{"buffer":0,"byteOffset":64,"byteLength":24},
{"buffer":0,"byteOffset":88,"byteLength":16},{"buffer":0,"byteOffset":104,"byteLength":64},
{"buffer":0,"byteOffset":168,"byteLength":128},
{"buffer":0,"byteOffset":296,"byteLength":24,"byteStride":8}]}"#;

/// A document of colliders, with the shapes of the draft of glTF 2.1.
const COLLIDERS: &str = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"sphere","translation":[0,0,0],"scale":[1,-1,1],
"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"shape":0}}}}},
{"name":"box","translation":[1,0,0],"scale":[1,-1,1],
"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"shape":1}}}}},
{"name":"cylinder","translation":[2,0,0],"scale":[1,-1,1],
"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"shape":2}}}}},
{"name":"capsule","translation":[3,0,0],"scale":[1,-1,1],
"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"shape":3}}}}},
{"name":"plane","translation":[4,0,0],"scale":[1,-1,1],
"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"shape":4}}}}},
{"mesh":0,"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"node":5,"convexHull":true}}}}},
{"extensions":{"KHR_physics_rigid_bodies":{"collider":{"geometry":{"node":5}}}}}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},
{"bufferView":1,"componentType":5123,"type":"SCALAR","count":6}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
"shapes":[{"type":"sphere","sphere":{"radius":0.5}},{"type":"box","box":{"size":[1,2,3]}},
{"type":"cylinder","cylinder":{"height":2,"radiusTop":0.5}},{"type":"capsule"},
{"type":"plane","plane":{"sizeX":2}}]}"#;

/// The document with a buffer in it.
fn with_buffer(document: &str, buffer: &str) -> String {
    let rest = document.strip_prefix('{').unwrap();
    format!("{{\"buffers\":[{{{buffer}\"byteLength\":320}}],\n{rest}")
}

pub fn gltf() -> Vec<Seed> {
    vec![Seed::of(embedded(SHOWN)), Seed::of(with_buffer(SHOWN, "\"uri\":\"numbers%2Ebin\","))]
}

pub fn colliders() -> Vec<Seed> {
    let extension =
        COLLIDERS.replace("\"shapes\":", "\"extensions\":{\"KHR_implicit_shapes\":{\"shapes\":");
    let extension = extension.strip_suffix('}').unwrap().to_owned() + "}}}";
    vec![Seed::of(embedded(COLLIDERS)), Seed::of(embedded(&extension))]
}

fn embedded(document: &str) -> String {
    with_buffer(document, &format!("\"uri\":\"data:;base64,{BASE64}\","))
}

pub fn glb() -> Vec<Seed> {
    let seed = |document: &&str| Seed {
        pieces: vec![with_buffer(document, "").into_bytes(), numbers()],
        whole: container,
    };
    [SHOWN, COLLIDERS].iter().map(seed).collect()
}

/// The bytes of the buffer.
pub fn numbers() -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |digit: u8| digits.bytes().position(|known| known == digit).unwrap_or(0) as u32;
    let group = |four: &[u8]| {
        let bits = four.iter().fold(0, |bits, &digit| bits << 6 | value(digit));
        let [_, bytes @ ..] = bits.to_be_bytes();
        let padding = four.iter().filter(|&&digit| digit == b'=').count();
        bytes[..3 - padding].to_vec()
    };
    BASE64.as_bytes().chunks(4).flat_map(group).collect()
}

/// The binary container of a document and its buffer.
fn container(pieces: &[Vec<u8>]) -> Vec<u8> {
    let chunks: Vec<u8> = [*b"JSON", *b"BIN\0"]
        .into_iter()
        .zip(pieces)
        .flat_map(|(kind, piece)| [&(piece.len() as u32).to_le_bytes(), &kind, &piece[..]].concat())
        .collect();
    let length = (12 + chunks.len()) as u32;
    [b"glTF", &2_u32.to_le_bytes(), &length.to_le_bytes(), &chunks[..]].concat()
}

pub fn dae() -> Vec<Seed> {
    const NODES: &str = r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/></asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#s" offset="0"/><p>9 0 9 1 9 2</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
<polygons count="1"><input semantic="VERTEX" source="#v" offset="0"/><ph><p>0 1 2 3</p><h>0 1 2</h></ph></polygons>
<tristrips count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 2</p></tristrips></mesh></geometry></library_geometries>
<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>
<library_nodes><node id="w"><scale>1 2 -3</scale><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="all"><node><translate>1 2 3</translate><rotate>0 0 1 90</rotate><instance_node url="#w"/>
<node><skew>45 0 1 0 1 0 0</skew><lookat>0 0 5 9 0 5 0 0 1</lookat><instance_controller url="#c"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#all"/></scene></COLLADA>"##;
    const GEOMETRY: &str = r##"<COLLADA><library_geometries><geometry><mesh><source id="s"><float_array>0 0 0 1 0 0 1 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices><trifans><input semantic="VERTEX" source="#v"/><p>0 1 2</p></trifans></mesh></geometry></library_geometries></COLLADA>"##;
    vec![Seed::of(NODES), Seed::of(GEOMETRY), with_lapses(NODES)]
}
