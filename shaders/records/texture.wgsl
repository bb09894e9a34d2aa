// Reads records from a texture, which is the fastest way for software drivers: they read four numbers of a texture by
// one instruction, and those of a buffer one by one. It is a storage texture, although nothing writes to it, because a
// look-up in a sampled texture goes through its mip levels, which takes longer than everything else.

// A record takes four texels.
@group(0) @binding(0) var records: texture_storage_2d<rgba32uint, read>;

const RECORDS_PER_ROW: u32 = 1024u;

fn record_at(index: u32) -> Record {
    let texel = vec2<u32>((index % RECORDS_PER_ROW) * 4u, index / RECORDS_PER_ROW);
    return Record(
        textureLoad(records, texel), textureLoad(records, texel + vec2<u32>(1u, 0u)),
        textureLoad(records, texel + vec2<u32>(2u, 0u)), textureLoad(records, texel + vec2<u32>(3u, 0u)));
}
