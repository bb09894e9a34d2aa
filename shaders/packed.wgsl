// The packed scene: slots and words. See src/packed.rs and src/bvh.rs.

// 64 bytes: a shape, in a wide tree also a node, or nothing.
struct Slot {
    first: vec4<u32>,
    second: vec4<u32>,
    third: vec4<u32>,
    fourth: vec4<u32>,
}

// A shape's first words.
struct Words {
    first: vec4<f32>,
    second: vec4<f32>,
    third: vec4<f32>,
}

// What is set in a shape's tag, and in no node or empty slot with a 0 two numbers later: there these would be a
// child's lower and upper planes, and a lower one at 1 with the upper one at 0 does not occur.
const SHAPE_MARK: u32 = 0x01010100u;

// Slots are read by `slot_at`, from a buffer or a texture: shaders/slots/.
// Of heightfields all words, and of each mesh the one that its triangles have in common; as bits.
@group(0) @binding(1) var<storage, read> words: array<vec4<u32>>;

// What a mesh's triangles have in common.
struct MeshWord {
    mask: u32,
    // its parts, by their numbers
    first_part: u32,
    end: u32,
    is_closed: u32,
}

fn mesh_word(place: u32) -> MeshWord {
    let word = words[place];
    return MeshWord(word.x, word.y, word.z, word.w);
}
