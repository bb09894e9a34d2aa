// The packed scene: tree, records, words. See src/packed.rs and src/bvh.rs.

struct Child {
    min: vec3<f32>,
    link: u32,
    max: vec3<f32>,
    // 0 marks an inner child
    count: u32,
}

struct Node {
    children: array<Child, 2>,
}

struct Record {
    // tag << KIND_SHIFT | first word
    head: u32,
    part: u32,
}

const KIND_SHIFT: u32 = 28u;
const WORD_MASK: u32 = (1u << KIND_SHIFT) - 1u;

@group(0) @binding(0) var<storage, read> nodes: array<Node>;
@group(0) @binding(1) var<storage, read> records: array<Record>;
@group(0) @binding(2) var<storage, read> words: array<vec4<f32>>;
