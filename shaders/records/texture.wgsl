// Records in a texture, as drivers in software read them best: four numbers by one instruction, where a buffer's are
// read one by one. Written to by nobody, it is still a storage texture: a sampled one is looked up by way of its
// mip levels, which takes longer than all else.

// Four texels a record.
@group(0) @binding(0) var records: texture_storage_2d<rgba32uint, read>;

const RECORDS_PER_ROW: u32 = 1024u;

fn record_at(index: u32) -> Record {
    let texel = vec2<u32>((index % RECORDS_PER_ROW) * 4u, index / RECORDS_PER_ROW);
    return Record(
        textureLoad(records, texel), textureLoad(records, texel + vec2<u32>(1u, 0u)),
        textureLoad(records, texel + vec2<u32>(2u, 0u)), textureLoad(records, texel + vec2<u32>(3u, 0u)));
}
