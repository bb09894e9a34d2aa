// What suits software drivers: records in a texture, and selection instead of `min` and `max`.

// Software drivers read four numbers of a texture by one instruction, and those of a buffer one by one. It is a storage
// texture, although nothing writes to it, because a look-up in a sampled texture goes through its mip levels, which
// takes longer than everything else. A record takes four texels.
@group(0) @binding(0) var records: texture_storage_2d<rgba32uint, read>;

const RECORDS_PER_ROW: u32 = 1024u;

fn record_at(index: u32) -> Record {
    let texel = vec2<u32>((index % RECORDS_PER_ROW) * 4u, index / RECORDS_PER_ROW);
    return Record(
        textureLoad(records, texel), textureLoad(records, texel + vec2<u32>(1u, 0u)),
        textureLoad(records, texel + vec2<u32>(2u, 0u)), textureLoad(records, texel + vec2<u32>(3u, 0u)));
}

// There is no NaN here. `min` and `max` would have to handle it, which takes a software driver longer.
fn lower(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a < b);
}

fn higher(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return select(b, a, a > b);
}

// How many nodes a thread may visit before shapes are intersected. Threads that run together wait for each other: those
// that have found a shape wait for the others to find one, and this limits how long.
const STEPS_PER_SHAPE: u32 = 16u;
