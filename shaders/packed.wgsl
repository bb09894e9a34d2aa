// The packed scene: records and scene_params. See src/packed.rs and src/bvh.rs.

// 64 bytes: a shape, in a wide tree also a node, or nothing.
struct Record {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

// A shape's first scene_params.
struct ShapeParams {
    first: vec4<f32>,
    second: vec4<f32>,
    third: vec4<f32>,
}

// What is set in a shape's kind, and in no node or empty record with a 0 two numbers later: there these would be a
// child's lower and upper planes, and a lower one at 1 with the upper one at 0 does not occur.
const SHAPE_MARK: u32 = 0x01010100u;

// Slots are read by `record_at`, from a buffer or a texture: shaders/records/.
// Of heightfields all scene_params, and of each mesh the one that its triangles have in common; as bits.
@group(0) @binding(1) var<storage, read> scene_params: array<vec4<u32>>;

// What a mesh's triangles have in common.
struct MeshParams {
    mask: u32,
    // its parts, by their numbers
    first_primitive: u32,
    end: u32,
    is_closed: u32,
}

fn mesh_params(index: u32) -> MeshParams {
    let row = scene_params[index];
    return MeshParams(row.x, row.y, row.z, row.w);
}
