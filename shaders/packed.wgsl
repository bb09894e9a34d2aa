// The packed scene: records, params, and a header of its numbers. See src/packed.rs, src/bvh.rs and
// src/gpu/header.rs.

// A record of 64 bytes holds a shape, in a wide tree also a node, or nothing.
struct Record {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

// The params of a shape that its record holds.
struct ShapeParams {
    first: vec4<f32>,
    second: vec4<f32>,
    third: vec4<f32>,
}

// The mark that distinguishes shapes from nodes and empty records. A shape's kind has these bits, and the number two
// after it is 0. In a node these would be a child's lower and upper planes, and a lower plane at 1 with the upper one
// at 0 does not occur.
const SHAPE_MARK: u32 = 0x01010100u;

// Returns the kind of the shape in a record. If the record has no shape, the result is not a kind.
fn kind_of(record: Record) -> u32 {
    return (record.fourth.x ^ SHAPE_MARK) | record.fourth.z;
}

fn params_in(record: Record) -> ShapeParams {
    return ShapeParams(
        bitcast<vec4<f32>>(record.first), bitcast<vec4<f32>>(record.second), bitcast<vec4<f32>>(record.third));
}

// Records are read by `record_at`, from a buffer or a texture: see shaders/device/.

// The bits of all params of heightfields, and for each mesh of the one that its triangles share.
@group(0) @binding(1) var<storage, read> scene_params: array<vec4<u32>>;

// The scene's numbers. They are not constants of the module, so that all scenes of the same kinds of primitives share
// its pipelines.
struct SceneHeader {
    // The part of the scene that is traversed. It is the whole, unless a driver gave up on that: see src/gpu/part.rs.
    // the record of the instance that the part's tree belongs to; NONE for the scene's own tree
    instance: u32,
    // the node at which the traversal of that tree begins; NONE if there is none
    root: u32,
    // the records of that tree that are intersected before it; in the whole, these are the primitives without a box
    first_unbounded: u32,
    unbounded_records: u32,
    // the block of a heightfield's cells, by its level, row and column
    block_level: u32,
    block_row: u32,
    block_column: u32,
    closed_meshes: u32,
    // more steps than any traversal of the tree takes, so that every loop ends even if a record is damaged
    max_traversal_steps: u32,
    // 0, which no compiler knows: see shaders/barrier.wgsl
    zero: u32,
}

@group(0) @binding(2) var<uniform> scene_header: SceneHeader;

fn zero_at_run_time() -> u32 {
    return scene_header.zero;
}

// Returns the node of the scene's own tree at which a traversal begins; NONE if there is none.
fn own_root() -> u32 {
    return select(NONE, scene_header.root, scene_header.instance == NONE);
}

// Returns the first of the scene's own records that are intersected before its tree, and their number. A part of an
// instance's tree is reached only through that instance.
fn own_first_unbounded() -> u32 {
    return select(scene_header.instance, scene_header.first_unbounded, scene_header.instance == NONE);
}

fn own_unbounded_records() -> u32 {
    return select(1u, scene_header.unbounded_records, scene_header.instance == NONE);
}

// The params that all triangles of a mesh share.
struct MeshParams {
    mask: u32,
    // the range of its primitives
    first_primitive: u32,
    end: u32,
    is_closed: u32,
}

fn mesh_params(index: u32) -> MeshParams {
    let row = scene_params[index];
    return MeshParams(row.x, row.y, row.z, row.w);
}
